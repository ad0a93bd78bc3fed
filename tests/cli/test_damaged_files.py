"""Damaged databases and files end in a message. The long form is bench/fuzz_files.py."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"


def test_nothing_unexpected_comes_of_damaged_databases_and_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    monkeypatch.delitem(sys.modules, "fuzz_files", raising=False)
    from fuzz_files import attack

    ends = attack(tmp_path, n=3)

    assert ends.total() == 6
    assert {code for _, code, _ in ends} <= {0, 1, 2}, ends

"""A check with an option of its own is one file: everything else finds it there."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import steelyard
import steelyard.qc
from steelyard.cli.main import run
from steelyard.domain.errors import ChoiceError
from steelyard.qc import checks

CHECK_FILE = '''
"""Workers who gave enough judgements pass."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.domain.options import option
from steelyard.domain.plugin import Check
from steelyard.domain.result import CheckSettings, Verdict


@dataclass(frozen=True)
class BusySettings(CheckSettings):
    """How busy a worker must be."""

    enough: int = option(2, help="Judgements that are enough.", signature="enough", minimum=1)


def run(frame, settings):
    """A pass for everybody with enough judgements."""
    counts = sorted(frame["worker_id"].value_counts().iter_rows())
    return [
        Verdict(str(worker), "pass" if n >= settings.enough else "fail", n, None, None, None, None, "counted")
        for worker, n in counts
    ]


CHECK = Check(name="busy", title="Busy workers", cite=(), run=run, settings=BusySettings)
'''
LINES = ["worker,system,segment,rating", "a,x,1,60", "a,y,1,40", "b,x,1,90", "b,y,1,20", "b,x,2,80"]


@pytest.fixture(autouse=True)
def _busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "checks"
    folder.mkdir()
    (folder / "busy.py").write_text(CHECK_FILE, "utf-8")
    monkeypatch.setattr(steelyard.qc, "__path__", [*steelyard.qc.__path__, str(folder)])
    checks.cache_clear()
    yield
    checks.cache_clear()
    del sys.modules["steelyard.qc.busy"]


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "judgements.csv"
    path.write_text("\n".join(LINES), "utf-8")
    return str(path)


def test_the_command_line_takes_its_option_and_signs_it(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    common = ("analyse", file, "--method", "mean-rating", "--check", "busy", "--draws", "0", "--json", "-")
    assert run([*common]) == 0
    usual = json.loads(capsys.readouterr().out)
    assert run([*common, "--enough", "3"]) == 0
    strict = json.loads(capsys.readouterr().out)

    assert [row["verdict"] for row in usual["workers"]] == ["pass", "pass"]
    assert [row["verdict"] for row in strict["workers"]] == ["fail", "pass"]
    assert "|enough:3|" in strict["signature"]
    assert "enough" not in usual["signature"]


def test_python_takes_it_as_a_keyword(file: str) -> None:
    analysis = steelyard.analyse(file, method="mean-rating", check="busy", draws=0, enough=3)

    assert analysis.workers["verdict"].to_list() == ["fail", "pass"]


def test_another_check_refuses_it_and_a_value_that_does_not_fit_is_refused(file: str) -> None:
    with pytest.raises(ChoiceError, match="enough is an option of the check busy, not of paired-t"):
        steelyard.analyse(file, enough=3)
    with pytest.raises(ChoiceError, match="enough must be at least 1, not 0"):
        steelyard.analyse(file, check="busy", enough=0)


def test_help_has_it_under_the_name_of_the_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["analyse", "--help"]) == 0

    assert "Options of busy: --enough INTEGER Judgements that are enough. [default: 2]" in " ".join(
        capsys.readouterr().out.split()
    )

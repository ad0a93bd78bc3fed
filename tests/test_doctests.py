"""The examples in docstrings give what they say."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
WITH_EXAMPLES = [
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((SOURCE / "steelyard").rglob("*.py"))
    if ">>> " in path.read_text("utf-8")
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_are_right(name: str) -> None:
    found = doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)

    assert found.attempted > 0
    assert found.failed == 0, "the captured output shows which examples failed"

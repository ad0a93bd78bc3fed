"""Progress in a notebook: nothing for quick work, a line that is gone at the end for long work."""

from __future__ import annotations

import sys
import time
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from steelyard.api import waiting
from steelyard.api.waiting import shown_progress


class _Notebook:
    """What a notebook's cell shows: one line, replaced by each update."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def display(self, bundle: dict[str, str], *, raw: bool, display_id: bool) -> _Notebook:
        assert raw
        assert display_id
        self.lines.append(bundle["text/plain"])
        return self

    def update(self, bundle: dict[str, str], *, raw: bool) -> None:
        assert raw
        self.lines.append(bundle["text/plain"])


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> _Notebook:
    found = _Notebook()
    ipython: Any = ModuleType("IPython")
    ipython.get_ipython = lambda: SimpleNamespace(kernel=object())
    display: Any = ModuleType("IPython.display")
    display.display = found.display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(waiting, "PATIENCE", 0.05)
    monkeypatch.setattr(waiting, "STEP", 0.01)
    return found


def test_long_work_is_shown_and_leaves_nothing_behind(notebook: _Notebook) -> None:
    with shown_progress("Trying methods", 4) as advance:
        advance(1)
        advance(2)
        time.sleep(0.15)

    assert notebook.lines[0] == "Trying methods: 75 % after 0 s"
    assert notebook.lines[-1] == ""


def test_quick_work_is_not_shown(notebook: _Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "PATIENCE", 30)

    with shown_progress("Trying methods", 4) as advance:
        advance(4)

    assert notebook.lines == []


def test_work_that_fails_takes_its_line_away(notebook: _Notebook) -> None:
    with pytest.raises(ValueError, match="broken"), shown_progress("Analysing"):
        time.sleep(0.15)
        raise ValueError("broken")

    assert notebook.lines[0] == "Analysing: 0 s"
    assert notebook.lines[-1] == ""


def test_outside_of_a_notebook_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with shown_progress("Trying methods", 4) as advance:
        advance(4)

    assert capsys.readouterr() == ("", "")

"""The Python of the pages: what they show is in docs/examples, which mypy checks, and it runs."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import steelyard as sy

DOCS = Path(__file__).parents[1] / "docs"
PAGES = {"notebook.py": DOCS / "howto" / "python.md", "readme.py": DOCS.parent / "README.md"}
BLOCK = re.compile(r"^```python\n(.*?)^```$", flags=re.M | re.S)


def test_every_example_is_of_a_page() -> None:
    assert sorted(path.name for path in (DOCS / "examples").glob("*.py")) == sorted(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_an_example_is_what_its_page_shows(name: str) -> None:
    shown = BLOCK.findall(PAGES[name].read_text("utf-8"))

    assert (DOCS / "examples" / name).read_text("utf-8") == "\n".join(shown)


def test_the_notebook_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")

    found = runpy.run_path(str(DOCS / "examples" / "notebook.py"))

    assert found["analysis"].systems["system_id"].to_list() == ["brass", "iron", "tin"]
    assert (tmp_path / "ranking.svg").read_text("utf-8") == found["figure"].svg
    assert (tmp_path / "both.png").stat().st_size > 10_000
    assert isinstance(found["planned"], sy.Plan)
    assert "Did you mean 'draws'?" in capsys.readouterr().out

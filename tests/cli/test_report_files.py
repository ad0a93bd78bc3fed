"""Pictures that cannot be drawn here are refused before anything is read, computed or written."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from steelyard.cli.main import UNUSABLE, run


@pytest.fixture
def without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)


@pytest.mark.usefixtures("without_matplotlib")
@pytest.mark.parametrize(
    "line",
    [
        "plot significance nowhere.db --out significance.pdf",
        "plot significance nowhere.db --out significance.png",
        "report nowhere.db --html report.html --latex report",
        "replicate nowhere.db --latex study",
        "meta nowhere.db --plot metrics.png",
        "plan --systems 5 --budget 900 --plot plan.png",
    ],
)
def test_without_matplotlib_the_extra_is_named_before_anything_happens(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The sources do not exist: whoever looked at them first would complain of that."""
    assert run(line.split()) == UNUSABLE

    told = capsys.readouterr().err
    assert 'pip install "steelyard[plots]"' in told
    assert 'in a clone: pip install ".[plots]"' in told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("without_matplotlib")
def test_a_figure_as_svg_needs_no_matplotlib(capsys: pytest.CaptureFixture[str]) -> None:
    Path("judged.csv").write_text(
        "worker,system,segment,rating\na,x,1,90\na,y,1,70\nb,x,1,60\nb,y,1,20\n", "utf-8"
    )

    assert run(["plot", "ranking", "judged.csv", "--check", "none", "--out", "ranking.svg"]) == 0

    assert Path("ranking.svg").stat().st_size > 0

"""A method with an option of its own is one file: everything else finds it there."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import steelyard
import steelyard.aggregation
from steelyard.aggregation import methods
from steelyard.cli.main import run
from steelyard.domain.errors import ChoiceError

METHOD_FILE = '''
"""Means of ratings, moved by what the caller says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import polars as pl

from steelyard.aggregation.mean_rating import fit as mean_ratings
from steelyard.domain.options import option
from steelyard.domain.plugin import Method
from steelyard.domain.result import MethodSettings


@dataclass(frozen=True)
class MovedSettings(MethodSettings):
    """How far, and which way."""

    points: int = option(0, help="Points to move scores by.", signature="points", minimum=0)
    way: Literal["up", "down"] = option("up", help="Which way.", signature="way")


def fit(frame, settings, rng):
    """Mean ratings, so many points higher or lower."""
    fitted = mean_ratings(frame, settings, rng)
    by = settings.points if settings.way == "up" else -settings.points
    return replace(fitted, systems=fitted.systems.with_columns(pl.col("score") + by))


METHOD = Method(
    name="moved",
    title="Mean rating, moved",
    cite=("Graham2017",),
    reads=("ratings",),
    scale_free=False,
    fit=fit,
    settings=MovedSettings,
)
'''


@pytest.fixture
def moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The method `moved`, in a folder of its own."""
    folder = tmp_path / "methods"
    folder.mkdir()
    (folder / "moved.py").write_text(METHOD_FILE, "utf-8")
    monkeypatch.setattr(steelyard.aggregation, "__path__", [*steelyard.aggregation.__path__, str(folder)])
    methods.cache_clear()
    yield
    methods.cache_clear()
    del sys.modules["steelyard.aggregation.moved"]


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "judgements.csv"
    path.write_text("worker,system,segment,rating\na,x,1,60\na,y,1,40\nb,x,1,80\nb,y,1,20\n", "utf-8")
    return str(path)


OPTIONS = ("--check", "none", "--draws", "0")
pytestmark = pytest.mark.usefixtures("moved")


def test_the_command_line_takes_its_options_and_signs_them(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(
        ["analyse", file, *OPTIONS, "--method", "moved", "--points", "5", "--way", "down", "--json", "-"]
    )

    told = json.loads(capsys.readouterr().out)
    assert code == 0
    assert [(row["system_id"], row["score"]) for row in told["systems"]] == [("x", 65.0), ("y", 25.0)]
    assert "|clusters:strict|points:5|way:down|" in told["signature"]


def test_python_takes_them_as_keywords(file: str) -> None:
    analysis = steelyard.analyse(file, check="none", draws=0, method="moved", points=5)

    assert analysis.systems["score"].to_list() == [75.0, 35.0]
    assert "|points:5|" in analysis.signature
    assert "way:" not in analysis.signature


def test_help_has_them_under_the_name_of_the_method(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["analyse", "--help"]) == 0

    shown = capsys.readouterr().out
    section = shown[shown.index("Options of moved:") :].split("\n\n")[0]
    assert " ".join(section.split()) == (
        "Options of moved: --points INTEGER Points to move scores by. [default: 0] "
        "--way [up|down] Which way. [default: up]"
    )


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--way", "left"], "--way cannot be 'left'. Use one of: up, down."),
        (["--points", "-1"], "--points must be at least 0, not -1."),
        (["--points", "few"], "--points must be a whole number, not 'few'."),
    ],
)
def test_values_that_do_not_fit_are_wrong_usage(
    file: str, typed: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["analyse", file, *OPTIONS, "--method", "moved", *typed]) == 2

    assert said in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"method": "moved", "way": "left"}, "way cannot be 'left'. Use one of: up, down."),
        ({"method": "moved", "points": -1}, "points must be at least 0, not -1."),
        ({"method": "mean-z", "points": 1}, "points is an option of moved, not of mean-z."),
        (
            {"method": "moved", "pionts": 1},
            "There is no option 'pionts' in an analysis. Did you mean 'points'? ",
        ),
    ],
)
def test_python_is_told_the_names_of_its_arguments(file: str, given: dict[str, str], said: str) -> None:
    with pytest.raises(ChoiceError) as refused:
        steelyard.analyse(file, check="none", draws=0, **given)

    assert str(refused.value).startswith(said)


def test_another_method_refuses_them_on_the_command_line(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["analyse", file, *OPTIONS, "--method", "mean-z", "--points", "5"]) == 2

    assert "--points is an option of moved, not of mean-z." in capsys.readouterr().err


def test_comparisons_hand_them_to_the_method(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    compared = ("evaluate", file, "--check", "none", "--points", "5")

    assert run([*compared, "--methods", "mean-z"]) == 2
    assert "--points is an option of moved, not of mean-z." in capsys.readouterr().err
    # Two workers are too few for trials, which is another matter.
    assert run([*compared, "--methods", "moved"]) == 1

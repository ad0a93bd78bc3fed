"""Names that are nearly right: other spellings work, and mistakes are told with what was probably meant."""

from __future__ import annotations

from pathlib import Path

import pytest

import steelyard
from steelyard.cli.main import DONE, UNUSABLE, run

ROWS = "worker,system,segment,rating\na,x,1,90\na,y,1,70\nb,x,1,60\nb,y,1,20\n"


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "judgements.csv"
    path.write_text(ROWS, "utf-8")
    return str(path)


def test_analyze_is_analyse(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for name in ("analyse", "analyze"):
        assert run([name, file, "--check", "none", "--method", "mean-rating"]) == DONE
        printed.append(capsys.readouterr().out)

    assert printed[0] == printed[1]


def test_normalize_is_normalise(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["normalize", "--help"]) == DONE

    assert "an expert's" in " ".join(capsys.readouterr().out.split())


def test_the_help_names_other_spellings_without_listing_them_as_commands(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["--help"]) == DONE

    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("  analyse ") and "Also: analyze." in line for line in lines)
    assert not any(line.startswith("  analyze ") for line in lines)


def test_python_knows_both_spellings() -> None:
    assert steelyard.analyze is steelyard.analyse
    assert steelyard.normalize is steelyard.normalise
    assert steelyard.Campaign.analyze is steelyard.Campaign.analyse


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["anlyse", "FILE"], "Did you mean 'analyse'?"),
        (["analyse", "FILE", "--method", "mean_z"], "Did you mean 'mean-z'?"),
        (["analyse", "FILE", "--method", "worker_model"], "Did you mean 'worker-model'?"),
        (["analyse", "FILE", "--check", "paired_t"], "Did you mean 'paired-t'?"),
        (["analyse", "FILE", "--recipe", "WMT"], "Did you mean 'wmt'?"),
        (["analyse", "FILE", "--test", "clustred"], "Did you mean 'clustered'?"),
        (["analyse", "FILE", "--standardize-over", "all"], "Did you mean '--standardise-over'?"),
        (["table", "worker_filter", "FILE"], "Did you mean 'worker-filter'?"),
        (["plot", "significanse", "FILE", "--out", "x.svg"], "Did you mean 'significance'?"),
        (["normalise", "FILE", "--methods", "mean_z"], "Did you mean 'mean-z'?"),
        (["example", "dda"], "Did you mean 'da'?"),
    ],
)
def test_a_name_that_is_nearly_right_is_answered_with_the_right_one(
    arguments: list[str], hint: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([file if word == "FILE" else word for word in arguments]) == UNUSABLE

    assert hint in " ".join(capsys.readouterr().err.split())


def test_an_option_for_something_else_is_not_suggested(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["analyse", file, "--exclude-worker", "a"]) == UNUSABLE

    told = capsys.readouterr().err
    assert "--exclude-hits" not in told
    assert "`steelyard exclude`" in told

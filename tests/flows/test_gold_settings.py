"""Choices of the methods with gold, from the options to the signature."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steelyard.aggregation import methods, methods_with
from steelyard.cli.main import run
from steelyard.domain.errors import ChoiceError, SourceError, as_command_line
from steelyard.domain.scale import Scale
from steelyard.flows.analyse import analyse
from steelyard.flows.create import create
from steelyard.flows.settings import settings_from
from steelyard.flows.source import Source, read_source

CHOICES: dict[str, Any] = {
    "gold_form": "printed",
    "gold_expected": "gold",
    "vote_by": "others",
    "without_gold": "shrunk",
}
CHOICES_OF_TWO = {name: CHOICES[name] for name in CHOICES if name != "vote_by"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Five workers on a scale of 1 to 5, two systems, twelve segments; gold on 0 to 8 for half of them."""
    rng = np.random.default_rng(2)
    lines = ["worker,system,segment,rating,gold"]
    for w in range(5):
        for k in range(12):
            for system, quality in (("good", 4), ("poor", 2)):
                rating = np.clip(quality + k % 2 + rng.integers(-1, 2), 1, 5)
                lines.append(f"w{w},{system},{k},{rating},{2 * (quality + k % 2 - 1) if k < 6 else ''}")
    path = tmp_path / "judged.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.fixture
def source(file: Path) -> Source:
    return read_source(str(file), scale=Scale(1, 5), gold_scale=Scale(0, 8))


def test_gold_is_read_onto_the_scale_of_the_ratings(source: Source) -> None:
    assert source.gold_scale == Scale(0, 8)
    assert set(source.frame["known"].drop_nulls()) == {2, 3, 4, 5}


@pytest.mark.parametrize("name", CHOICES)
def test_every_choice_reaches_the_method_and_the_signature(source: Source, name: str) -> None:
    method = methods_with(name)[-1]
    usual = settings_from(source, method=method, draws=0)
    chosen = settings_from(source, method=method, draws=0, **{name: CHOICES[name]})

    told = f"|{name.replace('_', '-')}:{CHOICES[name]}|"
    assert getattr(chosen.method_settings, name) == CHOICES[name]
    assert told in analyse(source, chosen).signature
    assert name.replace("_", "-") + ":" not in analyse(source, usual).signature


def test_the_signature_tells_the_scale_of_gold_where_it_is_another(source: Source, file: Path) -> None:
    settings = settings_from(source, method="scaling", draws=0)

    assert "|scale:1,5|gold-scale:0,8|" in analyse(source, settings).signature
    assert settings_from(read_source(str(file)), method="scaling").method_settings.gold_scale is None


@pytest.mark.parametrize("name", CHOICES)
def test_a_value_that_does_not_exist_is_refused(source: Source, name: str) -> None:
    with pytest.raises(ChoiceError, match=f"{name} cannot be 'odd'. Use one of"):
        settings_from(source, method=methods_with(name)[0], **{name: "odd"})


@pytest.mark.parametrize("name", CHOICES)
def test_an_option_is_refused_by_a_method_without_it(source: Source, name: str) -> None:
    with pytest.raises(ChoiceError) as refused:
        settings_from(source, method="mean-z", **{name: CHOICES[name]})

    takers = {
        "gold_form": "two-stage",
        "gold_expected": "two-stage",
        "vote_by": "weighted-vote",
        "without_gold": "scaling, two-stage and weighted-vote",
    }
    assert str(refused.value) == f"{name} is an option of {takers[name]}, not of mean-z."
    assert refused.value.spelt(as_command_line).startswith(f"--{name.replace('_', '-')} is an option of ")


def test_options_of_the_methods_compared_are_kept_for_them(source: Source) -> None:
    compared = ["mean-z", "two-stage", "scaling"]
    settings = settings_from(source, compared=compared, **CHOICES_OF_TWO).method_settings

    assert dict(settings.for_others) == CHOICES_OF_TWO
    assert methods()["two-stage"].own_settings(settings) == methods()["two-stage"].settings(
        scale=source.scale, gold_scale=source.gold_scale, for_others=settings.for_others, **CHOICES_OF_TWO
    )
    with pytest.raises(ChoiceError, match="vote_by is an option of weighted-vote, not of mean-z and two-"):
        settings_from(source, compared=["two-stage"], vote_by="others")


def test_the_scale_of_gold_is_for_files_only(campaign_file: Path, tmp_path: Path, noon: datetime) -> None:
    create(campaign_file, str(tmp_path / "eval.db"), now=noon)

    with pytest.raises(SourceError, match="scales and hours of work are known already"):
        read_source(str(tmp_path / "eval.db"), gold_scale=Scale(0, 5))


@pytest.mark.parametrize(
    "method", ["two-stage", "scaling", "weighted-vote", "remove-judges", "remove-judgements"]
)
def test_the_command_takes_gold_and_all_choices(
    file: Path, method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    own = {name: value for name, value in CHOICES.items() if method in methods_with(name)}
    options = [part for name, value in own.items() for part in (f"--{name.replace('_', '-')}", value)]

    code = run(
        [
            *("analyse", str(file), "--check", "none", "--method", method, "--draws", "40"),
            *("--scale", "1,5", "--gold-scale", "0,8", *options, "--json", "-"),
        ]
    )

    assert code == 0
    told = json.loads(capsys.readouterr().out)
    assert [row["system_id"] for row in told["systems"]] == ["good", "poor"]
    assert "|gold-scale:0,8|" in told["signature"]
    assert all(f"|{name.replace('_', '-')}:{value}|" in told["signature"] for name, value in own.items())


def test_the_command_refuses_options_of_other_methods(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["analyse", str(file), "--method", "mean-z", "--gold-form", "printed"])

    assert code == 2
    assert "--gold-form is an option of two-stage, not of mean-z." in capsys.readouterr().err


def test_workers_of_the_analysis_have_weights_and_offsets(source: Source) -> None:
    analysis = analyse(source, settings_from(source, method="two-stage", check="none", draws=0))

    assert analysis.workers["weight"].is_between(0, 1).all()
    assert analysis.workers["offset"].null_count() == 0


def test_without_gold_the_command_fails_and_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bare.csv"
    path.write_text("worker,segment,rating\nv,1,50\nw,1,60\n", "utf-8")

    code = run(["analyse", str(path), "--check", "none", "--method", "two-stage"])

    assert code == 1
    assert "--columns known=COLUMN" in capsys.readouterr().err


def test_a_wrong_gold_scale_is_refused(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["analyse", str(file), "--gold-scale", "4,0"]) == 2

    assert "--gold-scale" in capsys.readouterr().err

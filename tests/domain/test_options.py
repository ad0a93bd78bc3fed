"""Options: what a settings class declares is all that anybody has to say about them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import click
import numpy as np
import pytest
from click.testing import CliRunner

from steelyard.cli.options import click_options, with_options
from steelyard.domain.errors import ChoiceError, as_command_line
from steelyard.domain.options import (
    given_options,
    merged,
    option,
    options_of,
    own_options,
    require_known_values,
    signed_options,
)


@dataclass(frozen=True)
class _Shared:
    unit: Literal["judgement", "worker"] = option(
        "judgement", help="What counts once.", signature="unit", always_signed=True
    )
    # Not offered to users.
    minimum_ratings: int = 10

    def __post_init__(self) -> None:
        require_known_values(self)


@dataclass(frozen=True)
class _Own(_Shared):
    form: Literal["usual", "printed"] = option("usual", help="How.", signature="form")
    folds: int = option(10, help="Parts.", signature="folds", minimum=2)
    share: float = option(0.5, help="Share.", signature="share", minimum=0, maximum=1)
    clicks: bool = option(False, help="Clicks.", signature="clicks:random")
    names: tuple[str, ...] = option((), help="Names.", metavar="NAME,…")
    least: int | None = option(None, help="Least.", usual="3; for all, 15")


def test_options_are_read_from_the_fields_of_a_class() -> None:
    found = {one.name: one for one in options_of(_Own)}

    assert list(found) == ["unit", "form", "folds", "share", "clicks", "names", "least"]
    assert found["form"].choices == ("usual", "printed")
    assert (found["folds"].kind, found["folds"].minimum, found["folds"].default) == (int, 2, 10)
    assert found["clicks"].is_flag
    assert (found["names"].several, found["names"].kind) == (True, str)
    assert (found["least"].optional, found["least"].kind) == (True, int)
    assert [one.name for one in own_options(_Own, _Shared)] == list(found)[1:]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"form": "odd"}, "form cannot be 'odd'. Use one of: usual, printed."),
        ({"unit": "page"}, "unit cannot be 'page'. Use one of: judgement, worker."),
        ({"folds": 1}, "folds must be at least 2, not 1."),
        ({"folds": 2.5}, "folds must be a whole number, not 2.5."),
        ({"folds": True}, "folds must be a whole number, not True."),
        ({"share": 1.5}, "share must be from 0 to 1, not 1.5."),
        ({"share": float("nan")}, "share must be from 0 to 1, not nan."),
        ({"share": "half"}, "share must be a number, not 'half'."),
        ({"clicks": "yes"}, "clicks must be True or False, not 'yes'."),
        ({"names": 3}, "names must be a list, not 3."),
        ({"names": "a,b"}, "names must be a list, not 'a,b'."),
        ({"folds": "3"}, "folds must be a whole number, not '3'."),
        ({"names": [3]}, "names must be text, not 3."),
    ],
)
def test_values_that_do_not_fit_are_refused_by_name(values: dict[str, Any], said: str) -> None:
    with pytest.raises(ChoiceError) as refused:
        _Own(**values)

    assert str(refused.value) == said


def test_the_command_line_is_told_the_name_of_its_option() -> None:
    with pytest.raises(ChoiceError) as refused:
        _Own(form="odd")  # type: ignore[arg-type]

    assert refused.value.spelt(as_command_line).startswith("--form cannot be 'odd'.")


def test_numbers_of_other_libraries_are_numbers() -> None:
    read = given_options(_Own, {"folds": np.int64(3), "share": np.float32(0.5), "names": "a, b"})

    assert read == {"folds": 3, "share": 0.5, "names": ("a", "b")}
    assert [type(value) for value in read.values()] == [int, float, tuple]


def test_values_not_given_and_of_others_are_left_alone() -> None:
    assert given_options(_Own, {"form": None, "folds": 3, "seed": 7}) == {"folds": 3}


def test_signatures_say_what_is_not_as_usual() -> None:
    def signed(settings: _Own) -> dict[str, str]:
        return signed_options(settings, options_of(_Own))

    assert signed(_Own()) == {"unit": "judgement"}
    assert signed(_Own(form="printed", share=0.25, clicks=True, names=("a",))) == {
        "unit": "judgement",
        "form": "printed",
        "share": "0.25",
        "clicks": "random",
    }


def test_options_of_several_classes_keep_the_order_of_each() -> None:
    known = {one.name: one for one in options_of(_Own)}
    lists = [["least"], ["form", "folds", "least"], ["share", "least"]]

    found = merged([[known[name] for name in names] for names in lists])

    assert [one.name for one in found] == ["form", "folds", "share", "least"]


def test_classes_that_disagree_about_an_order_are_merged_all_the_same() -> None:
    known = {one.name: one for one in options_of(_Own)}

    found = merged([[known["form"], known["folds"]], [known["folds"], known["form"]]])

    assert [one.name for one in found] == ["form", "folds"]


def test_of_options_that_know_different_values_the_one_that_knows_most_is_kept() -> None:
    known = {one.name: one for one in options_of(_Own)}
    narrow = replace(known["form"], choices=("usual",))

    assert merged([[narrow], [known["form"]]]) == merged([[known["form"]], [narrow]]) == [known["form"]]


@click.command()
@with_options(*click_options(_Own))
def _command(**choices: Any) -> None:
    click.echo(repr(_Own(**given_options(_Own, choices))))


@pytest.mark.parametrize(
    ("typed", "made"),
    [
        ([], _Own()),
        (["--form", "printed", "--folds", "3", "--share", "0.2"], _Own(form="printed", folds=3, share=0.2)),
        (["--clicks", "--names", "a,b", "--least", "4"], _Own(clicks=True, names=("a", "b"), least=4)),
    ],
)
def test_a_command_takes_the_options_of_a_class(typed: list[str], made: _Own) -> None:
    assert CliRunner().invoke(_command, typed).output.strip() == repr(made)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--form", "odd"], "Use one of: usual, printed"),
        (["--folds", "1"], "--folds must be at least 2"),
        (["--folds", "many"], "--folds must be a whole number"),
        (["--share", "2"], "--share must be from 0 to 1"),
    ],
)
def test_a_command_refuses_what_the_class_refuses(typed: list[str], said: str) -> None:
    result = CliRunner().invoke(_command, typed)

    assert result.exit_code == 2
    assert said in result.output


def test_help_says_what_the_class_says() -> None:
    shown = " ".join(CliRunner().invoke(_command, ["--help"]).output.split())

    assert "--form [usual|printed] How. [default: usual]" in shown
    assert "--least INTEGER Least. [default: 3; for all, 15]" in shown
    assert "--clicks Clicks. --names NAME,… Names. --least" in shown

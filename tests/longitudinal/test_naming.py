"""Which systems make up the cells: by their names, or as asked."""

from __future__ import annotations

import pytest

from steelyard.domain.cells import CELLS, cell_systems
from steelyard.domain.errors import ChoiceError, NotEnoughData
from steelyard.longitudinal.naming import name_cells

GIVEN = cell_systems("curr_old=A,curr_new=B,best_old=C+D,best_new=E")


@pytest.mark.parametrize(
    ("systems", "labels"),
    [
        (["CURR-old", "CURR-new", "BEST-old", "BEST-new"], ("old", "new")),
        (["curr_old", "curr_new", "best_old", "best_new"], ("old", "new")),
        (["CURR07", "CURR12", "BEST07", "BEST12"], ("07", "12")),
        (["Curr.2007", "Curr.2012", "Best.2007", "Best.2012"], ("2007", "2012")),
        (["CURR 98", "CURR 07", "BEST 98", "BEST 07"], ("98", "07")),
        (["CURR-1969", "CURR-68", "BEST-69", "BEST-2068"], ("69", "2068")),
    ],
)
def test_names_tell_the_cells_in_the_order_of_years(systems: list[str], labels: tuple[str, str]) -> None:
    found = name_cells(systems[::-1], (), where="de-en")

    assert found.systems == tuple((cell, (name,)) for cell, name in zip(CELLS, systems, strict=True))
    assert (found.old, found.new) == labels
    assert found.unused == ()


def test_winners_that_tied_share_their_cell() -> None:
    systems = ["CURR-old", "CURR-new", "BEST-old-a", "BEST-old_b", "BEST-new"]

    found = name_cells(systems, (), where="de-en")

    assert dict(found.systems)["best_old"] == ("BEST-old-a", "BEST-old_b")


def test_systems_in_no_cell_are_told() -> None:
    systems = ["CURR-old", "CURR-new", "BEST-old", "BEST-new", "online-A", "bestow"]

    assert name_cells(systems, (), where="de-en").unused == ("bestow", "online-A")


@pytest.mark.parametrize(
    ("systems", "why"),
    [
        (["alpha", "beta"], "none was found"),
        ([], "Systems found: none"),
        (["CURR-old", "CURR-new", "BEST-old"], "no system is best_new"),
        (["CURR07", "CURR12", "CURR15", "BEST07", "BEST12"], "exactly two labels"),
        (["CURR07", "BEST07"], "found: 07"),
        (["CURR-old", "CURR-12", "BEST-old", "BEST-12"], "exactly two labels"),
        (["CURR-old", "CURR-new", "BEST-old", "BEST-newer"], "BEST-newer begins like a cell"),
        (["CURR-old-x", "CURR-new-y", "BEST-old", "BEST-new"], "the same systems on both test sets"),
        (["CURR-old", "CURR-old-b", "CURR-new", "BEST-old", "BEST-new"], "the same systems"),
    ],
)
def test_names_that_do_not_tell_are_refused_with_the_option_to_use(systems: list[str], why: str) -> None:
    with pytest.raises(NotEnoughData) as caught:
        name_cells(systems, (), where="de-en")

    said = str(caught.value)
    assert said.startswith("de-en: ")
    assert why in said
    assert all(name in said for name in systems)
    assert 'cells={"curr_old": "A", "curr_new": "B", "best_old": "C+D", "best_new": "E"}' in said


def test_cells_are_taken_as_asked() -> None:
    found = name_cells(["E", "D", "C", "B", "A", "F"], GIVEN, where="de-en")

    assert found.systems == GIVEN
    assert found.unused == ("F",)


def test_a_system_whose_name_has_a_plus_is_one() -> None:
    found = name_cells(["A", "B", "C+D", "E"], GIVEN, where="de-en")

    assert dict(found.systems)["best_old"] == ("C+D",)


def test_the_present_system_may_be_the_best_of_its_year_too() -> None:
    asked = cell_systems("curr_old=A,curr_new=B,best_old=C,best_new=B")

    assert name_cells(["A", "B", "C"], asked, where="de-en").systems == asked


def test_unknown_systems_are_named_beside_those_found() -> None:
    with pytest.raises(
        NotEnoughData, match=r"de-en: no judgement is left of D, E, .* Systems found: A, B, C\."
    ):
        name_cells(["A", "B", "C"], GIVEN, where="de-en")


@pytest.mark.parametrize(
    "asked",
    [
        "curr_old=A,curr_new=A,best_old=C,best_new=E",
        "curr_old=A,curr_new=B,best_old=C+D,best_new=D",
        "curr_old=A,curr_new=B,best_old=C,best_new=A",
        "curr_old=A,curr_new=B,best_old=B,best_new=E",
    ],
)
def test_a_system_is_of_one_test_set_only(asked: str) -> None:
    with pytest.raises(ChoiceError, match="names of their own"):
        name_cells("ABCDE", cell_systems(asked), where="de-en")


def test_cells_are_read_from_words() -> None:
    found = cell_systems(" CURR-old = a,b , curr-new=B x,best_old=C+D ,best_new= E")

    assert dict(found) == {
        "curr_old": ("a,b",),
        "curr_new": ("B x",),
        "best_old": ("C", "D"),
        "best_new": ("E",),
    }


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("", "names no cell"),
        ("curr_old", "names no cell"),
        ("curr_mid=A", "names no cell"),
        ("curr_old=A,curr_old=B", "twice"),
        ("curr_old=", "names no system"),
        ("curr_old=A+,curr_new=B", "names no system"),
        ("curr_old=A,curr_new=B", "best_old and best_new must be named too"),
    ],
)
def test_words_that_name_no_cells_are_refused(words: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        cell_systems(words)

"""Direct assessment, also against the source: what is shown and what it takes."""

from __future__ import annotations

import pytest

from steelyard.protocols import protocols

DA, DA_SOURCE = protocols()["da"], protocols()["da-source"]


def test_fluency_shows_the_translation_alone() -> None:
    assert DA.shows["fluency"] == ("text",)


def test_adequacy_shows_the_reference_too() -> None:
    assert DA.shows["adequacy"] == ("text", "reference")


def test_against_the_source_shows_the_source_instead_of_the_reference() -> None:
    assert DA_SOURCE.shows == {"adequacy": ("text", "source")}


@pytest.mark.parametrize(("attribute", "seconds"), [("adequacy", 18), ("fluency", 13)])
def test_an_item_takes_as_long_as_published(attribute: str, seconds: float) -> None:
    assert DA.seconds_per_item[attribute] == seconds


def test_the_line_is_as_long_as_in_the_first_study() -> None:
    # 10 points are 60 px.
    points = DA.scale.maximum - DA.scale.minimum

    assert DA.presentation["line_width_px"] == points / 10 * 60

"""How differently workers marked a text, and what most of them marked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from steelyard.domain.marks import Mark, MarkedBy
from steelyard.review.disputes import difference, disagreement, majority_marks

SEVERITIES = ("minor", "major")


def by(*marks: Mark, rating: float | None = None) -> MarkedBy:
    return MarkedBy("W", "h1", marks, rating, None, None)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([], [], 0),
        ([Mark(0, 4, "minor")], [], 1),
        ([Mark(0, 4, "minor")], [Mark(0, 4, "minor", "style")], 0),
        # Of the places 0 to 5, 0 and 1 belong to one, 4 and 5 to the other.
        ([Mark(0, 4, "minor")], [Mark(2, 6, "minor")], 4 / 6),
        ([Mark(0, 4, "minor")], [Mark(0, 4, "major")], 1 / 2),
        # Three characters in common, and one mark after the text that only one has.
        ([Mark(0, 3, "major")], [Mark(0, 3, "major"), Mark(None, None, "minor")], 1 / 4),
        ([Mark(None, None, "minor", "[a]")], [Mark(None, None, "minor", "[b]")], 1),
        ([Mark(0, 2, "minor")], [Mark(0, 2, "minor", side="source")], 1),
        # Marks that overlap are one text with the places of both.
        ([Mark(0, 2, "minor"), Mark(1, 3, "minor")], [Mark(0, 3, "minor")], 0),
    ],
)
def test_the_difference_is_the_share_of_places_that_differ(one, other, expected) -> None:
    assert difference(one, other) == pytest.approx(expected)
    assert difference(other, one) == difference(one, other)


def test_disagreement_averages_marks_and_scores_over_pairs() -> None:
    first, second, third = by(Mark(0, 4, "minor"), rating=50), by(rating=90), by(rating=90)

    # Two pairs differ in all marks and by 40 of 100, one pair in nothing.
    assert disagreement([first, second, third], span=100) == pytest.approx(2 * (1 + 0.4) / 2 / 3)
    assert disagreement([first, second, third], span=None) == pytest.approx(2 / 3)
    assert disagreement([first], span=100) is None
    assert disagreement([first, replace(second, is_excluded=True)], span=100) is None
    assert disagreement([first, replace(second, is_repeat=True)], span=100) is None


def test_most_means_more_than_half() -> None:
    two = [by(Mark(0, 5, "minor")), by(Mark(3, 8, "minor"))]

    assert majority_marks(two, severities=SEVERITIES) == (Mark(3, 5, "minor"),)
    assert majority_marks([*two, by()], severities=SEVERITIES) == (Mark(3, 5, "minor"),)
    assert majority_marks([*two, by(), by()], severities=SEVERITIES) == ()
    assert majority_marks([], severities=SEVERITIES) == ()


def test_severity_and_category_are_those_that_most_gave_and_ties_are_grave() -> None:
    people = [
        by(Mark(0, 3, "minor", "style")),
        by(Mark(0, 3, "major", "fluency")),
        by(Mark(0, 3, "minor", "style")),
    ]

    assert majority_marks(people, severities=SEVERITIES) == (Mark(0, 3, "minor", "style"),)
    assert majority_marks(people[:2], severities=SEVERITIES)[0].severity == "major"


def test_neighbouring_errors_stay_apart_where_most_kept_them_apart() -> None:
    apart = by(Mark(0, 3, "minor"), Mark(3, 6, "minor"))

    assert [
        mark.end for mark in majority_marks([apart, apart, by(Mark(0, 6, "minor"))], severities=SEVERITIES)
    ] == [
        *(3, 6),
    ]
    whole = by(Mark(0, 6, "minor"))
    assert majority_marks([apart, whole, whole], severities=SEVERITIES) == (Mark(0, 6, "minor"),)


def test_marks_after_the_text_and_on_the_source_are_counted_apart() -> None:
    one = by(
        Mark(None, None, "major"), Mark(None, None, "minor", "[fault]"), Mark(0, 2, "minor", side="source")
    )

    assert majority_marks([one, one, by(Mark(0, 2, "minor"))], severities=SEVERITIES) == (
        Mark(0, 2, "minor", side="source"),
        Mark(None, None, "major"),
        Mark(None, None, "minor", "[fault]"),
    )

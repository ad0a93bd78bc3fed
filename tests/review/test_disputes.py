"""How differently workers marked a text, and what most of them marked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from steelyard.domain.marks import ErrorMark, MarkedBy
from steelyard.review.disputes import difference, disagreement, majority_marks

SEVERITIES = ("minor", "major")


def by(*marks: ErrorMark, rating: float | None = None) -> MarkedBy:
    return MarkedBy("W", "h1", marks, rating, None, None)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([], [], 0),
        ([ErrorMark(0, 4, "minor")], [], 1),
        ([ErrorMark(0, 4, "minor")], [ErrorMark(0, 4, "minor", "style")], 0),
        # Of the places 0 to 5, 0 and 1 belong to one, 4 and 5 to the other.
        ([ErrorMark(0, 4, "minor")], [ErrorMark(2, 6, "minor")], 4 / 6),
        ([ErrorMark(0, 4, "minor")], [ErrorMark(0, 4, "major")], 1 / 2),
        # Three characters in common, and one mark after the text that only one has.
        ([ErrorMark(0, 3, "major")], [ErrorMark(0, 3, "major"), ErrorMark(None, None, "minor")], 1 / 4),
        ([ErrorMark(None, None, "minor", "[a]")], [ErrorMark(None, None, "minor", "[b]")], 1),
        ([ErrorMark(0, 2, "minor")], [ErrorMark(0, 2, "minor", side="source")], 1),
        # Marks that overlap are one text with the places of both.
        ([ErrorMark(0, 2, "minor"), ErrorMark(1, 3, "minor")], [ErrorMark(0, 3, "minor")], 0),
    ],
)
def test_the_difference_is_the_share_of_places_that_differ(one, other, expected) -> None:
    assert difference(one, other) == pytest.approx(expected)
    assert difference(other, one) == difference(one, other)


def test_disagreement_averages_marks_and_scores_over_pairs() -> None:
    first, second, third = by(ErrorMark(0, 4, "minor"), rating=50), by(rating=90), by(rating=90)

    # Two pairs differ in all marks and by 40 of 100, one pair in nothing.
    assert disagreement([first, second, third], span=100) == pytest.approx(2 * (1 + 0.4) / 2 / 3)
    assert disagreement([first, second, third], span=None) == pytest.approx(2 / 3)
    assert disagreement([first], span=100) is None
    assert disagreement([first, replace(second, is_excluded=True)], span=100) is None
    assert disagreement([first, replace(second, is_repeat=True)], span=100) is None


def test_most_means_more_than_half() -> None:
    two = [by(ErrorMark(0, 5, "minor")), by(ErrorMark(3, 8, "minor"))]

    assert majority_marks(two, severities=SEVERITIES) == (ErrorMark(3, 5, "minor"),)
    assert majority_marks([*two, by()], severities=SEVERITIES) == (ErrorMark(3, 5, "minor"),)
    assert majority_marks([*two, by(), by()], severities=SEVERITIES) == ()
    assert majority_marks([], severities=SEVERITIES) == ()


def test_severity_and_category_are_those_that_most_gave_and_ties_are_grave() -> None:
    people = [
        by(ErrorMark(0, 3, "minor", "style")),
        by(ErrorMark(0, 3, "major", "fluency")),
        by(ErrorMark(0, 3, "minor", "style")),
    ]

    assert majority_marks(people, severities=SEVERITIES) == (ErrorMark(0, 3, "minor", "style"),)
    assert majority_marks(people[:2], severities=SEVERITIES)[0].severity == "major"


def test_neighbouring_errors_stay_apart_where_most_kept_them_apart() -> None:
    apart = by(ErrorMark(0, 3, "minor"), ErrorMark(3, 6, "minor"))

    assert [
        mark.end
        for mark in majority_marks([apart, apart, by(ErrorMark(0, 6, "minor"))], severities=SEVERITIES)
    ] == [
        *(3, 6),
    ]
    whole = by(ErrorMark(0, 6, "minor"))
    assert majority_marks([apart, whole, whole], severities=SEVERITIES) == (ErrorMark(0, 6, "minor"),)


def test_marks_after_the_text_and_on_the_source_are_counted_apart() -> None:
    one = by(
        ErrorMark(None, None, "major"),
        ErrorMark(None, None, "minor", "[fault]"),
        ErrorMark(0, 2, "minor", side="source"),
    )

    assert majority_marks([one, one, by(ErrorMark(0, 2, "minor"))], severities=SEVERITIES) == (
        ErrorMark(0, 2, "minor", side="source"),
        ErrorMark(None, None, "major"),
        ErrorMark(None, None, "minor", "[fault]"),
    )

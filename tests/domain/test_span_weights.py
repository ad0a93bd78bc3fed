"""What errors cost, by the published tables."""

from __future__ import annotations

import pytest

from steelyard.domain.span_weights import WEIGHTS

# Severity, category; by mtme, marot, wmt24. Worked out by hand from the tables of each.
CASES = [
    ("minor", "", 1.0, 1.0, 1.0),
    ("major", "", 5.0, 5.0, 5.0),
    ("neutral", "", 0.0, 0.0, 0.0),
    ("undecided", "", 0.0, 0.0, 0.0),
    ("critical", "Accuracy/Mistranslation", 0.0, 5.0, 5.0),
    ("minor", "Fluency/Punctuation", 0.1, 0.1, 0.1),
    ("major", "Fluency/Punctuation", 5.0, 5.0, 5.0),
    ("minor", "Linguistic conventions/Punctuation", 1.0, 0.1, 1.0),
    ("major", "Non-translation!", 25.0, 25.0, 25.0),
    ("minor", "Non-translation!", 1.0, 25.0, 25.0),
    ("minor", "Accuracy/Creative Reinterpretation", 1.0, 0.0, 0.0),
    ("major", "Accuracy/Creative Reinterpretation", 5.0, 0.0, 0.0),
    ("major", "Source issue", 5.0, 0.0, 0.0),
    ("major", "Accuracy/Source language fragment", 5.0, 5.0, 5.0),
    ("trivial", "Style", 0.0, 0.1, 0.0),
]


@pytest.mark.parametrize(("severity", "category", "mtme", "marot", "wmt24"), CASES)
def test_errors_cost_what_each_table_says(
    severity: str, category: str, mtme: float, marot: float, wmt24: float
) -> None:
    found = [WEIGHTS[name].weigh(severity, category) for name in ("mtme", "marot", "wmt24")]

    assert found == [mtme, marot, wmt24]

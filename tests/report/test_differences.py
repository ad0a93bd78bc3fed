"""How systems were compared, as sentence and as record."""

from __future__ import annotations

from dataclasses import replace

import pytest

from steelyard.domain.differences import TESTS, differences
from steelyard.domain.result import Analysis, InferenceUnits, PairTest
from steelyard.report.json import analysis_record
from steelyard.report.text import analysis_text

UNITS = InferenceUnits(38, 126, documents_known=True)
CLUSTERED = f"Test: {TESTS['clustered']}"
LEVEL = "significant at p < 0.05."
BOTH = "Units of inference: 38 workers and 126 documents."


@pytest.mark.parametrize(
    ("test", "says"),
    [
        (PairTest(units=UNITS), f"{CLUSTERED}; two-sided, Holm-corrected for 3 pairs, {LEVEL} {BOTH}"),
        (
            PairTest(correction="none", units=InferenceUnits(9, 1200, documents_known=False)),
            f"{CLUSTERED}; two-sided, not corrected for 3 pairs, {LEVEL} Units of inference: 9 workers "
            "and 1,200 segments, no documents being known.",
        ),
        (
            PairTest("rank-sum", correction="none", one_sided=True, units=UNITS),
            f"Test: rank-sum on segment scores; one-sided, not corrected for 3 pairs, {LEVEL} Unit of "
            "inference: the segment, as if judgements of one worker or one document were independent.",
        ),
    ],
    ids=["usual", "uncorrected", "wmt"],
)
def test_one_sentence_names_test_level_correction_and_units(
    analysis: Analysis, test: PairTest, says: str
) -> None:
    tested = replace(analysis, test=test)

    assert differences(tested) == says
    assert says in analysis_text(tested)


def test_the_record_has_the_units_that_the_test_rests_on(analysis: Analysis) -> None:
    found = analysis_record(replace(analysis, test=PairTest(units=UNITS)))["test"]

    assert (found["name"], found["level"], found["correction"]) == ("clustered", 0.05, "holm")
    assert found["units"] == {"workers": 38, "documents": 126, "documents_known": True}


def test_a_test_of_segments_has_no_such_units(analysis: Analysis) -> None:
    found = analysis_record(replace(analysis, test=PairTest("signed-rank", units=UNITS)))["test"]

    assert set(found["units"].values()) == {None}

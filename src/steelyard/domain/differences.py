"""How systems were compared, in a sentence: the test, its level and correction, and its units."""

from __future__ import annotations

from steelyard.domain.result import SEGMENT_TESTS, Analysis, PairTest
from steelyard.domain.wording import counted

TESTS = {
    "clustered": "ranked ratings weighed by worker, clustered by worker and document",
    "clustered-means": "difference of scores, clustered by worker and document",
    "rank-sum": "rank-sum on segment scores",
    "rank-sum-common": "rank-sum on the scores of common segments",
    "signed-rank": "signed-rank on common segments",
    "permutation": "paired permutation on common segments",
    "segment-t": "paired t on common segments",
    "either-t": "paired t on common segments or unpaired t on all, whichever is smaller",
    "domain-signed-rank": "signed-rank on the common segments of each domain, combined",
    "errors": "difference of scores by its error, clustered by worker and document",
    "draws": "share of the method's own draws",
}


def differences(analysis: Analysis) -> str:
    """How systems were compared, when a difference counts, and what the units of inference were."""
    test, n_pairs = analysis.test, len(analysis.pairs) // 2
    sides = "one-sided" if test.deciding == "p_value" else "two-sided"
    corrected = (
        f"Holm-corrected for {counted(n_pairs, 'pair')}"
        if test.correction == "holm"
        else f"not corrected for {counted(n_pairs, 'pair')}"
    )
    what = f"Test: {TESTS[test.name]}; {sides}, {corrected}, significant at p < {test.level:g}."
    return f"{what} {_units(test)}".strip()


def _units(test: PairTest) -> str:
    """What a test counted as independent, in a sentence; nothing if the method has its own way."""
    found = test.rests_on
    if found is not None:
        thing = "document" if found.documents_known else "segment"
        unknown = "" if found.documents_known else ", no documents being known"
        return (
            f"Units of inference: {counted(found.workers, 'worker')} and "
            f"{counted(found.documents, thing)}{unknown}."
        )
    if test.name not in SEGMENT_TESTS:
        return ""
    return "Unit of inference: the segment, as if judgements of one worker or one document were independent."

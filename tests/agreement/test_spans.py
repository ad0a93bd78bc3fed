from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

from steelyard.agreement.spans import SpanAgreement, span_agreement
from steelyard.frames import spans_frame, texts_frame

# Of (worker, segment, start, end, severity); without severity nothing was marked.
Row = tuple[str, str, int | None, int | None, str | None]


def spans_of(rows: Sequence[Row], **same: str) -> pl.DataFrame:
    names = ["worker_id", "segment_id", "start", "end", "severity"]
    usual = {
        "hit_id": "h",
        "system_id": "A",
        "attribute": "overall",
        "side": "target",
        "item_kind": "regular",
    }
    frame = pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)
    return spans_frame(frame.with_columns(pl.lit(value).alias(key) for key, value in (usual | same).items()))


def agreed(spans: pl.DataFrame, texts: pl.DataFrame | None = None) -> SpanAgreement:
    known = texts_frame() if texts is None else texts
    return span_agreement(spans, known, level=0.95, rng=np.random.default_rng(7))


def overall(found: SpanAgreement, measure: str) -> dict[str, float]:
    return found.overall.filter(measure=measure).row(0, named=True)


# a and b: the first segment alike but for the severity, the second by a alone, the third clean for both.
TWO: list[Row] = [
    ("a", "1", 0, 10, "minor"),
    ("b", "1", 0, 5, "major"),
    ("a", "2", 3, 6, "major"),
    ("b", "2", None, None, None),
    ("a", "3", None, None, None),
    ("b", "3", None, None, None),
]


def test_a_case_worked_by_hand() -> None:
    found = agreed(spans_of(TWO))

    # Characters: 10 + 3 and 5 were marked, 5 by both. Marks: credit of half, and of one; three marks.
    assert overall(found, "characters")["value"] == pytest.approx(2 * 5 / (13 + 5))
    assert overall(found, "marks")["value"] == pytest.approx((0.5 + 1) / 3)
    assert overall(found, "severity")["value"] == 0.0
    # The matched marks are one minor and one major.
    assert overall(found, "severity")["chance_moved"] == pytest.approx(0.5)
    # Counts 1, 1, 0 and 1, 0, 0 have the mean 1/2, so every deviation is 1/2 and one product is negative.
    assert overall(found, "count")["value"] == pytest.approx(1 / 3)
    # Scores -1, -5, 0 and -5, 0, 0: their mean is -11/6.
    deviations = np.array([-1, -5, 0.0]) + 11 / 6, np.array([-5, 0, 0.0]) + 11 / 6
    expected = deviations[0] @ deviations[1] / ((deviations[0] ** 2 + deviations[1] ** 2).sum() / 2)
    assert overall(found, "score")["value"] == pytest.approx(expected)
    assert found.overall["n_pairs"].to_list() == [3] * 5


def test_a_couple_has_its_own_precision_and_recall() -> None:
    (couple,) = agreed(spans_of(TWO)).couples.to_dicts()

    assert (couple["worker_a"], couple["worker_b"], couple["n_translations"]) == ("a", "b", 3)
    assert (couple["n_marks_a"], couple["n_marks_b"]) == (2, 1)
    assert (couple["precision"], couple["recall"]) == pytest.approx((0.25, 1.0))
    assert couple["f"] == pytest.approx(0.4)
    assert couple["count_pearson"] is None


def test_two_workers_alone_say_nothing_about_others() -> None:
    assert agreed(spans_of(TWO)).overall["lower"].null_count() == 5


def test_sources_and_translations_never_match() -> None:
    source = spans_of([("a", "1", 0, 5, "minor")], side="source")

    found = agreed(pl.concat([source, spans_of([("b", "1", 0, 5, "minor")])]))

    assert overall(found, "marks")["value"] == 0.0
    assert overall(found, "count")["n_pairs"] == 1


def test_controls_are_not_compared() -> None:
    assert agreed(spans_of(TWO, item_kind="degraded")).overall.is_empty()


def test_marks_without_a_place_count_in_numbers_only() -> None:
    missing = spans_of([(worker, "1", None, None, "minor") for worker in "ab"])

    found = agreed(pl.concat([missing, spans_of([("a", "1", 0, 5, "minor"), ("b", "1", 0, 5, "minor")])]))

    assert found.couples.select("n_marks_a", "f").row(0) == (2, 1.0)


def _crowd(rng: np.random.Generator, *, seen: float, n_segments: int = 40) -> pl.DataFrame:
    """Six workers mark each segment once: its error with probability `seen`, else a random place."""
    rows: list[Row] = []
    for segment in range(n_segments):
        true = int(rng.integers(0, 90))
        for worker in "abcdef":
            start = true if rng.random() < seen else int(rng.integers(0, 91))
            rows.append((worker, str(segment), start, start + 10, "minor"))
    return spans_of(rows)


def _texts(n_segments: int = 40) -> pl.DataFrame:
    return texts_frame(
        pl.DataFrame({"segment_id": [str(segment) for segment in range(n_segments)]}).with_columns(
            system_id=pl.lit("A"), item_kind=pl.lit("regular"), side=pl.lit("target"), text=pl.lit("x" * 100)
        )
    )


def test_random_marks_agree_as_chance_says_they_would() -> None:
    found = agreed(_crowd(np.random.default_rng(5), seen=0.0), _texts())

    marks = overall(found, "marks")
    assert marks["lower"] < marks["chance_moved"] < marks["upper"]
    assert marks["chance_other"] == pytest.approx(marks["chance_moved"], abs=0.03)


def test_workers_who_see_the_same_errors_agree_beyond_chance() -> None:
    found = agreed(_crowd(np.random.default_rng(5), seen=0.8), _texts())

    marks = overall(found, "marks")
    # Both see it in 64 % of cases, and chance adds little.
    assert marks["lower"] < 0.64 + 0.36 * marks["chance_moved"] < marks["upper"]
    assert marks["lower"] > 4 * marks["chance_moved"]


def test_names_and_order_of_rows_change_nothing() -> None:
    spans = _crowd(np.random.default_rng(5), seen=0.5)

    found = agreed(spans.sample(fraction=1, shuffle=True, seed=3))

    values = ("measure", "value", "lower", "upper")
    assert found.overall.select(values).to_dicts() == [
        pytest.approx(row) for row in agreed(spans).overall.select(values).to_dicts()
    ]


def test_without_texts_the_chance_by_moving_marks_is_unknown() -> None:
    found = agreed(_crowd(np.random.default_rng(5), seen=0.5))

    assert overall(found, "marks")["chance_moved"] is None
    assert overall(found, "marks")["chance_other"] < 0.2

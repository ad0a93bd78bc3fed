"""Exhibits of marked errors: rates worked by hand, passages, and what is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.domain.errors import ChoiceError, NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Figure, Intervals, Passage, Table
from steelyard.domain.result import AnalysisSettings, MethodSettings
from steelyard.domain.span_weights import WEIGHTS
from steelyard.exhibits import figures, tables
from steelyard.flows.analyse import weigh
from steelyard.flows.exhibit import report_exhibits
from steelyard.flows.source import Source
from steelyard.frames import ratings_frame, spans_frame, texts_frame
from steelyard.span_ratings import span_ratings

TEXT = "The quick brown fox"
# Worker, system, segment, document, start, end, severity, category, seconds.
Row = tuple[str, str, str, str, int | None, int | None, str | None, str | None, float]
ROWS: list[Row] = [
    ("a", "A", "1", "d1", 4, 9, "major", "accuracy/addition", 20.0),
    ("a", "A", "1", "d1", 10, 15, "minor", "style", 20.0),
    ("b", "A", "1", "d1", 4, 15, "minor", "fluency/grammar", 12.0),
    ("a", "A", "2", "d2", None, None, None, None, 5.0),
    ("a", "B", "1", "d1", None, None, None, None, 4.0),
    ("a", "B", "2", "d2", None, None, "minor", "accuracy/omission", 9.0),
]


def evidence_of(rows: Sequence[Row], *, text: str | None = TEXT) -> Evidence:
    names = [
        "worker_id",
        "system_id",
        "segment_id",
        "document_id",
        "start",
        "end",
        "severity",
        "category",
        "seconds",
    ]
    frame = pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None).with_columns(
        hit_id=pl.lit("h"), item_kind=pl.lit("regular"), attribute=pl.lit("overall"), side=pl.lit("target")
    )
    spans = spans_frame(frame)
    texts = frame.select("system_id", "segment_id", "item_kind", "side", text=pl.lit(text, pl.String))
    ratings = ratings_frame(span_ratings(spans, WEIGHTS["mtme"]))
    source = Source(
        ratings, "Toy", "toy", spans=spans, texts=texts_frame(texts if text is not None else None)
    )
    settings = AnalysisSettings(method="mean-rating", check="none", method_settings=MethodSettings(draws=0))
    return weigh(source, settings)


def table(name: str, evidence: Evidence) -> Table:
    made = tables()[name].make([evidence], ExhibitOptions())
    assert isinstance(made, Table)
    return made


def figure(name: str, evidence: Evidence, **options: Any) -> Figure:
    made = figures()[name].make([evidence], ExhibitOptions(**options))
    assert isinstance(made, Figure)
    return made


def test_rates_are_errors_per_judged_translation() -> None:
    rows = table("severity-profile", evidence_of(ROWS)).rows

    # A was judged three times, with three errors in all; B twice, with one.
    rates = {
        (system, error): rate for system, error, rate in rows.select("system_id", "error", "rate").iter_rows()
    }
    assert rates == {
        ("A", "all"): 1.0,
        ("A", "major"): pytest.approx(1 / 3),
        ("A", "minor"): pytest.approx(2 / 3),
        ("B", "all"): 0.5,
        ("B", "major"): 0.0,
        ("B", "minor"): 0.5,
    }
    # Of 19 characters each: three errors in 57, one in 38.
    whole = rows.filter(error="all").select("system_id", "per_length", "clean").rows()
    assert whole == [
        ("B", pytest.approx(1000 / 38), 0.5),
        ("A", pytest.approx(3000 / 57), pytest.approx(1 / 3)),
    ]


def test_intervals_leave_out_one_document_at_a_time() -> None:
    rows = table("severity-profile", evidence_of(ROWS)).rows

    # Without d1 A has 0 of 1, without d2 3 of 2: variance 1/2 · 2 · 0.75², and t has one degree of freedom.
    (a,) = rows.filter(system_id="A", error="all").select("lower", "upper").rows()
    assert a == (0.0, pytest.approx(1.0 + 12.7062 * 0.75, rel=1e-4))


def test_categories_are_the_part_before_the_stroke() -> None:
    rows = table("errors-by-category", evidence_of(ROWS)).rows

    assert rows.filter(system_id="A", error="accuracy")["n"].to_list() == [1]
    assert set(rows["error"]) == {"all", "accuracy", "fluency", "style"}


def test_bars_of_a_system_stand_one_after_another_up_to_all_errors() -> None:
    (panel,) = figure("errors-by-category", evidence_of(ROWS)).panels

    bars = [mark for mark in panel.marks if isinstance(mark, Intervals) and mark.thick]
    assert panel.y.categories == ("B", "A")
    assert all(np.isclose(one.high, other.low).all() for one, other in pairwise(bars))
    assert bars[-1].high == pytest.approx((0.5, 1.0))


def test_without_categories_there_are_no_kinds_to_count() -> None:
    plain = [(*row[:7], None, row[8]) for row in ROWS]

    with pytest.raises(NotEnoughData, match="No marked error has a category"):
        table("errors-by-category", evidence_of(plain))


def test_the_heat_of_a_text_is_the_share_of_its_workers() -> None:
    (panel, *_) = figure("most-marked", evidence_of(ROWS)).panels

    (passage,) = panel.marks
    assert isinstance(passage, Passage)
    # a marked "quick" and "brown", b both and the space between them.
    heat = dict(zip(passage.pieces, passage.heat, strict=True))
    assert "".join(passage.pieces) == TEXT
    assert (heat["quick"], heat["brown"], heat["fox"]) == (1.0, 1.0, 0.0)
    assert 0.5 in passage.heat


def test_everybody_has_a_lane_in_the_chosen_translation() -> None:
    made = figure("marks", evidence_of(ROWS), segment="1", system="A")

    (passage,) = made.panels[0].marks
    assert isinstance(passage, Passage)
    assert [lane.name for lane in passage.lanes] == ["a", "b"]
    first, after, tone = passage.lanes[0].marks[0]
    assert ("".join(passage.pieces[first:after]), tone) == ("quick", "bad")
    assert made.table.rows["marked"].to_list() == ["quick", "brown", "quick brown"]


def test_a_mark_without_a_place_is_counted_beside_its_worker() -> None:
    (passage,) = figure("marks", evidence_of(ROWS), segment="2", system="B").panels[0].marks

    assert isinstance(passage, Passage)
    assert passage.lanes[0].name == "a (+1)"


def test_a_segment_that_is_not_there_is_refused_with_some_that_are() -> None:
    with pytest.raises(ChoiceError, match=r"'9'. There are: 1, 2"):
        figure("marks", evidence_of(ROWS), segment="9")


def test_numbers_behind_names_are_explained_where_there_are_any() -> None:
    explained = [
        "Behind a name" in figure("marks", evidence_of(ROWS), segment=segment, system=system).caption
        for segment, system in (("1", "A"), ("2", "B"))
    ]

    assert explained == [False, True]


def test_the_axis_of_times_begins_at_the_power_of_ten_below_the_shortest() -> None:
    quicker = [(*row[:-1], row[-1] / 1000) for row in ROWS]

    lows = [figure("span-time", evidence_of(rows)).panels[0].y.low for rows in (ROWS, quicker)]

    assert lows == [1.0, 0.1]


def test_without_texts_marks_cannot_be_shown() -> None:
    with pytest.raises(NotEnoughData, match="The texts are not known"):
        figure("marks", evidence_of(ROWS, text=None))


def test_lines_may_break_between_characters_of_scripts_without_spaces() -> None:
    (panel, *_) = figure("most-marked", evidence_of(ROWS, text="因为暴风雨昨天又关闭了河上的老桥并且")).panels

    (passage,) = panel.marks
    assert isinstance(passage, Passage)
    assert max(map(len, passage.pieces)) == 1


def test_arabic_runs_from_the_right() -> None:
    (panel, *_) = figure("most-marked", evidence_of(ROWS, text="أغلقت المدينة الجسر القديم")).panels

    (passage,) = panel.marks
    assert isinstance(passage, Passage)
    assert passage.right_to_left


def test_time_per_error_is_a_median_over_translations_with_errors() -> None:
    rows = table("span-time", evidence_of(ROWS)).rows

    # a: 20 s for two errors, 9 s for one; without error 5 and 4 s.
    a = rows.row(by_predicate=pl.col("worker_id") == "a", named=True)
    assert (a["n_translations"], a["n_marks"]) == (4, 3)
    assert (a["seconds"], a["seconds_clean"], a["per_mark"]) == (7.0, 4.5, 9.5)


def test_agreement_is_that_of_the_translation_both_judged() -> None:
    rows = table("span-agreement", evidence_of(ROWS)).rows

    # Of 5 + 5 and 11 characters ten are common; of a's marks one is matched, "quick" with five of eleven.
    values = dict(rows.select("measure", "value").iter_rows())
    assert values["characters"] == pytest.approx(20 / 21)
    assert values["marks"] == pytest.approx((1 + 5 / 11) / 3)


def test_a_report_without_marked_errors_misses_none(evidence: Evidence) -> None:
    made, missing = report_exhibits(evidence, ExhibitOptions())

    assert not any(figures()[each.name].of_spans for each in made if isinstance(each, Figure))
    assert not any("marked" in sentence for sentence in missing)


def test_a_report_with_marked_errors_shows_them() -> None:
    made, _ = report_exhibits(evidence_of(ROWS), ExhibitOptions())

    names = {each.name for each in made}
    assert names >= {"errors-by-category", "severity-profile", "most-marked", "span-time", "span-agreement"}

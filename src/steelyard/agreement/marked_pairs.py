"""Marks of workers who judged the same translations, pair by pair."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
import polars as pl

from steelyard.agreement.pairs import FirstRatings, first_ratings
from steelyard.documents import documents_of
from steelyard.domain.judgement import SPAN_SIDES
from steelyard.domain.span_weights import USUAL_WEIGHTS, WEIGHTS
from steelyard.domain.work import SCORED_KINDS
from steelyard.frames import index_of
from steelyard.span_ratings import judged_translations, span_ratings
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.span_agreement import MarkedSpans

_KINDS = [str(kind) for kind in SCORED_KINDS]


class JudgedTranslations(NamedTuple):
    """Judged translations, at most one of each by each worker, and their marks.

    Of translations, (n,): item, worker, document, score, length of the text on each side (n, 2), -1 where
    unknown. Of marks: the translation they are in, half-open ends, -1 without; side and severity. Names of
    `workers` are in the order of their numbers.
    """

    workers: list[str]
    item: IntArray
    worker: IntArray
    document: IntArray
    score: FloatArray
    length: IntArray
    of: IntArray
    start: IntArray
    end: IntArray
    side: IntArray
    severity: IntArray

    @property
    def n_marks(self) -> IntArray:
        """The number of marks of each translation, those without a place included."""
        return np.bincount(self.of, minlength=len(self.item))


class MarksInPairs(NamedTuple):
    """One person's marks in every pair, in texts numbered by pair and side, and their severities."""

    marks: MarkedSpans
    severity: IntArray
    length: IntArray

    def where(self, chosen: BoolArray) -> MarksInPairs:
        """Some of the marks."""
        marks = MarkedSpans(*(column[chosen] for column in self.marks))
        return MarksInPairs(marks, self.severity[chosen], self.length[chosen])


def judged_with_marks(spans: pl.DataFrame, texts: pl.DataFrame) -> JudgedTranslations:
    """The first judgement of each translation by each worker, of regular items and repeats."""
    spans = spans.filter(pl.col("item_kind").is_in(_KINDS))
    everything = judged_translations(spans)
    # In the same order: both group by what rows of one judged translation share.
    score = span_ratings(spans, WEIGHTS[USUAL_WEIGHTS])["rating"].to_numpy()
    firsts = first_ratings(everything) if len(everything) else FirstRatings(*(np.empty(0, np.int64),) * 3)
    rows = everything[firsts.row]
    lists = ("starts", "ends", "sides", "severities")
    marked = rows.with_row_index("of").filter(pl.col(lists[0]).list.len() > 0)
    marks = marked.select("of", *lists).explode(lists)
    sides = pl.Enum(SPAN_SIDES)
    severity = marks["severities"].cast(pl.String).fill_null("")
    return JudgedTranslations(
        workers=index_of(rows["worker_id"])[0] if len(rows) else [],
        item=firsts.item,
        worker=index_of(rows["worker_id"])[1] if len(rows) else np.empty(0, np.int64),
        document=documents_of(rows).number if len(rows) else np.empty(0, np.int64),
        score=score[firsts.row],
        length=np.column_stack([_lengths(rows, texts, side) for side in SPAN_SIDES]),
        of=marks["of"].cast(pl.Int64).to_numpy(),
        start=marks["starts"].cast(pl.Int64).fill_null(-1).to_numpy(),
        end=marks["ends"].cast(pl.Int64).fill_null(-1).to_numpy(),
        side=marks["sides"].cast(pl.String).cast(sides).to_physical().cast(pl.Int64).to_numpy(),
        severity=index_of(severity)[1] if len(severity) else np.empty(0, np.int64),
    )


def _lengths(rows: pl.DataFrame, texts: pl.DataFrame, side: str) -> IntArray:
    """How many characters each translation has on one side, -1 where that is unknown."""
    keys = ["system_id", "segment_id"]
    known = (
        texts.filter(pl.col("side") == side, pl.col("item_kind").is_in(_KINDS))
        .select(*keys, length=pl.col("text").str.len_chars().cast(pl.Int64))
        .unique(keys, keep="first", maintain_order=True)
    )
    wanted = rows.select(pl.col(keys).cast(pl.String))
    joined = wanted.join(known, on=keys, how="left", maintain_order="left")
    length: IntArray = joined["length"].fill_null(-1).to_numpy()
    return length


def pairs_of_items(item: IntArray) -> tuple[IntArray, IntArray]:
    """Every two translations of one item, which are sorted by it."""
    size = np.bincount(item) if len(item) else np.empty(0, np.int64)
    start = np.cumsum(size) - size
    sides: tuple[list[IntArray], list[IntArray]] = ([np.empty(0, np.int64)], [np.empty(0, np.int64)])
    for n in np.unique(size[size > 1]).tolist():
        of_size = start[size == n]
        for i, j in combinations(range(n), 2):
            sides[0].append(of_size + i)
            sides[1].append(of_size + j)
    left, right = (np.concatenate(side) for side in sides)
    return left, right


def marks_in_pairs(judged: JudgedTranslations, rows: IntArray) -> MarksInPairs:
    """The marks with a place of the translations (p,) in `rows`."""
    placed = judged.start >= 0
    order = np.argsort(judged.of[placed], kind="stable")
    start, end, side, severity = (
        column[placed][order] for column in (judged.start, judged.end, judged.side, judged.severity)
    )
    n = np.bincount(judged.of[placed], minlength=len(judged.item))
    first = np.cumsum(n) - n
    pair = np.repeat(np.arange(len(rows)), n[rows])
    within = np.arange(len(pair)) - np.repeat(np.cumsum(n[rows]) - n[rows], n[rows])
    mark = first[rows][pair] + within
    return MarksInPairs(
        MarkedSpans(pair * len(SPAN_SIDES) + side[mark], start[mark], end[mark]),
        severity[mark],
        judged.length[rows[pair], side[mark]],
    )

"""Agreement of marked errors: where workers mark, how severe they find it, how much they mark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from steelyard.agreement.pairs import FirstRatings, first_ratings
from steelyard.documents import documents_of
from steelyard.domain.judgement import SPAN_SIDES
from steelyard.domain.span_weights import USUAL_WEIGHTS, WEIGHTS
from steelyard.domain.work import SCORED_KINDS
from steelyard.frames import index_of
from steelyard.span_ratings import judged_translations, span_ratings
from steelyard.stats.agreement_errors import AgreementError, fisher_interval
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.correlation import pearson
from steelyard.stats.kendall import kendall_b
from steelyard.stats.ratios import JudgedPairs, ratio, ratio_error
from steelyard.stats.span_agreement import (
    MarkedSpans,
    Shared,
    match_spans,
    moved_at_random,
    shared_characters,
    shared_marks,
)

# Agreement by chance is the mean of so many draws [our choice]: its own error is a tenth of theirs.
DRAWS = 20
# A correlation of fewer translations would be little but chance [our choice].
LEAST_TRANSLATIONS = 10
SPAN_MEASURES = {
    "characters": "characters marked by both (F)",
    "marks": "marks matched, with partial credit (F)",
    "severity": "same severity of matched marks",
    "count": "number of marks (intraclass correlation)",
    "score": "weighted score (intraclass correlation)",
}
_SHARES = ("characters", "marks", "severity")


@dataclass(frozen=True)
class SpanAgreement:
    """How far workers agree on errors.

    `overall`, a row for each of SPAN_MEASURES: measure, n_pairs (of judgements of one translation),
    n_workers, value, lower, upper, chance_moved, chance_other. `couples`, a row for each two workers:
    worker_a, worker_b, n_translations, n_marks_a, n_marks_b, precision, recall and f of marks, characters_f,
    severity, and correlations count_pearson, count_kendall, score_pearson. What is unknown is null.
    """

    overall: pl.DataFrame
    couples: pl.DataFrame


class _Judged(NamedTuple):
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


class _Side(NamedTuple):
    """One person's marks in every pair, in texts numbered by pair and side, and their severities."""

    marks: MarkedSpans
    severity: IntArray
    length: IntArray

    def where(self, chosen: BoolArray) -> _Side:
        """Some of the marks."""
        marks = MarkedSpans(*(column[chosen] for column in self.marks))
        return _Side(marks, self.severity[chosen], self.length[chosen])


def span_agreement(
    spans: pl.DataFrame, texts: pl.DataFrame, *, level: float, rng: np.random.Generator
) -> SpanAgreement:
    """Agreement of workers about the errors of the same translations, of regular items and repeats.

    In characters: of those that either of two workers marked, the share that both did, as F. Mark by mark:
    `stats.span_agreement` says how marks are matched and credited [Perrella2026]. Over all workers F counts
    both of a pair alike. Severities are compared on matched marks. The number of marks, and minus the sum of
    their usual weights, by the intraclass correlation of all pairs: that of two judgements of one
    translation, whoever gave them, so that a worker who marks twice as much as others lowers it.

    By chance: one worker's marks at random places of the same texts (`chance_moved`, where the texts are
    known), or that worker's marks in another translation (`chance_other`); of severities, what their shares
    among matched marks give. Marks without a place count in numbers and scores only. Intervals are
    for other workers and other documents.
    """
    kinds = [str(kind) for kind in SCORED_KINDS]
    judged = _judged(spans.filter(pl.col("item_kind").is_in(kinds)), texts)
    left, right = _pairs(judged.item)
    if not len(left):
        return SpanAgreement(_overall_frame([]), _couples_frame([]))
    pairs = JudgedPairs(judged.worker[left], judged.worker[right], judged.document[left])
    one, other = _side(judged, left), _side(judged, right)
    found = match_spans(one.marks, other.marks)
    n_texts = len(left) * len(SPAN_SIDES)
    by_pair = {
        "marks": _of_pairs(shared_marks(one.marks, other.marks, found, n_texts=n_texts)),
        "characters": _of_pairs(shared_characters(one.marks, other.marks, n_texts=n_texts)),
    }
    same = one.severity[found.first] == other.severity[found.second]
    pair_of_match = one.marks.text[found.first] // len(SPAN_SIDES)
    severity = (
        np.bincount(pair_of_match, same, len(left)).astype(np.float64),
        np.bincount(pair_of_match, minlength=len(left)).astype(np.float64),
    )
    counts = judged.n_marks.astype(np.float64)
    fractions = {
        **{name: _f_parts(shared) for name, shared in by_pair.items()},
        "severity": severity,
        "count": _intraclass(counts[left], counts[right]),
        "score": _intraclass(judged.score[left], judged.score[right]),
    }
    chances = _chances(judged, left, right, rng)
    shares = np.bincount(np.concatenate([one.severity[found.first], other.severity[found.second]]))
    by_shares = float(np.sum((shares / max(shares.sum(), 1)) ** 2)) if shares.sum() else np.nan
    chances["severity"] = (by_shares, by_shares)
    n_workers = len(np.unique(np.concatenate([pairs.left, pairs.right])))
    rows: list[tuple[object, ...]] = []
    for name in SPAN_MEASURES:
        found_within = _within(fractions[name], pairs, level, is_share=name in _SHARES)
        rows.append((name, len(left), n_workers, *found_within, *chances[name]))
    couples = _couples(judged, (left, right), by_pair, severity)
    return SpanAgreement(_overall_frame(rows), _couples_frame(couples))


def _judged(spans: pl.DataFrame, texts: pl.DataFrame) -> _Judged:
    everything = judged_translations(spans)
    # In the same order: both group by what rows of one judged translation share.
    score = span_ratings(spans, WEIGHTS[USUAL_WEIGHTS])["rating"].to_numpy()
    firsts = first_ratings(everything) if len(everything) else FirstRatings(*(np.empty(0, np.int64),) * 3)
    rows = everything[firsts.row]
    lists = ("starts", "ends", "sides", "severities")
    marks = rows.with_row_index("of").select("of", *lists).explode(lists, empty_as_null=False)
    sides = pl.Enum(SPAN_SIDES)
    severity = marks["severities"].cast(pl.String).fill_null("")
    return _Judged(
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
        texts.filter(pl.col("side") == side, pl.col("item_kind").is_in([str(kind) for kind in SCORED_KINDS]))
        .select(*keys, length=pl.col("text").str.len_chars().cast(pl.Int64))
        .unique(keys, keep="first", maintain_order=True)
    )
    wanted = rows.select(pl.col(keys).cast(pl.String))
    joined = wanted.join(known, on=keys, how="left", maintain_order="left")
    length: IntArray = joined["length"].fill_null(-1).to_numpy()
    return length


def _pairs(item: IntArray) -> tuple[IntArray, IntArray]:
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


def _side(judged: _Judged, rows: IntArray) -> _Side:
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
    return _Side(
        MarkedSpans(pair * len(SPAN_SIDES) + side[mark], start[mark], end[mark]),
        severity[mark],
        judged.length[rows[pair], side[mark]],
    )


def _of_pairs(shared: Shared) -> Shared:
    """Sums over both sides of each pair."""
    return Shared(*(part.reshape(-1, len(SPAN_SIDES)).sum(axis=1) for part in shared))


def _f_parts(shared: Shared) -> tuple[FloatArray, FloatArray]:
    """Numerator and denominator of F over pairs without an order."""
    return shared.first_shared + shared.second_shared, shared.first + shared.second


def _intraclass(one: FloatArray, other: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Numerator and denominator of the correlation of pairs without an order, about their common mean."""
    mean = (one.mean() + other.mean()) / 2
    return (one - mean) * (other - mean), ((one - mean) ** 2 + (other - mean) ** 2) / 2


def _within(
    fraction: tuple[FloatArray, FloatArray], pairs: JudgedPairs, level: float, *, is_share: bool
) -> tuple[float, float, float]:
    """A ratio with its interval; that of a share stays between 0 and 1."""
    value, error = ratio(*fraction), ratio_error(*fraction, pairs)
    if not is_share:
        return value, *fisher_interval(value, error, level=level)
    # Between -1 and 1 the errors of a share are twice as large.
    doubled = AgreementError(4 * error.variance, error.df)
    lower, upper = fisher_interval(2 * value - 1, doubled, level=level)
    return value, (lower + 1) / 2, (upper + 1) / 2


def _chances(
    judged: _Judged, left: IntArray, right: IntArray, rng: np.random.Generator
) -> dict[str, tuple[float, float]]:
    """By measure, what chance gives: the second's marks at random places, and from other translations."""
    one, other = _side(judged, left), _side(judged, right)
    none = (np.nan, np.nan)
    # Marks in texts whose length is unknown, such as sources, can be moved nowhere.
    here, there = one.where(one.length >= 0), other.where(other.length >= 0)
    moved = _mean_f(
        here,
        len(left),
        lambda: moved_at_random(there.marks, there.length, rng) if len(there.length) else None,
    )
    elsewhere = _mean_f(one, len(left), lambda: _elsewhere(judged, right, rng))
    return {
        **{name: (moved[name], elsewhere[name]) for name in ("marks", "characters")},
        "severity": none,
        "count": none,
        "score": none,
    }


def _elsewhere(judged: _Judged, right: IntArray, rng: np.random.Generator) -> MarkedSpans | None:
    """Marks of the same workers in other translations of theirs, at random; None if somebody has no other."""
    order = np.argsort(judged.worker, kind="stable")
    n = np.bincount(judged.worker)
    first = np.cumsum(n) - n
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - first[judged.worker[order]]
    worker = judged.worker[right]
    if not (n[worker] > 1).all():
        return None
    step = 1 + (rng.random(len(right)) * (n[worker] - 1)).astype(np.int64)
    return _side(judged, order[first[worker] + (place[right] + step) % n[worker]]).marks


def _mean_f(one: _Side, n_pairs: int, draw: Callable[[], MarkedSpans | None]) -> dict[str, float]:
    n_texts = n_pairs * len(SPAN_SIDES)
    found: dict[str, list[float]] = {"marks": [], "characters": []}
    for _ in range(DRAWS):
        other = draw()
        if other is None:
            return dict.fromkeys(found, np.nan)
        matches = match_spans(one.marks, other)
        shared = {
            "marks": shared_marks(one.marks, other, matches, n_texts=n_texts),
            "characters": shared_characters(one.marks, other, n_texts=n_texts),
        }
        for name, each in shared.items():
            found[name].append(ratio(*_f_parts(each)))
    return {name: float(np.mean(values)) for name, values in found.items()}


def _couples(
    judged: _Judged,
    pairs: tuple[IntArray, IntArray],
    by_pair: dict[str, Shared],
    severity: tuple[FloatArray, FloatArray],
) -> list[tuple[object, ...]]:
    """Each two workers who judged a translation in common, those with most of them first."""
    left, right = pairs
    swap = judged.worker[left] > judged.worker[right]
    lower, upper = (np.where(swap, *ends) for ends in ((right, left), (left, right)))
    marks, characters = (_ordered(by_pair[name], swap) for name in ("marks", "characters"))
    n_workers = len(judged.workers)
    code = judged.worker[lower] * n_workers + judged.worker[upper]
    counts = judged.n_marks.astype(np.float64)
    rows: list[tuple[object, ...]] = []
    for couple in np.unique(code).tolist():
        of: BoolArray = code == couple
        n = int(of.sum())
        found = Shared(*(part[of] for part in marks)).summed()
        in_characters = Shared(*(part[of] for part in characters)).summed()
        enough = n >= LEAST_TRANSLATIONS
        both = (counts[lower[of]], counts[upper[of]])
        scores = (judged.score[lower[of]], judged.score[upper[of]])
        a, b = divmod(couple, n_workers)
        rows.append(
            (
                *(judged.workers[a], judged.workers[b], n),
                *(int(side.sum()) for side in both),
                *(found.precision, found.recall, found.f, in_characters.f),
                ratio(severity[0][of], severity[1][of]),
                *((pearson(*both), kendall_b(*both), pearson(*scores)) if enough else (np.nan,) * 3),
            )
        )
    return sorted(rows, key=lambda row: (-int(str(row[2])), str(row[0]), str(row[1])))


def _ordered(shared: Shared, swap: BoolArray) -> Shared:
    first, second, first_shared, second_shared = shared
    return Shared(
        np.where(swap, second, first),
        np.where(swap, first, second),
        np.where(swap, second_shared, first_shared),
        np.where(swap, first_shared, second_shared),
    )


def _overall_frame(rows: list[tuple[object, ...]]) -> pl.DataFrame:
    numbers = ("value", "lower", "upper", "chance_moved", "chance_other")
    return _frame(rows, {"measure": pl.String, "n_pairs": pl.Int64, "n_workers": pl.Int64}, numbers)


def _couples_frame(rows: list[tuple[object, ...]]) -> pl.DataFrame:
    named = {"worker_a": pl.String, "worker_b": pl.String}
    counted = dict.fromkeys(("n_translations", "n_marks_a", "n_marks_b"), pl.Int64)
    numbers = ("precision", "recall", "f", "characters_f", "severity")
    correlations = ("count_pearson", "count_kendall", "score_pearson")
    return _frame(rows, {**named, **counted}, (*numbers, *correlations))


def _frame(rows: list[tuple[object, ...]], columns: dict[str, Any], numbers: tuple[str, ...]) -> pl.DataFrame:
    schema = {**columns, **dict.fromkeys(numbers, pl.Float64)}
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col(pl.Float64).fill_nan(None))

"""Agreement of marked errors: where workers mark, how severe they find it, how much they mark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from steelyard.agreement.marked_pairs import (
    JudgedTranslations,
    MarksInPairs,
    judged_with_marks,
    marks_in_pairs,
    pairs_of_items,
)
from steelyard.domain.judgement import SPAN_SIDES
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
    judged = judged_with_marks(spans, texts)
    left, right = pairs_of_items(judged.item)
    if not len(left):
        return SpanAgreement(_overall_frame([]), _couples_frame([]))
    pairs = JudgedPairs(judged.worker[left], judged.worker[right], judged.document[left])
    one, other = marks_in_pairs(judged, left), marks_in_pairs(judged, right)
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
    judged: JudgedTranslations, left: IntArray, right: IntArray, rng: np.random.Generator
) -> dict[str, tuple[float, float]]:
    """By measure, what chance gives: the second's marks at random places, and from other translations."""
    one, other = marks_in_pairs(judged, left), marks_in_pairs(judged, right)
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


def _elsewhere(judged: JudgedTranslations, right: IntArray, rng: np.random.Generator) -> MarkedSpans | None:
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
    return marks_in_pairs(judged, order[first[worker] + (place[right] + step) % n[worker]]).marks


def _mean_f(one: MarksInPairs, n_pairs: int, draw: Callable[[], MarkedSpans | None]) -> dict[str, float]:
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
    judged: JudgedTranslations,
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

"""Agreement of preferences: the first better, the second better, or neither."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from steelyard.agreement.cuts import Cut
from steelyard.agreement.inter import pair_weights
from steelyard.agreement.item_ratings import ItemRatings, inter_pair_sums, n_compared_workers, n_pairs
from steelyard.agreement.options import AgreementOptions
from steelyard.agreement.rows import Row
from steelyard.documents import documents_of
from steelyard.domain.exhibit import Chance
from steelyard.domain.work import SCORED_KINDS, ItemKind
from steelyard.frames import index_of
from steelyard.preferences import paired_preferences, repeated_preferences
from steelyard.stats.agreement_errors import CrossedPairs
from steelyard.stats.agreement_influence import match_influence, repeat_influence
from steelyard.stats.alpha import nominal_alpha
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.kappa import PairSums, kappa, observed_agreement, pair_sums

# Better, worse, neither: two that are both bad are no better or worse than each other.
N_OUTCOMES = 3
_OUTCOMES = Cut(N_OUTCOMES, lambda value: value.astype(np.int64))
_OF_AN_ITEM = ("segment_id", "attribute", "system_first", "system_second")


def preference_rows(frame: pl.DataFrame, options: AgreementOptions) -> list[Row]:
    """Kappa within workers on repeats, and between workers on the same pair, there with nominal alpha."""
    scored = frame.filter(pl.col("item_kind").is_in([str(kind) for kind in SCORED_KINDS]))
    segments = scored.select("segment_id", document=pl.Series(documents_of(scored).number))
    documents = segments.unique("segment_id")
    return [_intra(scored, documents, options), *_inter(scored, documents, options)]


def _intra(frame: pl.DataFrame, documents: pl.DataFrame, options: AgreementOptions) -> Row:
    pairs = repeated_preferences(frame)
    first, second = (_both_ways(pairs[name].to_numpy() + 2) for name in ("first", "second"))
    sums = pair_sums(first, second, n_categories=N_OUTCOMES)
    n_workers = pairs["worker_id"].n_unique()
    row = replace(_kappa_row("intra", sums, len(pairs), options), n_workers=n_workers)
    if np.isnan(row.value):
        return row
    crossed = CrossedPairs(
        np.arange(len(first)),
        worker=np.tile(index_of(pairs["worker_id"])[1], 2),
        document=np.tile(_document(pairs, documents), 2),
    )
    influence = repeat_influence(first, second, sums=sums, chance=options.chance)
    return row.within(crossed.error(influence), level=options.settings.level)


def _inter(frame: pl.DataFrame, documents: pl.DataFrame, options: AgreementOptions) -> list[Row]:
    once = _first_preferences(frame, documents)
    pairs = n_pairs(once) if len(once.item) else 0
    found = ItemRatings(
        value=_both_ways(once.value.astype(np.int64)).astype(np.float64),
        item=np.concatenate([once.item, once.item + once.item.max(initial=-1) + 1]),
        worker=np.tile(once.worker, 2),
        document=np.tile(once.document, 2),
    )
    sums = inter_pair_sums(found, _OUTCOMES, weight=options.weight)
    category = found.value.astype(np.int64) - 1
    alpha = Row("inter", "preference", None, pairs, None, None, "alpha", nominal_alpha(category, found.item))
    by_row: list[tuple[Row, Chance, FloatArray]] = [
        (_kappa_row("inter", sums, pairs, options), options.chance, pair_weights(found.item, options.weight)),
        (alpha, "scott", _ratings_of_pairs(found.item)),
    ]
    crossed = CrossedPairs(found.item, worker=found.worker, document=found.document)
    rows = []
    for row, chance, weight in by_row:
        if np.isnan(row.value):
            rows.append(row)
            continue
        influence = match_influence(
            category, found.item, weight=weight, chance=chance, n_categories=N_OUTCOMES
        )
        rows.append(row.within(crossed.error(influence), level=options.settings.level))
    n_workers = n_compared_workers(once)
    return [replace(row, n_workers=n_workers) for row in rows]


def _ratings_of_pairs(item: IntArray) -> FloatArray:
    """What each item counts in alpha: the number of its ratings, if there are two."""
    size = np.bincount(item).astype(np.float64)
    weights: FloatArray = size * (size > 1)
    return weights


def _both_ways(outcome: IntArray) -> IntArray:
    """Outcomes 1, 2 or 3, and again as if the two systems had each other's names.

    Which of two systems is the first is a matter of names. Taken one way only, chance agreement would be that
    of the names: close to 1 if the better system always comes first in the alphabet.
    """
    outcomes: IntArray = np.concatenate([outcome, N_OUTCOMES + 1 - outcome])
    return outcomes


def _kappa_row(of: str, sums: PairSums, pairs: int, options: AgreementOptions) -> Row:
    share, value = float(observed_agreement(sums)), float(kappa(sums, chance=options.chance))
    is_intra = of == "intra"
    return Row(
        "intra" if is_intra else "inter",
        "preference",
        N_OUTCOMES,
        pairs,
        share,
        options.chance,
        "kappa",
        value,
    )


def _first_preferences(frame: pl.DataFrame, documents: pl.DataFrame) -> ItemRatings:
    """Each worker's first preference for each pair of texts, by item: 1, 2 or 3 from worse to better.

    A repeat is the regular pair again.
    """
    rows = (
        paired_preferences(frame)
        .with_columns(is_repeat=pl.col("item_kind") == str(ItemKind.REPEAT))
        .sort("submitted_at", "position", "is_repeat", nulls_last=True, maintain_order=True)
        .unique([*_OF_AN_ITEM, "worker_id"], keep="first", maintain_order=True)
        .with_columns(number=pl.struct(_OF_AN_ITEM).rank("dense").cast(pl.Int64) - 1)
        .sort("number", "worker_id")
    )
    return ItemRatings(
        value=(rows["outcome"] + 2).cast(pl.Float64).to_numpy(),
        item=rows["number"].to_numpy(),
        worker=index_of(rows["worker_id"])[1],
        document=_document(rows, documents),
    )


def _document(rows: pl.DataFrame, documents: pl.DataFrame) -> IntArray:
    joined = rows.select("segment_id").join(documents, on="segment_id", how="left", maintain_order="left")
    number: IntArray = joined["document"].to_numpy()
    return number

"""Agreement of preferences: the first better, the second better, or neither."""

from __future__ import annotations

import numpy as np
import polars as pl

from steelyard.agreement.cuts import Cut
from steelyard.agreement.inter_draws import InterDraws
from steelyard.agreement.item_ratings import ItemRatings, inter_pair_sums, n_pairs
from steelyard.agreement.options import AgreementOptions
from steelyard.agreement.rows import Part, Redraw, Row
from steelyard.domain.work import ItemKind
from steelyard.frames import index_of
from steelyard.preferences import paired_preferences, repeated_preferences
from steelyard.stats.alpha import nominal_alpha
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.kappa import (
    PairSums,
    kappa,
    observed_agreement,
    pair_sums_by_worker,
    sums_of_draws,
)

# Better, worse, neither: two that are both bad are no better or worse than each other.
N_OUTCOMES = 3
_OUTCOMES = Cut(N_OUTCOMES, lambda value: value.astype(np.int64))
_OF_AN_ITEM = ("segment_id", "attribute", "system_first", "system_second")


def preference_parts(frame: pl.DataFrame, options: AgreementOptions) -> list[Part]:
    """Kappa within workers on repeats, and between workers on the same pair, there with nominal alpha."""
    workers, _ = index_of(frame["worker_id"])
    return [_intra(frame, workers, options), _inter(frame, workers, options)]


def _intra(frame: pl.DataFrame, workers: list[str], options: AgreementOptions) -> Part:
    pairs = repeated_preferences(frame)
    first, second = (_both_ways(pairs[name].to_numpy() + 2) for name in ("first", "second"))
    by_worker = pair_sums_by_worker(
        first,
        second,
        np.tile(_places(pairs["worker_id"], workers), 2),
        n_categories=N_OUTCOMES,
        n_workers=len(workers),
    )
    sums = PairSums(*(part.sum(axis=0) for part in by_worker))
    row = _kappa_row("intra", sums, len(pairs), options)

    def redraw(counts: FloatArray) -> FloatArray:
        return kappa(sums_of_draws(by_worker, counts), chance=options.chance)[None]

    return Part([row], lambda: redraw)


def _inter(frame: pl.DataFrame, workers: list[str], options: AgreementOptions) -> Part:
    once = _first_preferences(frame, workers)
    pairs = n_pairs(once) if len(once.item) else 0
    found = ItemRatings(
        value=_both_ways(once.value.astype(np.int64)).astype(np.float64),
        item=np.concatenate([once.item, once.item + once.item.max(initial=-1) + 1]),
        worker=np.tile(once.worker, 2),
        n_workers=once.n_workers,
    )
    sums = inter_pair_sums(found, _OUTCOMES, weight=options.weight)
    category = found.value.astype(np.int64) - 1
    alpha = nominal_alpha(category, found.item)
    rows = [
        _kappa_row("inter", sums, pairs, options),
        Row("inter", "preference", None, pairs, None, None, "alpha", alpha),
    ]

    def prepared() -> Redraw:
        draws = InterDraws(found, [_OUTCOMES], options)

        def redraw(counts: FloatArray) -> FloatArray:
            alphas = [
                nominal_alpha(category, found.item, weight=counts[found.worker, draw])
                for draw in range(counts.shape[1])
            ]
            return np.stack([draws.values(counts)[0], np.array(alphas)])

        return redraw

    return Part(rows, prepared)


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


def _first_preferences(frame: pl.DataFrame, workers: list[str]) -> ItemRatings:
    """Each worker's first preference for each pair of texts, by item: 1, 2 or 3 from worse to better.

    A repeat is the regular pair again. Controls are pairs of their own.
    """
    repeat, regular = str(ItemKind.REPEAT), str(ItemKind.REGULAR)
    kind = pl.col("item_kind").cast(pl.String).replace({repeat: regular})
    item = [*_OF_AN_ITEM, "kind"]
    rows = (
        paired_preferences(frame)
        .with_columns(kind=kind, is_repeat=pl.col("item_kind") == repeat)
        .sort("submitted_at", "position", "is_repeat", nulls_last=True, maintain_order=True)
        .unique([*item, "worker_id"], keep="first", maintain_order=True)
        .with_columns(number=pl.struct(item).rank("dense").cast(pl.Int64) - 1)
        .sort("number", "worker_id")
    )
    return ItemRatings(
        value=(rows["outcome"] + 2).cast(pl.Float64).to_numpy(),
        item=rows["number"].to_numpy(),
        worker=_places(rows["worker_id"], workers),
        n_workers=len(workers),
    )


def _places(column: pl.Series, names: list[str]) -> IntArray:
    places: IntArray = column.cast(pl.String).cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64)
    return places

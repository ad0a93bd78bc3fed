"""What scores of systems and of common items might have been, had other workers judged: drawn together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, hstack

from steelyard.domain.errors import NotEnoughData
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray, index_width
from steelyard.stats.bootstrap import CrossedRatings, system_scores

# Draws are made in turns, so that no array of workers by draws exceeds 32 MB.
_NUMBERS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class CampaignScores:
    """One campaign's systems: scores (S,), and draws (draws, S) of what they might have been."""

    title: str
    systems: tuple[str, ...]
    score: FloatArray
    draws: FloatArray


@dataclass(frozen=True)
class ItemScores:
    """Scores of items, each with the deviation of its error about the level that all of them share.

    `draws` (draws, items): what the scores might have been. Arrays otherwise: (items,).
    """

    names: tuple[str, ...]
    score: FloatArray
    sd: FloatArray
    draws: FloatArray

    def of(self, names: tuple[str, ...]) -> ItemScores:
        """Those of some items, in this order."""
        place = {name: number for number, name in enumerate(self.names)}
        chosen = [place[name] for name in names]
        return ItemScores(names, self.score[chosen], self.sd[chosen], self.draws[:, chosen])


def score_draws(
    systems: CrossedRatings, items: CrossedRatings | None, *, draws: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Scores of systems (draws, S) and items (draws, I) had other workers judged, all in one go.

    Every worker's share in every score counts, in each draw, by a random number of mean 0 and variance 1,
    the same for systems and items: what one worker thinks of them goes together. Systems are
    also judged on documents (`segment` of their ratings) that could have been others, by what
    `two_way_variance` finds beyond the workers; items are what they are. An item that one worker judged
    alone errs as judgements of the other items do. `systems` and `items` have the same numbers for workers;
    for items, `system` numbers them.
    """
    n_workers = max(index_width(systems.worker), index_width(items.worker) if items else 0)
    by_worker = _shares(systems, systems.worker, n_clusters=n_workers)
    by_segment = _shares(systems, systems.segment, n_clusters=index_width(systems.segment))
    cell = systems.worker * index_width(systems.segment) + systems.segment
    by_cell = _shares(systems, np.unique(cell, return_inverse=True)[1])
    stretch = _beyond_workers(*(_squares(part) for part in (by_worker, by_segment, by_cell)))
    of_systems = system_scores(systems) + _spread(by_segment, draws=draws, rng=rng) * stretch
    if items is None:
        return of_systems + _spread(by_worker, draws=draws, rng=rng), np.empty((draws, 0))
    of_items = _shares(items, items.worker, n_clusters=n_workers)
    moved = _spread(hstack([by_worker, of_items], format="csr"), draws=draws, rng=rng)
    n_systems = by_worker.shape[1]
    alone = _judged_by(items) == 1
    noise = rng.standard_normal((draws, len(alone))) * np.where(alone, _judgement_sd(items, alone), 0.0)
    return of_systems + moved[:, :n_systems], system_scores(items) + moved[:, n_systems:] + noise


def item_errors(items: CrossedRatings) -> FloatArray:
    """Standard errors of items' scores about the level that they share. Shape (items,).

    A worker's generosity moves all items that the worker judged and hardly any line through them, so
    only what differs between items counts. It is pooled over items: of a few judgements each item's own
    would be a poor guess. An item that many workers judged errs less, by the root of their number.
    Raises NotEnoughData if no item was judged by two workers.
    """
    shares = _shares(items, items.worker)
    n = _judged_by(items)
    alone = n == 1
    level = shares.mean(axis=1)
    variance = _squares(shares) - 2 * (shares.T @ level) + float(level @ level)
    variance = variance + np.where(alone, _judgement_sd(items, alone) ** 2, 0.0)
    pooled = float((n * variance).mean()) * len(n) / max(len(n) - 1, 1)
    return np.sqrt(pooled / n)


def _judgement_sd(items: CrossedRatings, alone: BoolArray) -> float:
    """How far a worker's judgement of an item lies from others' of the same item."""
    if alone.all():
        raise NotEnoughData(
            "No common item was judged by two workers, so the error of a judgement is unknown, and "
            "without it no line can be drawn. Let each be judged by several workers: in a new campaign, give "
            "fewer calibration texts or put more of them into each HIT."
        )
    away = items.value - system_scores(items)[items.system]
    several = ~alone[items.system]
    df = int(several.sum()) - int((~alone).sum())
    return float(np.sqrt((away[several] ** 2).sum() / df))


def _judged_by(items: CrossedRatings) -> IntArray:
    """How many workers judged each item."""
    n_workers = index_width(items.worker)
    pairs = np.unique(items.system * n_workers + items.worker)
    return np.bincount(pairs // n_workers, minlength=index_width(items.system))


def _shares(ratings: CrossedRatings, cluster: IntArray, *, n_clusters: int | None = None) -> csr_array:
    """How far each cluster of ratings moves each score (clusters, scores); their squares sum to its variance.

    Of n clusters, with the usual correction n / (n - 1).
    """
    total = np.bincount(ratings.system, ratings.weight)[ratings.system]
    moved = ratings.weight * (ratings.value - system_scores(ratings)[ratings.system]) / total
    shape = (n_clusters or index_width(cluster), index_width(ratings.system))
    shares = csr_array((moved, (cluster, ratings.system)), shape=shape)
    shares.sum_duplicates()
    n = np.bincount(shares.indices, minlength=shape[1])
    shares.data *= np.sqrt(n / np.maximum(n - 1, 1))[shares.indices]
    return shares


def _squares(shares: csr_array) -> FloatArray:
    return np.bincount(shares.indices, shares.data**2, minlength=shares.shape[1]).astype(np.float64)


def _beyond_workers(by_worker: FloatArray, by_segment: FloatArray, by_cell: FloatArray) -> FloatArray:
    """What to multiply draws over segments by, so that with those over workers they give the right variance.

    The single judgement is in both: it is taken off the segments. Never less than either of the two alone.
    """
    beyond = np.maximum(np.maximum(by_segment - by_cell, by_segment - by_worker), 0.0)
    share: FloatArray = np.divide(beyond, by_segment, out=np.zeros_like(beyond), where=by_segment > 0)
    return np.sqrt(share)


def _spread(shares: csr_array, *, draws: int, rng: np.random.Generator) -> FloatArray:
    """Sums of the clusters' shares, each times a random number: (draws, scores)."""
    n_clusters, n_scores = shares.shape
    drawn = np.empty((draws, n_scores))
    turned = shares.T.tocsr()
    step = max(1, _NUMBERS_AT_ONCE // n_clusters)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        drawn[start : start + size] = (turned @ rng.standard_normal((n_clusters, size))).T
    return drawn

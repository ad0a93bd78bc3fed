"""How often intervals of agreement cover what infinitely many such workers and items would give.

Crowds are simulated: workers differ in harshness and spread and, in `uneven` crowds, in care; `skewed`
ratings crowd at the upper end; in `documents` items of one document have something in common, and a worker
has an opinion of each document. The truth of a coefficient is its value in a crowd of two thousand with two
hundred ratings each, three times over.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from steelyard.agreement.cuts import rating_cuts, z_cuts
from steelyard.agreement.inter import inter_rows
from steelyard.agreement.intra import Repeats, intra_rows
from steelyard.agreement.item_ratings import ItemRatings
from steelyard.agreement.options import AgreementOptions
from steelyard.agreement.rows import Row
from steelyard.domain.scale import VAS
from steelyard.stats.standardise import standardise_by_worker

CROWDS = ("plain", "uneven", "skewed", "documents")
DESIGNS = {
    "10 workers, the same 40 items": (10, 40, 10),
    "30 workers, the same 40 items": (30, 40, 30),
    "30 workers, HITs of 100, 2 workers each": (30, 100, 2),
    "30 workers, HITs of 100, 3 workers each": (30, 100, 3),
    "30 workers, HITs of 100, 5 workers each": (30, 100, 5),
    "30 workers, 60 ratings each, items of 3": (30, 60, -3),
}
REPEATS, SEGMENTS = 10, 10


class Crowd(NamedTuple):
    """Who rated what: sorted by item."""

    worker: np.ndarray
    item: np.ndarray


def design(workers: int, each: int, together: int, rng: np.random.Generator) -> Crowd:
    """Workers who share HITs by groups, or, if `together` is negative, items drawn for every few of them."""
    if together > 0:
        worker = np.repeat(np.arange(workers), each)
        item = (np.arange(workers) // together)[:, None] * each + np.arange(each)
    else:
        n_items = workers * each // -together
        order = rng.permuted(np.tile(np.arange(workers), (n_items, 1)), axis=1)[:, :-together]
        worker, item = order.ravel(), np.repeat(np.arange(n_items), -together)
    order = np.lexsort((worker, item.ravel()))
    return Crowd(worker[order], item.ravel()[order])


def large(rng: np.random.Generator) -> Crowd:
    """Two thousand workers with two hundred ratings each, of two thousand items."""
    item = np.concatenate([rng.choice(2000, 200, replace=False) for _ in range(2000)])
    worker = np.repeat(np.arange(2000), 200)
    order = np.lexsort((worker, item))
    return Crowd(worker[order], item[order])


def coefficients(crowd: Crowd, kind: str, rng: np.random.Generator) -> Iterator[Row]:
    """The rows of the agreement table for ratings of such a crowd, some given twice."""
    worker, item = crowd
    n_workers, n_items = int(worker.max()) + 1, int(item.max()) + 1
    document = np.arange(n_items) // (SEGMENTS if kind == "documents" else 1)
    harsh, stretch = rng.normal(0, 0.7, n_workers), np.exp(rng.normal(0, 0.3, n_workers))
    noise = 0.9 * np.exp(rng.normal(0, 0.5 if kind == "uneven" else 0.0, n_workers))
    quality = rng.normal(size=n_items)
    opinion = np.zeros((1, 1))
    if kind == "documents":
        quality = 0.8 * quality + rng.normal(0, 0.6, n_items // SEGMENTS + 1)[document]
        opinion = rng.normal(0, 0.4, (n_workers, n_items // SEGMENTS + 1))

    def rated(rows: np.ndarray) -> np.ndarray:
        who, what = worker[rows], item[rows]
        seen = quality[what] + noise[who] * rng.normal(size=len(rows))
        seen = seen + (opinion[who, document[what]] if kind == "documents" else 0)
        felt = harsh[who] + stretch[who] * seen
        if kind == "skewed":
            return np.clip(100 * -np.expm1(-np.exp(0.9 * (felt + 0.6))), 0, 100)
        return np.clip(50 + 20 * felt, 0, 100)

    first = rated(np.arange(len(worker)))
    mixed = rng.permutation(len(worker))
    by_worker = mixed[np.argsort(worker[mixed], kind="stable")]
    counts = np.bincount(worker)
    starts = np.cumsum(counts) - counts
    again = np.concatenate([by_worker[start : start + REPEATS] for start in starts])
    second = rated(again)
    z = standardise_by_worker(np.append(first, second), np.append(worker, worker[again]), minimum=10)
    scales = {"rating": (first, second), "z": (z[: len(first)], z[len(first) :])}
    options = AgreementOptions(categories=(5, 2))
    for name, (once, twice) in scales.items():
        pooled = np.append(once, twice)
        is_z = name == "z"
        wanted = options.categories
        cuts = z_cuts(pooled, wanted=wanted) if is_z else rating_cuts(pooled, scale=VAS, wanted=wanted)
        scale = "z" if is_z else "rating"
        repeats = Repeats(once[again], twice, worker[again], document[item[again]])
        yield from intra_rows(repeats, scale=scale, cuts=cuts, options=options)
        ratings = ItemRatings(once, item, worker, document[item])
        yield from inter_rows(ratings, scale=scale, cuts=cuts, options=options)


def names(row: Row) -> str:
    """What a row is called here."""
    return f"{row.of} {row.scale} {row.coefficient}{row.categories or ''}"


def main() -> None:
    """Print coverage of nominal 95 % intervals, by design and crowd."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=1000, help="simulated campaigns for each line")
    parser.add_argument("--quick", action="store_true", help="100 of them")
    parser.add_argument("--crowds", default=",".join(CROWDS))
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    draws = 100 if asked.quick else asked.draws
    for kind in asked.crowds.split(","):
        rng = np.random.default_rng(99)
        found = [{names(row): row.value for row in coefficients(large(rng), kind, rng)} for _ in range(3)]
        truth = {name: float(np.mean([each[name] for each in found])) for name in found[0]}
        print(f"\n{kind}, truth: " + ", ".join(f"{name} {value:.2f}" for name, value in truth.items()))
        for title, (workers, each, together) in DESIGNS.items():
            if kind == "documents" and each == 40 and workers == 10:
                continue
            rng = np.random.default_rng(asked.seed)
            covered: dict[str, list[bool]] = {name: [] for name in truth}
            for _ in range(draws):
                for row in coefficients(design(workers, each, together, rng), kind, rng):
                    covered[names(row)].append(row.lower <= truth[names(row)] <= row.upper)
            said = ", ".join(
                f"{name} {np.mean(each):.3f}".replace("0.", ".") for name, each in covered.items()
            )
            print(f"{title}: {said}", flush=True)


if __name__ == "__main__":
    main()

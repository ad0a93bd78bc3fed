"""How often the interval of rho, the reliability of one rating, holds the truth.

All workers rate all items, with noise that differs between workers by a factor of about 1.5. In some kinds
the items of a document are alike (0.8 of their deviation is the document's) and documents differ in how hard
they are to judge. Beside it, what happens if each item is taken for a document of its own.

    python bench/replication.py            # 200 studies of each kind, some minutes
    python bench/replication.py --quick    # 40 of each
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from steelyard.stats.intraclass import one_way_icc
from steelyard.stats.replication_rho import RatedItems, rho_with_interval
from steelyard.stats.standardise import standardise_by_worker

DRAWS, TRUTH_STUDIES = 60, 400


@dataclass(frozen=True)
class Kind:
    """Sizes of a study; `alike`: the document's part of items' deviation; `hard`: deviation of log noise."""

    documents: int
    length: int
    workers: int
    alike: float = 0.0
    hard: float = 0.0


KINDS = (Kind(50, 1, 12), Kind(10, 5, 12), Kind(12, 5, 12, 0.8, 0.4), Kind(30, 5, 20, 0.8, 0.4))


def simulated(kind: Kind, rng: np.random.Generator) -> RatedItems:
    """Standardised ratings of all items by all workers."""
    n_items = kind.documents * kind.length
    item, worker = (grid.ravel() for grid in np.indices((n_items, kind.workers)))
    document = np.repeat(np.arange(kind.documents), kind.length)
    own, shared = rng.normal(size=n_items), rng.normal(size=kind.documents)[document]
    quality = own * np.sqrt(1 - kind.alike**2) + shared * kind.alike
    of_worker = 1.2 * np.exp(rng.normal(0, 0.4, kind.workers))
    of_document = np.exp(rng.normal(0, kind.hard, kind.documents))
    noise = of_worker[worker] * of_document[document[item]]
    rating = quality[item] + noise * rng.normal(size=len(item))
    return RatedItems(standardise_by_worker(rating, worker), item, worker, document)


def main() -> None:
    """Print the share of intervals that hold the truth: documents as units, and items."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="40 studies of each kind")
    parser.add_argument("--seed", type=int, default=6)
    given = parser.parse_args()
    studies = 40 if given.quick else 200
    print(f"{studies} studies of each kind, {DRAWS} draws each; seed {given.seed}; nominal .95")
    for kind in KINDS:
        rng = np.random.default_rng(given.seed)
        found = [simulated(kind, rng) for _ in range(TRUTH_STUDIES)]
        truth = np.mean([one_way_icc(rated.value, rated.item) for rated in found])
        held = []
        for _ in range(studies):
            rated = simulated(kind, rng)
            alone = RatedItems(rated.value, rated.item, rated.worker, np.arange(rated.item.max() + 1))
            ends = [rho_with_interval(units, draws=DRAWS, rng=rng) for units in (rated, alone)]
            held.append([rho.lower <= truth <= rho.upper for rho in ends])
        documents, items = np.mean(held, axis=0)
        print(f"{kind}: documents {documents:.3f}, items {items:.3f}", flush=True)


if __name__ == "__main__":
    main()

"""Comparisons of years in which nothing changed: how often cells get a star, and how often the gain's
interval covers the truth.

Studies are simulated in which both test sets are drawn from one population of documents and all four cells
have the same mean. Workers differ in level; in some kinds of studies also in what they think of each cell,
and documents differ in difficulty and in how well a system translates them. Every study goes through
`compare_cells` as frames of ratings do.

    python bench/longitudinal.py            # 1,000 studies of each kind, some minutes
    python bench/longitudinal.py --quick    # 100 of each
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from steelyard.domain.result import MethodSettings
from steelyard.frames import ratings_frame
from steelyard.longitudinal.study import PairRatings, StudySettings, compare_cells

SYSTEMS = ("CURR-old", "CURR-new", "BEST-old", "BEST-new")
STAR = 0.05


@dataclass(frozen=True)
class Kind:
    """How large a study is, and how far what it is made of deviates, in points.

    `document`: difficulty of a document, and `translated` how well one system translates it.
    Every worker judges `judged` whole documents of each cell.
    """

    name: str
    workers: int = 20
    documents: int = 24
    length: int = 5
    judged: int = 3
    level: float = 10.0
    taste: float = 0.0
    document: float = 0.0
    translated: float = 0.0
    segment: float = 8.0
    rating: float = 15.0
    is_known: bool = True


BASE = Kind("independent segments")
TASTE = replace(BASE, name="workers x cells 5", taste=5.0)
DOCUMENTS = replace(BASE, name="documents 8, x systems 4", document=8.0, translated=4.0)
BOTH = replace(DOCUMENTS, name="both", taste=5.0)
KINDS = (
    BASE,
    TASTE,
    DOCUMENTS,
    BOTH,
    replace(BOTH, name="both, 10 workers, 12 documents", workers=10, documents=12),
    replace(BOTH, name="both, 100 workers", workers=100, documents=60),
    replace(BOTH, name="both, 8 documents of 15", documents=8, length=15, judged=2),
    replace(BOTH, name="both, 4 documents per worker", documents=8, length=15, judged=1),
)


def handed_out(kind: Kind, rng: np.random.Generator) -> np.ndarray:
    """The documents of one cell that each worker gets, all of them about equally often. (workers, judged)"""
    turns = -(-kind.workers * kind.judged // kind.documents)
    order = np.concatenate([rng.permutation(kind.documents) for _ in range(turns)])
    return order[: kind.workers * kind.judged].reshape(kind.workers, kind.judged)


def simulated(kind: Kind, rng: np.random.Generator) -> pl.DataFrame:
    """The ratings of a study in which no cell is better than another."""
    shape = (kind.workers, len(SYSTEMS), kind.judged, kind.length)
    worker, system, _, place = (index.reshape(-1) for index in np.indices(shape))
    document = np.repeat(np.concatenate([handed_out(kind, rng) for _ in SYSTEMS], axis=1), kind.length)
    test_set = system % 2
    # One text is as hard for both systems of its test set, and each translates it well or badly beside that.
    texts = (2, kind.documents, kind.length)
    of_text = rng.normal(0, kind.segment, texts) + rng.normal(0, kind.document, texts[:2])[:, :, None]
    of_translation = rng.normal(0, kind.translated, (len(SYSTEMS), kind.documents))
    rating = (
        50.0
        + rng.normal(0, kind.level, kind.workers)[worker]
        + rng.normal(0, kind.taste, (kind.workers, len(SYSTEMS)))[worker, system]
        + of_text[test_set, document, place]
        + of_translation[system, document]
        + rng.normal(0, kind.rating, len(worker))
    )
    name = [f"{t}-{d}" for t, d in zip(test_set.tolist(), document.tolist(), strict=True)]
    return ratings_frame(
        pl.DataFrame(
            {
                "worker_id": [f"w{w}" for w in worker.tolist()],
                "hit_id": "h",
                "system_id": np.array(SYSTEMS)[system],
                "document_id": name if kind.is_known else None,
                "segment_id": [f"{d}-{s}" for d, s in zip(name, place.tolist(), strict=True)],
                "item_kind": "regular",
                "attribute": "adequacy",
                "rating": rating,
            }
        )
    )


def main() -> None:
    """Print, for every kind of study, the share of studies with a star and that of intervals that cover 0."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--studies", type=int, default=1_000, help="studies of each kind")
    parser.add_argument("--quick", action="store_true", help="100 studies of each kind")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    studies = 100 if given.quick else given.studies
    print(f"{studies:,} studies of each kind; seed {given.seed}")
    print(f"{'':40}  {'stars, nominal .05':^22}  {'interval of the gain':^28}")
    heads = (("clustered", 12), ("rank-sum", 10), ("covers", 10), ("on z", 8), ("width", 10))
    print(f"{'':40}" + "".join(f"{head:>{width}}" for head, width in heads))
    for kind in KINDS:
        found = tried(kind, studies=studies, seed=given.seed)
        print(f"{kind.name:40}" + "".join(f"{x:>{w}.3f}" for x, (_, w) in zip(found, heads, strict=True)))


def tried(kind: Kind, *, studies: int, seed: int) -> list[float]:
    """Shares of cells' comparisons with a star by either test, of intervals that cover; mean width."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(studies):
        frame = simulated(kind, rng)
        # Both comparisons of a study, of CURR and of BEST, count.
        starred = []
        for test in ("clustered", "rank-sum"):
            pair = PairRatings("years", frame, MethodSettings(test=test))
            rows = compare_cells([pair], StudySettings()).rows.filter(measure="adequacy")
            starred.append(float((rows.head(1).select("curr_p", "best_p").to_numpy() < STAR).mean()))
        covers = ((rows["lower"] <= 0) & (rows["upper"] >= 0)).to_list()
        found.append([*starred, *covers, rows["upper"][0] - rows["lower"][0]])
    means: list[float] = np.mean(found, axis=0).tolist()
    return means


if __name__ == "__main__":
    main()

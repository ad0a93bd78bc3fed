"""Ratings of a crowd for systems of known quality, without a campaign around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.domain.work import ItemKind
from steelyard.simulate.crowd import Mix, SimulatedWorker, make_crowd, perceived, shown_ms
from steelyard.stats.arrays import FloatArray

# What is left of a translation's quality once its text was damaged, and the time an item takes [our choices].
_AFTER_DAMAGE = 0.35
_SECONDS = 18.0


@dataclass(frozen=True, slots=True)
class RatingCrowd:
    """Who rates what.

    Every worker does one HIT of `n_documents` whole documents, each by one system, then `n_repeats` items
    of them again and `n_degraded` of them with a damaged text. Documents have `document_length` segments.
    Segments are easier or harder for all systems (`segment_sd`), and for one (`translation_sd`).
    """

    n_workers: int = 30
    n_segments: int = 80
    document_length: int = 8
    n_documents: int = 8
    n_repeats: int = 10
    n_degraded: int = 12
    segment_sd: float = 0.08
    translation_sd: float = 0.10
    mix: Mix | None = None


def simulated_ratings(
    qualities: Mapping[str, float], crowd: RatingCrowd, rng: np.random.Generator
) -> pl.DataFrame:
    """A judgements file, as a table, of what the crowd says about systems of these qualities (0 to 1)."""
    names = list(qualities)
    size = (crowd.n_segments, len(names))
    shared = rng.normal(0, crowd.segment_sd, (crowd.n_segments, 1))
    level = np.array([*qualities.values()])
    quality = np.clip(level + shared + rng.normal(0, crowd.translation_sd, size), 0.02, 0.98)
    workers = make_crowd(crowd.n_workers, mix=crowd.mix, rng=rng)
    hits = [_hit(number, worker, quality, crowd, rng) for number, worker in enumerate(workers, 1)]
    system = pl.col("system").replace_strict(list(range(len(names))), names, return_dtype=pl.String)
    return pl.concat(hits).with_columns(system, simulated=pl.lit(value=True))


def _hit(
    number: int, worker: SimulatedWorker, quality: FloatArray, crowd: RatingCrowd, rng: np.random.Generator
) -> pl.DataFrame:
    """One worker's HIT: documents, and controls made from their items after all of them."""
    n_segments, n_systems = quality.shape
    in_all = n_segments // crowd.document_length
    # Documents in turn, so that all are judged about as often; which system's is random.
    order = rng.permutation(crowd.n_documents)
    document = ((number - 1) * crowd.n_documents + order) % in_all
    system = (rng.permutation(crowd.n_documents) + rng.integers(n_systems)) % n_systems
    place = np.arange(crowd.n_documents * crowd.document_length)
    segment = document[place // crowd.document_length] * crowd.document_length + place % crowd.document_length
    of_system = system[place // crowd.document_length]
    chosen = rng.choice(len(place), crowd.n_repeats + crowd.n_degraded, replace=False)
    segment, of_system = (
        np.concatenate([segment, segment[chosen]]),
        np.concatenate([of_system, of_system[chosen]]),
    )
    kinds = (
        [ItemKind.REGULAR] * len(place)
        + [ItemKind.REPEAT] * crowd.n_repeats
        + [ItemKind.DEGRADED] * crowd.n_degraded
    )
    shown = quality[segment, of_system]
    shown[len(shown) - crowd.n_degraded :] *= _AFTER_DAMAGE
    return pl.DataFrame(
        {
            "worker": f"W{number:03}",
            "hit": f"H{number:03}",
            "position": np.arange(1, len(shown) + 1),
            "document": [f"D{which:02}" for which in segment // crowd.document_length + 1],
            "segment": segment + 1,
            "system": of_system,
            "kind": [str(kind) for kind in kinds],
            "rating": [round(100 * perceived(worker, float(level), rng).quality) for level in shown],
            "seconds": [shown_ms(worker, _SECONDS, rng) / 1000 for _ in shown],
        }
    )

"""Small language pairs with scores by people and by metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest
from numpy.typing import ArrayLike

from steelyard.meta.scores import ScoredPair, ScoreSet

MakePair = Callable[..., ScoredPair]


@pytest.fixture(scope="session")
def make_pair() -> MakePair:
    """A pair of systems A, B, C, ... from arrays (systems, segments), which have no scores of their own."""

    def make(
        people: ArrayLike,
        metrics: Mapping[str, ArrayLike],
        *,
        systems: Sequence[str] | None = None,
        documents: Sequence[str] | None = None,
        domains: Sequence[str] | None = None,
        references: Sequence[str] = (),
    ) -> ScoredPair:
        judged = np.asarray(people, dtype=np.float64)
        names = tuple(systems or "ABCDEFGHIJKLMNOP"[: len(judged)])
        return ScoredPair(
            pair="xx-yy",
            n_segments=judged.shape[1],
            golds=(ScoreSet("gold", names, judged, None),),
            metrics=tuple(
                ScoreSet(name, names, np.asarray(values, dtype=np.float64), None)
                for name, values in metrics.items()
            ),
            documents=None if documents is None else tuple(documents),
            domains=None if domains is None else tuple(domains),
            references=tuple(references),
        )

    return make


@pytest.fixture(scope="session")
def noisy_pair(make_pair: MakePair) -> ScoredPair:
    """Eight systems, forty segments in four documents of two domains, metrics from good to useless."""
    rng = np.random.default_rng(3)
    quality = rng.normal(0, 0.6, (8, 1)) + rng.normal(0, 1, (8, 40))
    people = np.round(50 + 15 * (quality + rng.normal(0, 0.4, (8, 40))))
    metrics = {
        name: quality + rng.normal(0, noise, (8, 40))
        for name, noise in (("fair", 0.8), ("good", 0.2), ("poor", 3.0))
    }
    return make_pair(
        people,
        metrics,
        documents=[f"d{k // 10}" for k in range(40)],
        domains=["news" if k < 20 else "chat" for k in range(40)],
    )

"""Preferences of a crowd between systems of known strengths, without a campaign around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.domain.work import ItemKind
from steelyard.frames import preferences_frame
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.tied_outcomes import TieModel, outcome_probabilities


@dataclass(frozen=True, slots=True)
class PreferenceCrowd:
    """Who compares what, and how.

    Every worker does one HIT of `n_regular` pairs of systems on random segments, the last `n_repeats` of
    them again, and `n_degraded` pairs of a translation and its degraded copy, which is weaker by `drop`.
    Workers and segments have tastes of their own: a deviation each for every system. The first `n_careless`
    workers answer at random. `first_bias` is by how much what is shown first looks stronger. `bad_share`
    of ties are called bad.
    """

    n_workers: int = 20
    n_segments: int = 100
    n_regular: int = 40
    n_repeats: int = 0
    n_degraded: int = 0
    n_careless: int = 0
    worker_sd: float = 0.0
    segment_sd: float = 0.0
    first_bias: float = 0.0
    drop: float = 3.0
    tie: float = -0.5
    ties: TieModel = "davidson"
    bad_share: float = 0.0


def simulated_preferences(
    strengths: Mapping[str, float], crowd: PreferenceCrowd, rng: np.random.Generator
) -> pl.DataFrame:
    """A preferences frame of what the crowd says about systems of these log strengths."""
    names = list(strengths)
    truth = np.array([strengths[name] for name in names])
    of_worker = truth + rng.normal(0, crowd.worker_sd, (crowd.n_workers, len(names)))
    of_segment = rng.normal(0, crowd.segment_sd, (crowd.n_segments, len(names)))
    tables = [
        _hit(worker, names, of_worker[worker] + of_segment, crowd, rng) for worker in range(crowd.n_workers)
    ]
    return preferences_frame(pl.concat(tables))


def _hit(
    worker: int, names: list[str], strength: FloatArray, crowd: PreferenceCrowd, rng: np.random.Generator
) -> pl.DataFrame:
    """One worker's HIT. `strength` (segments, systems) is what this worker sees."""
    segment = rng.integers(crowd.n_segments, size=crowd.n_regular)
    first = rng.integers(len(names), size=crowd.n_regular)
    second = (first + 1 + rng.integers(len(names) - 1, size=crowd.n_regular)) % len(names)
    again = np.arange(crowd.n_regular - crowd.n_repeats, crowd.n_regular)
    # Repeats are shown in an order of their own.
    swap = rng.random(len(again)) < 0.5
    control_segment = rng.integers(crowd.n_segments, size=crowd.n_degraded)
    base = rng.integers(len(names), size=crowd.n_degraded)
    worse_first = rng.random(crowd.n_degraded) < 0.5
    a = np.concatenate([first, np.where(swap, second[again], first[again]), base])
    b = np.concatenate([second, np.where(swap, first[again], second[again]), base])
    at = np.concatenate([segment, segment[again], control_segment])
    apart = strength[at, a] - strength[at, b] + crowd.first_bias
    apart[len(at) - crowd.n_degraded :] += np.where(worse_first, -crowd.drop, crowd.drop)
    if worker < crowd.n_careless:
        apart = np.zeros(len(at))
    kinds = (
        [ItemKind.REGULAR] * crowd.n_regular
        + [ItemKind.REPEAT] * crowd.n_repeats
        + [ItemKind.DEGRADED] * crowd.n_degraded
    )
    sides: list[str | None] = [None] * (crowd.n_regular + crowd.n_repeats)
    order = rng.permutation(len(at))
    return pl.DataFrame(
        {
            "judgement_id": [f"w{worker:03}-{number}" for number in range(len(at))],
            "worker_id": f"w{worker:03}",
            "hit_id": f"h{worker:03}",
            "item_kind": [str(kind) for kind in kinds],
            "segment_id": [f"s{number:04}" for number in at],
            "system_a": [names[place] for place in a],
            "system_b": [names[place] for place in b],
            "control_side": [*sides, *np.where(worse_first, "a", "b").tolist()],
            "attribute": "",
            "preference": _said(apart, crowd, rng),
            "seconds": rng.gamma(4.0, 4.0, len(at)),
            "position": order + 1,
        },
        schema_overrides={"control_side": pl.String},
    ).sort("position")


def _said(apart: FloatArray, crowd: PreferenceCrowd, rng: np.random.Generator) -> list[str]:
    chance = outcome_probabilities(apart, crowd.tie, ties=crowd.ties).cumsum(axis=-1)
    place: IntArray = (rng.random(len(apart))[:, None] > chance[:, :2]).sum(axis=1)
    said = np.array(["a", "tie", "b"])[place].astype(object)
    said[(place == 1) & (rng.random(len(apart)) < crowd.bad_share)] = "both_bad"
    return [str(one) for one in said]

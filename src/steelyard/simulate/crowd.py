"""A crowd: careful, noisy, careless and cheating workers who answer as such people do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from typing import Literal, NamedTuple, TypeVar

import numpy as np

ProfileName = Literal["careful", "noisy", "careless", "cheating"]
Cheat = Literal["random", "constant", "endpoints"]
Kind = TypeVar("Kind")

CHEATS: tuple[Cheat, ...] = ("random", "constant", "endpoints")


@dataclass(frozen=True, slots=True)
class Mix:
    """Shares of the profiles in a crowd; they are scaled to sum to one."""

    careful: float = 0.5
    noisy: float = 0.25
    careless: float = 0.15
    cheating: float = 0.1


@dataclass(frozen=True, slots=True)
class Profile:
    """What workers of one profile have in common. All values are on the scale from 0 to 1.

    `lapse` is the range of the share of answers given without looking at the item; `pace` the typical time
    on one item, relative to a careful worker.
    """

    noise: tuple[float, float]
    lapse: tuple[float, float]
    pace: float


# Our choices. Noise: a repeated rating of a published crowd differs by 9.5 (good workers) to 14 points
# on average [Graham2013], that is by noise of about 0.08 to 0.12.
PROFILES: Mapping[ProfileName, Profile] = {
    "careful": Profile(noise=(0.05, 0.10), lapse=(0.0, 0.01), pace=1.0),
    "noisy": Profile(noise=(0.13, 0.20), lapse=(0.02, 0.06), pace=0.78),
    "careless": Profile(noise=(0.12, 0.20), lapse=(0.55, 0.80), pace=0.28),
    "cheating": Profile(noise=(0.01, 0.03), lapse=(1.0, 1.0), pace=0.11),
}

# Spread of log seconds between workers of one profile, and between the items of one worker.
WORKER_PACE_SD = 0.15
ITEM_PACE_SD = 0.35
# The mean of the log-normal distribution of the times on items, relative to its median.
MEAN_ITEM_PACE = exp(ITEM_PACE_SD**2 / 2)
LEAST_MS = 300


@dataclass(frozen=True, slots=True)
class SimulatedWorker:
    """One worker's habits: where they start, how much of the scale they use, how steady they are."""

    profile: ProfileName
    offset: float
    slope: float
    noise: float
    lapse: float
    pace: float
    """Time on an item, relative to a careful worker."""
    cheat: Cheat | None = None
    favourite: float = 0.5
    """The value near which a constant clicker clicks."""


def make_crowd(n: int, *, mix: Mix | None = None, rng: np.random.Generator) -> list[SimulatedWorker]:
    """A crowd of n workers in random order, its profiles in exactly the given shares.

    Largest remainders decide about workers that cannot be split; ties go to the more careful profile.
    """
    if n < 0:
        raise ValueError(f"a crowd cannot have {n} workers")
    names = [name for name, count in _counts(n, mix or Mix()).items() for _ in range(count)]
    cheats = [CHEATS[k % len(CHEATS)] for k in range(names.count("cheating"))]
    crowd = [_worker(name, cheats.pop() if name == "cheating" else None, rng) for name in names]
    return [crowd[index] for index in rng.permutation(n)]


def _counts(n: int, mix: Mix) -> dict[ProfileName, int]:
    shares: dict[ProfileName, float] = {
        "careful": mix.careful,
        "noisy": mix.noisy,
        "careless": mix.careless,
        "cheating": mix.cheating,
    }
    return shared_out(n, shares)


def shared_out(n: int, shares: Mapping[Kind, float]) -> dict[Kind, int]:
    """How many of n each kind gets. Largest remainders decide; ties go to those named first.

    >>> shared_out(5, {"careful": 0.5, "cheating": 0.5})
    {'careful': 3, 'cheating': 2}
    """
    total = sum(shares.values())
    if total <= 0 or min(shares.values()) < 0:
        raise ValueError(f"the shares of a crowd must not be negative and not all be zero: {dict(shares)}")
    # Rounded, so that 0.15 * 20 = 3.0000000000000004 leaves no remainder.
    exact = {kind: round(n * share / total, 9) for kind, share in shares.items()}
    counts = {kind: int(value) for kind, value in exact.items()}
    by_remainder = sorted(exact, key=lambda kind: counts[kind] - exact[kind])
    for kind in by_remainder[: n - sum(counts.values())]:
        counts[kind] += 1
    return counts


def _worker(name: ProfileName, cheat: Cheat | None, rng: np.random.Generator) -> SimulatedWorker:
    profile = PROFILES[name]
    return SimulatedWorker(
        profile=name,
        offset=float(np.clip(rng.normal(0.0, 0.07), -0.15, 0.15)),
        slope=float(np.clip(rng.normal(1.0, 0.12), 0.75, 1.25)),
        noise=float(rng.uniform(*profile.noise)),
        lapse=float(rng.uniform(*profile.lapse)),
        pace=profile.pace * float(rng.lognormal(0.0, WORKER_PACE_SD)),
        cheat=cheat,
        favourite=float(rng.uniform(0.2, 0.9)),
    )


class Impression(NamedTuple):
    """How good an item looks to a worker, between 0 and 1, and whether they looked at all."""

    quality: float
    looked: bool


def perceived(worker: SimulatedWorker, quality: float, rng: np.random.Generator) -> Impression:
    """What an item of this quality looks like to the worker.

    An attentive answer is offset + slope x quality (about the middle of the scale) plus noise; a
    lapse is a click anywhere, or the worker's way of cheating.
    """
    looked = rng.random() >= worker.lapse
    if looked:
        answer = 0.5 + worker.offset + worker.slope * (quality - 0.5) + rng.normal(0.0, worker.noise)
    else:
        answer = _without_looking(worker, rng)
    return Impression(min(1.0, max(0.0, float(answer))), looked)


def _without_looking(worker: SimulatedWorker, rng: np.random.Generator) -> float:
    if worker.cheat == "constant":
        return worker.favourite + float(rng.normal(0.0, worker.noise))
    if worker.cheat == "endpoints":
        return float(rng.integers(2))
    return float(rng.random())


def shown_ms(worker: SimulatedWorker, seconds: float, rng: np.random.Generator) -> int:
    """How long the worker keeps an item on screen, in milliseconds (log-normal).

    `seconds` is how long the item takes a careful worker; the protocol knows.
    """
    drawn = seconds * worker.pace * rng.lognormal(0.0, ITEM_PACE_SD)
    return max(LEAST_MS, round(1000 * float(drawn)))

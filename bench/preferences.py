"""How far the intervals and tests of bradley-terry, and the check of preferences, keep their promises.

Crowds of workers compare five systems on random segments; workers and segments have tastes of their own.
Coverage: how often the 95 % interval holds the strength. "As if independent" is the interval from the
model alone, which takes every comparison as a fresh coin. Null: how often two equal systems are told apart
at p < 0.05 in a given direction. Power: how often two neighbours are told apart in the right one, beside how
often their scores are in the right order. Last, which workers pass `preferred-original`.

    python bench/preferences.py [samples]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import fields, replace

import numpy as np
from scipy.stats import norm

from steelyard.domain.result import CheckSettings
from steelyard.qc.preferred_original import CHECK
from steelyard.simulate.preferences import PreferenceCrowd, simulated_preferences
from steelyard.stats.arrays import BoolArray, FloatArray
from steelyard.stats.bradley_terry import PairedOutcomes, fit_strengths
from steelyard.stats.strength_errors import (
    StrengthErrors,
    strength_errors,
    strength_intervals,
    strength_p_values,
)

SAMPLES = 400
N_SYSTEMS = 5
CROWDS = {
    "5 workers x 60": PreferenceCrowd(n_workers=5, n_regular=60),
    "10 workers x 40": PreferenceCrowd(n_workers=10, n_regular=40),
    "20 workers x 40": PreferenceCrowd(n_workers=20, n_regular=40),
    "40 workers x 30": PreferenceCrowd(n_workers=40, n_regular=30),
}
TASTES = {"none": (0.0, 0.0), "workers": (0.8, 0.0), "segments": (0.0, 0.8), "both": (0.4, 0.4)}
GAPS = (0.25, 0.5, 1.0)

Change = Callable[[PairedOutcomes, np.random.Generator], PairedOutcomes]


def main() -> None:
    """Print all tables."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES
    rng = np.random.default_rng(7)
    print(f"{samples} samples each, 100 segments, {N_SYSTEMS} systems\n")
    print(f"{'crowd':16} {'tastes':9} {'cover':>7} {'as if indep.':>12} {'null':>7} {'null, indep.':>12}")
    for name, crowd in CROWDS.items():
        for tastes, (of_worker, of_segment) in TASTES.items():
            tasteful = replace(crowd, worker_sd=of_worker, segment_sd=of_segment)
            shares = calibration(tasteful, samples, rng)
            print(
                f"{name:16} {tastes:9} {shares[0]:7.3f} {shares[1]:12.3f} {shares[2]:7.3f} {shares[3]:12.3f}",
                flush=True,
            )
    print(f"\n{'crowd':16} {'gap':>5} {'right order':>11} {'power':>7}   tastes of both")
    for name, crowd in CROWDS.items():
        for gap in GAPS:
            _, order, power = powers(replace(crowd, worker_sd=0.4, segment_sd=0.4), gap, samples, rng)
            print(f"{name:16} {gap:5.2f} {order:11.3f} {power:7.3f}", flush=True)
    print("\nbradley-terry, 20 workers x 40, gap 0.5, tastes of both")
    print(f"{'careless':>8} {'slopes':>7} {'best score':>10} {'right order':>11} {'power':>7}   (best: 1)")
    for n_careless in (0, 6):
        for learn_slopes in (False, True):
            careless = replace(
                CROWDS["20 workers x 40"], worker_sd=0.4, segment_sd=0.4, n_careless=n_careless
            )
            best, order, power = powers(careless, 0.5, samples, rng, learn_slopes=learn_slopes)
            print(f"{n_careless:8} {learn_slopes!s:>7} {best:10.3f} {order:11.3f} {power:7.3f}", flush=True)
    print(f"\n{'preferred-original':20} {'10 pairs':>9} {'20 pairs':>9}")
    for name, drop in {"at random": 0.0, "drop 1": 1.0, "drop 2": 2.0, "drop 3": 3.0}.items():
        passed = [pass_rate(drop, n_pairs, rng) for n_pairs in (10, 20)]
        print(f"{name:20} {passed[0]:9.3f} {passed[1]:9.3f}")
    print("\nBusy workers: few make most of the comparisons. Tastes of ten documents, known and unknown")
    rng = np.random.default_rng(7)
    for name, crowd in CROWDS.items():
        busy = replace(crowd, n_regular=4 * crowd.n_regular, worker_sd=0.8)
        texts = replace(crowd, n_segments=10, segment_sd=0.8)
        cases = (("busy", busy, busy_workers), ("known", texts, None), ("unknown", texts, forget_documents))
        for label, some, change in cases:
            shares = calibration(some, samples, rng, change=change)
            print(
                f"{name:16} {label:9} {shares[0]:7.3f} {shares[1]:12.3f} {shares[2]:7.3f} {shares[3]:12.3f}",
                flush=True,
            )


def outcomes_of(crowd: PreferenceCrowd, strengths: FloatArray, rng: np.random.Generator) -> PairedOutcomes:
    """One crowd's comparisons as arrays."""
    frame = simulated_preferences({f"{k}": value for k, value in enumerate(strengths.tolist())}, crowd, rng)
    outcome = frame["preference"].replace_strict({"a": 1, "tie": 0, "both_bad": 0, "b": -1}).to_numpy()
    first, second = (frame[f"system_{side}"].cast(int).to_numpy() for side in "ab")
    worker, segment = (
        frame[name].rank("dense").to_numpy().astype(np.int64) - 1 for name in ("worker_id", "segment_id")
    )
    return PairedOutcomes(first, second, outcome, np.ones(len(frame)), worker, segment)


def busy_workers(data: PairedOutcomes, rng: np.random.Generator) -> PairedOutcomes:
    """About a quarter of the comparisons, workers' numbers of them being log-normal with deviation 1.2."""
    share = rng.lognormal(0.0, 1.2, int(data.worker.max()) + 1)
    wanted = np.maximum(3, len(data.first) / 4 * share / share.sum())
    # Rows come one worker after another.
    start = np.searchsorted(data.worker, data.worker)
    return _rows(data, np.arange(len(data.first)) - start < wanted[data.worker])


def forget_documents(data: PairedOutcomes, rng: np.random.Generator) -> PairedOutcomes:
    """Ten segments of each document, which nobody knows to belong together."""
    return replace(data, document=10 * data.document + rng.integers(10, size=len(data.document)))


def _rows(data: PairedOutcomes, kept: BoolArray) -> PairedOutcomes:
    return PairedOutcomes(*(getattr(data, field.name)[kept] for field in fields(data)))


def calibration(
    crowd: PreferenceCrowd, samples: int, rng: np.random.Generator, *, change: Change | None = None
) -> FloatArray:
    """Coverage and rate of false differences among equal systems, ours and as if all were independent."""
    found = []
    for _ in range(samples):
        data = outcomes_of(crowd, np.zeros(N_SYSTEMS), rng)
        data = data if change is None else change(data, rng)
        strengths = fit_strengths(data, n_systems=N_SYSTEMS)
        errors = strength_errors(data, strengths)
        lower, upper = strength_intervals(strengths.log_strength, errors, level=0.95)
        p_values = strength_p_values(strengths.log_strength, errors)
        half, plain = as_if_independent(strengths.log_strength, errors)
        apart = ~np.eye(N_SYSTEMS, dtype=np.bool_)
        found.append(
            [
                np.mean((lower <= 0) & (upper >= 0)),
                np.mean(np.abs(strengths.log_strength) <= half),
                np.mean(p_values[apart] < 0.05),
                np.mean(plain[apart] < 0.05),
            ]
        )
    return np.mean(found, axis=0)


def as_if_independent(log_strength: FloatArray, errors: StrengthErrors) -> tuple[FloatArray, FloatArray]:
    """Half widths of intervals and p-values from the information alone."""
    n = len(log_strength)
    contrast = np.eye(n) - 1 / n
    half = norm.ppf(0.975) * np.sqrt(np.diag(contrast @ errors.by_model @ contrast))
    variance = np.diag(errors.by_model)
    of_difference = variance[:, None] + variance - 2 * errors.by_model
    np.fill_diagonal(of_difference, 1.0)
    return half, norm.sf((log_strength[:, None] - log_strength) / np.sqrt(of_difference))


def powers(
    crowd: PreferenceCrowd,
    gap: float,
    samples: int,
    rng: np.random.Generator,
    *,
    learn_slopes: bool = False,
) -> tuple[float, float, float]:
    """Mean score of the best system, and the share of neighbours in the right order and told apart."""
    best, order, power = [], [], []
    for _ in range(samples):
        data = outcomes_of(crowd, gap * np.arange(N_SYSTEMS)[::-1], rng)
        strengths = fit_strengths(data, n_systems=N_SYSTEMS, learn_slopes=learn_slopes)
        p_values = strength_p_values(strengths.log_strength, strength_errors(data, strengths))
        best.append(strengths.log_strength[0])
        order.append(np.mean(np.diff(strengths.log_strength) < 0))
        power.append(np.mean(np.diag(p_values, k=1) < 0.05))
    return float(np.mean(best)), float(np.mean(order)), float(np.mean(power))


def pass_rate(drop: float, n_pairs: int, rng: np.random.Generator) -> float:
    """Share of workers who pass if degraded copies are weaker by so much."""
    crowd = PreferenceCrowd(n_workers=2000, n_regular=1, n_degraded=n_pairs, drop=drop)
    verdicts = CHECK.run(simulated_preferences({"A": 0.0, "B": 0.0}, crowd, rng), CheckSettings())
    return float(np.mean([verdict.verdict == "pass" for verdict in verdicts]))


if __name__ == "__main__":
    main()

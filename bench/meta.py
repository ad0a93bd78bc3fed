"""Meta-evaluation: kernels beside the loops of the field's toolkit, and a whole study of thirty metrics.

A language pair of WMT size: 15 systems, 1,177 segments. The loops do what the toolkit does, in its order: an
object of five counts for every pair of translations, a correlation for each draw, a matrix of differences
for each segment and draw. The ratio is of processor times, with one thread for both: the loops run once and
ours several times, so by the clock other work on the machine would count against the loops only. What
would take minutes is measured on a part and scaled, and the line says so. The last column is the
difference between the two answers.

The study is the flow of `steelyard meta`, with significance for all pairs of metrics: by the clock, once.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import combinations
from typing import TypeVar

import numpy as np
from scipy.stats import kendalltau, pearsonr, zscore

from steelyard.flows.meta import meta
from steelyard.meta.scores import ScoredPair, ScoreSet
from steelyard.meta.settings import MetaSettings
from steelyard.stats.kendall import kendall_b
from steelyard.stats.metric_permutation import pearson_permutation_matrix
from steelyard.stats.pairwise_accuracy import accuracy_p_matrix
from steelyard.stats.tie_calibration import calibrate, calibrate_as_published

N_SYSTEMS, N_SEGMENTS, N_METRICS = 15, 1177, 30
DRAWS = 1000
RUNS = 7
SEED = 7
# Parts that are measured where the whole takes minutes.
LOOP_DRAWS, PAIR_DRAWS = 500, 10
BARS = {"tie calibration": 100, "Pearson test, 1,000 draws": 30}
STUDY_BAR = 60
Answer = TypeVar("Answer")


def main() -> None:
    """Print times, ratios and differences, and fail where a bar is missed."""
    people, metrics = some_scores()
    print(f"{'processor time':<34} {'loop':>10}  {'ours':>9} {'ratio':>10}  {'clock':>9}   difference")
    bench_calibration(people, metrics[3])
    bench_pearson(people, metrics[3], metrics[4])
    bench_accuracy_test(people, metrics[3], metrics[12])
    bench_kendall(people, metrics[3])
    bench_study(people, metrics)


def some_scores() -> tuple[np.ndarray, np.ndarray]:
    """People's scores, in quarters as from error counts, and metrics of growing noise."""
    rng = np.random.default_rng(SEED)
    quality = rng.normal(size=(N_SYSTEMS, N_SEGMENTS)) + np.linspace(0, 0.5, N_SYSTEMS)[:, None]
    people = np.minimum(np.rint(4 * quality) / 4, 0.5)
    noise = np.linspace(0.5, 3, N_METRICS)[:, None, None]
    return people, quality + noise * rng.normal(size=(N_METRICS, N_SYSTEMS, N_SEGMENTS))


def bench_calibration(people: np.ndarray, metric: np.ndarray) -> None:
    """The threshold for ties with the best accuracy."""
    (accuracy, _), loop, _ = timed(lambda: looped_calibration(people, metric), runs=1)
    for name, run in (
        ("tie calibration", lambda: calibrate(people, metric)),
        ("with published rounding", lambda: calibrate_as_published(people, metric).accuracy),
    ):
        found, ours, clock = timed(run, runs=RUNS)
        show(name, (loop, ours, clock), abs(found.accuracy - accuracy))


class Counts:
    """Pairs of one segment by what people and the metric say of them."""

    def __init__(self, kind: str | None = None) -> None:
        self.agree = self.disagree = self.people_tie = self.metric_tie = self.both_tie = 0
        if kind:
            setattr(self, kind, 1)

    def add(self, other: Counts, sign: int) -> None:
        self.agree += sign * other.agree
        self.disagree += sign * other.disagree
        self.people_tie += sign * other.people_tie
        self.metric_tie += sign * other.metric_tie
        self.both_tie += sign * other.both_tie

    def accuracy(self) -> float:
        total = self.agree + self.disagree + self.people_tie + self.metric_tie + self.both_tie
        return (self.agree + self.both_tie) / total


def looped_calibration(people: np.ndarray, metric: np.ndarray) -> tuple[float, float]:
    """Every pair an object with its counts as it is and as a tie; ties made one by one, smallest first."""
    pairs, segments = [], [Counts() for _ in range(people.shape[1])]
    for segment, (judged, scored) in enumerate(zip(people.T.tolist(), metric.T.tolist(), strict=True)):
        for (h1, m1), (h2, m2) in combinations(zip(judged, scored, strict=True), 2):
            if h1 == h2:
                now, tied = Counts("both_tie" if m1 == m2 else "people_tie"), Counts("both_tie")
            else:
                order = "agree" if (h1 < h2) == (m1 < m2) else "disagree"
                now, tied = Counts("metric_tie" if m1 == m2 else order), Counts("metric_tie")
            pairs.append((abs(m1 - m2), segment, now, tied))
            segments[segment].add(now, 1)
    total = sum(counts.accuracy() for counts in segments)
    thresholds, means = [0.0], [total / len(segments)]
    for size, segment, now, tied in sorted(pairs, key=lambda pair: pair[0]):
        counts = segments[segment]
        total -= counts.accuracy()
        counts.add(now, -1)
        counts.add(tied, 1)
        total += counts.accuracy()
        if size != thresholds[-1]:
            thresholds.append(size)
            means.append(0.0)
        means[-1] = total / len(segments)
    best = int(np.argmax(means))
    return means[best], thresholds[best]


def bench_pearson(people: np.ndarray, first: np.ndarray, second: np.ndarray) -> None:
    """Whether one metric correlates better than another over all translations; then all thirty."""
    cells = people.ravel(), first.ravel(), second.ravel()
    rng = np.random.default_rng(SEED)
    p_value, loop, _ = timed(lambda: looped_pearson(*cells, LOOP_DRAWS, rng), runs=1)
    found, ours, clock = timed(
        lambda: pearson_permutation_matrix(
            cells[0], np.stack(cells[1:]), draws=DRAWS, rng=np.random.default_rng(SEED)
        ),
        runs=RUNS,
    )
    part = f"({LOOP_DRAWS} draws looped)"
    show(
        f"Pearson test, {DRAWS:,} draws",
        (loop * DRAWS / LOOP_DRAWS, ours, clock),
        found[0, 1] - p_value,
        part,
    )


def looped_pearson(
    people: np.ndarray, first: np.ndarray, second: np.ndarray, draws: int, rng: np.random.Generator
) -> float:
    """Exchange standardised scores and correlate again, draw by draw."""
    first, second = zscore(first), zscore(second)
    observed = pearsonr(people, first)[0] - pearsonr(people, second)[0]
    count = 0
    for _ in range(draws):
        taken = rng.binomial(1, 0.5, len(people))
        mixed = taken * first + (1 - taken) * second
        rest = (1 - taken) * first + taken * second
        count += pearsonr(people, mixed)[0] - pearsonr(people, rest)[0] >= observed
    return (1 + count) / (1 + draws)


def bench_accuracy_test(people: np.ndarray, first: np.ndarray, second: np.ndarray) -> None:
    """Whether one metric is more accurate than another, with both thresholds, by exchange of verdicts."""
    epsilons = calibrate(people, first).epsilon, calibrate(people, second).epsilon
    rng = np.random.default_rng(SEED)
    p_value, loop, _ = timed(
        lambda: looped_accuracy_test(people, (first, second), epsilons, PAIR_DRAWS, rng), runs=1
    )
    found, ours, clock = timed(
        lambda: accuracy_p_matrix(
            people, np.stack([first, second]), epsilons=epsilons, rng=np.random.default_rng(SEED)
        )[0, 1],
        runs=RUNS,
    )
    part = f"({PAIR_DRAWS} draws looped; ours is exact)"
    show("accuracy test, 1,000 draws", (loop * DRAWS / PAIR_DRAWS, ours, clock), found - p_value, part)


def looped_accuracy_test(
    people: np.ndarray,
    metrics: tuple[np.ndarray, np.ndarray],
    epsilons: tuple[float, float],
    draws: int,
    rng: np.random.Generator,
) -> float:
    """Matrices of differences for each segment, mixed anew in every draw."""
    judged = [np.sign(row[:, None] - row) for row in people.T]
    verdicts = []
    for metric, epsilon in zip(metrics, epsilons, strict=True):
        differences = [row[:, None] - row for row in metric.T]
        verdicts.append([np.where(np.abs(each) <= epsilon, 0.0, np.sign(each)) for each in differences])
    n_pairs = people.shape[0] * (people.shape[0] - 1) / 2

    def accuracy(signs: list[np.ndarray]) -> float:
        found = [((s == h).sum() - len(h)) / 2 / n_pairs for s, h in zip(signs, judged, strict=True)]
        return float(np.mean(found))

    observed = accuracy(verdicts[0]) - accuracy(verdicts[1])
    count = 0
    for _ in range(draws):
        mixed, rest = [], []
        for one, other in zip(*verdicts, strict=True):
            taken = np.triu(rng.binomial(1, 0.5, one.shape), 1)
            taken = taken + taken.T
            mixed.append(taken * one + (1 - taken) * other)
            rest.append((1 - taken) * one + taken * other)
        count += accuracy(mixed) - accuracy(rest) >= observed
    return (1 + count) / (1 + draws)


def bench_kendall(people: np.ndarray, metric: np.ndarray) -> None:
    """Kendall's tau over all translations, which SciPy does well."""
    cells = people.ravel(), metric.ravel()
    expected, theirs, _ = timed(lambda: kendalltau(*cells).statistic, runs=RUNS)
    found, ours, clock = timed(lambda: kendall_b(*cells), runs=RUNS)
    show("Kendall's tau (SciPy)", (theirs, ours, clock), found - expected)


def bench_study(people: np.ndarray, metrics: np.ndarray) -> None:
    """Thirty metrics, all statistics, and tests between all of them."""
    systems = tuple(f"system-{number:02d}" for number in range(N_SYSTEMS))
    scored = ScoredPair(
        pair="en-xx",
        n_segments=N_SEGMENTS,
        golds=(ScoreSet("gold", systems, people, None),),
        metrics=tuple(
            ScoreSet(f"metric-{number:02d}", systems, scores, None) for number, scores in enumerate(metrics)
        ),
    )
    settings = MetaSettings(draws=DRAWS)
    begin = time.perf_counter()
    found = meta(scored, "gold", settings)
    seconds = time.perf_counter() - begin
    n_tests = sum(int(np.count_nonzero(~np.isnan(test.p_values))) for test in found.significance)
    print(
        f"\nstudy of {N_METRICS} metrics, {len(found.significance)} statistics tested, "
        f"{n_tests:,} p-values: {seconds:.1f} s (bar {STUDY_BAR} s)"
    )
    assert seconds < STUDY_BAR, seconds


def show(name: str, times: tuple[float, float, float], difference: float, part: str = "") -> None:
    """One line: seconds of the loop and ours by processor, ours by the clock."""
    loop, ours, clock = times
    ratio = loop / ours
    print(
        f"{name:<34} {loop:>8.3f} s  {1000 * ours:>6.1f} ms  x {ratio:>7,.0f}  {1000 * clock:>6.1f} ms   "
        f"{difference:+.1e} {part}",
        flush=True,
    )
    assert ratio >= BARS.get(name, 0), (name, ratio)


def timed(run: Callable[[], Answer], *, runs: int) -> tuple[Answer, float, float]:
    """The answer, and the shortest of some runs in seconds: of processors, and by the clock."""
    best = clock = float("inf")
    for _ in range(runs):
        begin, used = time.perf_counter(), processor_time()
        answer = run()
        best, clock = min(best, processor_time() - used), min(clock, time.perf_counter() - begin)
    return answer, best, clock


def processor_time() -> float:
    """Seconds that this process has used, its system calls included."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    # With threads, the library under a correlation of a loop spends most of its time waiting for itself.
    one_thread = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    if os.environ == one_thread:
        main()
    else:
        sys.exit(subprocess.run([sys.executable, __file__], env=one_thread).returncode)

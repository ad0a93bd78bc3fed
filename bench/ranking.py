"""Tests between all systems and the bootstrap, beside loops over SciPy's tests and over draws.

A campaign of 20 systems and 1,500 segments; for the bootstrap 36,000 ratings by 150 workers. The ratio
is of processor times, all threads together, because the loops run once or twice and ours several
times: by the clock, other work on the machine would count against the loops only. The clock is shown
for ours, the best of its runs. What would take minutes is measured on a part and scaled, and the line
says so. The last column is the largest absolute difference between the two answers.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from itertools import permutations

import numpy as np
from scipy.stats import mannwhitneyu, permutation_test, wilcoxon

from steelyard.stats import permutation
from steelyard.stats.bootstrap import (
    CrossedRatings,
    bootstrap_p,
    rank_probabilities,
    two_way_bootstrap,
    weighted_scores,
)
from steelyard.stats.permutation import permutation_matrix
from steelyard.stats.rank_sum import rank_sum_common_matrix, rank_sum_matrix
from steelyard.stats.signed_rank import signed_rank_matrix

N_SYSTEMS, N_SEGMENTS = 20, 1500
N_RATINGS, N_WORKERS = 36_000, 150
DRAWS = 10_000
RUNS = 7
SEED = 7
# Parts that are measured where the whole takes minutes.
SCIPY_PAIRS = [(0, 1), (5, 9)]
LOOP_DRAWS = 500


def main() -> None:
    print(f"{'processor time':<38} {'loop':>10}  {'ours':>9} {'ratio':>9}  {'clock':>9}   difference")
    bench_bootstrap()
    kinds = score_kinds()
    for name, scores in kinds.items():
        bench_rank_sum(name, scores)
    for name, scores in kinds.items():
        bench_signed_rank(name, scores)
    for name, scores in kinds.items():
        bench_permutation(name, scores)


def score_kinds() -> dict[str, np.ndarray]:
    """Segment scores (systems, segments) with many ties, without ties, and with a fifth absent."""
    rng = np.random.default_rng(SEED)
    quality = np.linspace(0, 0.2, N_SYSTEMS)[:, None]
    distinct = rng.normal(size=(N_SYSTEMS, N_SEGMENTS)) + quality
    gaps = np.where(rng.random(distinct.shape) < 0.2, np.nan, distinct)
    whole = np.clip(np.rint(60 + 25 * distinct), 0, 100)
    return {"whole numbers": whole, "all distinct": distinct, "a fifth absent": gaps}


def best_seconds(work: Callable[[], np.ndarray], runs: int = RUNS) -> tuple[float, float, np.ndarray]:
    """Shortest wall clock and processor time of several runs, and the answer."""
    wall, processor = [], []
    for _ in range(runs):
        begin, begin_processor = time.perf_counter(), time.process_time()
        answer = work()
        wall.append(time.perf_counter() - begin)
        processor.append(time.process_time() - begin_processor)
    return min(wall), min(processor), answer


def show(name: str, slow: float, fast: tuple[float, float], difference: str) -> None:
    """One line: processor seconds of the loop; wall clock and processor seconds of ours."""
    wall, processor = fast
    print(
        f"{name:<38} {1e3 * slow:>7,.0f} ms  {1e3 * processor:>6.1f} ms x {slow / processor:>7,.0f}  "
        f"{1e3 * wall:>6.1f} ms   {difference}",
        flush=True,
    )


def over_pairs(test: Callable[[np.ndarray, np.ndarray], float], scores: np.ndarray) -> np.ndarray:
    """The obvious way: one call for every ordered pair of systems."""
    p_values = np.full((len(scores), len(scores)), np.nan)
    for i, j in permutations(range(len(scores)), 2):
        p_values[i, j] = test(scores[i], scores[j])
    return p_values


def bench_rank_sum(name: str, scores: np.ndarray) -> None:
    """Where scores are absent, on the segments that both systems have."""
    absent = bool(np.isnan(scores).any())
    *fast, ours = best_seconds(
        lambda: rank_sum_common_matrix(scores) if absent else rank_sum_matrix(list(scores))
    )

    def test(first: np.ndarray, second: np.ndarray) -> float:
        if absent:
            both = ~np.isnan(first + second)
            first, second = first[both], second[both]
        return mannwhitneyu(first, second, alternative="greater", method="asymptotic").pvalue

    _, slow, theirs = best_seconds(lambda: over_pairs(test, scores), runs=2)
    show(f"rank-sum, {name}", slow, (fast[0], fast[1]), f"{np.nanmax(np.abs(ours - theirs)):.1e}")


def bench_signed_rank(name: str, scores: np.ndarray) -> None:
    *fast, ours = best_seconds(lambda: signed_rank_matrix(scores))

    def test(first: np.ndarray, second: np.ndarray) -> float:
        difference = np.round(first - second, 10)
        kept = difference[~np.isnan(difference)]
        return wilcoxon(kept, alternative="greater", method="asymptotic").pvalue

    _, slow, theirs = best_seconds(lambda: over_pairs(test, scores), runs=2)
    show(f"signed-rank, {name}", slow, (fast[0], fast[1]), f"{np.nanmax(np.abs(ours - theirs)):.1e}")


def bench_permutation(name: str, scores: np.ndarray) -> None:
    """Ours gives both directions of 190 pairs; SciPy's counts with its fastest of a few, one direction."""
    *fast, ours = best_seconds(
        lambda: permutation_matrix(scores, draws=DRAWS, rng=np.random.default_rng(SEED))
    )
    slow, by_scipy, by_loop = [], [], []
    for i, j in SCIPY_PAIRS:
        common = ~np.isnan(scores[i] + scores[j])
        first, second = scores[i, common], scores[j, common]
        _, seconds, p_value = best_seconds(lambda first=first, second=second: scipy_p(first, second), runs=1)
        slow.append(seconds)
        by_scipy.append(abs(float(p_value) - ours[i, j]))
        by_loop.append(abs(loop_p(scores[i] - scores[j]) - ours[i, j]))
    n_pairs = N_SYSTEMS * (N_SYSTEMS - 1) // 2
    show(
        f"permutation, {name} *",
        min(slow) * n_pairs,
        (fast[0], fast[1]),
        f"{max(by_loop):.1e} with the same flips, {max(by_scipy):.1e} with SciPy's own",
    )
    if name == "a fifth absent":
        print(f"  * SciPy's fastest of {len(SCIPY_PAIRS)} pairs, scaled to {n_pairs}; {DRAWS:,} draws")


def scipy_p(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    result = permutation_test(
        (first, second),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=DRAWS,
        alternative="greater",
        vectorized=True,
        rng=np.random.default_rng(SEED),
    )
    return np.asarray(result.pvalue)


def loop_p(difference: np.ndarray) -> float:
    """Draw by draw, under the flips that `permutation_matrix` sees."""
    flips = np.empty((DRAWS, len(difference)))
    permutation._draw_flips(flips, np.random.default_rng(np.random.default_rng(SEED).integers(2**63)))
    common = ~np.isnan(difference)
    own = difference[common]
    limit = own.mean() - 1e-12 * np.abs(own).mean()
    count = sum(float(np.mean((1 - 2 * flip[common]) * own)) >= limit for flip in flips)
    return (1 + count) / (1 + DRAWS)


def bench_bootstrap() -> None:
    """First of all, so that the peak of memory is that of the bootstrap."""
    rng = np.random.default_rng(SEED)
    n_cells = N_SYSTEMS * N_SEGMENTS
    # Every translation once, some twice, as when a campaign is short of ratings.
    cell = np.concatenate([rng.permutation(n_cells), rng.choice(n_cells, N_RATINGS - n_cells, replace=False)])
    system, segment = np.divmod(cell, N_SEGMENTS)
    worker = rng.integers(N_WORKERS, size=N_RATINGS)
    weight = 1.0 / np.bincount(cell)[cell]
    ratings = CrossedRatings(rng.normal(size=N_RATINGS), weight, worker, segment, system)
    *fast, draws = best_seconds(
        lambda: two_way_bootstrap(ratings, draws=DRAWS, rng=np.random.default_rng(SEED)), runs=4
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    of_workers = rng.multinomial(N_WORKERS, [1 / N_WORKERS] * N_WORKERS, LOOP_DRAWS).T.astype(np.float64)
    of_segments = rng.multinomial(N_SEGMENTS, [1 / N_SEGMENTS] * N_SEGMENTS, LOOP_DRAWS).T.astype(np.float64)
    _, slow, theirs = best_seconds(lambda: loop_scores(ratings, of_workers, of_segments), runs=1)
    ours = weighted_scores(ratings, worker_weight=of_workers, segment_weight=of_segments)
    difference = f"{np.max(np.abs(ours - theirs)):.1e}"
    show("bootstrap, 10,000 draws *", slow * DRAWS / LOOP_DRAWS, (fast[0], fast[1]), difference)
    print(f"  * loop measured on {LOOP_DRAWS} draws and scaled; peak memory of the process {peak:.0f} MB")
    for of_draws in (rank_probabilities, bootstrap_p):
        wall, _, _ = best_seconds(lambda of_draws=of_draws: of_draws(draws))
        print(f"  {of_draws.__name__} of these draws: {1e3 * wall:.1f} ms")


def loop_scores(ratings: CrossedRatings, of_workers: np.ndarray, of_segments: np.ndarray) -> np.ndarray:
    """Draw by draw: weigh every rating, then the weighted mean of each system."""
    scores = np.empty((of_workers.shape[1], N_SYSTEMS))
    for draw in range(len(scores)):
        times = ratings.weight * of_workers[ratings.worker, draw] * of_segments[ratings.segment, draw]
        scores[draw] = np.bincount(ratings.system, times * ratings.value) / np.bincount(ratings.system, times)
    return scores


if __name__ == "__main__":
    main()

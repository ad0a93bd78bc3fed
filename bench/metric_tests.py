"""Tests between two metrics: how often they call chance a difference, and how often they find a real one.

Two metrics are noisy copies of people's scores of 10 systems, and have some noise in common. Under the null
hypothesis both are equally noisy; what varies is how much of a metric's own error is the same for all
translations of a segment, or of a document, and whether errors have heavy tails (t with three degrees of
freedom). For power one metric's error is larger.

Published tests (Williams' and the exchange of single scores) take every translation to be independent. The
jackknife leaves out one unit after another: documents where there are several segments in one, else segments.

    python bench/metric_tests.py             1,000 repetitions each: some minutes
    python bench/metric_tests.py --quick     100

With `--folder` and `--pair` real scores are tried, in mt-metrics-eval's layout and with documents: all scores
of half the documents, at random, are exchanged between two standardised metrics, so that neither is better.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from steelyard.flows.meta import Wanted, read_scored
from steelyard.meta.compared import compare
from steelyard.meta.metric_tests import by_segment, jackknifed, over_groups, williams_matrix
from steelyard.meta.settings import MetaSettings
from steelyard.stats.metric_permutation import pearson_permutation_matrix
from steelyard.stats.standardise import standardise_rows

N_SYSTEMS, DRAWS, LEVEL = 10, 199, 0.05
LOWEST, HIGHEST = 0.04, 0.06
TESTS = ("Williams", "permutation", "jackknife", "Spearman", "by item")


@dataclass(frozen=True)
class Crowd:
    """How scores come about: sizes of documents, shares of a metric's error, tails, and the worse metric."""

    name: str
    sizes: tuple[int, ...]
    in_segment: float = 0.0
    in_document: float = 0.0
    heavy: bool = False
    worse: float = 0.0


def uneven(n_documents: int) -> tuple[int, ...]:
    """Sizes of documents as in news: most short, some long."""
    sizes = np.random.default_rng(5).lognormal(1.6, 0.8, n_documents)
    return tuple(np.maximum(sizes.astype(np.int64), 1).tolist())


def crowds() -> list[Crowd]:
    """The conditions of the table."""
    single = (1,) * 200
    null = [
        Crowd("nothing shared", single),
        Crowd(".2 in segments", single, in_segment=0.2),
        Crowd(".5 in segments", single, in_segment=0.5),
        Crowd(".5 in segments, heavy tails", single, in_segment=0.5, heavy=True),
        Crowd(".3 in 30 documents", uneven(30), in_segment=0.1, in_document=0.3),
        Crowd(".3 in 30 documents, heavy tails", uneven(30), in_segment=0.1, in_document=0.3, heavy=True),
        Crowd(".3 in 100 documents", uneven(100), in_segment=0.1, in_document=0.3),
        Crowd(".3 in 10 documents", uneven(10), in_segment=0.1, in_document=0.3),
    ]
    power = [
        Crowd("nothing shared, error + 10 %", single, worse=0.1),
        Crowd(".2 in segments, error + 10 %", single, in_segment=0.2, worse=0.1),
        Crowd(".3 in 100 documents, error + 20 %", uneven(100), 0.1, 0.3, worse=0.2),
    ]
    return [*null, *power]


def scores(crowd: Crowd, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """People's scores (S, n), two metrics' (2, S, n), and the document of each segment (n,)."""
    document = np.repeat(np.arange(len(crowd.sizes)), crowd.sizes)
    n_segments, n_documents = len(document), len(crowd.sizes)

    def noise(*shape: int) -> np.ndarray:
        return rng.standard_t(3, shape) / np.sqrt(3) if crowd.heavy else rng.normal(size=shape)

    people = 0.4 * rng.normal(size=(N_SYSTEMS, 1)) + noise(N_SYSTEMS, n_segments)
    people += 0.4 * noise(1, n_segments) + 0.3 * noise(1, n_documents)[:, document]
    own = np.sqrt(1 - crowd.in_segment - crowd.in_document) * noise(2, N_SYSTEMS, n_segments)
    own += np.sqrt(crowd.in_segment) * noise(2, 1, n_segments)
    own += np.sqrt(crowd.in_document) * noise(2, 1, n_documents)[:, :, document]
    size = np.array([1.0, 1.0 + crowd.worse])[:, None, None]
    return people, 0.5 * people + 0.5 * noise(N_SYSTEMS, n_segments) + size * own, document


def p_values(crowd: Crowd, rng: np.random.Generator) -> list[float]:
    """That the first metric is better, by each test."""
    people, metrics, document = scores(crowd, rng)
    flat = metrics.reshape(2, -1)
    found = (
        williams_matrix(people, metrics),
        pearson_permutation_matrix(people.ravel(), flat, draws=DRAWS, rng=rng),
        jackknifed(people, metrics, "pearson", document),
        jackknifed(people, metrics, "spearman", document),
        over_groups(people, metrics, by_segment("pearson", np.zeros(2)), document, draws=DRAWS, rng=rng),
    )
    return [float(each[0, 1]) for each in found]


def real_rates(folder: Path, pair: str, gold: str, exclude: tuple[str, ...], runs: int) -> list[float]:
    """How often Williams' test, and the jackknife by segments and by documents, find a difference there."""
    scored = read_scored(str(folder), Wanted(pair=pair, gold=gold))
    compared = compare(scored.scored, gold, MetaSettings(exclude=exclude))
    assert compared.documents is not None
    assert compared.people.segments is not None
    judged = ~np.isnan(compared.people.segments).all(axis=0)
    people = compared.people.segments[:, judged]
    document = np.unique(np.array(compared.documents)[judged], return_inverse=True)[1]
    segment, rng, found = np.arange(len(document)), np.random.default_rng(7), []
    metrics = [one.segments[:, judged] for one in compared.metrics if one.segments is not None]
    for two in combinations(metrics, 2):
        known = ~np.isnan(np.stack([people, *two])).any(axis=0)
        standard = standardise_rows(np.stack([np.where(known, each, np.nan).ravel() for each in two]))
        standard = standard.reshape(2, *people.shape)
        for _ in range(runs):
            exchanged = rng.random(document.max() + 1)[document] < 0.5
            mixed = np.where(exchanged, standard[::-1], standard)
            p_values = (
                williams_matrix(people, mixed),
                jackknifed(people, mixed, "pearson", segment),
                jackknifed(people, mixed, "pearson", document),
            )
            found.append([each[0, 1] for each in p_values])
    outcomes = np.array(found)
    rates: list[float] = np.mean((outcomes <= LEVEL) | (outcomes >= 1 - LEVEL), axis=0) / 2
    return rates


def main() -> None:
    """Print the rates, and fail where the jackknife misses the bar by more than chance."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="100 repetitions instead of 1,000")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--folder", type=Path, help="real scores instead")
    parser.add_argument("--pair", default="en-de")
    parser.add_argument("--gold", default="mqm")
    parser.add_argument("--exclude", default="", help="systems to leave out, with commas between")
    given = parser.parse_args()
    runs = 100 if given.quick else given.runs
    if given.folder:
        exclude = tuple(name for name in given.exclude.split(",") if name)
        rates = real_rates(given.folder, given.pair, given.gold, exclude, runs)
        names = ("Williams", "jackknife by segments", "by documents")
        print(", ".join(f"{name} {rate:.3f}" for name, rate in zip(names, rates, strict=True)))
        return
    print(
        f"p <= {LEVEL}, one-sided, {runs:,} repetitions\n{'':<36}{''.join(f'{name:>13}' for name in TESTS)}"
    )
    missed = []
    for crowd in crowds():
        rng = np.random.default_rng(7)
        found = np.array([p_values(crowd, rng) for _ in range(runs)])
        rates = np.mean(found <= LEVEL, axis=0)
        if not crowd.worse:
            # Both directions are a null hypothesis: twice the outcomes.
            rates = (rates + np.mean(found >= 1 - LEVEL, axis=0)) / 2
            chance = 3 * np.sqrt(LEVEL * (1 - LEVEL) / (2 * runs))
            if not LOWEST - chance < rates[2] < HIGHEST + chance:
                missed.append(f"{crowd.name}: {rates[2]:.3f}")
        print(f"{crowd.name:<36}{''.join(f'{rate:>13.3f}' for rate in rates)}", flush=True)
    assert not missed, missed


if __name__ == "__main__":
    main()

"""Does a ranking claim more than the ratings support? Null rates, coverage, and pairs found, test by test.

On published WMT judgements, no system is better once each has been centred and labels have been exchanged
within documents: then every difference is an error, and one in twenty may be found at .05. Simulated crowds
have tastes (worker by system), difficulties of documents, and documents that suit systems; of them the truth
is known. Needs the folder of real data beside the project for the first and the last table.

    .venv/bin/python bench/inference.py --quick

A contender is a method, or a method and a test: mean-z:rank-sum.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from accuracy import DATA
from steelyard.aggregation import methods
from steelyard.documents import documents_of
from steelyard.domain.result import Fit
from steelyard.formats.judgements_file import read_judgements
from steelyard.frames import index_of, ratings_frame
from steelyard.stats.multiplicity import holm_of_pairs, two_sided

CONTENDERS = (
    *("mean-z", "mean-z:clustered-means", "mean-z:rank-sum", "mean-z:signed-rank"),
    *("worker-model", "worker-model-ep"),
)
PAIRS = tuple(f"wmt21-toen/{pair}" for pair in ("cs-en", "de-en", "ha-en", "is-en")) + tuple(
    f"wmt22-toen/{pair}" for pair in ("cs-en", "de-en", "ja-en", "lv-en", "ru-en")
)
LEVEL = 0.05
DRAWS = 200


@dataclass(frozen=True)
class Crowd:
    """A crowd to simulate: each system's copy of each document is judged by `judged` of the workers.

    Deviations are in those of a text's quality within its document: of a worker's taste for a system, of
    documents, of documents that suit a system, and of one worker's opinion on one copy of a document.
    """

    name: str
    n_workers: int = 30
    n_documents: int = 24
    n_segments: int = 4
    n_systems: int = 6
    judged: int = 2
    taste: float = 0.0
    document: float = 0.0
    suits: float = 0.0
    opinion: float = 0.0


CROWDS = (
    Crowd("independent"),
    Crowd("tastes", taste=0.4),
    Crowd("documents", document=0.8, suits=0.4, opinion=0.4),
    Crowd("both", taste=0.3, document=0.8, suits=0.3, opinion=0.4),
    Crowd("both, twelve workers", n_workers=12, taste=0.3, document=0.8, suits=0.3, opinion=0.4),
    Crowd("both, ten documents", n_documents=10, judged=4, taste=0.3, document=0.8, suits=0.3, opinion=0.4),
)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--contenders", default=",".join(CONTENDERS))
    parser.add_argument("--pairs", default=",".join(PAIRS), help="sets of published judgements")
    parser.add_argument("--sets", type=int, default=20, help="null data sets of each language pair")
    parser.add_argument("--crowds", type=int, default=200, help="simulated crowds of each kind")
    parser.add_argument("--quick", action="store_true", help="a tenth of both")
    options = parser.parse_args()
    names = options.contenders.split(",")
    pairs = options.pairs.split(",") if DATA.exists() else []
    part = 10 if options.quick else 1
    if pairs and options.sets:
        _print_null(names, pairs, n_sets=max(options.sets // part, 1))
    if options.crowds:
        _print_crowds(names, n_crowds=max(options.crowds // part, 2))
    if pairs:
        _print_found(names, pairs)


def fitted(frame: pl.DataFrame, contender: str, *, draws: int = 0) -> Fit:
    """What a contender makes of the ratings, with usual settings otherwise."""
    name, _, test = contender.partition(":")
    method = methods()[name]
    settings = replace(method.own_settings(method.settings()), draws=draws)
    if test:
        settings = replace(settings, test=test)
    # A method that draws by itself needs some.
    if method.own_test:
        settings = replace(settings, draws=DRAWS)
    return method.fit(frame, settings, np.random.default_rng(1))


def share_found(p_values: np.ndarray) -> float:
    """The share of ordered pairs of systems with a one-sided p-value below .05."""
    off = ~np.eye(len(p_values), dtype=bool)
    return float((p_values[off] < LEVEL).mean())


def without_differences(frame: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """The ratings with all systems made equal on average, and their names exchanged within each document."""
    names, system = index_of(frame["system_id"].cast(pl.String))
    _, worker = index_of(frame["worker_id"])
    rating, document = frame["rating"].to_numpy().astype(float), documents_of(frame).number
    n = np.bincount(worker)
    mean = (np.bincount(worker, rating) / n)[worker]
    sd = np.sqrt(np.bincount(worker, (rating - mean) ** 2) / n)[worker]
    z = np.divide(rating - mean, sd, out=np.zeros(len(rating)), where=sd > 0)
    counts = frame["item_kind"].cast(pl.String).is_in(["regular", "repeat"]).to_numpy()
    size = np.bincount(system[counts], minlength=len(names))
    level = np.bincount(system[counts], z[counts], len(names)) / np.maximum(size, 1)
    order = rng.permuted(np.tile(np.arange(len(names)), (int(document.max()) + 1, 1)), axis=1)
    exchanged = np.array(names, dtype=object)[order[document, system]]
    return frame.with_columns(
        pl.Series("system_id", exchanged.tolist(), dtype=pl.String),
        pl.Series("rating", rating - sd * level[system]),
        credited=pl.lit(None, dtype=frame.schema["credited"]),
    )


def simulated(crowd: Crowd, effect: np.ndarray, rng: np.random.Generator) -> pl.DataFrame:
    """Ratings of a crowd in which systems differ by these effects."""
    n_copies = crowd.n_systems * crowd.n_documents
    shape = (crowd.n_systems, crowd.n_documents, crowd.n_segments)
    quality = effect[:, None, None] + rng.normal(0, 1, shape)
    quality += rng.normal(0, crowd.document, (1, crowd.n_documents, 1))
    quality += rng.normal(0, crowd.suits, (crowd.n_systems, crowd.n_documents, 1))
    # Tasks are dealt out like cards, so that everybody has about as many.
    deals = -(-n_copies * crowd.judged // crowd.n_workers)
    dealt = np.concatenate([rng.permutation(crowd.n_workers) for _ in range(deals)])
    worker = dealt[: n_copies * crowd.judged].reshape(crowd.n_systems, crowd.n_documents, crowd.judged)
    of_task = rng.normal(0, crowd.taste, (crowd.n_workers, crowd.n_systems))[
        worker, np.arange(shape[0])[:, None, None]
    ]
    of_task = of_task + rng.normal(0, crowd.opinion, worker.shape)
    system, document, copy, segment = np.indices((*worker.shape, crowd.n_segments)).reshape(4, -1)
    who = worker[system, document, copy]
    value = quality[system, document, segment] + of_task[system, document, copy]
    value = value + rng.uniform(0.7, 2.0, crowd.n_workers)[who] * rng.normal(size=len(who))
    rating = 50 + rng.normal(0, 8, crowd.n_workers)[who] + rng.uniform(6, 14, crowd.n_workers)[who] * value
    columns = {
        "worker_id": [f"w{number:03}" for number in who],
        "system_id": [f"S{number}" for number in system],
        "segment_id": [f"d{d:03}s{s}" for d, s in zip(document, segment, strict=True)],
        "document_id": [f"d{number:03}" for number in document],
        "rating": rating,
    }
    rest = {"item_kind": pl.lit("regular"), "hit_id": pl.lit("h"), "attribute": pl.lit("")}
    return ratings_frame(pl.DataFrame(columns).with_columns(**rest))


def _real(pairs: list[str]) -> Iterator[tuple[str, pl.DataFrame]]:
    for pair in pairs:
        yield pair, read_judgements(DATA / f"{pair}.judgements.csv.gz").frame


def _print_null(names: list[str], pairs: list[str], *, n_sets: int) -> None:
    print(f"### No system better: WMT pairs, {n_sets} data sets each; share of p < .05, one-sided\n")
    print(f"| pair | {' | '.join(names)} |")
    print("|" + "---|" * (1 + len(names)))
    rows = []
    any_holm = np.zeros(len(names))
    for pair, frame in _real(pairs):
        found = np.zeros((n_sets, len(names)))
        for trial in range(n_sets):
            null = without_differences(frame, np.random.default_rng([0, PAIRS.index(pair), trial]))
            for place, name in enumerate(names):
                p_values = fitted(null, name).p_values
                found[trial, place] = share_found(p_values)
                any_holm[place] += bool(claims(p_values).any())
        rows.append(found.mean(axis=0))
        print(f"| {pair} | {' | '.join(f'{rate:.3f}' for rate in rows[-1])} |", flush=True)
    print(f"| all | {' | '.join(f'{rate:.3f}' for rate in np.mean(rows, axis=0))} |")
    shares = any_holm / (n_sets * len(rows))
    print(f"| sets in which Holm finds any | {' | '.join(f'{share:.2f}' for share in shares)} |\n")


def claims(p_values: np.ndarray) -> np.ndarray:
    """Which differences count, two-sided after Holm: the system of the row is better than the column's."""
    return (holm_of_pairs(two_sided(p_values)) < LEVEL) & (p_values < p_values.T)


@dataclass
class Trial:
    """What a contender made of one crowd without differences, and of one with them."""

    equal: Fit
    unequal: Fit
    effect: np.ndarray


def _print_crowds(names: list[str], *, n_crowds: int) -> None:
    print(f"### Simulated crowds, {n_crowds} of each kind\n")
    print("Where no system is better: share of p < .05, of campaigns with any claim, of 95 % intervals with")
    print("the truth. Where systems differ (deviation .25): share of intervals with the truth, of campaigns")
    print("in which all true ranks are within their ranges, of pairs claimed; mean half width.\n")
    print("| crowd | contender | null | any claim | covers | covers | ranks covered | claimed | half width |")
    print("|" + "---|" * 9)
    for number, crowd in enumerate(CROWDS):
        trials: dict[str, list[Trial]] = {name: [] for name in names}
        for trial in range(n_crowds):
            rng = np.random.default_rng([1, number, trial])
            effect = rng.normal(0, 0.25, crowd.n_systems)
            null = simulated(crowd, np.zeros(crowd.n_systems), rng)
            other = simulated(crowd, effect, rng)
            for name in names:
                equal, unequal = (fitted(frame, name, draws=DRAWS) for frame in (null, other))
                trials[name].append(Trial(equal, unequal, effect - effect.mean()))
        for name in names:
            _print_crowd(crowd, name, trials[name])


def _print_crowd(crowd: Crowd, name: str, trials: list[Trial]) -> None:
    bounds = [trial.unequal.systems.sort("system_id") for trial in trials]
    scores = np.array([systems["score"].to_numpy() for systems in bounds])
    truths = np.array([trial.effect for trial in trials])
    # The unit of scores is the method's own: what a true difference is worth on average.
    truths = truths * (scores * truths).sum() / (truths**2).sum()
    lower, upper = (np.array([systems[end].to_numpy() for systems in bounds]) for end in ("lower", "upper"))
    of_equal = [trial.equal.systems for trial in trials]
    figures = (
        np.mean([share_found(trial.equal.p_values) for trial in trials]),
        np.mean([claims(trial.equal.p_values).any() for trial in trials]),
        np.mean([((each["lower"] <= 0) & (each["upper"] >= 0)).mean() for each in of_equal]),
        np.mean((lower <= truths) & (truths <= upper)),
        np.mean([_holds_ranks(trial) for trial in trials]),
        np.mean([claims(trial.unequal.p_values).sum() for trial in trials])
        * 2
        / (crowd.n_systems * (crowd.n_systems - 1)),
        np.mean((upper - lower) / 2),
    )
    print(f"| {crowd.name} | {name} | {' | '.join(f'{figure:.3f}' for figure in figures)} |", flush=True)


def _holds_ranks(trial: Trial) -> bool:
    """Whether every system's true rank is within its range."""
    better = claims(trial.unequal.p_values)
    place = [int(name[1:]) for name in trial.unequal.systems["system_id"]]
    rank = (-trial.effect).argsort().argsort()[place]
    low, high = better.sum(axis=0), len(better) - 1 - better.sum(axis=1)
    return bool(((low <= rank) & (rank <= high)).all())


def _print_found(names: list[str], pairs: list[str]) -> None:
    print("\n### Pairs of systems found on the WMT judgements as they are\n")
    print("| contender | pairs | p < .05, one-sided | after Holm, two-sided | mean half width |")
    print("|" + "---|" * 5)
    frames = [frame for _, frame in _real(pairs)]
    for name in names:
        fits = [fitted(frame, name, draws=DRAWS) for frame in frames]
        one = sum(int((fit.p_values < LEVEL).sum()) for fit in fits)
        after = sum(int(claims(fit.p_values).sum()) for fit in fits)
        pairs = sum(len(fit.systems) * (len(fit.systems) - 1) // 2 for fit in fits)
        half = np.mean(
            np.concatenate([(fit.systems["upper"] - fit.systems["score"]).to_numpy() for fit in fits])
        )
        print(f"| {name} | {pairs} | {one} | {after} | {half:.3f} |", flush=True)


if __name__ == "__main__":
    main()

"""How close methods come to the truth on published judgements, beside mean z.

Each row is the mean over data sets of the difference in Pearson's r to mean z, with its standard error
between the sets and, in brackets, the worst set. The truth is of workers that the trial did not draw from
(`others`), of ratings that it did not draw (`rest`), of experts (`gold`), or of others who pass the
check (`passing`). "Within systems" is the difference with every system's mean taken off. Prints
Markdown; needs the folder of real data beside the project.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from steelyard.aggregation import methods
from steelyard.domain.result import AnalysisSettings, MethodSettings
from steelyard.domain.scale import Scale
from steelyard.evaluation.comparison import evaluate_frame
from steelyard.evaluation.settings import YARDSTICK, EvaluationSettings, Level, TruthName
from steelyard.formats import judgements_file
from steelyard.formats.judgements_file import read_judgements

DATA = Path(__file__).parents[2] / "shared" / "data"
DRAWS = 20
# Beside mean z: raw means and everything that models workers.
WORTH_IT = ("mean-rating", "worker-model", "two-stage", "weighted-vote")
SPAM = (0.0, 0.2, 0.5)
# The degraded chatbot is worse in these; whether it is more robotic or repetitive is open.
DIALOGUE_CHECK = ("interesting", "fun", "consistent", "fluent", "topic")


@dataclass(frozen=True)
class Group:
    """Data sets that are tried alike: by name, and each with its scale and how it is read."""

    name: str
    sets: tuple[tuple[str, Scale, Callable[[], pl.DataFrame]], ...]
    trials: tuple[EvaluationSettings, ...]


def main() -> None:
    asked = _arguments()
    if not DATA.is_dir():
        print("The folder of real data is absent: there is nothing to measure.")
        return
    names = asked.methods.split(",") if asked.methods else _worth_it()
    for group in groups():
        if asked.sets and group.name not in asked.sets.split(","):
            continue
        started = time.perf_counter()
        _print_group(group, tried(group, names, draws=asked.draws), names)
        print(f"\n{time.perf_counter() - started:.0f} s\n", flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--methods", help="names with commas between, each also with -passing")
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--sets", help=f"of {', '.join(group.name for group in groups())}")
    return parser.parse_args()


def _worth_it() -> list[str]:
    return [name for name in methods() if name.startswith(WORTH_IT) and not name.endswith("-gibbs")]


def groups() -> Iterator[Group]:
    pairs = ("eng-ces", "eng-deu", "eng-jpn", "eng-zho")
    yield Group(
        "calibration",
        tuple((pair, Scale(0, 100), lambda pair=pair: _calibration(pair)) for pair in pairs),
        tuple(_segments(truth, (1, 2, 5), SPAM) for truth in ("others", "rest")),
    )
    yield Group(
        "parabank",
        (("parabank", Scale(0, 100), _parabank),),
        tuple(_segments(truth, (1, 2, 5), SPAM) for truth in ("others", "rest")),
    )
    scales = {"wordsim": Scale(0, 10), "valence": Scale(-100, 100)}
    tasks = ("anger", "disgust", "fear", "sadness", "valence", "wordsim")
    yield Group(
        "snow",
        tuple(
            (task, scales.get(task, Scale(0, 100)), lambda task=task: _snow(task, scales.get(task)))
            for task in tasks
        ),
        (_segments("gold", (1, 2, 5), SPAM),),
    )
    yield Group(
        "mlqe",
        tuple(
            (pair, Scale(0, 100), lambda pair=pair: _mlqe(pair))
            for pair in ("en-de", "en-zh", "ro-en", "si-en")
        ),
        tuple(_segments(truth, (2, 3), (0.0,)) for truth in ("others", "rest")),
    )
    years = (("wmt21-toen", ("cs-en", "de-en", "ha-en", "is-en")),)
    years += (("wmt22-toen", ("cs-en", "de-en", "ja-en", "lv-en", "ru-en")),)
    yield Group(
        "wmt",
        tuple(
            (
                f"{year} {pair}",
                Scale(0, 100),
                lambda year=year, pair=pair: _read(f"{year}/{pair}.judgements.csv.gz"),
            )
            for year, found in years
            for pair in found
        ),
        (EvaluationSettings(level="systems"),),
    )
    check = AnalysisSettings(check="rank-sum", check_attributes=DIALOGUE_CHECK)
    yield Group(
        "dialogue",
        (("icebreaker", Scale(0, 100), lambda: _read("dialogue-da/icebreaker.judgements.csv.gz")),),
        tuple(_dialogue(level, check) for level in ("systems", "cells")),
    )


def _segments(truth: TruthName, ratings: tuple[int, ...], spam: tuple[float, ...]) -> EvaluationSettings:
    return EvaluationSettings(truth=truth, ratings=ratings, spam=spam)


def _dialogue(level: Level, check: AnalysisSettings) -> EvaluationSettings:
    return EvaluationSettings(level=level, truth="passing", share=0.3, spam=(0.0,), analysis=check)


def tried(group: Group, names: Sequence[str], *, draws: int) -> pl.DataFrame:
    """The rows of all evaluations of a group, with the set and the truth."""
    found = []
    for name, scale, read in group.sets:
        frame = read()
        for trial in group.trials:
            analysis = replace(trial.analysis, method_settings=MethodSettings(scale=scale))
            settings = replace(trial, methods=tuple(names), draws=draws, analysis=analysis)
            evaluation = evaluate_frame(frame, settings)
            for warning in evaluation.warnings:
                print(f"{name}: {warning}")
            found.append(evaluation.rows.with_columns(set=pl.lit(name), truth=pl.lit(trial.truth)))
    return pl.concat(found)


def _print_group(group: Group, rows: pl.DataFrame, names: Sequence[str]) -> None:
    others = [name for name in dict.fromkeys(names) if name != YARDSTICK]
    print(f"### {group.name} ({len(group.sets)} set{'s' if len(group.sets) > 1 else ''})\n")
    print(f"| level | truth | spam | k | items | mean z | {' | '.join(others)} |")
    print("|" + "---|" * (6 + len(others)))
    cases = ["level", "truth", "spam", "ratings"]
    for (level, truth, spam, ratings), of_case in rows.group_by(cases, maintain_order=True):
        plain = of_case.filter(method=YARDSTICK)
        cells = [_cell(of_case.filter(method=name)) for name in others]
        k = "all" if ratings is None else ratings
        print(
            f"| {level} | {truth} | {spam:.0%} | {k} | {plain['n_items'].mean():,.0f} "
            f"| {plain['r'].mean():.3f} | {' | '.join(cells)} |"
        )


def _cell(found: pl.DataFrame) -> str:
    """Mean difference over sets, its error between them, the worst set, and coverage where there is any."""
    difference = found["difference"].drop_nulls()
    if difference.is_empty():
        return "none"
    text = f"{difference.mean():+.3f}"
    if len(difference) > 1:
        text += f" ± {difference.std() / len(difference) ** 0.5:.3f} (worst {difference.min():+.3f})"
    else:
        text += f" ± {found['difference_se'].item():.3f} of drawing"
    within = found["difference_within"].drop_nulls()
    text += "" if within.is_empty() else f"; within systems {within.mean():+.3f}"
    coverage = found["coverage"].drop_nulls()
    return text if coverage.is_empty() else f"{text}; covers {coverage.mean():.0%}"


def _read(path: str) -> pl.DataFrame:
    return read_judgements(DATA / path).frame


def _calibration(pair: str) -> pl.DataFrame:
    """Scores of single segments; of a document judged twice, the first time."""
    table = pl.read_csv(DATA / "wmt22-calibration" / f"{pair}.judgements.csv.gz")
    judged = ["annotator", "system", "doc", "item"]
    first = table.filter(~pl.col("is_doc_score")).sort("start").unique(judged, keep="first")
    return judgements_file.from_table(first).frame


def _parabank() -> pl.DataFrame:
    """Paraphrases as segments of one system, without the copies of the reference."""
    table = pl.read_csv(DATA / "parabank" / "judgements.csv.gz")
    rows = table.filter(pl.col("is_reference_copy") == 0).drop_nulls("human_score")
    return judgements_file.from_table(
        rows.select("worker", segment="candidate_id", rating="human_score")
    ).frame


def _snow(task: str, scale: Scale | None) -> pl.DataFrame:
    return read_judgements(DATA / "snow2008" / f"{task}.csv", columns={"known": "gold"}, scale=scale).frame


def _mlqe(pair: str) -> pl.DataFrame:
    """Each slot as a worker, though some slots are filled by several people."""
    table = pl.read_csv(DATA / "mlqe-pe-test20" / f"{pair}.judgements.csv.gz")
    return judgements_file.from_table(
        table.select("segment", worker=pl.col("slot"), rating=pl.col("raw_score"))
    ).frame


if __name__ == "__main__":
    main()

"""Bars that the worker model must clear on published judgements, with as many draws as they were set for.

Each bar is a least mean difference in Pearson's r to mean z over the data sets of a group, or a range for the
share of truths within its 90 % intervals. `tests/test_real_accuracy.py` checks the same bars with fewer draws
and allows for the chance that fewer draws bring. Needs the folder of real data beside the project.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import polars as pl

from accuracy import DATA, groups, tried
from steelyard.evaluation.settings import EvaluationSettings, TruthName

MODEL = "worker-model"
# Standard errors that a mean over fewer draws may fall short of its bar.
ALLOWED_ERRORS = 2.0


@dataclass(frozen=True)
class Bar:
    """A fact about the worker model, and how many draws it needs in full and in the tests.

    `least` is for the mean over sets and `worst` for every set; `covers` is for the mean coverage.
    """

    fact: str
    group: str
    settings: EvaluationSettings
    draws: int
    few_draws: int
    n_sets: int
    least: float | None = None
    worst: float | None = None
    covers: tuple[float, float] | None = None
    only: str | None = None
    level: str | None = None


def bars() -> Iterator[Bar]:
    """All bars, in the order of docs/explanation/worker-model.md."""

    def bar(
        fact: str, group: str, settings: EvaluationSettings, draws: tuple[int, int], **more: object
    ) -> Bar:
        return Bar(fact, group, settings, *draws, **more)  # type: ignore[arg-type]

    clean, some, many = (_five("others", spam) for spam in (0.0, 0.2, 0.5))
    usual = (30, 5)
    yield bar("no worse on clean ratings", "calibration", clean, usual, n_sets=4, least=0.0, worst=-0.015)
    yield bar("gains with a fifth at random", "calibration", some, usual, n_sets=4, least=0.03)
    yield bar("gains with half at random", "calibration", many, usual, n_sets=4, least=0.05)
    for k in (2, 5):
        settings = EvaluationSettings(truth="others", ratings=(k,))
        covers = (0.88, 0.95)
        yield bar(f"covers with {k} ratings", "calibration", settings, (10, 10), n_sets=4, covers=covers)
    rest, gold, gold_some = _five("rest", 0.2), _five("gold", 0.0), _five("gold", 0.2)
    yield bar("gains on paraphrases", "parabank", rest, (10, 10), n_sets=1, least=0.03)
    yield bar("gains against gold", "snow", gold, usual, n_sets=6, least=0.005)
    yield bar("gains against gold, a fifth at random", "snow", gold_some, usual, n_sets=6, least=0.02)
    three = EvaluationSettings(truth="others", ratings=(3,))
    yield bar("three experts are heard", "mlqe", three, (10, 10), n_sets=1, least=-0.03, only="en-de")
    # Few systems and large data: few draws say enough.
    systems = EvaluationSettings(level="systems")
    yield bar("gains on systems", "wmt", systems, (4, 2), n_sets=9, least=0.015)
    for level, rows, least in (("systems", "systems", -0.005), ("cells", "cells_within", 0.02)):
        yield bar(
            f"an unchecked third: {level}",
            "dialogue",
            _dialogue(level),
            usual,
            n_sets=1,
            least=least,
            level=rows,
        )


def missed(bar: Bar, draws: int) -> list[str]:
    """A sentence for each part of the bar that is not reached with this number of draws."""
    rows = rows_of(bar, draws)
    # With as many draws as the bar was set for, nothing is allowed for chance.
    errors = ALLOWED_ERRORS if draws < bar.draws else 0.0
    found = []
    if len(rows) != bar.n_sets:
        found.append(f"{len(rows)} sets instead of {bar.n_sets}")
    if bar.least is not None:
        mean, error = rows["difference"].mean(), (rows["difference_se"] ** 2).sum() ** 0.5 / len(rows)
        if mean < bar.least - errors * error:
            found.append(f"mean difference {mean:+.4f} (error {error:.4f}), not {bar.least:+.3f}")
    if bar.worst is not None:
        low = rows.filter(pl.col("difference") < bar.worst - errors * pl.col("difference_se"))
        found += [f"{name}: {by:+.4f}, not {bar.worst:+.3f}" for name, by in low["set", "difference"].rows()]
    if bar.covers is not None and not bar.covers[0] <= rows["coverage"].mean() <= bar.covers[1]:
        found.append(f"covers {rows['coverage'].mean():.3f}, not {bar.covers[0]} to {bar.covers[1]}")
    return found


@cache
def rows_of(bar: Bar, draws: int) -> pl.DataFrame:
    """The worker model's rows, one per set, of the trials that the bar is about."""
    group = next(group for group in groups() if group.name == bar.group)
    sets = tuple(entry for entry in group.sets if bar.only in (None, entry[0]))
    rows = tried(replace(group, sets=sets, trials=(bar.settings,)), [MODEL], draws=draws).filter(method=MODEL)
    return rows if bar.level is None else rows.filter(level=bar.level)


def _five(truth: TruthName, spam: float) -> EvaluationSettings:
    return EvaluationSettings(truth=truth, ratings=(5,), spam=(spam,))


def _dialogue(level: str) -> EvaluationSettings:
    trials = next(group.trials for group in groups() if group.name == "dialogue")
    return next(trial for trial in trials if trial.level == level)


def main() -> None:
    if not DATA.is_dir():
        print("The folder of real data is absent: there is nothing to measure.")
        return
    failed = False
    for bar in bars():
        problems = missed(bar, bar.draws)
        print(f"{bar.fact} ({bar.group}, {bar.draws} draws): {'; '.join(problems) or 'cleared'}", flush=True)
        failed = failed or bool(problems)
    sys.exit(failed)


if __name__ == "__main__":
    main()

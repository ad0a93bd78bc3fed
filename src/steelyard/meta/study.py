"""The study: every metric's agreement with people, in all and in parts, and which metric is surely better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import polars as pl

from steelyard.meta.compared import ComparedScores, compare, full_names
from steelyard.meta.parts import by_document, parts
from steelyard.meta.scores import ScoredPair
from steelyard.meta.settings import MetaEvaluation, MetaSettings
from steelyard.meta.significance import significance
from steelyard.meta.statistics import COLUMNS, Judge
from steelyard.meta.units import few_metric_units

Step = Callable[[int], None]
# Below both of these a metric does not merely fail: its scores run the other way [our choice].
TURNED_SYSTEMS, TURNED_SEGMENTS = -0.3, -0.1
# With fewer systems a correlation over them hardly differs from chance: for five, r must exceed 0.8.
FEW_SYSTEMS = 6


@dataclass(frozen=True)
class MetaStudy:
    """A study made ready: scores chosen and in order. `parts` are domains or documents, by name."""

    compared: ComparedScores
    settings: MetaSettings
    parts: tuple[tuple[str, ComparedScores], ...]

    @property
    def n_steps(self) -> int:
        """How many steps `run_metrics` will report."""
        n_metrics = len(self.compared.metrics)
        return n_metrics * (1 + len(self.parts) + len(self.settings.tests))


def ready_metrics(scored: ScoredPair, gold: str, settings: MetaSettings) -> MetaStudy:
    """Everything decided that a study needs; refuses what the scores cannot support."""
    settings = replace(settings, flip=full_names(settings.flip, scored))
    compared = compare(scored, gold, settings)
    if settings.level == "document":
        compared = by_document(compared)
    return MetaStudy(compared, settings, tuple(parts(compared, settings.by)) if settings.by else ())


def run_metrics(study: MetaStudy, *, step: Step = lambda _: None) -> MetaEvaluation:
    """The study's answer; `step` is called with 1 for each metric, part and test."""
    compared, settings = study.compared, study.settings
    found = []
    for group, part in ((None, compared), *study.parts):
        judge = Judge(part.people, settings)
        for metric in part.metrics:
            found.append(
                {
                    "lp": part.pair,
                    "gold": part.people.name,
                    "metric": metric.name,
                    "n_seg_total": part.n_segments,
                    "group": group,
                    **judge.statistics(metric),
                }
            )
            step(1)
    rows = pl.DataFrame(found, schema=COLUMNS, orient="row")
    remarked = remarks(compared, rows, settings)
    tests = significance(compared, rows, settings, step=step)
    return MetaEvaluation(
        pair=compared.pair,
        gold=compared.people.name,
        settings=settings,
        systems=compared.systems,
        rows=rows,
        significance=tests,
        notes=(*compared.notes, *remarked.notes),
        warnings=(*compared.warnings, *remarked.warnings, *few_metric_units(tests)),
    )


def evaluate_metrics(scored: ScoredPair, gold: str, settings: MetaSettings | None = None) -> MetaEvaluation:
    """How well each metric agrees with the scores that people gave under the name `gold`."""
    return run_metrics(ready_metrics(scored, gold, settings or MetaSettings()))


class Remarks(NamedTuple):
    """Sentences for the reader."""

    notes: tuple[str, ...]
    warnings: tuple[str, ...]


def remarks(compared: ComparedScores, rows: pl.DataFrame, settings: MetaSettings) -> Remarks:
    """What is to be said of the rows of a study."""
    whole = rows.filter(pl.col("group").is_null())
    return Remarks(
        notes=(*_documents(settings), *_flipped(settings)),
        warnings=(
            *_few_systems(compared),
            *_without_segments(compared),
            *_turned(whole, settings),
            *_gaps(whole, settings),
        ),
    )


def _documents(settings: MetaSettings) -> tuple[str, ...]:
    if settings.level == "segment":
        return ()
    return ("The columns seg_… are of documents: each scores the mean of its segments that people judged.",)


def _flipped(settings: MetaSettings) -> tuple[str, ...]:
    if not settings.flip:
        return ()
    return (f"Flipped, because lower is better there: {', '.join(settings.flip)}.",)


def _few_systems(compared: ComparedScores) -> tuple[str, ...]:
    n_systems = len(compared.systems)
    if n_systems >= FEW_SYSTEMS:
        return ()
    return (
        f"Only {n_systems} systems are compared: correlations over systems say next to nothing with so few.",
    )


def _without_segments(compared: ComparedScores) -> tuple[str, ...]:
    if compared.people.segments is not None:
        return ()
    return (f"{compared.people.name} has no scores of translations, so there are only numbers over systems.",)


def _turned(rows: pl.DataFrame, settings: MetaSettings) -> tuple[str, ...]:
    """A warning for metrics that seem to count errors, so that lower is better; not if they were turned."""
    turned = rows.filter(
        ~pl.col("metric").is_in(settings.flip)
        & (pl.col("sys_pearson") < TURNED_SYSTEMS)
        & (pl.col("seg_pearson_none").fill_null(-1.0) < TURNED_SEGMENTS)
    )["metric"].to_list()
    if not turned:
        return ()
    is_one = len(turned) == 1
    return (
        f"{', '.join(turned)} {'runs' if is_one else 'run'} against people's scores. If lower is better "
        f"there, flip {'it' if is_one else 'them'}: name {'it' if is_one else 'them'} as flip.",
    )


def _gaps(rows: pl.DataFrame, settings: MetaSettings) -> list[str]:
    """Warnings of metrics that lack scores of translations that people judged."""
    what = "translations" if settings.level == "segment" else "documents"
    with_systems = rows.filter(pl.col("n_sys") > 0)["metric"].to_list()
    found = []
    for name, n_both, n_missing in rows.select("metric", "n_gold_seg_pairs", "n_missing").iter_rows():
        if n_missing and not n_both:
            reason = "it has only numbers over systems" if name in with_systems else "it has no numbers"
            found.append(f"{name} has no scores of {what}, so {reason}.")
        elif n_missing:
            found.append(
                f"{name} has no scores of {n_missing:,} of {n_both + n_missing:,} {what} that people judged: "
                "they are left out, and its numbers are over the others."
            )
    return found

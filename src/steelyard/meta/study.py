"""The study: every metric's agreement with people, in all and in parts, and which metric is surely better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import polars as pl

from steelyard.meta.compared import Compared, compare, full_names
from steelyard.meta.parts import by_document, parts
from steelyard.meta.remarks import remarks
from steelyard.meta.scores import ScoredPair
from steelyard.meta.settings import MetaEvaluation, MetaSettings
from steelyard.meta.significance import significance
from steelyard.meta.statistics import COLUMNS, Judge

Step = Callable[[int], None]


@dataclass(frozen=True)
class Study:
    """A study made ready: scores chosen and in order. `parts` are domains or documents, by name."""

    compared: Compared
    settings: MetaSettings
    parts: tuple[tuple[str, Compared], ...]

    @property
    def n_steps(self) -> int:
        """How many steps `run` will tell of."""
        n_metrics = len(self.compared.metrics)
        return n_metrics * (1 + len(self.parts) + len(self.settings.tests))


def prepare(scored: ScoredPair, gold: str, settings: MetaSettings) -> Study:
    """Everything decided that a study needs; refuses what the scores cannot support."""
    settings = replace(settings, flip=full_names(settings.flip, scored))
    compared = compare(scored, gold, settings)
    if settings.level == "document":
        compared = by_document(compared)
    return Study(compared, settings, tuple(parts(compared, settings.by)) if settings.by else ())


def run(study: Study, *, step: Step = lambda _: None) -> MetaEvaluation:
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
    told = remarks(compared, rows, settings)
    return MetaEvaluation(
        pair=compared.pair,
        gold=compared.people.name,
        settings=settings,
        systems=compared.systems,
        rows=rows,
        significance=significance(compared, rows, settings, step=step),
        notes=(*compared.notes, *told.notes),
        warnings=(*compared.warnings, *told.warnings),
    )


def evaluate(
    scored: ScoredPair, gold: str, settings: MetaSettings | None = None, *, step: Step = lambda _: None
) -> MetaEvaluation:
    """How well each metric agrees with the scores that people gave under the name `gold`."""
    return run(prepare(scored, gold, settings or MetaSettings()), step=step)

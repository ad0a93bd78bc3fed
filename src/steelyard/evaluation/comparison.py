"""Many trials, paired: how close every method comes, and how much closer than mean z."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.evaluation.conclusion import conclusion
from steelyard.evaluation.entries import Entry, entries_of, require_check
from steelyard.evaluation.judged import Judged, judged
from steelyard.evaluation.settings import Evaluation, EvaluationSettings
from steelyard.evaluation.summary import Record, records, summary
from steelyard.evaluation.support import require_enough, sizes
from steelyard.evaluation.trial import closeness, each_trial


@dataclass(frozen=True)
class Trials:
    """An evaluation made ready: the judgements numbered, and every choice that was left open decided."""

    judged: Judged
    settings: EvaluationSettings
    entries: tuple[Entry, ...]

    @property
    def n_fits(self) -> int:
        """How many times a method will be run."""
        n_sizes = len(self.settings.ratings) or 1
        return self.settings.draws * n_sizes * len(self.settings.spam) * len(self.entries)


def prepare(frame: pl.DataFrame, settings: EvaluationSettings) -> Trials:
    """Everything decided that trials need; NotEnoughData if the judgements cannot support them."""
    if frame.is_empty():
        raise NotEnoughData("There are no judgements yet, so no method can be tried on them.")
    entries = entries_of(settings.methods, frame, settings.analysis)
    if settings.truth == "passing":
        require_check(frame, settings.analysis, what="the truth passing")
    numbered = judged(frame)
    require_enough(numbered, settings)
    if settings.level == "segments":
        settings = replace(settings, ratings=sizes(numbered, settings))
    named = replace(
        settings, methods=tuple(entry.name for entry in entries), spam=tuple(sorted(set(settings.spam)))
    )
    return Trials(numbered, named, tuple(entries))


def run(trials: Trials, *, step: Callable[[int], None] = lambda _: None) -> Evaluation:
    """All trials summed up; `step` is called with 1 whenever a method was run.

    Every draw has a seed of its own, and all methods see the same draws, so differences are paired.
    NotEnoughData if not a single trial tells anything.
    """
    found: list[Record] = []
    reasons: dict[str, str] = {}
    is_checked = any(entry.passing for entry in trials.entries)
    for number in range(trials.settings.draws):
        for trial in each_trial(trials.judged, trials.settings, number, checks=is_checked):
            for entry in trials.entries:
                close = closeness(trial, entry)
                if isinstance(close, str):
                    reasons[entry.name] = close
                else:
                    found += records(close, trial, entry.name)
                    if close.scored == 0:
                        reasons[entry.name] = f"it gives no scores of {trial.level}"
                step(1)
    rows = summary(found, trials.settings)
    if rows.is_empty():
        raise NotEnoughData(
            "In no trial could scores be correlated with the truth: too few items had both, or they did not "
            "vary." + "".join(f" {name}: {reason.rstrip('.')}." for name, reason in reasons.items())
        )
    return Evaluation(trials.settings, rows, conclusion(rows), warnings=_unanswered(trials, rows, reasons))


def evaluate(frame: pl.DataFrame, settings: EvaluationSettings) -> Evaluation:
    """How close methods come to the truth on the ratings of a frame."""
    return run(prepare(frame, settings))


def _unanswered(trials: Trials, rows: pl.DataFrame, reasons: Mapping[str, str]) -> tuple[str, ...]:
    """Warnings of methods that had no answer in some trials, or in none at all."""
    answered = dict(rows.group_by("method").agg(pl.col("draws").min()).iter_rows())
    found = []
    for name in trials.settings.methods:
        reason = f" ({reasons[name].rstrip('.')})" if name in reasons else ""
        if name not in answered:
            found.append(f"{name} had no answer in any trial{reason}.")
        elif answered[name] < trials.settings.draws:
            found.append(
                f"{name} had no answer in some of the trials{reason}; its numbers are those of the others."
            )
    return tuple(found)

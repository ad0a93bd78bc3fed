"""Many trials, paired: how close every method comes, and how much closer than mean z."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.wording import in_digits
from steelyard.evaluation.closeness import Closeness
from steelyard.evaluation.entries import Entry, require_check, tried_entries
from steelyard.evaluation.judged import Judged, judged
from steelyard.evaluation.settings import YARDSTICK, Evaluation, EvaluationSettings
from steelyard.evaluation.support import require_enough, sizes
from steelyard.evaluation.trial import Trial, closeness, each_trial

_SETTING = ("level", "ratings", "spam")
_RECORD: dict[str, pl.DataType] = {
    "level": pl.String(),
    "ratings": pl.Int64(),
    "spam": pl.Float64(),
    "method": pl.String(),
    "draw": pl.Int64(),
    "n_items": pl.Float64(),
    "r": pl.Float64(),
    "scored": pl.Float64(),
    "coverage": pl.Float64(),
    "r_within": pl.Float64(),
}
TrialRecord = tuple[str, int | None, float, str, int, float, float, float, float, float]
# A gain must be this many errors of drawing to be called one [our choice].
_CLEAR = 2.0


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


def ready_trials(frame: pl.DataFrame, settings: EvaluationSettings) -> Trials:
    """Everything decided that trials need; NotEnoughData if the judgements cannot support them."""
    if frame.is_empty():
        raise NotEnoughData("There are no judgements yet, so no method can be tried on them.")
    entries = tried_entries(settings.methods, frame, settings.analysis)
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


def run_trials(trials: Trials, *, step: Callable[[int], None] = lambda _: None) -> Evaluation:
    """All trials summed up; `step` is called with 1 whenever a method was run.

    Every draw has a seed of its own, and all methods see the same draws, so differences are paired.
    NotEnoughData if no trial has a correlation.
    """
    found: list[TrialRecord] = []
    reasons: dict[str, str] = {}
    is_checked = any(entry.passing for entry in trials.entries)
    for number in range(trials.settings.draws):
        for trial in each_trial(trials.judged, trials.settings, number, checks=is_checked):
            for entry in trials.entries:
                close = closeness(trial, entry)
                if isinstance(close, str):
                    reasons[entry.name] = close
                else:
                    found += trial_records(close, trial, entry.name)
                    if close.scored == 0:
                        reasons[entry.name] = f"it gives no scores of {trial.level}"
                step(1)
    rows = trial_summary(found, trials.settings)
    if rows.is_empty():
        raise NotEnoughData(
            "In no trial could scores be correlated with the truth: too few items had both, or they did not "
            "vary." + "".join(f" {name}: {reason.rstrip('.')}." for name, reason in reasons.items())
        )
    return Evaluation(
        trials.settings, rows, evaluation_conclusion(rows), warnings=_unanswered(trials, rows, reasons)
    )


def evaluate_frame(frame: pl.DataFrame, settings: EvaluationSettings) -> Evaluation:
    """How close methods come to the truth on the ratings of a frame."""
    return run_trials(ready_trials(frame, settings))


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


def trial_records(closeness: Closeness, trial: Trial, method: str) -> list[TrialRecord]:
    """What one method did in one trial, a record for each level."""
    return [
        (
            *(level, trial.ratings, trial.spam, method, trial.draw),
            *(closeness.n_points, r, closeness.scored, closeness.coverage, closeness.r_within),
        )
        for level, r in closeness.r.items()
    ]


def trial_summary(found: Iterable[TrialRecord], settings: EvaluationSettings) -> pl.DataFrame:
    """The rows of an evaluation: see `Evaluation`. A trial without correlation counts for nothing."""
    table = pl.DataFrame(list(found), schema=_RECORD, orient="row").with_columns(
        pl.col(pl.Float64).fill_nan(None)
    )
    known = table.filter(pl.col("r").is_not_null())
    yardstick = known.filter(pl.col("method") == YARDSTICK).select(
        *_SETTING, "draw", of_yardstick="r", of_yardstick_within="r_within"
    )
    paired = known.join(
        yardstick, on=[*_SETTING, "draw"], how="left", nulls_equal=True, maintain_order="left"
    )
    paired = paired.with_columns(
        difference=pl.col("r") - pl.col("of_yardstick"),
        difference_within=pl.col("r_within") - pl.col("of_yardstick_within"),
    )
    is_other = pl.col("method") != YARDSTICK
    order = {name: place for place, name in enumerate(settings.methods)}
    return (
        paired.group_by(*_SETTING, "method", maintain_order=True)
        .agg(
            draws=pl.len().cast(pl.Int64),
            n_items=pl.col("n_items").mean(),
            r=pl.col("r").mean(),
            r_se=_error("r"),
            difference=pl.col("difference").mean(),
            difference_se=_error("difference"),
            wins=pl.when(is_other.first()).then((pl.col("difference") > 0).mean()),
            scored=pl.col("scored").mean(),
            coverage=pl.col("coverage").mean(),
            r_within=pl.col("r_within").mean(),
            difference_within=pl.col("difference_within").mean(),
            difference_within_se=_error("difference_within"),
        )
        .sort(
            "level",
            "ratings",
            "spam",
            pl.col("method").replace_strict(order, default=None, return_dtype=pl.Int64),
        )
    )


def _error(name: str) -> pl.Expr:
    """The standard error of a mean over draws; null for a single one."""
    return pl.col(name).std(ddof=1) / pl.col(name).count().sqrt()


def evaluation_conclusion(rows: pl.DataFrame) -> str:
    """The method that is closest on the whole, if it is clearly closer than mean z; else that none is.

    Differences are averaged over all kinds of trials, which share their draws: so are their errors, and not
    divided by their number.
    """
    others = (
        rows.filter(pl.col("method") != YARDSTICK, pl.col("difference").is_not_null())
        .group_by("method", maintain_order=True)
        .agg(
            gain=pl.col("difference").mean(),
            error=pl.col("difference_se").mean(),
            least=pl.col("difference").min(),
            n_trials=pl.len(),
            within=pl.col("difference_within").mean(),
            within_error=pl.col("difference_within_se").mean(),
        )
        # A method that answers some trials only cannot be compared with those that answer all.
        .filter(pl.col("n_trials") == pl.col("n_trials").max())
        .sort("gain", descending=True, maintain_order=True)
    )
    if others.is_empty():
        return f"There was nothing to compare {YARDSTICK} with."
    best = others.row(0, named=True)
    if best["gain"] <= 0:
        return f"No method came closer to the truth than {YARDSTICK}."
    gain = f"{in_digits(best['gain'], 3, plus=True)} in r on average"
    if best["error"] is None or best["gain"] <= _CLEAR * best["error"]:
        return (
            f"No method was clearly closer to the truth than {YARDSTICK}: "
            f"{best['method']} gained {gain}, within the error of drawing."
        )
    worst = f", {in_digits(best['least'], 3, plus=True)} at worst" if best["n_trials"] > 1 else ""
    said = f"{best['method']} came closest to the truth: {gain}{worst}, compared with {YARDSTICK}."
    return f"{said}{_told_within(best['within'], best['within_error'])}"


def _told_within(gain: float | None, error: float | None) -> str:
    """What is left of a gain among translations of one system; nothing if there is but one."""
    if gain is None:
        return ""
    if error is None or gain <= _CLEAR * error:
        return (
            f" But among translations of one system it did not clearly gain "
            f"({in_digits(gain, 3, plus=True)}): it mostly knew which system is better."
        )
    return f" Among translations of one system it gained {in_digits(gain, 3, plus=True)}."

"""The methods that are compared, and what each makes of a trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.aggregation import methods
from steelyard.domain.errors import ChoiceError, NotEnoughData, as_command_line
from steelyard.domain.nearest import no_such
from steelyard.domain.plugin import Method
from steelyard.domain.result import NO_CHECK, AnalysisSettings, Fit, MethodSettings
from steelyard.domain.work import ItemKind
from steelyard.evaluation.settings import PASSING, YARDSTICK, EvaluationSettings
from steelyard.qc import checks

# Taken without being asked for, as far as they exist.
_USUAL = ("mean-rating", YARDSTICK, YARDSTICK + PASSING, "worker-model")


@dataclass(frozen=True, slots=True)
class Entry:
    """One method of a comparison; `passing`: it sees the ratings of workers who pass the check only."""

    name: str
    method: Method
    passing: bool = False

    @property
    def has_intervals(self) -> bool:
        """Whether the deviations it gives are those of its own scores."""
        return self.method.weighs_workers and self.method.own_test is not None


@dataclass(frozen=True, slots=True)
class Asked:
    """What a method gets beside the ratings of a trial; `passed`: the workers who pass the check."""

    settings: MethodSettings
    passed: tuple[str, ...]
    seed: tuple[int, ...]


def tried_entries(names: Sequence[str], frame: pl.DataFrame, settings: AnalysisSettings) -> list[Entry]:
    """The methods of these names, or the usual ones; the yardstick is always among them, and comes first.

    ChoiceError for a name that does not exist; NotEnoughData if workers cannot be checked but must be.
    """
    known = methods()
    is_checkable = can_check(frame, settings)
    if not names:
        names = [
            name
            for name in _USUAL
            if name.removesuffix(PASSING) in known and (is_checkable or not name.endswith(PASSING))
        ]
    found = []
    for name in dict.fromkeys([YARDSTICK, *names]):
        passing = name not in known and name.endswith(PASSING)
        method = name.removesuffix(PASSING) if passing else name
        if method not in known:
            listed = no_such("method", method, known, use="Use any of").removesuffix(".")
            raise ChoiceError(f"{listed}; each also with {PASSING}.")
        if passing and not is_checkable:
            raise NotEnoughData(_unchecked(name, settings))
        found.append(Entry(name, known[method], passing))
    return found


def compared_methods(settings: EvaluationSettings) -> list[str]:
    """The names of the methods that these settings compare, whatever ratings they see."""
    return [name.removesuffix(PASSING) for name in (YARDSTICK, *(settings.methods or _USUAL))]


def passing_workers(frame: pl.DataFrame, settings: AnalysisSettings) -> list[str]:
    """The workers who pass the check of the settings."""
    found = checks()
    if settings.check not in found:
        raise ChoiceError(no_such("check", settings.check, found))
    if settings.check_attributes is not None:
        # As text: among categories, a name that is none of them is a mistake.
        frame = frame.filter(pl.col("attribute").cast(pl.String).is_in(list(settings.check_attributes)))
    check = found[settings.check]
    if check.reads != "ratings":
        able = ", ".join(name for name, other in found.items() if other.reads == "ratings")
        raise ChoiceError(f"{check.name} reads {check.reads}, and trials are of ratings. Use one of: {able}.")
    verdicts = check.run(frame, check.own_settings(settings.check_settings))
    return [verdict.worker_id for verdict in verdicts if verdict.verdict == "pass"]


def require_check(frame: pl.DataFrame, settings: AnalysisSettings, *, what: str) -> None:
    """NotEnoughData if nobody can be checked."""
    if not can_check(frame, settings):
        raise NotEnoughData(_unchecked(what, settings))


def answer(entry: Entry, frame: pl.DataFrame, asked: Asked) -> Fit | str:
    """What the method makes of a trial's ratings, or why it can make nothing of them."""
    if entry.passing:
        frame = frame.filter(pl.col("worker_id").is_in(list(asked.passed)))
        if frame.is_empty():
            return "no worker passed the check."
    try:
        settings = entry.method.own_settings(asked.settings)
        return entry.method.fit(frame, settings, np.random.default_rng(asked.seed))
    except NotEnoughData as error:
        return error.spelt(as_command_line)


def attribute_fits(entry: Entry, frame: pl.DataFrame, asked: Asked, *, fit: Fit) -> dict[str, Fit]:
    """What the method makes of each attribute: as its `fit` says, or of the attribute's ratings alone."""
    if fit.attributes:
        return dict(fit.attributes)
    found = {}
    for name in frame["attribute"].unique().sort().cast(pl.String):
        alone = answer(entry, frame.filter(pl.col("attribute") == name), asked)
        if not isinstance(alone, str):
            found[name] = alone
    return found


def can_check(frame: pl.DataFrame, settings: AnalysisSettings) -> bool:
    """Whether there is a check, and anything to check workers by."""
    return settings.check != NO_CHECK and bool((frame["item_kind"] == str(ItemKind.DEGRADED)).any())


def _unchecked(what: str, settings: AnalysisSettings) -> str:
    if settings.check == NO_CHECK:
        return f"{what}: nobody passes where nobody is checked. Choose a check with {{check}}."
    return (
        f"{what}: nobody can be checked, for no item is a degraded copy. Leave it out, or take judgements "
        "with degraded copies among them."
    )

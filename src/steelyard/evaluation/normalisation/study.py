"""Ways of normalising ratings, compared with an expert's [Denkowski2010]."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
import polars as pl

from steelyard.evaluation.entries import Asked, Entry
from steelyard.evaluation.normalisation.conclusion import normalisation_conclusion, warnings_of
from steelyard.evaluation.normalisation.figures import (
    NO_DIFFERENCE,
    Difference,
    GoldFigures,
    gold_figures,
    paired_difference,
    worker_agreement,
)
from steelyard.evaluation.normalisation.fits import (
    DRAW_STREAM,
    Fitted,
    HeldOut,
    asked_of,
    compared_entries,
    fitted,
    folds_of,
    held_out,
    retained_rows,
    votes_of,
)
from steelyard.evaluation.normalisation.gold import GoldStudy, gold_study
from steelyard.evaluation.normalisation.random_workers import (
    random_worker_rows,
    resistance_rows,
    with_random_workers,
)
from steelyard.evaluation.normalisation.settings import (
    Normalisation,
    NormalisationSettings,
)
from steelyard.stats.arrays import IntArray
from steelyard.stats.gold import RatingPoints, rating_points

_FIGURES: dict[str, pl.DataType] = {
    "n_scored": pl.Int64(),
    "n_unscored": pl.Int64(),
    **dict.fromkeys(("r", "rho", "delta", "agreement", "kappa"), pl.Float64()),
}
ROWS_SCHEMA: dict[str, pl.DataType] = {
    "method": pl.String(),
    "uses_gold": pl.Boolean(),
    "retained": pl.Int64(),
    **_FIGURES,
    "worker_agreement": pl.Float64(),
    "worker_kappa": pl.Float64(),
    **{f"held_out_{name}": dtype for name, dtype in _FIGURES.items()},
    **dict.fromkeys(Difference._fields, pl.Float64()),
}


@dataclass(frozen=True)
class NormalisationStudy:
    """A study made ready: judgements numbered, gold found, methods chosen, folds drawn."""

    gold: GoldStudy
    settings: NormalisationSettings
    entries: tuple[Entry, ...]
    folds: tuple[IntArray, ...]

    @property
    def n_fits(self) -> int:
        """How many times a method will be run: once, blind, on every fold, and with random workers."""
        return len(self.entries) * (2 + len(self.folds) + self.settings.random_workers)

    @property
    def points(self) -> RatingPoints:
        """The points of the scale, or the line, that ratings were given on."""
        return rating_points(self.gold.judged.rating, self.settings.analysis.scale)

    @property
    def asked(self) -> Asked:
        """What methods get beside the ratings."""
        return asked_of(self.settings.analysis)


def ready_normalisation(frame: pl.DataFrame, settings: NormalisationSettings) -> NormalisationStudy:
    """Everything decided that a study needs; NotEnoughData without enough gold."""
    entries = compared_entries(settings.methods)
    gold = gold_study(frame)
    folds = folds_of(gold.gold_items, settings.folds, seed=settings.analysis.seed)
    named = replace(settings, methods=tuple(entry.name for entry in entries))
    return NormalisationStudy(gold, named, tuple(entries), tuple(folds))


def run_normalisation(
    study: NormalisationStudy, *, step: Callable[[int], None] = lambda _: None
) -> Normalisation:
    """The study's answer; `step` is called with how many more times a method was run."""
    fits = fit_all(study, step=step)
    rests = [held_out(fit, study.gold, study.asked, folds=study.folds, step=step) for fit in fits]
    rows = _rows(study, fits, rests)
    random_workers, resistance = random_resistance(study, fits, step=step)
    return Normalisation(
        settings=study.settings,
        rows=rows,
        random_workers=random_workers,
        resistance=resistance,
        n_gold=len(study.gold.gold_items),
        n_folds=len(study.folds),
        n_categories=study.points.n_categories,
        on_points=study.points.n_points is not None,
        conclusion=normalisation_conclusion(rows),
        warnings=warnings_of(study.gold, fits, study.points),
    )


def normalise_frame(frame: pl.DataFrame, settings: NormalisationSettings) -> Normalisation:
    """How close methods of normalising come to the expert on the ratings of a frame."""
    return run_normalisation(ready_normalisation(frame, settings))


def fit_all(study: NormalisationStudy, *, step: Callable[[int], None] = lambda _: None) -> list[Fitted]:
    """What every method makes of all judgements and all gold."""
    found = []
    for entry in study.entries:
        found.append(fitted(entry, study.gold, study.asked))
        step(1)
    return found


def random_resistance(
    study: NormalisationStudy, fits: Sequence[Fitted], *, step: Callable[[int], None] = lambda _: None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """What methods make of workers who click at random, and these of the methods' scores."""
    if not study.settings.random_workers:
        return pl.DataFrame(), pl.DataFrame()
    analysis = study.settings.analysis
    random = with_random_workers(study.gold, analysis.scale, seed=analysis.seed)
    after = {}
    for entry in study.entries:
        after[entry.name] = fitted(entry, random.study, study.asked)
        step(1)
    return (
        random_worker_rows(random, after, analysis.method_settings),
        resistance_rows(fits, after, study.gold.gold),
    )


def _rows(study: NormalisationStudy, fits: Sequence[Fitted], rests: Sequence[HeldOut]) -> pl.DataFrame:
    differences = [NO_DIFFERENCE, *(_difference(study, rest, rests[0]) for rest in rests[1:])]
    rows = [_row(study, *parts) for parts in zip(fits, rests, differences, strict=True)]
    return pl.DataFrame(rows, schema=ROWS_SCHEMA, orient="row")


def _row(study: NormalisationStudy, fit: Fitted, rest: HeldOut, difference: Difference) -> dict[str, object]:
    name = fit.entry.name
    gold, points = study.gold.gold, study.points if fit.entry.method.in_points else None
    of_workers: tuple[float | None, float | None] = (None, None)
    if points is not None and fit.fit is not None and not fit.entry.method.shifts:
        kept = retained_rows(fit, study.gold, points)
        of_workers = worker_agreement(votes_of(study.gold, kept, points), points)
    return {
        "method": name,
        "uses_gold": rest.uses_gold,
        "retained": None if fit.fit is None else study.gold.retained(fit.fit),
        **asdict(gold_figures(fit.score, gold, points)),
        "worker_agreement": of_workers[0],
        "worker_kappa": of_workers[1],
        **_held_out(gold_figures(rest.score, gold, points, correlated=rest.levelled)),
        **{key: value if np.isfinite(value) else None for key, value in difference._asdict().items()},
    }


def _held_out(figures: GoldFigures) -> dict[str, object]:
    return {f"held_out_{name}": value for name, value in asdict(figures).items()}


def _difference(study: NormalisationStudy, rest: HeldOut, straight: HeldOut) -> Difference:
    """How much better held-out scores correlate with gold than the straight average, one of several."""
    return paired_difference(
        study.gold.gold,
        (rest.levelled, straight.levelled),
        item=study.gold.item,
        # The same draws for every method.
        rng=np.random.default_rng((study.settings.analysis.seed, DRAW_STREAM)),
        n_comparisons=len(study.entries) - 1,
    )

"""What each method makes of the judgements, knowing all gold and with part of it hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from steelyard.aggregation import methods
from steelyard.aggregation.remove_judgements import without_outliers
from steelyard.domain.errors import ChoiceError
from steelyard.domain.nearest import no_such
from steelyard.domain.result import AnalysisSettings, Fit
from steelyard.evaluation.entries import Asked, Entry, answer, attribute_fits
from steelyard.evaluation.normalisation.gold import GoldStudy
from steelyard.evaluation.normalisation.settings import STRAIGHT_AVERAGE, USUAL_METHODS
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.gold import RatingPoints, categories
from steelyard.stats.gold_agreement import Votes

# Streams of random numbers of their own, beside those of the methods.
FOLD_STREAM, DRAW_STREAM, WORKER_STREAM = 1, 2, 3


@dataclass(frozen=True)
class Fitted:
    """A method's answer: its fit over all attributes and the score of each cell (cells,).

    `fit` None: it has no answer, and `reason` says why.
    """

    entry: Entry
    fit: Fit | None
    score: FloatArray
    reason: str = ""


@dataclass(frozen=True)
class HeldOut:
    """The score of each gold cell by a fit that did not know its gold; NaN elsewhere, and where none.

    `levelled` are the same scores as if all fits had the same mean: only these can be put in one order.
    `uses_gold`: whether what the expert says changes the scores at all; None where that is unknown.
    Arrays: (cells,).
    """

    score: FloatArray
    levelled: FloatArray
    uses_gold: bool | None


def compared_entries(names: Sequence[str]) -> list[Entry]:
    """The methods of these names, or the usual ones; the straight average is always there, and first."""
    known = methods()
    for name in names:
        if name not in known:
            raise ChoiceError(no_such("method", name, known, use="Use any of"))
    wanted = dict.fromkeys([STRAIGHT_AVERAGE, *(names or USUAL_METHODS)])
    return [Entry(name, known[name]) for name in wanted]


def voting_methods() -> tuple[str, ...]:
    """The methods that give every worker a vote of some weight, the usual ones in their order first."""
    known = methods()
    return tuple(name for name in dict.fromkeys([*USUAL_METHODS, *known]) if known[name].votes)


def asked_of(settings: AnalysisSettings) -> Asked:
    """How methods are run in a study: as in an analysis, but without intervals or costly tests."""
    return Asked(replace(settings.method_settings, draws=0, test="rank-sum"), (), (settings.seed,))


def fitted(entry: Entry, study: GoldStudy, asked: Asked, *, frame: pl.DataFrame | None = None) -> Fitted:
    """What a method makes of the judgements, or of a variant of them with the same translations."""
    frame = study.frame if frame is None else frame
    fit = answer(entry, frame, asked)
    if isinstance(fit, str):
        return Fitted(entry, None, np.full(study.n_cells, np.nan), fit)
    several = len(study.attributes) > 1
    fits = attribute_fits(entry, frame, asked, fit=fit) if several else {study.attributes[0]: fit}
    return Fitted(entry, fit, study.scores(fits))


def folds_of(items: IntArray, n_folds: int, *, seed: int) -> list[IntArray]:
    """Gold translations cut into folds at random; with fewer translations than folds, each is a fold."""
    rng = np.random.default_rng((seed, FOLD_STREAM))
    shuffled = rng.permutation(items)
    return [np.sort(part) for part in np.array_split(shuffled, min(n_folds, len(items)))]


def held_out(
    whole: Fitted,
    study: GoldStudy,
    asked: Asked,
    *,
    folds: Sequence[IntArray],
    step: Callable[[int], None] = lambda _: None,
) -> HeldOut:
    """Each gold cell scored while what the expert said of its translation is hidden.

    First all gold is hidden: a method whose scores stay what they are uses none, and is done. The others
    have a fit for each fold, and fits are not on one level: where high gold is hidden, ratings are brought
    to the lower gold that is left, so that just the good translations come out too low. To be compared
    across folds, scores are therefore taken off the mean of all scores of their fit.
    """
    nothing: FloatArray = np.full(study.n_cells, np.nan)
    if whole.fit is None:
        step(1 + len(folds))
        return HeldOut(nothing, nothing, None)
    blind = fitted(whole.entry, study, asked, frame=study.hiding(study.gold_items))
    step(1)
    if blind.fit is not None and np.array_equal(blind.score, whole.score, equal_nan=True):
        step(len(folds))
        once = np.where(study.is_gold, whole.score, np.nan)
        return HeldOut(once, once, uses_gold=False)
    found, levelled, levels = nothing.copy(), nothing.copy(), []
    for cells, score in _by_fold(whole.entry, study, asked, folds):
        level = _level(score, study)
        found[cells] = score[cells]
        levelled[cells] = score[cells] - level[study.attribute[cells]]
        levels.append(level)
        step(1)
    return HeldOut(found, levelled + _usual_level(levels)[study.attribute], uses_gold=True)


def _by_fold(
    entry: Entry, study: GoldStudy, asked: Asked, folds: Sequence[IntArray]
) -> Iterator[tuple[IntArray, FloatArray]]:
    """The gold cells of every fold, and all scores by a fit that did not know theirs."""
    for items in folds:
        cells = np.flatnonzero(study.is_gold & np.isin(study.item, items))
        yield cells, fitted(entry, study, asked, frame=study.hiding(items)).score


def _level(score: FloatArray, study: GoldStudy) -> FloatArray:
    """The mean score of all cells of each attribute, gold or not; NaN where none has a score."""
    has_score = np.isfinite(score)
    attribute, n = study.attribute[has_score], len(study.attributes)
    counts = np.bincount(attribute, minlength=n)
    total = np.bincount(attribute, score[has_score], minlength=n)
    level: FloatArray = np.divide(total, counts, out=np.full(n, np.nan), where=counts > 0)
    return level


def _usual_level(levels: Sequence[FloatArray]) -> FloatArray:
    """The mean level of each attribute over the fits, so that attributes keep their distance; NaN if none."""
    stacked = np.stack(levels)
    counts = np.isfinite(stacked).sum(axis=0)
    usual: FloatArray = np.divide(
        np.nansum(stacked, axis=0), counts, out=np.full(stacked.shape[1], np.nan), where=counts > 0
    )
    return usual


def vote_weights(fitted: Fitted, study: GoldStudy) -> FloatArray:
    """What the vote of each row's worker weighs; NaN where nothing is known of them. Shape (rows,)."""
    assert fitted.fit is not None
    of_row = study.frame.select(pl.col("worker_id").cast(pl.String)).join(
        fitted.fit.workers.select("worker_id", "weight"), on="worker_id", how="left", maintain_order="left"
    )
    weights: FloatArray = of_row["weight"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    return weights


def votes_of(study: GoldStudy, rows: BoolArray, points: RatingPoints) -> Votes:
    """The categories that workers put translations in, by these rows, none of them a control's."""
    return Votes(
        category=categories(study.judged.rating[rows], points) - 1,
        item=study.cell[rows],
        worker=study.judged.worker[rows],
        n_workers=study.judged.n_workers,
    )


def retained_rows(fitted: Fitted, study: GoldStudy, points: RatingPoints) -> BoolArray:
    """The rows that the scores of a method rest on: no controls, no outliers, nobody without weight.

    A method that gives no worker any weight lets everybody count. Shape (rows,).
    """
    assert fitted.fit is not None
    is_scored = study.cell >= 0
    if fitted.entry.method.drops == "judgements":
        votes = votes_of(study, is_scored, points)
        near = is_scored.copy()
        near[is_scored] = without_outliers(votes, study.judged.rating[is_scored]).keeps
        return near
    if fitted.fit.workers["weight"].count() == 0:
        return is_scored
    keeps: BoolArray = is_scored & (vote_weights(fitted, study) > 0)
    return keeps

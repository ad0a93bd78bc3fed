"""What each method makes of the judgements, knowing all gold and with part of it hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from steelyard.aggregation import methods
from steelyard.domain.errors import NotFound
from steelyard.domain.result import AnalysisSettings, Fit
from steelyard.evaluation.entries import Asked, Entry, answer, attribute_fits
from steelyard.evaluation.normalisation.gold import GoldStudy
from steelyard.evaluation.normalisation.settings import STRAIGHT_AVERAGE, USUAL_METHODS
from steelyard.stats.arrays import FloatArray, IntArray

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

    `uses_gold`: whether what the expert says changes the scores at all; None where that cannot be told.
    """

    score: FloatArray
    uses_gold: bool | None


def entries_of(names: Sequence[str]) -> list[Entry]:
    """The methods of these names, or the usual ones; the straight average is always there, and first."""
    known = methods()
    for name in names:
        if name not in known:
            raise NotFound(f"There is no method {name!r}. Use any of: {', '.join(known)}.")
    wanted = dict.fromkeys([STRAIGHT_AVERAGE, *(names or USUAL_METHODS)])
    return [Entry(name, known[name]) for name in wanted]


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

    First all gold is hidden: a method whose scores stay what they are uses none, and is done.
    """
    nothing = np.full(study.n_cells, np.nan)
    if whole.fit is None:
        step(1 + len(folds))
        return HeldOut(nothing, None)
    blind = fitted(whole.entry, study, asked, frame=study.hiding(study.gold_items))
    step(1)
    if blind.fit is not None and np.array_equal(blind.score, whole.score, equal_nan=True):
        step(len(folds))
        return HeldOut(np.where(study.is_gold, whole.score, np.nan), uses_gold=False)
    found = nothing.copy()
    for cells, score in _by_fold(whole.entry, study, asked, folds):
        found[cells] = score[cells]
        step(1)
    return HeldOut(found, uses_gold=True)


def _by_fold(
    entry: Entry, study: GoldStudy, asked: Asked, folds: Sequence[IntArray]
) -> Iterator[tuple[IntArray, FloatArray]]:
    """The gold cells of every fold, and all scores by a fit that did not know theirs."""
    for items in folds:
        cells = np.flatnonzero(study.is_gold & np.isin(study.item, items))
        yield cells, fitted(entry, study, asked, frame=study.hiding(items)).score

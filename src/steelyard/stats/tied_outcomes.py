"""How likely a win, a tie and a loss are between two systems of given strengths, with derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

import numpy as np

from steelyard.stats.arrays import FloatArray, IntArray

# How ties come about: with the geometric mean of both strengths [Davidson1970], or where the stronger is not
# ahead by a threshold [Rao1967].
TieModel = Literal["davidson", "rao-kupper"]
TIE_MODELS: tuple[TieModel, ...] = get_args(TieModel)


class OutcomeTerms(NamedTuple):
    """Log-likelihood of each row and its derivatives by the difference d of strengths and the tie t."""

    value: FloatArray
    d: FloatArray
    t: FloatArray
    dd: FloatArray
    dt: FloatArray
    tt: FloatArray


def outcome_probabilities(difference: FloatArray, tie: float | None, *, ties: TieModel) -> FloatArray:
    """Chance of a win, a tie and a loss for a difference in log strength. Shape (..., 3).

    Davidson: win, tie and loss are as e^(d/2) : nu : e^(-d/2), with nu = e^tie. Rao and Kupper: a win
    has the logistic chance of d - tie, a loss that of -d - tie. Without a tie parameter nothing is tied.

    >>> outcome_probabilities(np.array([0.0]), 0.0, ties="davidson").round(3)
    array([[0.333, 0.333, 0.333]])
    >>> outcome_probabilities(np.array([np.log(3.0)]), None, ties="davidson").round(3)
    array([[0.75, 0.  , 0.25]])
    """
    log_p = [
        outcome_terms(difference, np.full(np.shape(difference), outcome), tie, ties=ties).value
        if tie is not None or outcome
        else np.full(np.shape(difference), -np.inf)
        for outcome in (1, 0, -1)
    ]
    probabilities: FloatArray = np.exp(np.stack(log_p, axis=-1))
    return probabilities


def outcome_terms(
    difference: FloatArray, outcome: IntArray, tie: float | None, *, ties: TieModel
) -> OutcomeTerms:
    """Log-likelihood of outcomes (1, 0 or -1) between systems so far apart, and its derivatives."""
    return _OF_TIES[ties](difference, outcome, tie)


def _davidson(d: FloatArray, outcome: IntArray, tie: float | None) -> OutcomeTerms:
    """Win, tie and loss as e^(d/2) : e^t : e^(-d/2): linear in d and t except for one sum."""
    half, t = d / 2, -np.inf if tie is None else tie
    largest = np.maximum(np.abs(half), t)
    win, loss, tied = np.exp(half - largest), np.exp(-half - largest), np.exp(t - largest)
    total = win + loss + tied
    p_win, p_loss, p_tie = win / total, loss / total, tied / total
    said = np.where(outcome == 0, 0.0 if tie is None else t, outcome * half)
    lead, is_tie = (p_win - p_loss) / 2, (outcome == 0).astype(np.float64)
    return OutcomeTerms(
        value=said - largest - np.log(total),
        d=outcome / 2 - lead,
        t=is_tie - p_tie,
        dd=lead**2 - (p_win + p_loss) / 4,
        dt=lead * p_tie,
        tt=-p_tie * (1 - p_tie),
    )


def _rao_kupper(d: FloatArray, outcome: IntArray, tie: float | None) -> OutcomeTerms:
    """A win has the logistic chance of d - t, a loss that of -d - t, a tie what is left.

    What is left is P(d - t) P(-d - t) (e^2t - 1), so every log-likelihood is a sum of log P.
    """
    t = 0.0 if tie is None else tie
    up, down = d - t, -d - t
    log_up, log_down = -np.logaddexp(0.0, -up), -np.logaddexp(0.0, -down)
    p_up, p_down = np.exp(log_up), np.exp(log_down)
    has_up, has_down = outcome >= 0, outcome <= 0
    slope_up, slope_down = np.where(has_up, 1 - p_up, 0.0), np.where(has_down, 1 - p_down, 0.0)
    bend_up = np.where(has_up, -p_up * (1 - p_up), 0.0)
    bend_down = np.where(has_down, -p_down * (1 - p_down), 0.0)
    is_tie = outcome == 0
    # log(e^2t - 1) and its derivatives, where there are ties.
    gap, gap_slope, gap_bend = 0.0, 0.0, 0.0
    if tie is not None:
        rest = -np.expm1(-2 * t)
        gap, gap_slope, gap_bend = 2 * t + np.log(rest), 2 / rest, -4 * np.exp(-2 * t) / rest**2
    return OutcomeTerms(
        value=np.where(has_up, log_up, 0.0) + np.where(has_down, log_down, 0.0) + np.where(is_tie, gap, 0.0),
        d=slope_up - slope_down,
        t=-slope_up - slope_down + np.where(is_tie, gap_slope, 0.0),
        dd=bend_up + bend_down,
        dt=-bend_up + bend_down,
        tt=bend_up + bend_down + np.where(is_tie, gap_bend, 0.0),
    )


_OF_TIES: dict[TieModel, Callable[[FloatArray, IntArray, float | None], OutcomeTerms]] = {
    "davidson": _davidson,
    "rao-kupper": _rao_kupper,
}

"""Scores carried over lines to an earlier scale, with the uncertainty of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from steelyard.longitudinal.link_draws import CampaignScores
from steelyard.stats.arrays import FloatArray
from steelyard.stats.multiplicity import holm

# Of normal draws, this share lies below one deviation under their middle.
_BELOW_ONE_SD = 0.15865525393145705
_PAIR_SCHEMA = {
    **dict.fromkeys(("better_campaign", "better", "worse_campaign", "worse"), pl.String()),
    **dict.fromkeys(("difference", "lower", "upper", "p_value", "p_two_sided", "p_holm"), pl.Float64()),
}


@dataclass(frozen=True)
class LinkedScale:
    """The line from a campaign's scale to the earliest, and draws (draws,) of it."""

    intercept: float
    slope: float
    intercepts: FloatArray
    slopes: FloatArray

    @classmethod
    def unchanged(cls, draws: int) -> LinkedScale:
        """The earliest scale itself."""
        return cls(0.0, 1.0, np.zeros(draws), np.ones(draws))

    def after(self, first: LinkedScale) -> LinkedScale:
        """Over the line `first`, then over this one."""
        return LinkedScale(
            self.intercept + self.slope * first.intercept,
            self.slope * first.slope,
            self.intercepts + self.slopes * first.intercepts,
            self.slopes * first.slopes,
        )

    def carried(self, score: FloatArray) -> FloatArray:
        """Scores on the earliest scale, the line taken as known."""
        moved: FloatArray = self.intercept + self.slope * score
        return moved

    def carried_by_draws(self, score: FloatArray) -> FloatArray:
        """Draws of scores (draws, S), or the same scores (S,) each time, over every draw of the line."""
        moved: FloatArray = self.intercepts[:, None] + self.slopes[:, None] * score
        return moved


def system_rows(campaign: CampaignScores, scale: LinkedScale, *, level: float) -> pl.DataFrame:
    """The systems of a campaign on the earliest scale, best first: rows of `Linked.systems`."""
    whole, own = scale.carried_by_draws(campaign.draws), scale.carried(campaign.draws)
    sd_own, sd_link = deviation(own), deviation(scale.carried_by_draws(campaign.score))
    (lower, upper), (own_lower, own_upper) = draw_bounds(whole, level=level), draw_bounds(own, level=level)
    both = sd_own**2 + sd_link**2
    share = np.divide(sd_link**2, both, out=np.zeros_like(both), where=both > 0)
    return pl.DataFrame(
        {
            "campaign": [campaign.title] * len(campaign.systems),
            "system_id": list(campaign.systems),
            "score": campaign.score,
            "linked": scale.carried(campaign.score),
            "lower": lower,
            "upper": upper,
            "sd_total": deviation(whole),
            "sd_own": sd_own,
            "sd_link": sd_link,
            "share_of_link": share,
            "own_lower": own_lower,
            "own_upper": own_upper,
        }
    ).sort("linked", "system_id", descending=[True, False])


def pair_rows(
    campaigns: Sequence[CampaignScores], scales: Sequence[LinkedScale], *, level: float
) -> pl.DataFrame:
    """Every system beside every system of another campaign: rows of `Linked.pairs`."""
    carried = list(zip(campaigns, scales, strict=True))
    found = [
        row for earlier, later in combinations(carried, 2) for row in _between(earlier, later, level=level)
    ]
    p_value = np.array([row[-1] for row in found], dtype=np.float64)
    either = np.minimum(2 * p_value, 1.0)
    rows = [(*row, *map(float, more)) for row, *more in zip(found, either, holm(either), strict=True)]
    return pl.DataFrame(rows, schema=_PAIR_SCHEMA, orient="row")


def _between(
    earlier: tuple[CampaignScores, LinkedScale], later: tuple[CampaignScores, LinkedScale], *, level: float
) -> Iterator[tuple[str | float, ...]]:
    """Pairs of two campaigns' systems; p counts the scores observed as one draw more, so it is never 0."""
    (old, old_scale), (new, new_scale) = earlier, later
    old_linked, old_draws = old_scale.carried(old.score), old_scale.carried_by_draws(old.draws)
    new_linked, new_draws = new_scale.carried(new.score), new_scale.carried_by_draws(new.draws)
    for place, system in enumerate(new.systems):
        difference = new_linked[place] - old_linked
        sign = np.where(difference < 0, -1.0, 1.0)
        apart = (new_draws[:, [place]] - old_draws) * sign
        known = ~np.isnan(apart)
        p_value = (1 + (known & ~(apart > 0)).sum(axis=0)) / (1 + known.sum(axis=0))
        lower, upper = draw_bounds(apart, level=level)
        for number, other in enumerate(old.systems):
            names = ((new.title, system), (old.title, other))
            better, worse = names if sign[number] > 0 else names[::-1]
            numbers = (abs(difference[number]), lower[number], upper[number], p_value[number])
            yield (*better, *worse, *map(float, numbers))


def deviation(draws: FloatArray) -> FloatArray:
    """Half the width of the middle 68 % of draws (draws, S): a few far out must not decide. Shape (S,)."""
    low, high = np.nanquantile(draws, [_BELOW_ONE_SD, 1 - _BELOW_ONE_SD], axis=0)
    half: FloatArray = (high - low) / 2
    return half


def draw_bounds(draws: FloatArray, *, level: float) -> FloatArray:
    """Lower and upper end of the middle part of draws (draws, S). Shape (2, S)."""
    tail = (1 - level) / 2
    ends: FloatArray = np.nanquantile(draws, [tail, 1 - tail], axis=0)
    return ends

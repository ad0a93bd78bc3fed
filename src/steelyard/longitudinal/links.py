"""Systems of several campaigns on one scale, through items that two campaigns have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Literal

import numpy as np
import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.wording import counted
from steelyard.longitudinal.link_draws import CampaignScores, ItemScores
from steelyard.longitudinal.link_scales import LinkedScale, deviation, pair_rows, system_rows
from steelyard.stats.arrays import FloatArray
from steelyard.stats.line_link import LinkLine, MeasuredPoints, Slope, drawn_lines, link_line, rising_p_value
from steelyard.stats.ties import ranks_of

# What two campaigns have in common: earlier scores of calibration items, calibration items judged in both,
# or, only if asked for, translations judged in both.
Via = Literal["known", "calibration", "translations"]
# Two points are always on a line.
LEAST_ITEMS = 3
# A difference counts below this p after Holm's correction.
_SIGNIFICANT = 0.05
# A line that rises no more surely than this carries nothing to another scale.
_RISING = 0.05
# What the scale of a first campaign's earlier scores is called, where that campaign itself is not at hand.
EARLIER = "the earlier scores"
HOWTO = "docs/howto/comparing-years.md"
# As the guide on comparing years says.
ENOUGH_ITEMS = 20
# Points that lie so far from the line come about by errors alone once in a hundred times [our choice].
_LARGE_SCATTER = 0.01
_NAMED = 3


@dataclass(frozen=True)
class CommonItems:
    """The same items in the later campaign and in the earlier, in the same order."""

    via: Via
    later: ItemScores
    earlier: ItemScores


@dataclass(frozen=True)
class Linked:
    """Systems of several campaigns on the scale of the earliest, which `scale` names.

    `links`, one row per campaign brought to the one before it: campaign, to, via, n_items, intercept,
    slope, intercept_sd, slope_sd, correlation (between the errors of these two; null where only one is
    fitted), chi2_per_df, residual_sd (scatter about the line beyond the known errors, on the scale of `to`),
    share_of_link (of all its systems together, links further back included).
    `systems`, campaign by campaign, best first: campaign, system_id, score (on its own scale), linked, lower,
    upper, sd_total, sd_own (as if the lines were known), sd_link (as if the scores were), share_of_link:
    sd_link^2 / (sd_own^2 + sd_link^2), own_lower, own_upper (as if the lines were known).
    `pairs` of different campaigns, the better first: better_campaign, better, worse_campaign, worse,
    difference, lower, upper, p_value (one-sided), p_two_sided, p_holm (of all these pairs).
    Deviations are half the width of the middle 68 % of the draws.
    """

    scale: str
    level: float
    links: pl.DataFrame
    systems: pl.DataFrame
    pairs: pl.DataFrame
    warnings: tuple[str, ...] = ()
    signature: str = ""


def join(
    campaigns: Sequence[CampaignScores],
    commons: Sequence[CommonItems],
    *,
    slope: Slope = "free",
    level: float = 0.95,
    rng: np.random.Generator,
) -> Linked:
    """Campaigns, oldest first, on the scale of the first, or of scores earlier still.

    `commons` has one entry fewer than there are campaigns, or as many: then its first brings the first
    campaign to earlier scores. Each link is a line through common items with errors on both sides [York2004].
    Draws of systems, of items and of the scatter about the line go over it together, and lines of
    several links are put one into another, draw by draw. NotEnoughData if a line cannot be drawn.
    """
    has_earlier = len(commons) == len(campaigns)
    names = [campaign.title for campaign in campaigns]
    targets = [EARLIER, *names[:-1]] if has_earlier else names[:-1]
    moving = campaigns if has_earlier else campaigns[1:]
    scales = [LinkedScale.unchanged(len(campaigns[0].draws))]
    rows: list[dict[str, Any]] = []
    warnings: list[str] = []
    for target, campaign, common in zip(targets, moving, commons, strict=True):
        line = _fitted(campaign.title, target, common, slope=slope)
        step = _drawn(line, common, slope=slope, rng=rng)
        scales.append(scales[-1].after(step))
        rows.append({"campaign": campaign.title, "to": target, **_link_numbers(common, line, step)})
        warnings += line_warnings(campaign, target, common.later, line)
    scales = scales[1:] if has_earlier else scales
    systems = pl.concat(
        system_rows(campaign, scale, level=level) for campaign, scale in zip(campaigns, scales, strict=True)
    )
    links = pl.DataFrame(rows, schema_overrides={"correlation": pl.Float64})
    pairs = pair_rows(campaigns, scales, level=level)
    return Linked(
        scale=EARLIER if has_earlier else names[0],
        level=level,
        links=links.join(_shares(systems), on="campaign", how="left", maintain_order="left"),
        systems=systems,
        pairs=pairs,
        warnings=(*warnings, *_coarse_draws(pairs, len(campaigns[0].draws))),
    )


def _coarse_draws(pairs: pl.DataFrame, draws: int) -> tuple[str, ...]:
    """A warning where even a difference that all draws agree on cannot count, for there are too few draws."""
    enough = ceil(2 * len(pairs) / _SIGNIFICANT)
    if draws >= enough or not (pairs["p_value"] <= 1 / draws).any():
        return ()
    return (
        f"{draws:,} draws are too few for {counted(len(pairs), 'pair')} of systems: with Holm's correction "
        f"no difference between campaigns can be significant. Ask for {enough} draws or more.",
    )


def _fitted(title: str, target: str, common: CommonItems, *, slope: Slope) -> LinkLine:
    """The line; NotEnoughData if there are too few items, or if it does not surely rise."""
    n = len(common.later.names)
    if n < LEAST_ITEMS:
        raise NotEnoughData(
            f"{title} has {counted(n, 'item')} in common with {target}, and a line needs "
            f"{LEAST_ITEMS} at the very least. Have {ENOUGH_ITEMS} or more judged: see {HOWTO}."
        )
    p_value = rising_p_value(common.later.score, common.earlier.score)
    if slope == "free" and p_value >= _RISING:
        raise NotEnoughData(
            f"The {n} items that {title} has in common with {target} do not surely score higher in one where "
            f"they do in the other (p = {p_value:.2g}), so the one scale cannot be read off the other. "
            "See whether texts and earlier scores were paired rightly; otherwise more items, or more "
            "judgements of each, are needed. Between raw points of the same page, a slope of one takes only "
            "the level from them."
        )
    return link_line(_points(common), slope=slope)


def _points(common: CommonItems) -> MeasuredPoints:
    later, earlier = common.later, common.earlier
    return MeasuredPoints(later.score, earlier.score, later.sd**2, earlier.sd**2)


def _drawn(line: LinkLine, common: CommonItems, *, slope: Slope, rng: np.random.Generator) -> LinkedScale:
    """The line with draws of it: from both campaigns' scores of the items, and from the scatter about it."""
    draws, n = common.earlier.draws.shape
    # The size of the scatter is uncertain, with so few items: every draw has its own.
    size = line.scatter * np.sqrt(line.df / rng.chisquare(line.df, size=(draws, 1)))
    scatter = rng.standard_normal((draws, n)) * size
    points = _points(common)
    # The draws err twice, once as observed and once as drawn, in x and y alike: only the ratio matters.
    variances = (points.x_variance, points.y_variance + line.scatter**2)
    intercepts, slopes = drawn_lines(
        common.later.draws, common.earlier.draws + scatter, variances=variances, slope=slope
    )
    return LinkedScale(line.intercept, line.slope, intercepts, slopes)


def _link_numbers(common: CommonItems, line: LinkLine, drawn: LinkedScale) -> dict[str, Any]:
    both = np.column_stack([drawn.intercepts, drawn.slopes])
    intercept_sd, slope_sd = deviation(both).tolist()
    return {
        "via": common.via,
        "n_items": len(common.later.names),
        "intercept": line.intercept,
        "slope": line.slope,
        "intercept_sd": intercept_sd,
        "slope_sd": slope_sd,
        "correlation": _correlation(both) if slope_sd > 0 else None,
        "chi2_per_df": line.chi2_per_df,
        "residual_sd": line.scatter,
    }


def _correlation(draws: FloatArray) -> float | None:
    """That of ranks, for a few draws far out must not decide; None where one of the two never changes."""
    known = draws[~np.isnan(draws).any(axis=1)]
    if not len(known) or (np.ptp(known, axis=0) == 0).any():
        return None
    return float(np.corrcoef(ranks_of(known[:, 0]).rank, ranks_of(known[:, 1]).rank)[0, 1])


def _shares(systems: pl.DataFrame) -> pl.DataFrame:
    """How much of the variance of each campaign's systems, taken together, is the links'."""
    link, own = (pl.col("sd_link") ** 2).sum(), (pl.col("sd_own") ** 2).sum()
    return systems.group_by("campaign").agg(share_of_link=link / (link + own))


def line_warnings(campaign: CampaignScores, target: str, items: ItemScores, line: LinkLine) -> list[str]:
    """Few items, items that do not fit, systems beyond the items: a sentence each."""
    return [
        *_few(campaign.title, target, len(items.names)),
        *_scattered(campaign.title, target, items, line),
        *_beyond(campaign, items),
    ]


def _few(title: str, target: str, n: int) -> list[str]:
    if n >= ENOUGH_ITEMS:
        return []
    return [
        f"The link from {title} to {target} rests on {n} items: with fewer than {ENOUGH_ITEMS}, how far they "
        "lie from the line is uncertain, and intervals may be too narrow."
    ]


def _scattered(title: str, target: str, items: ItemScores, line: LinkLine) -> list[str]:
    if line.p_value >= _LARGE_SCATTER:
        return []
    furthest = np.argsort(-line.distance, kind="stable")[:_NAMED]
    named = ", ".join(items.names[place] for place in furthest)
    return [
        f"Common items lie further from the line between {title} and {target} than their errors explain "
        f"(chi2/df = {line.chi2_per_df:.1f}): some may mean something else now, or their earlier scores may "
        f"be less certain than stated. Intervals allow for it. Look at the furthest: {named}."
    ]


def _beyond(campaign: CampaignScores, items: ItemScores) -> list[str]:
    low, high = float(items.score.min()), float(items.score.max())
    outside = [
        name
        for name, score in zip(campaign.systems, campaign.score.tolist(), strict=True)
        if not low <= score <= high
    ]
    if not outside:
        return []
    return [
        f"These systems of {campaign.title} score beyond all common items ({low:.3g} to {high:.3g}), where "
        f"nothing supports the line: {', '.join(outside)}."
    ]

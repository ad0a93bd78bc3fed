"""Which items two campaigns have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.wording import counted
from steelyard.evaluation.linking.rows import LinkRows, known_scores
from steelyard.evaluation.linking.settings import Common
from steelyard.longitudinal.links import HOWTO, LEAST_ITEMS, Via


@dataclass(frozen=True)
class Chosen:
    """The names of common items, in order, and what they are."""

    via: Via
    names: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def choose(earlier: LinkRows | None, later: LinkRows, common: Common) -> Chosen:
    """What links a campaign to the one before, or to earlier scores alone; NotEnoughData if nothing does.

    Without a wish: calibration items that both judged and that carry the same earlier score, or none, in both
    (they are the same texts), if there are enough of them; otherwise the earlier scores that those
    of the later campaign carry.
    """
    if earlier is None:
        return _known(None, later, "known")
    if common == "known":
        return _known(earlier, later, common)
    if common != "auto":
        names = _judged_in_both(earlier, later, common)
        if not names:
            _refused(earlier, later, common)
        return Chosen(common, names)
    same = _same_calibration(earlier, later)
    if len(same) >= LEAST_ITEMS or (same and known_scores(later).is_empty()):
        return Chosen("calibration", same)
    return _known(earlier, later, common)


def _known(earlier: LinkRows | None, later: LinkRows, common: Common) -> Chosen:
    found = known_scores(later)
    if found.is_empty():
        _refused(earlier, later, common)
    if earlier is not None:
        _require_same_units(earlier, later, found["known"])
    missing = found["known_sd"].null_count()
    told = (
        f"{missing} of the {len(found)} earlier scores in {later.title} come without a standard deviation "
        "(known_sd) and are taken as exact, so intervals are too narrow.",
    )
    return Chosen("known", tuple(found["item"]), told if missing else ())


def _judged_in_both(earlier: LinkRows, later: LinkRows, via: Via) -> tuple[str, ...]:
    both = later.items(via).select("item").unique().join(earlier.items(via), on="item", how="semi")
    return tuple(both["item"].sort())


def _same_calibration(earlier: LinkRows, later: LinkRows) -> tuple[str, ...]:
    """Calibration items of the same name and the same earlier score: other texts may bear the same names."""
    old, new = (rows.calibration.group_by("item").agg(pl.col("known").first()) for rows in (earlier, later))
    both = old.join(new, on="item", how="inner", suffix="_later")
    same = both.filter(pl.col("known").eq_missing(pl.col("known_later")))
    return tuple(same["item"].sort())


def _require_same_units(earlier: LinkRows, later: LinkRows, known: pl.Series) -> None:
    """Refuses earlier scores such as the earlier campaign, so analysed, gave to no translation."""
    analysis = earlier.evidence.analysis
    scores, middle = analysis.segments["score"].drop_nulls().to_numpy(), float(np.median(known.to_numpy()))
    low, high = float(scores.min()), float(scores.max())
    if low <= middle <= high:
        return
    raise NotEnoughData(
        f"Half of the earlier scores in {later.title} lie above {middle:.3g} and half below, while "
        f"translations in {earlier.title} score from {low:.3g} to {high:.3g} by "
        f"{analysis.settings.method}: they are of another method, or of another campaign. Analyse by the "
        "method that they come from ({method}), and give the campaign that they come from just before."
    )


def _refused(earlier: LinkRows | None, later: LinkRows, common: Common) -> NoReturn:
    """Raises NotEnoughData that says what was looked for, and what there is."""
    n_calibration = later.calibration["item"].n_unique()
    has = counted(n_calibration, "calibration item") if n_calibration else "no calibration items"
    target = "earlier scores" if earlier is None else earlier.title
    looked = {
        "auto": "calibration items with an earlier score (known), and for some judged in both",
        "known": "calibration items with an earlier score (known)",
        "calibration": "calibration items of the same segment in both",
        "translations": "translations of the same system and segment in both",
    }[common]
    raise NotEnoughData(
        f"{later.title} has nothing in common with {target}: looked for {looked}, among the judgements that "
        f"count; it has {has}. Scores of different campaigns have no common level, standardised ones least "
        f"of all, so without such items they cannot be compared. How to plan for them: {HOWTO}."
    )

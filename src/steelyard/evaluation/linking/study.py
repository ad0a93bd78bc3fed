"""Linking campaigns: which items two campaigns have in common, and everybody's systems on one scale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np
import polars as pl

from steelyard.aggregation import methods
from steelyard.domain.errors import ChoiceError, NotEnoughData
from steelyard.domain.exhibit import Evidence
from steelyard.domain.wording import counted
from steelyard.evaluation.linking.model import modelled_scores
from steelyard.evaluation.linking.rows import LinkRows, drawn_scores, known_scores, link_rows
from steelyard.evaluation.linking.settings import Common, LinkOptions
from steelyard.longitudinal.link_draws import CampaignScores, ItemScores
from steelyard.longitudinal.links import HOWTO, LEAST_ITEMS, CommonItems, Linked, Via, join

# More common items make a line no surer: this many are drawn at random [our choice].
MOST_ITEMS = 2_000


def linked(
    evidence: Sequence[Evidence], options: LinkOptions, *, step: Callable[[int], None] = lambda _: None
) -> Linked:
    """The systems of all campaigns, given oldest first, on the scale of the first.

    A single campaign is brought to the scale of the earlier scores that its calibration items carry. Of
    several, each is brought to the one before: earlier scores are taken for that campaign's. `step` is called
    with 1 whenever a campaign was drawn. NotEnoughData, saying what was looked for, if two of them
    have too little in common.
    """
    rows = [
        link_rows(source, title=title)
        for source, title in zip(evidence, _titles([source.title for source in evidence]), strict=True)
    ]
    # The first campaign that is brought to an earlier scale.
    first = 0 if len(rows) == 1 else 1
    rng = np.random.default_rng(options.seed)
    chosen = [
        _at_most(_choose(rows[place - 1] if place else None, rows[place], options.common), rng)
        for place in range(first, len(rows))
    ]
    campaigns: list[CampaignScores] = []
    items: list[ItemScores | None] = []
    for place, campaign in enumerate(rows):
        names = _needed(chosen, place - first)
        scores, of_items = _drawn(campaign, names, options, rng)
        campaigns.append(scores)
        items.append(of_items)
        step(1)
    commons = []
    for place, choice in enumerate(chosen, start=first):
        later = items[place]
        assert later is not None
        earlier = items[place - 1] if choice.via != "known" else _known(rows[place], choice, options, rng)
        assert earlier is not None
        commons.append(CommonItems(choice.via, later.of(choice.names), earlier.of(choice.names)))
    level = evidence[0].analysis.settings.method_settings.level
    found = join(campaigns, commons, slope=options.slope, level=level, rng=rng)
    of_choices = [warning for choice in chosen for warning in choice.warnings]
    return replace(found, warnings=(*of_choices, *found.warnings))


def _drawn(
    rows: LinkRows, names: Sequence[str], options: LinkOptions, rng: np.random.Generator
) -> tuple[CampaignScores, ItemScores | None]:
    method = rows.evidence.analysis.settings.method
    if methods()[method].mean_of is not None:
        return drawn_scores(rows, names, via=_via(options), draws=options.draws, rng=rng)
    if options.common == "translations":
        means = [name for name, known in methods().items() if known.links_items and known.mean_of]
        raise ChoiceError(
            f"By {method}, campaigns are linked through calibration items only: of translations, the model "
            f"draws each towards its system and segment. Use one of: {', '.join(means)}."
        )
    return modelled_scores(rows, names, draws=options.draws, rng=rng)


def _via(options: LinkOptions) -> Via:
    """Which kind of items the campaigns judged themselves."""
    return "translations" if options.common == "translations" else "calibration"


def _titles(titles: Sequence[str]) -> list[str]:
    """Distinct names of campaigns: those with the same title are numbered."""
    seen: Counter[str] = Counter()
    named = []
    for title in titles:
        seen[title] += 1
        named.append(title if titles.count(title) == 1 else f"{title} ({seen[title]})")
    return named


def _at_most(chosen: Chosen, rng: np.random.Generator) -> Chosen:
    """All common items, or as many as a line can use."""
    if len(chosen.names) <= MOST_ITEMS:
        return chosen
    places = np.sort(rng.choice(len(chosen.names), MOST_ITEMS, replace=False))
    remark = (
        f"The line rests on {MOST_ITEMS:,} of {len(chosen.names):,} common items, drawn at random: more "
        "would hardly make it surer."
    )
    names = tuple(chosen.names[place] for place in places)
    return replace(chosen, names=names, warnings=(*chosen.warnings, remark))


def _needed(chosen: Sequence[Chosen], place: int) -> list[str]:
    """The items of a campaign that any link looks at, as the later campaign or as the earlier."""
    names: set[str] = set()
    if place >= 0:
        names.update(chosen[place].names)
    if place + 1 < len(chosen) and chosen[place + 1].via != "known":
        names.update(chosen[place + 1].names)
    return sorted(names)


def _known(rows: LinkRows, chosen: Chosen, options: LinkOptions, rng: np.random.Generator) -> ItemScores:
    """The earlier scores, and draws of what they might have been; without a deviation, they are exact."""
    known = known_scores(rows).filter(pl.col("item").is_in(chosen.names))
    score, sd = known["known"].to_numpy(), known["known_sd"].fill_null(0.0).to_numpy()
    draws = score + rng.standard_normal((options.draws, len(score))) * sd
    return ItemScores(tuple(known["item"]), score, sd, draws)


@dataclass(frozen=True)
class Chosen:
    """The names of common items, in order, and what they are."""

    via: Via
    names: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def _choose(earlier: LinkRows | None, later: LinkRows, common: Common) -> Chosen:
    """What links a campaign to the one before, or to earlier scores alone; NotEnoughData if nothing does.

    Without a wish: calibration items that both judged and that carry the same earlier score, or none, in both
    (they are the same texts), if there are enough of them; otherwise the earlier scores that those
    of the later campaign carry.
    """
    if earlier is None:
        return _known_items(None, later, "known")
    if common == "known":
        return _known_items(earlier, later, common)
    if common != "auto":
        names = _judged_in_both(earlier, later, common)
        if not names:
            _refused(earlier, later, common)
        return Chosen(common, names)
    same = _same_calibration(earlier, later)
    if len(same) >= LEAST_ITEMS or (same and known_scores(later).is_empty()):
        return Chosen("calibration", same)
    return _known_items(earlier, later, common)


def _known_items(earlier: LinkRows | None, later: LinkRows, common: Common) -> Chosen:
    found = known_scores(later)
    if found.is_empty():
        _refused(earlier, later, common)
    if earlier is not None:
        _require_same_units(earlier, later, found["known"])
    missing = found["known_sd"].null_count()
    remark = (
        f"{missing} of the {len(found)} earlier scores in {later.title} come without a standard deviation "
        "(known_sd) and are taken as exact, so intervals are too narrow.",
    )
    return Chosen("known", tuple(found["item"]), remark if missing else ())


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
    """Raises NotEnoughData that says what was looked for and what was found."""
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

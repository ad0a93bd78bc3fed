"""Linking campaigns: which items two campaigns have in common, and everybody's systems on one scale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from steelyard.aggregation import methods
from steelyard.domain.errors import ChoiceError
from steelyard.domain.exhibit import Evidence
from steelyard.evaluation.linking.items import Chosen, choose
from steelyard.evaluation.linking.model import modelled_scores
from steelyard.evaluation.linking.rows import LinkRows, drawn_scores, known_scores, link_rows
from steelyard.evaluation.linking.settings import LinkOptions
from steelyard.longitudinal.link_draws import CampaignScores, ItemScores
from steelyard.longitudinal.links import CommonItems, Linked, Via, join

# More common items make a line no surer: so many are drawn at random [our choice].
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
        _at_most(choose(rows[place - 1] if place else None, rows[place], options.common), rng)
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
    told = [warning for choice in chosen for warning in choice.warnings]
    return replace(found, warnings=(*told, *found.warnings))


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
    """Names that tell campaigns apart: those with the same title are numbered."""
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
    told = (
        f"The line rests on {MOST_ITEMS:,} of {len(chosen.names):,} common items, drawn at random: more "
        "would hardly make it surer."
    )
    names = tuple(chosen.names[place] for place in places)
    return replace(chosen, names=names, warnings=(*chosen.warnings, told))


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

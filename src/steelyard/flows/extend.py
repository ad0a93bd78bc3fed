"""Extend a running campaign: more ratings, further segments or systems, as rounds beside the stored ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import numpy as np

from steelyard.design.appending import Appended, Appender, meetings
from steelyard.design.builder import build
from steelyard.design.prefilled import Prefiller
from steelyard.domain.campaign import Campaign
from steelyard.domain.errors import CampaignError, ChoiceError, Conflict
from steelyard.domain.running import By, CampaignState
from steelyard.flows.create import new_ids
from steelyard.flows.further_texts import (
    FurtherTexts,
    further_texts,
    missing_texts,
    nothing_further,
    part_campaign,
)
from steelyard.flows.open import OpenCampaign
from steelyard.flows.watching import Progress, unseen
from steelyard.formats.campaign_toml import read_campaign
from steelyard.planning.spending import pay_terms
from steelyard.protocols import protocols
from steelyard.store import actions, extending, laid_out, running
from steelyard.store.extending import StoredRound, StoredTexts

# Rounds in which a new system is judged unless more are asked for [our choice].
ROUNDS_FOR_SYSTEMS = 1
NEEDS_OTHERS = (
    "nobody judges a text twice, so new HITs of segments that workers have judged need other workers: "
    "invite some."
)


@dataclass(frozen=True, slots=True)
class AddedRounds:
    """What one part of the segments gets: new HITs, or more places on those of its last round.

    `first_round` to `last_round` are the rounds that the places belong to, `n_hits` the HITs that are new.
    Each HIT gets `openings_per_hit` places for workers, all together `n_openings`.
    """

    part: int
    first_round: int
    last_round: int
    n_hits: int
    openings_per_hit: int
    n_openings: int
    n_judgements: int


@dataclass(frozen=True, slots=True)
class Extended:
    """What an extension adds, or would if it is not written, and about what it costs.

    `cost` is None if nothing is known about pay.
    """

    state: CampaignState
    systems: tuple[str, ...]
    n_segments: int
    n_items: int
    n_hits: int
    n_openings: int
    n_judgements: int
    rounds: tuple[AddedRounds, ...]
    hours: float
    cost: float | None
    currency: str
    warnings: tuple[str, ...]
    is_written: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Extension:
    """An extension that is designed and not written yet."""

    stored: StoredTexts
    further: FurtherTexts
    appended: tuple[tuple[AddedRounds, Appended | None], ...]
    extended: Extended


def extend(
    campaign: OpenCampaign,
    *,
    ratings: int | None = None,
    texts: Path | None = None,
    by: By,
    now: datetime,
) -> Extended:
    """Design an extension and write it, or nothing at all. Workers may go on judging meanwhile."""
    return write_extension(campaign, design_extension(campaign, ratings=ratings, texts=texts), by=by, now=now)


def design_extension(
    campaign: OpenCampaign,
    *,
    ratings: int | None = None,
    texts: Path | None = None,
    confined: bool = False,
    progress: Progress = unseen,
) -> Extension:
    """What `ratings` more of every item, or what the campaign file `texts` adds, would consist of.

    Nothing is written. With `texts`, `ratings` says how often the new translations are judged: else once for
    new systems, and as often as at creation for new segments. `confined`: that file may name no file outside
    its folder.
    """
    if ratings is None and texts is None:
        raise ChoiceError("Say what to add: {ratings} for more ratings of each item, or {texts} for a file.")
    if ratings is not None and ratings < 1:
        raise ChoiceError("{ratings} must be at least 1.")
    with campaign.store.snapshot() as connection:
        stored = extending.stored_texts(connection)
        rounds, begun = extending.stored_rounds(connection), extending.parts_begun(connection)
        state = running.state(connection)
    if not stored.extent.hit:
        raise Conflict("the campaign has no HITs to go on from.")
    source = None if texts is None else read_campaign(texts, confined=confined)
    further = nothing_further(stored)
    if texts is not None and source is not None:
        _require_own_layout(stored, str(texts))
        further = further_texts(stored, source.campaign, where=str(texts))
        if not further.adds_anything and ratings is None:
            raise CampaignError(
                str(texts), ["the campaign has all of these texts already. Use --ratings for more ratings."]
            )
    rows: list[tuple[AddedRounds, Appended | None]]
    warnings: tuple[str, ...] = () if source is None else source.warnings
    if not further.adds_anything and _same_hits_again(stored):
        assert ratings is not None, "checked above"
        rows = [(each, None) for each in _more_places(stored, rounds, ratings)]
    else:
        rows, found = _new_rounds(campaign, stored, further, ratings=ratings, progress=progress)
        warnings = (*warnings, *found)
        if any(each.part in begun for each, _ in rows):
            warnings = (*warnings, NEEDS_OTHERS)
    extended = _summary(stored, further, rows, state=state)
    return Extension(stored, further, tuple(rows), replace(extended, warnings=warnings))


def write_extension(
    campaign: OpenCampaign, extension: Extension, *, by: By, now: datetime, progress: Progress = unseen
) -> Extended:
    """Write a designed extension in one transaction; Conflict if the campaign was extended meanwhile."""
    stored, further, extended = extension.stored, extension.further, extension.extended
    size = stored.settings.design.hit_size
    n_rows = extended.n_items + sum(made.n_places for _, made in extension.appended if made is not None)
    with campaign.store.write() as connection, progress("Writing", n_rows) as advance:
        extending.hold_extent(connection, stored.extent)
        added = Campaign(stored.settings, further.systems, further.segments, {})
        extending.add_texts(connection, added, known=stored.extent, part=stored.extent.part + 1)
        for rounds, made in extension.appended:
            if made is None:
                extending.add_openings(connection, rounds.last_round, per_hit=rounds.openings_per_hit)
                continue
            laid_out.add_items(connection, made.items, progress=advance, marks=_marks(further))
            shape = laid_out.HitShape(size, rounds.openings_per_hit, rounds.part)
            laid_out.add_hits(connection, made.hits, shape=shape, progress=advance)
        laid_out.refresh_statistics(connection)
        actions.log_action(connection, "extend", by=by, now=now, detail=_detail(extended))
    return replace(extended, is_written=True)


def _marks(further: FurtherTexts) -> laid_out.Marks | None:
    """What is marked beforehand in new items; None where nothing is in any."""
    if not further.prefilled:
        return None
    texts = further.translations
    return Prefiller(further.prefilled, lambda system, segment: texts[system].get(segment)).marked


def _require_own_layout(stored: StoredTexts, where: str) -> None:
    if stored.settings.design.order == "given":
        raise CampaignError(
            where,
            [
                'the campaign\'s HITs were laid out elsewhere (order = "given"), so texts cannot be added to '
                "them. Lay out the new texts there and create another campaign. For more ratings of the HITs "
                "you have, use --ratings."
            ],
        )


def _same_hits_again(stored: StoredTexts) -> bool:
    """Whether more ratings are more places on the same HITs."""
    design = stored.settings.design
    return design.partition == "fixed" or design.order == "given"


def _more_places(stored: StoredTexts, rounds: list[StoredRound], ratings: int) -> list[AddedRounds]:
    """More places on all HITs that were laid out elsewhere, else on those of each part's last round.

    The last round is the one that has all systems.
    """
    last = {each.part: each for each in rounds}
    chosen = rounds if stored.settings.design.order == "given" else list(last.values())
    return [
        AddedRounds(
            part=each.part,
            first_round=each.round,
            last_round=each.round,
            n_hits=0,
            openings_per_hit=ratings,
            n_openings=each.n_hits * ratings,
            n_judgements=each.n_places * ratings,
        )
        for each in chosen
    ]


def _new_rounds(
    campaign: OpenCampaign,
    stored: StoredTexts,
    further: FurtherTexts,
    *,
    ratings: int | None,
    progress: Progress,
) -> tuple[list[tuple[AddedRounds, Appended | None]], list[str]]:
    wanted = list(_part_campaigns(stored, further, ratings=ratings))
    with campaign.store.read() as connection:
        known = list(extending.stored_items(connection, [part for part, _ in wanted]))
    appender = Appender(known, last_hit=stored.extent.hit, last_round=stored.extent.round)
    rows: list[tuple[AddedRounds, Appended | None]] = []
    warnings: list[str] = []
    with progress("Designing", len(wanted)) as advance:
        for part, texts in wanted:
            # With the round in the seed no round repeats an earlier one, and all can be made again.
            rng = np.random.default_rng([texts.settings.seed, appender.next_round])
            try:
                met = meetings(known, {segment.segment_id for segment in texts.segments})
                design = build(texts, rng=rng, new_ids=new_ids, met=met)
            except CampaignError as error:
                size = texts.settings.design.hit_size
                keeps = f"an extension keeps the campaign's settings, such as hit_size = {size}."
                raise CampaignError(f"part {part}", [*error.problems, keeps]) from None
            made = appender.append(design)
            choices = texts.settings.design
            per_hit = choices.ratings_per_item if choices.partition == "fixed" else 1
            rounds = AddedRounds(
                part=part,
                first_round=made.first_round,
                last_round=made.first_round + made.n_rounds - 1,
                n_hits=made.n_hits,
                openings_per_hit=per_hit,
                n_openings=made.n_hits * per_hit,
                n_judgements=made.n_places * per_hit,
            )
            rows.append((rounds, made))
            warnings += [warning for warning in design.warnings if warning not in warnings]
            advance(1)
    return rows, warnings


def _part_campaigns(
    stored: StoredTexts, further: FurtherTexts, *, ratings: int | None
) -> Iterator[tuple[int, Campaign]]:
    """The parts that get new rounds, each as a campaign of its own with that many ratings per item."""
    if not further.adds_anything:
        reason = None if further.translations is not stored.translations else missing_texts(stored)
        if reason is not None:
            advice = "Give the campaign file as well: --ratings N --texts CAMPAIGN.toml"
            raise CampaignError(stored.settings.name, [f"{reason} {advice}"])
        for part, segments in stored.parts.items():
            yield part, part_campaign(stored, further, segments, ratings=ratings or 1)
        return
    for part in further.fuller_parts:
        rounds = ratings or ROUNDS_FOR_SYSTEMS
        yield part, part_campaign(stored, further, stored.parts[part], ratings=rounds)
    if further.segments:
        rounds = ratings or stored.settings.design.ratings_per_item
        yield stored.extent.part + 1, part_campaign(stored, further, further.segments, ratings=rounds)


def _summary(
    stored: StoredTexts,
    further: FurtherTexts,
    rows: list[tuple[AddedRounds, Appended | None]],
    *,
    state: CampaignState,
) -> Extended:
    settings = stored.settings
    seconds = protocols()[settings.protocol].seconds_per_item[settings.attribute]
    rounds = tuple(each for each, _ in rows)
    n_openings = sum(each.n_openings for each in rounds)
    n_judgements = sum(each.n_judgements for each in rounds)
    terms = pay_terms(settings.rules, seconds_per_item=seconds)
    amount = terms.amount(hits=n_openings, items=n_judgements)
    return Extended(
        state=state,
        systems=tuple(system.system_id for system in further.systems),
        n_segments=len(further.segments),
        n_items=sum(len(made.items) for _, made in rows if made is not None),
        n_hits=sum(each.n_hits for each in rounds),
        n_openings=n_openings,
        n_judgements=n_judgements,
        rounds=rounds,
        hours=amount.hours,
        cost=amount.cost,
        currency=settings.rules.currency,
        warnings=(),
    )


def _detail(extended: Extended) -> dict[str, object]:
    """What the log says about it."""
    numbers = {
        "n_segments": extended.n_segments,
        "n_hits": extended.n_hits,
        "n_openings": extended.n_openings,
    }
    return {
        **({"systems": list(extended.systems)} if extended.systems else {}),
        **{name: number for name, number in numbers.items() if number},
        "rounds": [
            number for each in extended.rounds for number in range(each.first_round, each.last_round + 1)
        ],
    }

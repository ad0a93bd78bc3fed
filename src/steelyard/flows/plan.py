"""Plan a campaign: from what is known and wanted to HITs, hours and money, or the reverse."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from steelyard.design.layout import layout_of
from steelyard.domain.campaign import DesignSettings
from steelyard.domain.errors import ChoiceError
from steelyard.domain.plugin import Protocol
from steelyard.domain.running import Rules
from steelyard.domain.wording import counted
from steelyard.domain.work import SCORED_KINDS, ItemKind
from steelyard.flows.plan_choices import (
    DEFAULT_ATTRIBUTE,
    DEFAULT_PROTOCOL,
    GOALS,
    Choices,
    require_fitting,
)
from steelyard.planning.cost import (
    MINIMUM_WAGE,
    PASS_RATES,
    WAGE,
    Terms,
    pay_per_hit,
    platform_fee,
)
from steelyard.planning.plan import Goal, Plan, Setup, make_plan
from steelyard.planning.sample_size import LEVEL, POWER, RELIABILITY_OF_ONE_RATING
from steelyard.protocols import protocols

if TYPE_CHECKING:
    from steelyard.design.assembly import Design
    from steelyard.domain.campaign import Campaign
    from steelyard.flows.watching import Progress


@dataclass(frozen=True, slots=True)
class _Scope:
    """What is judged and in which HITs, from a campaign file or from the caller's numbers."""

    title: str
    systems: int
    segments: int | None
    items: int | None
    hit_size: float
    usable_share: float
    item_share: float
    seconds: float
    attribute: str
    protocol: str
    assignments_per_hit: int = 1
    hits: int | None = None
    rules: Rules = field(default_factory=Rules)


def plan(*, progress: Progress | None = None, **choices: Unpack[Choices]) -> Plan:
    """HITs, hours and money for a target precision, or the precision that a budget buys.

    Say what is judged by `systems` (and `segments`) or by a `campaign` file, and what is wanted by
    one of `difference` (of two systems, in standard deviations of standardised ratings),
    `ratings_per_system`, `reliability` (of single translations' scores), `ratings_per_item` and
    `budget`; a campaign may go without and is then planned as it is. The rest has defaults.
    ChoiceError if the choices do not fit together; NotEnoughData if the goal is out of reach.

    >>> made = plan(systems=5, ratings_per_system=1500, attribute="adequacy")
    >>> made.expected.outlay.hits, made.expected.outlay.hours, round(made.expected.outlay.cost, 2)
    (154, 77.0, 1108.8)
    """
    unknown = sorted(set(choices) - set(Choices.__annotations__))
    if unknown:
        raise TypeError(f"plan() got an unexpected keyword argument {unknown[0]!r}")
    given: dict[str, Any] = {name: value for name, value in choices.items() if value is not None}
    require_fitting(given)
    scope = _from_campaign(given["campaign"], progress) if "campaign" in given else _from_numbers(given)
    given = {**_pay_of(scope.rules, given), **given}
    if scope.systems == 1 and "difference" in given:
        raise ChoiceError("{difference} needs two systems at least.")
    setup = _setup(given, scope)
    return make_plan(
        _goal(given, scope), setup, title=scope.title, assumptions=_assumptions(given, setup, scope)
    )


def _pay_of(rules: Rules, given: dict[str, Any]) -> dict[str, Any]:
    """What a campaign file says about pay, as far as the caller does not."""
    if (rules.wage is None and rules.pay_per_hit is None) or {"wage", "pay_per_hit"} & given.keys():
        return {}
    pay = {"wage": rules.wage, "pay_per_hit": rules.pay_per_hit, "fee": rules.fee}
    if rules.currency != Rules().currency:
        # What is too little is known in one currency only.
        pay["minimum_wage"] = 0.0
    return {name: value for name, value in pay.items() if value is not None}


def _from_numbers(given: dict[str, Any]) -> _Scope:
    protocol = protocols()[given.get("protocol", DEFAULT_PROTOCOL)]
    attribute = given.get("attribute", DEFAULT_ATTRIBUTE)
    try:
        layout = layout_of(DesignSettings(hit_size=given.get("hit_size", DesignSettings().hit_size)))
    except ValueError as error:
        raise ChoiceError(f"{{hit_size}}: {error}") from None
    regular = layout.n_regular / layout.hit_size
    usable = (layout.n_regular + layout.quota.get(ItemKind.REPEAT, 0)) / layout.hit_size
    systems, segments = given["systems"], given.get("segments")
    texts = "" if segments is None else f", {segments:,} segments"
    return _Scope(
        title=f"{counted(systems, 'system')}{texts}, {attribute} ({protocol.name})",
        systems=systems,
        segments=segments,
        items=None if segments is None else systems * segments,
        hit_size=layout.hit_size,
        usable_share=given.get("usable_share", usable),
        item_share=given.get("usable_share", regular),
        seconds=protocol.seconds_per_item[attribute],
        attribute=attribute,
        protocol=protocol.name,
    )


def _from_campaign(path: str | PathLike[str], progress: Progress | None) -> _Scope:
    """The campaign as `create` would make it: its HITs are designed, counted and forgotten."""
    # Campaign files need the packages of the extra `server`; plans from numbers do without.
    from steelyard.flows.create import design
    from steelyard.flows.watching import unseen

    designed = design(Path(path), progress=progress or unseen)
    protocol = protocols()[designed.campaign.settings.protocol]
    return _counted_scope(designed.campaign, designed.design, protocol)


def _no_plan(campaign: Campaign, design: Design, protocol: Protocol) -> ChoiceError:
    """Why there is no plan without ratings, and what can be said instead."""
    settings = campaign.settings
    assignments = settings.design.ratings_per_item if settings.design.partition == "fixed" else 1
    hours = design.n_places * assignments * protocol.seconds_per_item[settings.attribute] / 3600
    return ChoiceError(
        f"{protocol.name} gives {' and '.join(protocol.gives)}, but plans are about the precision of "
        f"ratings. {{campaign}} has {counted(len(design.hits) * assignments, 'HIT')} with "
        f"{counted(design.n_places * assignments, 'item')}, about {hours:.1f} hours of work in all."
    )


def _counted_scope(campaign: Campaign, design: Design, protocol: Protocol) -> _Scope:
    """What the HITs of a design hold.

    A text that several systems share is one item whose ratings each of them gets. Systems may differ
    in their number of ratings; the one with fewest decides what can be shown.
    """
    settings = campaign.settings
    if "ratings" not in protocol.gives:
        raise _no_plan(campaign, design, protocol)
    systems_of = {
        item.item_id: (item.kind, (item.system_id, *item.credited))
        for item in design.items
        if item.kind in SCORED_KINDS
    }
    ratings: Counter[str] = Counter()
    n_places = n_regular = 0
    for hit in design.hits:
        n_places += len(hit.placed)
        for placed in hit.placed:
            kind, systems = systems_of.get(placed.item_id, (None, ()))
            ratings.update(systems)
            n_regular += len(systems) * (kind is ItemKind.REGULAR)
    judged = Counter(s for kind, systems in systems_of.values() if kind is ItemKind.REGULAR for s in systems)
    assignments = settings.design.ratings_per_item if settings.design.partition == "fixed" else 1
    return _Scope(
        title=(
            f"Campaign {settings.name}: {counted(len(ratings), 'system')}, "
            f"{len(campaign.segments):,} segments, {settings.attribute} ({protocol.name})"
        ),
        systems=len(ratings),
        segments=min(judged.values()),
        items=judged.total(),
        hit_size=n_places / len(design.hits),
        usable_share=len(ratings) * min(ratings.values()) / n_places,
        item_share=n_regular / n_places,
        seconds=protocol.seconds_per_item[settings.attribute],
        attribute=settings.attribute,
        protocol=protocol.name,
        assignments_per_hit=assignments,
        hits=len(design.hits) * assignments,
        rules=settings.rules,
    )


def _goal(given: dict[str, Any], scope: _Scope) -> Goal:
    for name in GOALS:
        if name in given:
            return Goal(name, float(given[name]))
    assert scope.hits is not None
    return Goal("hits", scope.hits)


def _setup(given: dict[str, Any], scope: _Scope) -> Setup:
    seconds = given.get("seconds", scope.seconds)
    usual_pay = pay_per_hit(given.get("wage", WAGE), seconds_per_item=seconds, hit_size=scope.hit_size)
    return Setup(
        systems=scope.systems,
        segments=scope.segments,
        items=scope.items,
        usable_share=scope.usable_share,
        item_share=scope.item_share,
        pass_rate=given.get("pass_rate", PASS_RATES.get(scope.attribute, min(PASS_RATES.values()))),
        terms=Terms(
            hit_size=scope.hit_size,
            seconds_per_item=seconds,
            pay_per_hit=given.get("pay_per_hit", usual_pay),
            fee=given.get("fee", platform_fee(scope.assignments_per_hit)),
        ),
        minimum_wage=given.get("minimum_wage", MINIMUM_WAGE),
        rho=given.get("rho", RELIABILITY_OF_ONE_RATING),
        power=given.get("power", POWER),
        level=given.get("level", LEVEL),
    )


def _assumptions(given: dict[str, Any], setup: Setup, scope: _Scope) -> list[str]:
    """A sentence for every number that the caller left to us and that the plan depends on."""
    sentences = {
        "pass_rate": f"{100 * setup.pass_rate:.0f} % of the ratings are kept, as published [Graham2014]",
        "seconds": f"an item takes {setup.terms.seconds_per_item:g} s ({scope.protocol}, {scope.attribute})",
        "fee": f"the platform takes {100 * setup.terms.fee:.0f} % of the pay",
    }
    if "pay_per_hit" not in given:
        sentences["wage"] = f"an hour is paid {WAGE:.2f} (our choice, in US dollars)"
    sentences["minimum_wage"] = f"less than {MINIMUM_WAGE:.2f} an hour is too little (our choice)"
    if setup.segments is None:
        sentences["segments"] = "every rating is of a different segment"
    else:
        sentences["rho"] = f"one rating has a reliability of {setup.rho:g}, as in [Graham2015]"
    return [sentence for name, sentence in sentences.items() if name not in given]

"""Plan a campaign: from what is known and wanted to HITs, hours and money, or the reverse."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

from steelyard.domain.errors import ChoiceError
from steelyard.domain.options import require_known_names
from steelyard.domain.running import Rules
from steelyard.flows.plan_choices import (
    CORRECTIONS,
    GOALS,
    SEED,
    Choices,
    require_fitting,
)
from steelyard.flows.plan_scope import Scope, scope_of_campaign, scope_of_numbers
from steelyard.flows.watching import unseen
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
from steelyard.planning.search import sized
from steelyard.planning.variation import TYPICAL, TYPICAL_UNEVENNESS, Variation

if TYPE_CHECKING:
    from steelyard.flows.pilot import Pilot
    from steelyard.flows.source import Source
    from steelyard.flows.watching import Progress


def plan(*, progress: Progress | None = None, **choices: Unpack[Choices]) -> Plan:
    """HITs, hours and money for a target precision, or the precision that a budget buys.

    Say what is judged by `systems` (and `segments`) or by a `campaign` file, and what is wanted by
    one of `difference` (of two systems, in standard deviations of standardised ratings),
    `ratings_per_system`, `reliability` (of single translations' scores), `ratings_per_item` and
    `budget`; a campaign may go without and is then planned as it is. The rest has defaults; how ratings
    vary and hang together can come from a `pilot`, anything that can be analysed.
    ChoiceError if the choices do not fit together; NotEnoughData if the goal is out of reach.

    >>> made = plan(systems=5, ratings_per_system=1500, attribute="adequacy")
    >>> made.expected.outlay.hits, made.expected.outlay.hours, round(made.expected.outlay.cost, 2)
    (154, 77.0, 1108.8)
    """
    require_known_names(choices, Choices.__annotations__, within="a plan")
    given: dict[str, Any] = {name: value for name, value in choices.items() if value is not None}
    require_fitting(given)
    scope = scope_of_campaign(given["campaign"], progress) if "campaign" in given else scope_of_numbers(given)
    given = {**_pay_of(scope.rules, given), **given}
    if scope.systems == 1 and "difference" in given:
        raise ChoiceError("{difference} needs two systems at least.")
    pilot = _pilot(given["pilot"]) if "pilot" in given else None
    goal, setup = _goal(given, scope), _setup(given, scope, pilot)
    found = sized(goal, setup, seed=given.get("seed", SEED), watch=progress or unseen)
    assumptions = [*_assumptions(given, setup, scope), *_about_variation(given, setup, pilot)]
    made = make_plan(goal, found.setup, title=scope.title, assumptions=assumptions, power=found.power)
    doubts = () if pilot is None else pilot.warnings
    if setup.systems > 1 and not found.power:
        doubts = (*doubts, "This is too large to simulate: the differences found are by formula only.")
    return replace(made, warnings=(*made.warnings, *doubts))


def _pay_of(rules: Rules, given: dict[str, Any]) -> dict[str, Any]:
    """What a campaign file says about pay, as far as the caller does not."""
    if (rules.wage is None and rules.pay_per_hit is None) or {"wage", "pay_per_hit"} & given.keys():
        return {}
    pay = {"wage": rules.wage, "pay_per_hit": rules.pay_per_hit, "fee": rules.fee}
    if rules.currency != Rules().currency:
        # What is too little is known in one currency only.
        pay["minimum_wage"] = 0.0
    return {name: value for name, value in pay.items() if value is not None}


def _pilot(given: Source | str | PathLike[str]) -> Pilot:
    from steelyard.flows.pilot import pilot_of
    from steelyard.flows.source import Source, read_source

    return pilot_of(given if isinstance(given, Source) else read_source(str(given)))


def _goal(given: dict[str, Any], scope: Scope) -> Goal:
    for name in GOALS:
        if name in given:
            return Goal(name, float(given[name]))
    assert scope.hits is not None
    return Goal("hits", scope.hits)


def _setup(given: dict[str, Any], scope: Scope, pilot: Pilot | None) -> Setup:
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
        correction=given.get("correction", CORRECTIONS[0]),
        variation=_variation(given, scope, pilot),
    )


def _variation(given: dict[str, Any], scope: Scope, pilot: Pilot | None) -> Variation:
    """How ratings vary, by the pilot or as usual, and what hangs together in this campaign."""
    length = given.get("document_length", scope.document_length)
    uneven = TYPICAL_UNEVENNESS if pilot is None else pilot.unevenness
    if length is None:
        length = 1.0 if pilot is None else pilot.document_length
        together = 1.0 if pilot is None else pilot.together
    else:
        together = scope.together or min(length, scope.hit_size * scope.item_share)
        uneven = uneven if scope.unevenness is None else scope.unevenness
    if pilot is not None and length > 1 and not pilot.has_documents:
        named = "document_length" if "document_length" in given else "campaign"
        raise ChoiceError(
            "{pilot} names no documents, so it cannot say how alike the ratings of one document are, and "
            f"{{{named}}} has documents. Give the pilot a column document."
        )
    return Variation(
        components=TYPICAL.components if pilot is None else pilot.components,
        document_length=length,
        together=max(1.0, min(together, length)),
        unevenness=0.0 if length == 1 else uneven,
        hits_per_worker=min(TYPICAL.hits_per_worker, scope.rules.hits_per_worker or inf),
        workers=given.get("workers"),
    )


def _assumptions(given: dict[str, Any], setup: Setup, scope: Scope) -> list[str]:
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
        sentences["segments"] = "every translation is judged once"
    else:
        sentences["rho"] = f"one rating has a reliability of {setup.rho:g}, as in [Graham2015]"
    return [sentence for name, sentence in sentences.items() if name not in given]


def _about_variation(given: dict[str, Any], setup: Setup, pilot: Pilot | None) -> list[str]:
    """What power rests on: how ratings vary, what hangs together, and how many people share the work."""
    if setup.systems < 2:
        return []
    variation = setup.variation
    usual = "ratings vary as in WMT21 and WMT22, by the median of nine pairs of languages"
    sentences = [usual if pilot is None else f"ratings vary as in the pilot, by {pilot.basis}"]
    if "workers" not in given:
        sentences.append(
            f"a worker does {variation.hits_per_worker:g} HITs on average, as in WMT21 and WMT22"
        )
    if "document_length" not in given:
        sentences.append(
            "segments are judged singly"
            if variation.document_length == 1
            else f"a document has {variation.document_length:.1f} segments, and a worker judges "
            f"{variation.together:.1f} of them for a system"
        )
    return sentences

"""What can be chosen in an analysis of a campaign: its methods and checks, and their options."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.aggregation import methods, usual_method
from steelyard.domain.options import Option
from steelyard.domain.plugin import Check, Method
from steelyard.domain.result import NO_CHECK
from steelyard.flows.open import OpenCampaign
from steelyard.protocols import protocols
from steelyard.qc import checks
from steelyard.span_ratings import analysed_as


@dataclass(frozen=True, slots=True)
class OfferedOption:
    """An option that only some methods or checks have."""

    name: str
    help: str
    choices: tuple[str, ...]
    usual: str


@dataclass(frozen=True, slots=True)
class Offered:
    """A method or check. `reads`: the frames it can work from. `weighs_workers`: nobody need be left out."""

    name: str
    title: str
    cite: tuple[str, ...]
    reads: tuple[str, ...]
    weighs_workers: bool
    options: tuple[OfferedOption, ...]


@dataclass(frozen=True, slots=True)
class OfferedChoices:
    """The methods and checks that read what the campaign's protocol gives, and the usual ones."""

    methods: tuple[Offered, ...]
    checks: tuple[Offered, ...]
    method: str
    check: str


def offered_choices(campaign: OpenCampaign) -> OfferedChoices:
    """What may be asked of the analysis of this campaign."""
    settings = campaign.settings
    gives = analysed_as(protocols()[settings.protocol].gives)
    fitting = [one for one in methods().values() if set(one.reads).intersection(gives)]
    nobody = Offered(NO_CHECK, "Nobody is checked", (), tuple(gives), False, ())
    return OfferedChoices(
        methods=tuple(_method(one) for one in fitting),
        checks=(*(_check(one) for one in checks().values() if one.reads in gives), nobody),
        method=usual_method(gives),
        check=settings.check,
    )


def _method(method: Method) -> Offered:
    return Offered(
        method.name, method.title, method.cite, method.reads, method.weighs_workers, _options(method.options)
    )


def _check(check: Check) -> Offered:
    return Offered(check.name, check.title, check.cite, (check.reads,), False, _options(check.options))


def _options(options: tuple[Option, ...]) -> tuple[OfferedOption, ...]:
    return tuple(OfferedOption(one.name, one.help, one.choices, one.usually or "") for one in options)

"""What a caller may say about a plan, and what does not fit together."""

from __future__ import annotations

from numbers import Integral, Real
from os import PathLike
from typing import Any, TypedDict, get_args

from steelyard.domain.errors import ChoiceError
from steelyard.domain.plugin import Protocol
from steelyard.domain.result import Correction
from steelyard.planning.plan import GOALS_FOR_ITEMS, GoalName
from steelyard.planning.sample_size import LEVEL, POWER
from steelyard.protocols import protocols


class Choices(TypedDict, total=False):
    """What a caller can say about a plan; None and absent both mean "not said"."""

    systems: int | None
    segments: int | None
    campaign: str | PathLike[str] | None
    difference: float | None
    ratings_per_system: float | None
    reliability: float | None
    ratings_per_item: float | None
    budget: float | None
    attribute: str | None
    protocol: str | None
    hit_size: int | None
    usable_share: float | None
    pass_rate: float | None
    seconds: float | None
    wage: float | None
    pay_per_hit: float | None
    minimum_wage: float | None
    fee: float | None
    rho: float | None
    power: float | None
    level: float | None
    correction: str | None
    pilot: Any
    document_length: float | None
    workers: int | None
    seed: int | None


GOALS = tuple(name for name in get_args(GoalName) if name != "hits")
OF_CAMPAIGN = (
    *("systems", "segments", "document_length", "attribute", "protocol", "hit_size", "usable_share"),
)
SEED = 7
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)
DEFAULT_PROTOCOL, DEFAULT_ATTRIBUTE = "da", "adequacy"
# Least and most of every number. Wide enough for any campaign, narrow enough to catch a percentage
# where a share is meant, and to keep every formula within what a computer can count.
_LIMITS: dict[str, tuple[float, float]] = {
    "systems": (1, 1e6),
    "segments": (1, 1e9),
    "difference": (0.001, 10),
    "ratings_per_system": (1, 1e9),
    "reliability": (0.01, 0.999),
    "ratings_per_item": (1, 1e6),
    "budget": (0.01, 1e12),
    "hit_size": (1, 1e6),
    "usable_share": (0.01, 1),
    "pass_rate": (0.01, 1),
    "seconds": (0.1, 1e6),
    "wage": (0.01, 1e9),
    "pay_per_hit": (0.01, 1e9),
    "minimum_wage": (0, 1e9),
    "fee": (0, 1),
    "rho": (0.01, 0.99),
    "power": (0.01, 0.999),
    "level": (1e-6, 0.5),
    "document_length": (1, 1e4),
    "workers": (2, 1e6),
    "seed": (0, 2**63 - 1),
}
_WHOLE = ("systems", "segments", "hit_size", "workers", "seed")


def default_attribute(protocol: Protocol) -> str:
    """What is judged if nobody says it: the usual, or the first that the protocol has."""
    return DEFAULT_ATTRIBUTE if DEFAULT_ATTRIBUTE in protocol.attributes else protocol.attributes[0]


def require_fitting(given: dict[str, Any]) -> None:
    """Raise ChoiceError with everything that is wrong with the choices by themselves."""
    problems = [sentence for name in _LIMITS if name in given for sentence in _limit_problems(name, given)]
    is_known = not problems
    goals = [name for name in GOALS if name in given]
    if len(goals) > 1 or (not goals and "campaign" not in given):
        listed = ", ".join(f"{{{name}}}" for name in GOALS)
        problems.append(f"Choose exactly one goal: {listed}{_also(goals)}.")
    problems += _campaign_problems(given) if "campaign" in given else _number_problems(given, goals)
    if "wage" in given and "pay_per_hit" in given:
        problems.append("{wage} and {pay_per_hit} mean the same thing: give one of them.")
    if is_known and given.get("power", POWER) <= given.get("level", LEVEL):
        problems.append("{power} must be above {level}, or no ratings would be needed at all.")
    if given.get("correction", CORRECTIONS[0]) not in CORRECTIONS:
        problems.append(f"{{correction}} must be one of: {', '.join(CORRECTIONS)}.")
    if problems:
        raise ChoiceError("\n".join(problems))


def _also(goals: list[str]) -> str:
    return f", not {' and '.join(f'{{{name}}}' for name in goals)} together" if goals else ""


def _limit_problems(name: str, given: dict[str, Any]) -> list[str]:
    least, most = _LIMITS[name]
    is_whole = name in _WHOLE
    if not isinstance(given[name], Integral if is_whole else Real) or isinstance(given[name], bool):
        return [f"{{{name}}} must be a {'whole ' * is_whole}number, not {given[name]!r}."]
    if least <= given[name] <= most:
        return []
    return [f"{{{name}}} must be from {least:,.10g} to {most:,.10g}, not {given[name]:,.10g}."]


def _campaign_problems(given: dict[str, Any]) -> list[str]:
    named = [f"{{{name}}}" for name in OF_CAMPAIGN if name in given]
    if not named:
        return []
    return [f"{', '.join(named)}: the campaign file says this; leave out either that or {{campaign}}."]


def _number_problems(given: dict[str, Any], goals: list[str]) -> list[str]:
    problems = []
    if "systems" not in given:
        problems.append("Describe what is judged: give {systems}, or a {campaign} file.")
    if "segments" not in given:
        problems += [
            f"{{{name}}} is about single translations: give {{segments}} as well."
            for name in goals
            if name in GOALS_FOR_ITEMS
        ]
    if given.get("systems") == 1 and "segments" not in given:
        problems.append("One system has no other to differ from: give {segments}, or more {systems}.")
    known = protocols()
    name = given.get("protocol", DEFAULT_PROTOCOL)
    if name not in known:
        problems.append(f'{{protocol}} "{name}" is unknown; choose from: {", ".join(known)}.')
    elif "ratings" not in known[name].gives:
        problems.append(
            f"{{protocol}} {name} gives {' and '.join(known[name].gives)}, but plans are about ratings. "
            "Give a {campaign} file to see how many HITs and hours it takes."
        )
    elif given.get("attribute", default_attribute(known[name])) not in known[name].attributes:
        listed = ", ".join(known[name].attributes)
        problems.append(f"{{attribute}} must be one that {name} has: {listed}.")
    return problems

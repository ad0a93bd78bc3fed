"""What to do about a worker's payment: a suggestion to the manager, who decides."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

from steelyard.domain.result import VerdictName

Suggestion = Literal["pay", "look", "refuse"]

# The suggestions in words for people.
WORDS: Mapping[Suggestion, str] = {
    "pay": "Pay.",
    "look": "Look at the ratings before paying.",
    "refuse": "Refusing may be fair: look at the ratings, and decide yourself.",
}
# Signs that nobody read the texts. Two of them beside a failed check leave little doubt.
_CARELESS = frozenset({"scores", "time", "clock", "reading", "sequence", "endpoints", "side", "ties"})
# Signs that something is out of the ordinary, be it innocent.
_UNUSUAL = frozenset({"rejected", "clock", "concurrency", "automation", "shift"})


def suggestion(
    verdict: VerdictName | None, flags: Collection[str], *, has_excluded_hit: bool = False
) -> Suggestion:
    """What to do about this worker's payment: "pay", "look" or "refuse".

    Never refuse payment on a p-value: an honest worker with ten pairs fails often enough, which is
    why the studies behind these checks paid those who failed and refused only where ratings and
    behaviour left no doubt of random or automatic answers [Graham2013; Graham2014; Mathur2018].
    Refusal is suggested for a failed check together with two of the flags scores, time, clock, reading,
    sequence, endpoints, side and ties. A manager confirms it or does not; nothing here refuses anybody.

    A look is suggested for a failed check with one of these flags, for two of them where no check
    could decide (`verdict` is "insufficient", or None if nobody was checked), for any of rejected,
    clock, concurrency, automation and shift, and where a single HIT was left out. A worker who passed has
    shown that they read, so there the careless flags call for nothing.

    >>> suggestion("fail", ["scores"]), suggestion("fail", ["scores", "time"]), suggestion("fail", [])
    ('look', 'refuse', 'pay')
    >>> suggestion("insufficient", ["scores"]), suggestion("insufficient", ["scores", "time"])
    ('pay', 'look')
    """
    careless = 0 if verdict == "pass" else len(_CARELESS.intersection(flags))
    has_failed = verdict == "fail"
    if has_failed and careless >= 2:
        return "refuse"
    is_doubtful = careless >= (1 if has_failed else 2)
    if is_doubtful or has_excluded_hit or not _UNUSUAL.isdisjoint(flags):
        return "look"
    return "pay"

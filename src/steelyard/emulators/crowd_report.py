"""What a simulated crowd has done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from steelyard.emulators.person import CrowdVisit, PersonKind, VisitEnd
from steelyard.emulators.wire import Far


@dataclass(frozen=True, slots=True)
class CrowdReport:
    """What a crowd has done so far.

    `n_waiting`: people who found no place yet. `problems`: replies that no browser should get.
    """

    n_people: int
    n_waiting: int
    visits: tuple[CrowdVisit, ...]
    problems: tuple[str, ...]
    seconds: float
    n_requests: Mapping[Far, int] = field(default_factory=dict)
    """Requests by whom they went to: the platform, or the campaign's server."""
    waited: Mapping[Far, float] = field(default_factory=dict)
    """Seconds for which replies of each were waited for, over all threads."""
    n_repeated: int = 0

    def ends(self) -> dict[PersonKind, dict[VisitEnd, int]]:
        """By kind of people, how often their visits ended in which way."""
        found: dict[PersonKind, Counter[VisitEnd]] = {}
        for visit in self.visits:
            found.setdefault(visit.kind, Counter())[visit.end] += 1
        return {kind: dict(found[kind]) for kind in PersonKind if kind in found}

    def states(self) -> dict[str, int]:
        """How many sessions are in which state, in the platform's words."""
        return dict(Counter(visit.state for visit in self.visits))


def crowd_lines(report: CrowdReport) -> Sequence[str]:
    """What a crowd has done, in words."""
    lines = [
        f"{report.n_people} people came; {report.n_waiting} of them found every place taken."
        if report.n_waiting
        else f"{report.n_people} people came, and all found a place."
    ]
    for kind, ends in report.ends().items():
        told = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
        lines.append(f"  {kind:<11} {told}")
    n_requests = sum(report.n_requests.values())
    lines.append(f"{n_requests:,} requests in {report.seconds:.1f} s, {report.n_repeated} sent again.")
    return lines

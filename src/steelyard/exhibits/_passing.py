"""Shared by the tables of how many workers passed."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence
from steelyard.domain.result import NO_CHECK, Analysis


def require_checked(evidence: Sequence[Evidence]) -> None:
    """Refuse where nobody was checked in any source."""
    if not any(was_checked(source.analysis) for source in evidence):
        raise NotEnoughData(
            "No worker was checked (the check is none), so nobody passed or failed: choose a check."
        )


def was_checked(analysis: Analysis) -> bool:
    """Whether workers were checked at all."""
    return analysis.settings.check != NO_CHECK


def passed(analysis: Analysis) -> list[str]:
    """The workers who passed the check."""
    found: list[str] = analysis.workers.filter(verdict="pass")["worker_id"].to_list()
    return found

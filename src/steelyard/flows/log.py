"""The log: what managers, workers and the server did to a campaign."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.domain.running import Action
from steelyard.flows.open import OpenCampaign
from steelyard.store import actions

# Of a list, more than this would not fit into a line.
MOST_NAMED = 5


def log(campaign: OpenCampaign) -> list[Action]:
    """Everything that was done, in order."""
    with campaign.store.read() as connection:
        return actions.logged_actions(connection)


def newest_actions(campaign: OpenCampaign, *, before: int | None = None, limit: int = 100) -> list[Action]:
    """The newest actions, newest first; `before` leaves out those with this number and higher ones."""
    with campaign.store.read() as connection:
        return actions.latest_actions(connection, before=before, limit=limit)


def detail_in_words(detail: Mapping[str, Any]) -> str:
    """What an action changed, in a line.

    >>> detail_in_words({"before": "open", "after": "paused"})
    'open → paused'
    >>> detail_in_words({"wage": {"before": None, "after": 12.0}, "revision": 2})
    'wage: none → 12.0; revision: 2'
    >>> detail_in_words({"workers": ["W0001", "W0002", "W0003", "W0004", "W0005", "W0006"]})
    'workers: W0001, W0002, … W0006 (6)'
    """
    if set(detail) == {"before", "after"}:
        return f"{_plain(detail['before'])} → {_plain(detail['after'])}"
    return "; ".join(f"{name.replace('_', ' ')}: {_plain(value)}" for name, value in detail.items())


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return detail_in_words(value)
    if isinstance(value, list) and value and all(isinstance(each, Mapping) for each in value):
        return f"{len(value):,}"
    if isinstance(value, list):
        if len(value) > MOST_NAMED:
            return f"{value[0]}, {value[1]}, … {value[-1]} ({len(value):,})"
        return ", ".join(map(_plain, value))
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    return str(value)

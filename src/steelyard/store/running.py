"""What changes while a campaign runs: its state, its rules, and revisions of its title and words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, insert, select, true, update

from steelyard.domain.running import CampaignState, Conditions, Revision, Rules
from steelyard.domain.work import AssignmentStatus
from steelyard.store import tables
from steelyard.store.turns import hold_rows, take_turns


def state(connection: Connection) -> CampaignState:
    """Whether the campaign is a draft, open, paused or closed."""
    return CampaignState(connection.execute(select(tables.campaigns.c.state)).scalar_one())


def conditions_columns() -> tuple[ColumnElement[Any], ...]:
    """What `conditions_of` needs, as columns that any query can carry along."""
    campaign = tables.campaigns.c
    return (
        select(campaign.state).scalar_subquery().label("campaign_state"),
        select(campaign.rules).scalar_subquery().label("campaign_rules"),
        select(func.max(tables.revisions.c.revision)).scalar_subquery().label("latest_revision"),
    )


def conditions_of(row: Row[Any]) -> Conditions:
    """The conditions in a row of a query that carries `conditions_columns`."""
    return Conditions(
        CampaignState(row.campaign_state), Rules(**json.loads(row.campaign_rules)), row.latest_revision
    )


def conditions(connection: Connection) -> Conditions:
    """On what conditions work is given now."""
    return conditions_of(connection.execute(_CONDITIONS).one())


def set_state(connection: Connection, state: CampaignState) -> None:
    connection.execute(update(tables.campaigns).values(state=state.value))


def rules(connection: Connection) -> Rules:
    """How the campaign is run now."""
    return Rules(**json.loads(connection.execute(select(tables.campaigns.c.rules)).scalar_one()))


def hold_campaign(connection: Connection) -> None:
    """Keep others from changing state or rules until this transaction ends; reading goes on."""
    hold_rows(connection, tables.campaigns, true())


def n_under_way(connection: Connection) -> int:
    """HITs that were begun and are neither submitted nor released."""
    stored = tables.assignments.c
    query = select(func.count()).where(stored.status == AssignmentStatus.ACCEPTED.value)
    return int(connection.execute(query).scalar_one())


def set_rules(connection: Connection, rules: Rules) -> None:
    connection.execute(update(tables.campaigns).values(rules=rules_text(rules)))


def add_revision(
    connection: Connection, title: str, presentation: Mapping[str, Any], *, now: datetime, reason: str = ""
) -> int:
    """Record the title and words that workers see from now on; returns the revision's number."""
    take_turns(connection, "revision")
    stored = tables.revisions
    number = connection.execute(select(func.coalesce(func.max(stored.c.revision), 0))).scalar_one() + 1
    text = json.dumps(dict(presentation), ensure_ascii=False)
    row = {"revision": number, "title": title, "presentation": text, "made_at": now, "reason": reason}
    connection.execute(insert(stored), [row])
    return int(number)


def revisions(connection: Connection) -> list[Revision]:
    """Every revision of the title and words, the first as created."""
    stored = tables.revisions
    return [_revision(row) for row in connection.execute(select(stored).order_by(stored.c.revision))]


def latest_revision(connection: Connection) -> Revision:
    """The title and words that workers see now."""
    stored = tables.revisions
    query = select(stored).order_by(stored.c.revision.desc()).limit(1)
    return _revision(connection.execute(query).one())


def presentation_at(connection: Connection, revision: int) -> Mapping[str, Any]:
    """How items were shown and what workers read under a revision that exists."""
    stored = tables.revisions.c
    query = select(stored.presentation).where(stored.revision == revision)
    found: Mapping[str, Any] = json.loads(connection.execute(query).scalar_one())
    return found


def judgements_by_revision(connection: Connection) -> dict[int, int]:
    """By revision, how many current judgements were given by workers who saw it."""
    stored = tables.current_judgements.c.revision
    query = select(stored, func.count()).group_by(stored)
    return {row[0]: row[1] for row in connection.execute(query)}


def _revision(row: Row[Any]) -> Revision:
    return Revision(row.revision, row.title, json.loads(row.presentation), row.made_at, row.reason)


def rules_text(rules: Rules) -> str:
    """The rules as they are stored: what differs from the usual."""
    usual = asdict(Rules())
    return json.dumps({name: value for name, value in asdict(rules).items() if value != usual[name]})


_CONDITIONS = select(*conditions_columns())

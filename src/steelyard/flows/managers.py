"""Managers: several people look after one campaign, each by a link or an identity of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from steelyard.domain.errors import ChoiceError, Conflict, NotFound
from steelyard.domain.managers import MANAGER_ROLES, Manager, ManagerRole
from steelyard.domain.people import Person, person_problems, plain_address
from steelyard.domain.running import By, ByManager
from steelyard.flows.links import holder
from steelyard.flows.open import OpenCampaign
from steelyard.flows.secrets import usable_secret
from steelyard.flows.tokens import token_for
from steelyard.store import managers as stored
from steelyard.store.actions import log_action
from steelyard.store.turns import take_turns

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class ManagerLink:
    """A manager as an owner sees them. One who is revoked has no address."""

    manager_id: str
    name: str
    email: str
    role: ManagerRole
    url: str
    is_revoked: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ManagerChanges:
    """What to change about managers, each named by id or e-mail address."""

    roles: Mapping[str, ManagerRole] = field(default_factory=dict)
    renew: tuple[str, ...] = ()
    revoke: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody at the manager's door. Without an id they came by the campaign's own link, as an owner."""

    role: ManagerRole = "owner"
    manager_id: str | None = None
    name: str = ""

    @property
    def by(self) -> By:
        """Who the log says it was."""
        return "manager" if self.manager_id is None else ByManager(self.manager_id)


def managers(campaign: OpenCampaign, *, base_url: str) -> tuple[ManagerLink, ...]:
    """All managers with their links, in order of creation."""
    secret, mark = usable_secret(campaign)
    with campaign.store.read() as connection:
        found = stored.stored_managers(connection)

    def url(manager: Manager) -> str:
        if manager.is_revoked:
            return ""
        return f"{base_url}/m/{token_for(secret, mark, 'manager', manager.manager_id, manager.link_version)}"

    return tuple(
        ManagerLink(
            manager_id=manager.manager_id,
            name=manager.name,
            email=manager.email,
            role=manager.role,
            url=url(manager),
            is_revoked=manager.is_revoked,
            created_at=manager.created_at,
        )
        for manager in found
    )


def add_managers(
    campaign: OpenCampaign, people: Sequence[Person], role: ManagerRole, *, by: By, now: datetime
) -> list[str]:
    """Let these people look after the campaign; returns their ids. Conflict if one of them does already."""
    _check(people, role)
    usable_secret(campaign)
    added = []
    with campaign.store.write() as connection:
        # Nobody is added between looking and adding.
        take_turns(connection, "manager")
        for person in people:
            _require_new(stored.stored_managers(connection), person)
            added.append(stored.new_manager(connection, person, role, now=now))
        for manager_id in added:
            log_action(
                connection, "add-manager", by=by, now=now, detail={"manager": manager_id, "role": role}
            )
    return added


def change_managers(campaign: OpenCampaign, changes: ManagerChanges, *, by: By, now: datetime) -> None:
    """Change roles, renew and revoke, all of it or nothing; NotFound if a manager is unknown.

    Who is revoked can open nothing, neither by the link nor by an identity; renewing lets them in again.
    """
    _check((), *changes.roles.values())
    # A new version helps nobody as long as the secret is missing.
    usable_secret(campaign)
    with campaign.store.write() as connection:
        take_turns(connection, "manager")
        for who, role in changes.roles.items():
            manager = _found(connection, who)
            if manager.role != role:
                stored.set_manager_role(connection, manager.manager_id, role)
                _log(connection, "change-role", manager, by, now, {"before": manager.role, "after": role})
        for who in changes.renew:
            manager = _found(connection, who)
            stored.end_manager_link(connection, manager.manager_id, is_revoked=False)
            _log(connection, "renew-manager", manager, by, now)
        for who in changes.revoke:
            manager = _found(connection, who)
            stored.end_manager_link(connection, manager.manager_id, is_revoked=True)
            _log(connection, "revoke-manager", manager, by, now)


def caller_by_token(campaign: OpenCampaign, token: str) -> Caller:
    """Who opens the manager's door with this token; NotFound if it opens nothing."""
    manager_id = holder(campaign, token, "manager")
    if manager_id is None:
        return Caller()
    with campaign.store.read() as connection:
        found = stored.manager(connection, manager_id)
    assert found is not None, "managers are never removed"
    return _caller(found)


def caller_by_email(campaign: OpenCampaign, email: str) -> Caller | None:
    """The manager with this address, as a proxy that knows them says; None if there is none, or revoked."""
    with campaign.store.read() as connection:
        found = stored.stored_managers(connection)
    wanted = plain_address(email)
    same = (manager for manager in found if manager.email and plain_address(manager.email) == wanted)
    return next((_caller(manager) for manager in same if not manager.is_revoked), None)


def names_of_managers(campaign: OpenCampaign) -> dict[str, str]:
    """What to call each manager: the name, or else the address."""
    with campaign.store.read() as connection:
        return {each.manager_id: each.name or each.email for each in stored.stored_managers(connection)}


def _caller(manager: Manager) -> Caller:
    return Caller(manager.role, manager.manager_id, manager.name or manager.email)


def _found(connection: Connection, who: str) -> Manager:
    """The manager of an id or an e-mail address."""
    if "@" in who:
        known = stored.stored_managers(connection)
        found = next((each for each in known if plain_address(each.email) == plain_address(who)), None)
    else:
        found = stored.manager(connection, who)
    if found is None:
        raise NotFound(f"There is no manager {who}; `steelyard managers` lists them.")
    return found


def _require_new(known: Sequence[Manager], person: Person) -> None:
    for manager in known:
        if person.email and plain_address(person.email) == plain_address(manager.email):
            advice = f"Renew the link of {manager.manager_id}" if manager.is_revoked else "Use that one"
            raise Conflict(f"{person.email} is already manager {manager.manager_id}. {advice}.")


def _check(people: Sequence[Person], *roles: str) -> None:
    problems = [problem for person in people for problem in person_problems(person)]
    if any(person == Person() for person in people):
        problems.append("a manager needs a name, an e-mail address or both.")
    problems += [
        f'"{role}" is not a role; choose from {", ".join(MANAGER_ROLES)}.'
        for role in roles
        if role not in MANAGER_ROLES
    ]
    if problems:
        raise ChoiceError(" ".join(problems))


def _log(
    connection: Connection,
    verb: str,
    manager: Manager,
    by: By,
    now: datetime,
    role: Mapping[str, str] | None = None,
) -> None:
    """The log says who it was about by id only: it has no names."""
    detail = {"manager": manager.manager_id, **({"role": role} if role else {})}
    log_action(connection, verb, by=by, now=now, detail=detail)

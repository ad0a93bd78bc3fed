"""Managers: the people who look after a campaign, and how far each may go."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from steelyard.domain.people import Person, tidy

ManagerRole = Literal["viewer", "manager", "owner"]
# Each may do whatever those before it may.
MANAGER_ROLES: tuple[ManagerRole, ...] = ("viewer", "manager", "owner")

_WITH_ADDRESS = re.compile(r"(?P<name>[^<>]*)<(?P<email>[^<>]*)>")


@dataclass(frozen=True, slots=True)
class Manager:
    """Somebody who looks after the campaign by a link or an identity of their own."""

    manager_id: str
    name: str
    email: str
    role: ManagerRole
    link_version: int
    is_revoked: bool
    created_at: datetime


def allows(role: ManagerRole, needed: ManagerRole) -> bool:
    """Whether somebody of a role may do what needs another.

    >>> allows("owner", "viewer"), allows("viewer", "manager")
    (True, False)
    """
    return MANAGER_ROLES.index(role) >= MANAGER_ROLES.index(needed)


def read_person(text: str) -> Person:
    """A person as people write them: a name, an address, or both.

    >>> read_person("Ann Example <ann@example.org>")
    Person(name='Ann Example', email='ann@example.org')
    >>> read_person("ann@example.org"), read_person("Ann")
    (Person(name='', email='ann@example.org'), Person(name='Ann', email=''))
    """
    both = _WITH_ADDRESS.fullmatch(text.strip())
    if both is not None:
        return Person(tidy(both["name"]).strip('"'), tidy(both["email"]))
    return Person("", tidy(text)) if "@" in text else Person(tidy(text), "")

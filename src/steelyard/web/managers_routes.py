"""What an owner does about managers: who looks after the campaign, and how far each may go."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal, Self

from fastapi import APIRouter, Request
from pydantic import Field, model_validator

from steelyard.domain.managers import ManagerRole
from steelyard.domain.people import LONGEST, Person, tidy
from steelyard.flows import managers as flow
from steelyard.flows.managers import ManagerChanges, ManagerLink
from steelyard.web.auth import CallerOf, DeskOf, require
from steelyard.web.base_path import base_url_of
from steelyard.web.schemas import OpaqueId, StrictBody

router = APIRouter(prefix="/api/v1/managers", tags=["manage"])
Short = Annotated[str, Field(max_length=LONGEST)]


class NewManager(StrictBody):
    """Who may look after the campaign from now on, and how far; name or e-mail address may be empty."""

    name: Short = ""
    email: Short = ""
    role: ManagerRole


class ManagerBody(StrictBody):
    """Another role, or an action: `renew` for a new link in place of the present one, `revoke` for none."""

    role: ManagerRole | None = None
    action: Literal["renew", "revoke"] | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.role is None) == (self.action is None):
            raise ValueError("give either role or action")
        return self


@router.get("", dependencies=[require("owner")])
def all_managers(desk: DeskOf, request: Request) -> list[ManagerLink]:
    """Every manager with a link of their own."""
    return list(flow.managers(desk.campaign, base_url=base_url_of(request)))


@router.post("", status_code=201, dependencies=[require("owner")])
def add_manager(desk: DeskOf, caller: CallerOf, request: Request, body: NewManager) -> ManagerLink:
    """A link of their own for somebody else who looks after the campaign."""
    person = Person(tidy(body.name), tidy(body.email))
    [manager_id] = flow.add_managers(desk.campaign, [person], body.role, by=caller.by, now=datetime.now(UTC))
    return _link(desk, request, manager_id)


@router.post("/{manager_id}", dependencies=[require("owner")])
def change_manager(
    desk: DeskOf, caller: CallerOf, request: Request, manager_id: OpaqueId, body: ManagerBody
) -> ManagerLink:
    """Give a manager another role, renew their link, or revoke it."""
    changes = ManagerChanges(
        roles={} if body.role is None else {manager_id: body.role},
        renew=(manager_id,) if body.action == "renew" else (),
        revoke=(manager_id,) if body.action == "revoke" else (),
    )
    flow.change_managers(desk.campaign, changes, by=caller.by, now=datetime.now(UTC))
    return _link(desk, request, manager_id)


def _link(desk: DeskOf, request: Request, manager_id: str) -> ManagerLink:
    return next(link for link in all_managers(desk, request) if link.manager_id == manager_id)

"""What a manager does about people: links for them, renewed and revoked, and who they are."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Literal, Self

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import Field, model_validator

from steelyard.domain.managers import allows
from steelyard.domain.people import LONGEST, Person, tidy
from steelyard.flows import links, people, rules
from steelyard.flows.links import LinkChanges, Links, WorkerLink
from steelyard.flows.managers import Caller
from steelyard.web.auth import CallerOf, DeskOf, require
from steelyard.web.base_path import base_url_of
from steelyard.web.schemas import StrictBody
from steelyard.web.state import Desk

router = APIRouter(prefix="/api/v1", tags=["manage"])

Short = Annotated[str, Field(max_length=LONGEST)]


class PersonBody(StrictBody):
    """Who a worker is; either may be empty."""

    name: Short = ""
    email: Short = ""


class NewLinks(StrictBody):
    """How many worker links to make, or for whom.

    People who have a link keep it, unless they should be given a second one (`again`).
    """

    n: Annotated[int, Field(ge=1, le=1000)] | None = None
    people: Annotated[list[PersonBody], Field(min_length=1, max_length=1000)] | None = None
    again: bool = False

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.n is None) == (self.people is None):
            raise ValueError("give either n or people")
        return self


class WorkerLinkBody(StrictBody):
    """`renew`: a new link in place of the present one. `revoke`: none."""

    action: Literal["renew", "revoke"]


class ManagerLinkBody(StrictBody):
    """`renew`: a new link in place of the present one."""

    action: Literal["renew"]


class OpenLinkBody(StrictBody):
    """Whether anyone with the open link may join, or a new link in place of the present one."""

    on: bool | None = None
    action: Literal["renew"] | None = None


@router.get("/links", dependencies=[require("manager")])
def all_links(desk: DeskOf, caller: CallerOf, request: Request) -> Links:
    """Every link of the campaign; the manager's own link for owners only."""
    return links_here(desk, request, caller)


@router.get("/links.csv", response_class=Response, dependencies=[require("manager")])
def links_file(desk: DeskOf, request: Request) -> Response:
    """The workers' links with names and addresses, as a table for a program that sends letters."""
    found = links.links(desk.campaign, base_url=base_url_of(request))
    name = desk.campaign.settings.name
    headers = {"Content-Disposition": f'attachment; filename="{name}.links.csv"'}
    return Response(people.mail_merge({name: found.workers}), media_type="text/csv", headers=headers)


@router.post("/links", status_code=201, dependencies=[require("manager")])
def add_links(desk: DeskOf, caller: CallerOf, request: Request, body: NewLinks) -> list[WorkerLink]:
    """Links for new workers, or for these people in their order."""
    base_url, now = base_url_of(request), datetime.now(UTC)
    if body.people is None:
        added = links.add_workers(desk.campaign, body.n or 0, base_url=base_url, now=now, by=caller.by)
    else:
        wanted = [Person(tidy(each.name), tidy(each.email)) for each in body.people]
        added = people.invite(
            desk.campaign, wanted, base_url=base_url, by=caller.by, now=now, again=body.again
        ).links
    return list(added)


@router.post("/workers/{worker_id}/link", dependencies=[require("manager")])
def change_worker_link(
    desk: DeskOf, caller: CallerOf, request: Request, worker_id: str, body: WorkerLinkBody
) -> WorkerLink:
    """Renew or revoke a worker's link; the one that was sent out no longer opens anything."""
    changes = LinkChanges(renew=(worker_id,)) if body.action == "renew" else LinkChanges(revoke=(worker_id,))
    links.change_links(desk.campaign, changes, by=caller.by, now=datetime.now(UTC))
    return _worker_link(desk, request, worker_id)


@router.put("/workers/{worker_id}/person", dependencies=[require("manager")])
def name_worker(
    desk: DeskOf, caller: CallerOf, request: Request, worker_id: str, body: PersonBody
) -> WorkerLink:
    """Write down who a worker is, for the manager only."""
    people.name_worker(
        desk.campaign, worker_id, by=caller.by, now=datetime.now(UTC), name=body.name, email=body.email
    )
    return _worker_link(desk, request, worker_id)


@router.post("/links/open", dependencies=[require("manager")])
def change_open_link(desk: DeskOf, caller: CallerOf, request: Request, body: OpenLinkBody) -> Links:
    """Switch the open link on or off, or renew it."""
    now = datetime.now(UTC)
    if body.on is not None:
        rules.change_rules(desk.campaign, {"open_link": body.on}, by=caller.by, now=now)
    if body.action is not None:
        links.change_links(desk.campaign, LinkChanges(renew_open=True), by=caller.by, now=now)
    return links_here(desk, request, caller)


@router.post("/links/manager", dependencies=[require("owner")])
def change_manager_link(desk: DeskOf, caller: CallerOf, request: Request, body: ManagerLinkBody) -> Links:
    """Renew the manager's link. The one that was used until now opens nothing; the reply has the new one."""
    links.change_links(desk.campaign, LinkChanges(renew_manager=True), by=caller.by, now=datetime.now(UTC))
    return links_here(desk, request, caller)


def links_here(desk: Desk, request: Request, caller: Caller) -> Links:
    """Every link that the caller may have, at the address that the request came to."""
    found = links.links(desk.campaign, base_url=base_url_of(request))
    # It would make an owner of whoever has it.
    return found if allows(caller.role, "owner") else replace(found, manager_url="")


def _worker_link(desk: Desk, request: Request, worker_id: str) -> WorkerLink:
    [link] = links.worker_links(desk.campaign, [worker_id], base_url=base_url_of(request))
    return link

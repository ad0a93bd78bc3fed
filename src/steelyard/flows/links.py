"""Links: who may open what. Their tokens are derived from a secret and stored nowhere."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from steelyard.domain.errors import Conflict, NotFound
from steelyard.domain.running import By, CampaignState
from steelyard.domain.work import LinkRole
from steelyard.flows.open import OpenCampaign
from steelyard.flows.participants import record_visit, visitor_in, worker_for
from steelyard.flows.platform import Query, address_for_platform, session_query
from steelyard.flows.secrets import replaced_secret, secret_of, usable_secret
from steelyard.flows.tokens import SHARED_IDS, pseudonym_for, split_token, token_for
from steelyard.platforms import platforms
from steelyard.store import links as stored
from steelyard.store import running, work
from steelyard.store.actions import is_rehearsal, log_action
from steelyard.store.participants import renew_pseudonyms
from steelyard.store.turns import take_turns

if TYPE_CHECKING:
    from sqlalchemy import Connection

INVALID = "This link is not valid, or not valid any more. Ask the organiser of the campaign for a new one."
CLOSED_LIST = (
    "Nobody new can join this campaign at the moment. If you have a personal link, it works as before; "
    "otherwise ask the organiser of the campaign for one."
)


@dataclass(frozen=True, slots=True)
class WorkerLink:
    """One worker's own link, for the manager's eyes. A link that is revoked has no token and no address."""

    worker_id: str
    token: str
    url: str
    name: str = ""
    email: str = ""
    is_revoked: bool = False
    is_blocked: bool = False
    platform: str = ""
    """The platform that sent this worker; empty if none did."""
    participant_id: str = ""
    """Their id there; empty once it was forgotten."""


@dataclass(frozen=True, slots=True)
class Links:
    """Every link of a campaign. `open_url` is as its platform needs it."""

    manager_url: str
    open_url: str
    workers: tuple[WorkerLink, ...]
    open_link: bool = True
    """Whether anyone with the open link may join."""
    platform: str = "local"
    """The platform that the open link is for."""


@dataclass(frozen=True, slots=True)
class LinkChanges:
    """Links to end: with a new one in their place, or, for those to `revoke`, without."""

    renew: tuple[str, ...] = ()
    revoke: tuple[str, ...] = ()
    renew_open: bool = False
    renew_manager: bool = False


@dataclass(frozen=True, slots=True)
class _Tokens:
    """Makes the tokens of one campaign."""

    secret: str
    mark: str

    def of(self, role: LinkRole, holder_id: str, version: int) -> str:
        return token_for(self.secret, self.mark, role, holder_id, version)


def links(campaign: OpenCampaign, *, base_url: str) -> Links:
    """All links, the workers' in order of creation."""
    tokens = _tokens(campaign)
    with campaign.store.snapshot() as connection:
        kept = stored.stored_links(connection)
        versions = stored.shared_versions(connection)
        workers = stored.linked_workers(connection)
        rules = running.rules(connection)
    of_roles = {link.role: link.token for link in kept if link.worker_id is None}
    shared = {
        role: of_roles.get(role) or tokens.of(role, holder_id, versions[role])
        for role, holder_id in SHARED_IDS.items()
    }
    return Links(
        manager_url=f"{base_url}/m/{shared['manager']}",
        open_url=address_for_platform(f"{base_url}/join/{shared['open']}", rules),
        workers=_worker_links(workers, kept, tokens, base_url),
        open_link=rules.open_link,
        platform=rules.platform,
    )


def worker_links(
    campaign: OpenCampaign, worker_ids: Sequence[str], *, base_url: str
) -> tuple[WorkerLink, ...]:
    """The links of these workers, in order of creation."""
    tokens = _tokens(campaign)
    with campaign.store.snapshot() as connection:
        kept = stored.stored_links(connection)
        workers = stored.linked_workers(connection, worker_ids)
    return _worker_links(workers, kept, tokens, base_url)


def add_workers(
    campaign: OpenCampaign,
    n: int,
    *,
    base_url: str,
    now: datetime,
    by: By = "command line",
    is_simulated: bool = False,
) -> tuple[WorkerLink, ...]:
    """Links for `n` new workers."""
    tokens = _tokens(campaign)
    with campaign.store.write() as connection:
        worker_ids = [
            work.add_worker(connection, now=now, is_simulated=is_simulated).worker_id for _ in range(n)
        ]
        log_action(connection, "add-workers", by=by, now=now, detail={"workers": worker_ids})
        added = stored.linked_workers(connection, worker_ids)
    return _worker_links(added, [], tokens, base_url)


def join_campaign(campaign: OpenCampaign, *, base_url: str, now: datetime, query: Query = ()) -> WorkerLink:
    """A worker's link for someone who came by the open link with these parameters.

    It is a new worker's, unless a platform says that somebody came before. Conflict if the link is off or all
    is over ("open_link_off"), or if the platform does not say who comes ("no_id"), or if they may not join
    ("barred") or only look ("preview"); NotFound for one whose link was revoked. Where a finished set is
    posted back, the address says from which session.
    """
    tokens = _tokens(campaign)
    with campaign.store.write() as connection:
        now_running = running.conditions(connection)
        visitor = visitor_in(now_running.rules, query, secret=tokens.secret, mark=tokens.mark)
        # Nobody is added between looking and adding.
        take_turns(connection, "worker")
        known = None if visitor is None else worker_for(connection, visitor)
        if known is None and (not now_running.rules.open_link or now_running.state is CampaignState.CLOSED):
            raise Conflict(CLOSED_LIST, code="open_link_off")
        worker_id = known or _new_worker(connection, now=now)
        if visitor is not None:
            record_visit(connection, visitor, worker_id, is_new=known is None, now=now)
        if known is None:
            log_action(connection, "join", by="worker", now=now, worker_id=worker_id)
        added = stored.linked_workers(connection, [worker_id])
    [link] = _worker_links(added, [], tokens, base_url)
    if link.is_revoked:
        raise NotFound(INVALID)
    return link if visitor is None else replace(link, url=link.url + session_query(visitor.visit))


def _new_worker(connection: Connection, *, now: datetime) -> str:
    """A worker for somebody who joins; nobody who comes to a rehearsal is taken for a person."""
    return work.add_worker(connection, now=now, is_simulated=is_rehearsal(connection)).worker_id


def change_links(campaign: OpenCampaign, changes: LinkChanges, *, by: By, now: datetime) -> None:
    """Renew and revoke links, all of them or none; NotFound if a worker is unknown."""
    # A new version helps nobody as long as the secret is missing.
    usable_secret(campaign)
    with campaign.store.write() as connection:
        # All workers in one order, and the log last: two who do this at once do not wait in a circle.
        for worker_id in sorted({*changes.renew, *changes.revoke}):
            stored.hold_worker(connection, worker_id)
        for worker_id in changes.renew:
            stored.renew_worker_link(connection, worker_id)
        for worker_id in changes.revoke:
            stored.revoke_worker_link(connection, worker_id)
        if changes.renew_open:
            stored.renew_shared_link(connection, "open")
        if changes.renew_manager:
            stored.renew_shared_link(connection, "manager")
        for verb, about in _deeds(changes):
            log_action(connection, verb, by=by, now=now, worker_id=about)


def _deeds(changes: LinkChanges) -> list[tuple[str, str | None]]:
    """What the log says about these changes."""
    return [
        *(("renew-link", worker_id) for worker_id in changes.renew),
        *(("revoke-link", worker_id) for worker_id in changes.revoke),
        *([("renew-open-link", None)] if changes.renew_open else []),
        *([("renew-manager-link", None)] if changes.renew_manager else []),
    ]


def renew_all(campaign: OpenCampaign, *, by: By, now: datetime) -> int:
    """End every link, for a secret that is lost or known to others; a new secret makes the new ones.

    Links that were revoked stay so. Returns how many participants nobody can know again, since only what
    the old secret made of their ids was kept: those who may not join, and those whose ids were forgotten.
    """
    with replaced_secret(campaign.store) as (secret, mark), campaign.store.write() as connection:
        take_turns(connection, "worker")
        stored.set_secret_mark(connection, mark)
        stored.forget_stored_links(connection)
        n_lost = renew_pseudonyms(connection, lambda known: pseudonym_for(secret, mark, known))
        detail = {"lost_participants": n_lost} if n_lost else {}
        log_action(connection, "renew-all-links", by=by, now=now, detail=detail)
    return n_lost


def holder(campaign: OpenCampaign, token: str, role: LinkRole) -> str | None:
    """The worker or manager whose own link it is, None for a shared one; NotFound if it opens nothing.

    It costs one indexed read, and as much for a token of nobody as for a valid one.
    """
    parts = split_token(token)
    with campaign.store.read() as connection:
        if parts is None:
            kept = stored.find_link(connection, token)
            if kept is None or kept.role != role:
                raise NotFound(INVALID)
            return kept.worker_id
        own_id = None if _is_shared(role, parts.holder_id) else parts.holder_id
        found = stored.door(connection, role, own_id)
    if found.mark is None:
        raise NotFound(INVALID)
    tokens = _Tokens(secret_of(campaign, found.mark), found.mark)
    expected = tokens.of(role, own_id or SHARED_IDS[role], found.version or 0)
    is_right = hmac.compare_digest(expected.encode(), token.encode())
    if not is_right or found.version is None or found.is_revoked:
        raise NotFound(INVALID)
    return own_id


def _is_shared(role: LinkRole, holder_id: str) -> bool:
    """Whether a link of this role belongs to no single person: of managers, some have their own."""
    return role == "open" or (role == "manager" and holder_id == SHARED_IDS["manager"])


def manager_url(campaign: OpenCampaign, *, base_url: str) -> str:
    """The manager's link alone."""
    tokens = _tokens(campaign)
    with campaign.store.read() as connection:
        kept = next((link.token for link in stored.stored_links(connection) if link.role == "manager"), None)
        version = stored.shared_versions(connection)["manager"]
    return f"{base_url}/m/{kept or tokens.of('manager', SHARED_IDS['manager'], version)}"


def remember_url(campaign: OpenCampaign, url: str) -> None:
    """Record where the campaign is served, for links that are printed later."""
    with campaign.store.write() as connection:
        stored.set_url(connection, url)


def served_url(campaign: OpenCampaign) -> str | None:
    """Where the campaign was last served; None if it never was."""
    with campaign.store.read() as connection:
        return stored.url(connection)


def _tokens(campaign: OpenCampaign) -> _Tokens:
    return _Tokens(*usable_secret(campaign))


def _worker_links(
    workers: Sequence[stored.LinkedWorker], kept: Sequence[stored.Link], tokens: _Tokens, base_url: str
) -> tuple[WorkerLink, ...]:
    of_workers = {link.worker_id: link.token for link in kept}
    return tuple(
        _worker_link(worker, tokens, base_url, of_workers.get(worker.worker_id)) for worker in workers
    )


def _worker_link(worker: stored.LinkedWorker, tokens: _Tokens, base_url: str, kept: str | None) -> WorkerLink:
    token = "" if worker.is_revoked else kept or tokens.of("worker", worker.worker_id, worker.version)
    return WorkerLink(
        worker_id=worker.worker_id,
        token=token,
        url=platforms()["local"].entry_url(base_url, token) if token else "",
        name=worker.name,
        email=worker.email,
        is_revoked=worker.is_revoked,
        is_blocked=worker.is_blocked,
        platform=worker.platform,
        participant_id=worker.participant_id,
    )

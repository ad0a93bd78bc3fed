"""Links: who may open what."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from steelyard.domain.errors import NotFound
from steelyard.domain.work import LinkRole
from steelyard.flows.create import new_token
from steelyard.flows.open import OpenCampaign
from steelyard.platforms import platforms
from steelyard.store import work


@dataclass(frozen=True, slots=True)
class WorkerLink:
    """One worker's own link."""

    worker_id: str
    token: str
    url: str


@dataclass(frozen=True, slots=True)
class Links:
    """Every link of a campaign."""

    manager_url: str
    open_url: str
    workers: tuple[WorkerLink, ...]


def links(campaign: OpenCampaign, *, base_url: str) -> Links:
    """All links, the workers' in order of creation."""
    with campaign.store.read() as connection:
        found = work.stored_links(connection)
    by_role = {link.role: link.token for link in found if link.role != "worker"}
    return Links(
        manager_url=f"{base_url}/m/{by_role['manager']}",
        open_url=f"{base_url}/join/{by_role['open']}",
        workers=tuple(
            _worker_link(link.worker_id, link.token, base_url) for link in found if link.worker_id is not None
        ),
    )


def add_workers(campaign: OpenCampaign, n: int, *, base_url: str, now: datetime) -> tuple[WorkerLink, ...]:
    """Links for `n` new workers."""
    added = []
    with campaign.store.write() as connection:
        for _ in range(n):
            worker = work.add_worker(connection, now=now)
            token = new_token()
            work.add_link(connection, work.Link(token, "worker", worker.worker_id), now=now)
            added.append(_worker_link(worker.worker_id, token, base_url))
    return tuple(added)


def holder(campaign: OpenCampaign, token: str, role: LinkRole) -> str | None:
    """The worker behind a token (None for the manager's and the open link); NotFound if it opens nothing."""
    with campaign.store.read() as connection:
        link = work.find_link(connection, token)
    if link is None or link.role != role:
        raise NotFound(
            "This link is not valid, or no longer. Ask the organiser of the campaign for a new one."
        )
    return link.worker_id


def _worker_link(worker_id: str, token: str, base_url: str) -> WorkerLink:
    return WorkerLink(worker_id, token, platforms()["local"].entry_url(base_url, token))

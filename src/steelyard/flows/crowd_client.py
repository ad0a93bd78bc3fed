"""What talks to a campaign's platform: made from the campaign's settings and keys from outside."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from steelyard.domain.crowd import ClientSettings, CrowdClient
from steelyard.domain.errors import Conflict, PlatformError
from steelyard.domain.nearest import no_such
from steelyard.domain.plugin import Platform
from steelyard.domain.running import Rules
from steelyard.flows.open import OpenCampaign
from steelyard.flows.rules import campaign_rules
from steelyard.platforms import platforms
from steelyard.platforms.credentials import address_of, key_hint, key_of

if TYPE_CHECKING:
    from sqlalchemy import Connection


def platform_of(rules: Rules) -> Platform:
    """The campaign's platform; Conflict if nothing here can talk to it."""
    platform = platforms().get(rules.platform)
    if platform is not None and platform.client is not None:
        return platform
    known = ", ".join(name for name, each in platforms().items() if each.client is not None)
    raise Conflict(
        f"The campaign's platform is {rules.platform}, which Steelyard cannot talk to; it can talk to "
        f"{known}. Choose one with: steelyard settings DB --platform NAME",
        code="platform",
    )


def require_named(name: str, rules: Rules) -> None:
    """Conflict unless this is the campaign's platform."""
    if name not in platforms():
        raise Conflict(no_such("platform", name, platforms()), code="platform")
    if name != rules.platform:
        raise Conflict(
            f"The campaign's platform is {rules.platform}, not {name}. Change it, if you mean {name}: "
            f"steelyard settings DB --platform {name}",
            code="platform",
        )


@contextmanager
def crowd_client(
    campaign: OpenCampaign,
    *,
    tell: Callable[[str], None] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Iterator[CrowdClient]:
    """What talks to the campaign's platform. With `tell` nothing that changes anything is sent: only told.

    Keys come from the environment or from a file that nobody else can read; they are stored nowhere.
    """
    rules = campaign_rules(campaign)
    platform = platform_of(rules)
    assert platform.client is not None, "just looked"
    found = os.environ if environ is None else environ
    settings = ClientSettings(
        settings=dict(rules.platform_settings),
        key=key_of(platform.name, found),
        address=address_of(platform.name, found),
    )
    client = platform.client(replace(settings, tell=tell))
    try:
        yield client
    finally:
        client.close()


@dataclass(frozen=True, slots=True)
class Reach:
    """Whether a platform can be talked to from here, or what the `problem` is; and what a rejection needs.

    `categories` of rejections, and how many letters their reasons have at the least.
    """

    platform: str
    has_client: bool
    has_key: bool
    problem: str
    categories: tuple[str, ...]
    least_message: int


def reach_of(campaign: OpenCampaign, environ: Mapping[str, str] | None = None) -> Reach:
    """Whether the campaign's platform can be talked to from here."""
    rules = campaign_rules(campaign)
    platform = platforms().get(rules.platform)
    has_client = platform is not None and platform.client is not None
    has_key, problem = False, ""
    if platform is not None and has_client:
        try:
            found = os.environ if environ is None else environ
            has_key = platform.finds_keys or key_of(platform.name, found) is not None
            problem = "" if has_key else key_hint(platform.name)
        except PlatformError as error:
            problem = str(error)
    return Reach(
        platform=rules.platform,
        has_client=has_client,
        has_key=has_key,
        problem=problem,
        categories=tuple(platform.rejection_categories) if platform else (),
        least_message=platform.least_message if platform else 0,
    )


@contextmanager
def noted(campaign: OpenCampaign, client: CrowdClient) -> Iterator[Connection]:
    """A write transaction beside what a client does: in a dry run, what was written is taken back."""
    with campaign.store.write() as connection:
        if not client.is_dry:
            yield connection
            return
        nested = connection.begin_nested()
        try:
            yield connection
        finally:
            nested.rollback()

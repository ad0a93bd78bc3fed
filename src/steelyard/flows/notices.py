"""What a platform tells us by itself: verified, counted once, carried over in the right order."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from steelyard.domain.crowd import NoticeParts
from steelyard.domain.errors import NotFound
from steelyard.flows.mirror import mirror_notice
from steelyard.flows.open import OpenCampaign
from steelyard.flows.rules import campaign_rules
from steelyard.platforms import platforms
from steelyard.platforms.credentials import notice_secrets
from steelyard.store import crowd
from steelyard.store.turns import take_turns


@dataclass(frozen=True, slots=True)
class NoticeTaken:
    """Whether a notice was new, and whether anything here changed by it."""

    is_new: bool
    has_changed: bool = False


def take_notice(
    campaign: OpenCampaign,
    headers: Mapping[str, str],
    body: bytes,
    *,
    now: datetime,
    environ: Mapping[str, str] | None = None,
) -> NoticeTaken:
    """Take what arrived; PlatformError if the platform has not signed it, or too long ago.

    NotFound where nothing is expected: the platform sends no notices, or no secret is known to check them by.
    What a notice says is a hint: `sync` asks the platform itself, whatever was lost on the way.
    """
    platform = platforms().get(campaign_rules(campaign).platform)
    found = os.environ if environ is None else environ
    secrets = [] if platform is None else notice_secrets(platform.name, found)
    if platform is None or platform.notice_in is None or not secrets:
        raise NotFound("Nothing is expected here.")
    notice = platform.notice_in(NoticeParts(headers, body, secrets, now))
    with campaign.store.write() as connection:
        take_turns(connection, "crowd")
        if not crowd.is_new_notice(connection, notice.notice_id, now=now):
            return NoticeTaken(is_new=False)
        changed = mirror_notice(connection, notice, now=now)
    return NoticeTaken(is_new=True, has_changed=changed is not None)

"""Prolific: who comes by its parameters, and what talks to its API.

Sources: docs.prolific.com (study object, submissions, bonuses, webhooks), as of November 2026.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from steelyard.domain.crowd import ClientSettings, CrowdClient, Notice, NoticeParts
from steelyard.domain.errors import PlatformError
from steelyard.domain.nearest import no_such
from steelyard.domain.plugin import Platform
from steelyard.platforms.local import entry_url

# By key of [platform.settings], what it must be.
SETTING_KINDS: Mapping[str, tuple[type, ...]] = {
    "workspace": (str,),
    "project": (str,),
    "filters": (list,),
    "filter_set_id": (str,),
    "device_compatibility": (list,),
    "peripheral_requirements": (list,),
    "maximum_allowed_time": (int,),
    "study_labels": (list,),
    "study_type": (str,),
    "quotas": (list,),
    "screened_pay": (int, float),
    "screened_places": (int,),
}
_WORDS = {str: "a text", list: "a list", int: "a whole number", float: "a number"}
REJECTION_CATEGORIES = (
    *(
        "TOO_QUICKLY",
        "TOO_SLOWLY",
        "FAILED_INSTRUCTIONS",
        "INCOMP_LONGITUDINAL",
        "FAILED_CHECK",
        "LOW_EFFORT",
    ),
    *("MALINGERING", "NO_CODE", "BAD_CODE", "NO_DATA", "UNSUPP_DEVICE", "OTHER"),
)
# How far a notice's time may be from ours: clocks differ, and old ones may be somebody else's copies.
NOTICE_LIFE = timedelta(minutes=5)
_NOT_OURS = "This notice is not signed as it should be, or too old."


def client(settings: ClientSettings) -> CrowdClient:
    """What talks to Prolific."""
    from steelyard.platforms._prolific_client import ProlificClient

    return ProlificClient(settings)


def setting_problems(settings: Mapping[str, Any]) -> Sequence[str]:
    """What is wrong with the settings, in sentences.

    >>> setting_problems({"project": "p1", "screened_pay": -1})
    ['"screened_pay" must be more than 0.']
    """
    problems = [no_such("setting", name, SETTING_KINDS) for name in settings if name not in SETTING_KINDS]
    for name, kinds in SETTING_KINDS.items():
        value = settings.get(name)
        if value is not None and (not isinstance(value, kinds) or isinstance(value, bool)):
            problems.append(f'"{name}" must be {_WORDS[kinds[-1]]}.')
        elif isinstance(value, int | float) and value <= 0:
            problems.append(f'"{name}" must be more than 0.')
    if "screened_places" in settings and "screened_pay" not in settings:
        problems.append('"screened_places" needs "screened_pay": what each of them gets.')
    return problems


def notice_in(parts: NoticeParts) -> Notice:
    """What a webhook says, once one of the secrets is found to have signed its time and body."""
    stamp = parts.headers.get("x-prolific-request-timestamp", "")
    given = parts.headers.get("x-prolific-request-signature", "")
    signed = stamp.encode() + parts.body
    try:
        signature = base64.b64decode(given, validate=True)
    except (binascii.Error, ValueError):
        raise PlatformError(_NOT_OURS) from None
    # All are compared, so that the time taken says nothing.
    matches = [
        hmac.compare_digest(hmac.digest(each.encode(), signed, "sha256"), signature) for each in parts.secrets
    ]
    sent_at = moment_in(stamp)
    if not any(matches) or sent_at is None or abs(parts.now - sent_at) > NOTICE_LIFE:
        raise PlatformError(_NOT_OURS)
    try:
        said = json.loads(parts.body)
        kind, resource = str(said["event_type"]), str(said["resource_id"])
    except (ValueError, KeyError, TypeError):
        raise PlatformError(_NOT_OURS) from None
    happened = moment_in(parts.headers.get("x-timestamp", "")) or sent_at
    notice_id = parts.headers.get("x-event-id") or f"{kind} {resource} {stamp}"
    return _notice(notice_id, happened, kind, resource, str(said.get("status", "")))


def _notice(notice_id: str, happened: datetime, kind: str, resource: str, status: str) -> Notice:
    from steelyard.platforms._prolific_client import session_state

    if kind == "submission.status.change":
        state = session_state(status)
        return Notice(notice_id, happened, session_id=resource, state=state)
    return Notice(notice_id, happened, listing_id=resource if kind.startswith("study.") else None)


def moment_in(text: str | None) -> datetime | None:
    """A time as a number of seconds or in ISO 8601; None for anything else."""
    if text is None:
        return None
    try:
        if text.replace(".", "", 1).isdigit():
            seconds = float(text)
            return datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC)
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except (ValueError, OverflowError, OSError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


PLATFORM = Platform(
    name="prolific",
    title="Prolific",
    entry_url=entry_url,
    tells_ids=True,
    id_parameter="PROLIFIC_PID",
    study_parameter="STUDY_ID",
    session_parameter="SESSION_ID",
    id_pattern="[0-9a-f]{24}",
    placeholders={name: f"{{{{%{name}%}}}}" for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")},
    completion_url="https://app.prolific.com/submissions/complete?cc={code}",
    client=client,
    setting_problems=setting_problems,
    least_message=100,
    rejection_categories=REJECTION_CATEGORIES,
    notice_in=notice_in,
)

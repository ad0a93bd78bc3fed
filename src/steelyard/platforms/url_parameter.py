"""Platforms that say in the address who comes: one for any of them, and what is known of some.

They send people to the open link and take them back by a code, by an address, or by both. Nothing is asked
of the platform itself, so no account of it and no key is needed here.
"""

from __future__ import annotations

from steelyard.domain.plugin import Platform
from steelyard.platforms.local import entry_url

PLATFORM = Platform(
    name="url-parameter", title="A platform with a URL parameter", entry_url=entry_url, tells_ids=True
)
PRESETS = (
    Platform(
        name="connect",
        title="CloudResearch Connect",
        entry_url=entry_url,
        tells_ids=True,
        id_parameter="participantId",
        study_parameter="projectId",
        session_parameter="assignmentId",
    ),
    Platform(
        name="sona",
        title="Sona Systems",
        entry_url=entry_url,
        tells_ids=True,
        id_parameter="id",
        id_pattern="[1-9][0-9]{1,6}",
        placeholders={"id": "%SURVEY_CODE%"},
    ),
    Platform(
        name="besample",
        title="Besample",
        entry_url=entry_url,
        tells_ids=True,
        id_parameter="response_id",
    ),
)

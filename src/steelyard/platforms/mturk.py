"""Amazon Mechanical Turk, which shows our page in a frame of its own and takes the end of a set by a form.

How the frame, its parameters and the form work: the article ExternalQuestion of the Mechanical Turk API
reference. The patterns of ids: CustomerId in the service's own description (API version 2017-01-17).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.domain.crowd import ClientSettings, CrowdClient
from steelyard.domain.errors import PlatformError
from steelyard.domain.extras import how_to_install
from steelyard.domain.nearest import no_such
from steelyard.domain.plugin import Platform, PostBack
from steelyard.platforms.local import entry_url

WORKER_SITES = ("https://worker.mturk.com", "https://workersandbox.mturk.com")
SUBMIT_SITES = ("https://www.mturk.com", "https://workersandbox.mturk.com")

# By key of [platform.settings], what it must be.
SETTING_KINDS: Mapping[str, type] = {
    "live": bool,
    "keywords": str,
    "countries": list,
    "least_approved": int,
    "qualifications": list,
    "assignment_minutes": int,
    "emulator": str,
}


def client(settings: ClientSettings) -> CrowdClient:
    """What talks to Mechanical Turk."""
    try:
        from steelyard.platforms._mturk_client import MTurkClient
    except ImportError:
        raise PlatformError(f"Mechanical Turk needs Amazon's library: {how_to_install('mturk')}") from None
    return MTurkClient(settings)


def setting_problems(settings: Mapping[str, Any]) -> Sequence[str]:
    """What is wrong with the settings, in sentences.

    >>> setting_problems({"live": "yes"})
    ['"live" must be of the kind bool.']
    """
    problems = [no_such("setting", name, SETTING_KINDS) for name in settings if name not in SETTING_KINDS]
    for name, kind in SETTING_KINDS.items():
        if name in settings and type(settings[name]) is not kind:
            problems.append(f'"{name}" must be of the kind {kind.__name__}.')
    return problems


PLATFORM = Platform(
    name="mturk",
    title="Mechanical Turk",
    entry_url=entry_url,
    tells_ids=True,
    id_parameter="workerId",
    study_parameter="hitId",
    session_parameter="assignmentId",
    id_pattern="A[A-Z0-9]{1,63}",
    client=client,
    finds_keys=True,
    refills_rejected=False,
    setting_problems=setting_problems,
    posts_back=PostBack(
        frame_origins=WORKER_SITES,
        submit_origins=SUBMIT_SITES,
        submit_parameter="turkSubmitTo",
        submit_path="/mturk/externalSubmit",
        session_field="assignmentId",
        preview_session="ASSIGNMENT_ID_NOT_AVAILABLE",
    ),
)

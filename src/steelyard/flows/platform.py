"""The platform that sends workers, as a campaign's rules have it: parameters, addresses, the way back."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, urlencode

from steelyard.domain.errors import CampaignError
from steelyard.domain.nearest import no_such
from steelyard.domain.participants import Visit
from steelyard.domain.plugin import Platform, PostBack
from steelyard.domain.running import Rules
from steelyard.domain.web_address import is_own_machine
from steelyard.platforms import platforms
from steelyard.platforms.credentials import address_of

# The parameters of an address, in order: one may be there twice.
Query = Iterable[tuple[str, str]]
# An id that a platform says nothing more about; a placeholder that nobody filled in has other signs.
ANY_ID = r"[A-Za-z0-9._~@:+=-]{1,100}"
# What stands for an id in the address for a platform that we know nothing about.
UNKNOWN_PLACEHOLDER = "{PARTICIPANT_ID}"
# The setting of a platform with the origin of its emulator, for rehearsals on one's own machine.
EMULATOR_SETTING = "emulator"
# Rules that only mean something to a platform that says who comes.
_PARAMETERS = ("id_parameter", "study_parameter", "session_parameter", "id_pattern")


@dataclass(frozen=True, slots=True)
class Identification:
    """By which parameters of the open link a platform says who comes."""

    platform: Platform
    id_parameter: str
    study_parameter: str | None
    session_parameter: str | None
    id_pattern: str
    posting: PostBack | None = None

    def visit_in(self, query: Query) -> Visit | None:
        """Who comes; None if the address does not say so, or names no id of this platform.

        Nor without a session, or with a place that is not the platform's, where sets are posted back.
        """
        given = list(query)
        participant_id = _given_id(given, self.id_parameter, self.id_pattern)
        session_id = _given_id(given, self.session_parameter, ANY_ID)
        if not participant_id:
            return None
        submit_to = ""
        if self.posting is not None:
            submit_to = _value(given, self.posting.submit_parameter).rstrip("/")
            if not session_id or submit_to not in self.posting.submit_origins:
                return None
        return Visit(participant_id, _given_id(given, self.study_parameter, ANY_ID), session_id, submit_to)

    def is_preview(self, query: Query) -> bool:
        """Whether somebody only looks, and has not taken the work on the platform."""
        return self.posting is not None and (
            _value(list(query), self.session_parameter) == self.posting.preview_session
        )


def _value(given: Sequence[tuple[str, str]], parameter: str | None) -> str:
    """What a parameter says; nothing if it says several things."""
    values = {value for name, value in given if name == parameter}
    return values.pop() if len(values) == 1 else ""


def _given_id(given: Sequence[tuple[str, str]], parameter: str | None, pattern: str) -> str:
    value = _value(given, parameter)
    return value if re.fullmatch(ANY_ID, value) and re.fullmatch(pattern, value) else ""


def identification(rules: Rules) -> Identification | None:
    """How a campaign learns who comes by its open link; None if nobody says so."""
    platform = platforms().get(rules.platform)
    if platform is None or not platform.tells_ids:
        return None
    return Identification(
        platform,
        rules.id_parameter or platform.id_parameter or "",
        rules.study_parameter or platform.study_parameter,
        rules.session_parameter or platform.session_parameter,
        rules.id_pattern or platform.id_pattern or ANY_ID,
        posting_of(rules),
    )


def posting_of(rules: Rules) -> PostBack | None:
    """How finished sets are posted back to the campaign's platform; None where they are not.

    In a rehearsal the platform's emulator counts as the platform, on the reader's own machine only: nobody
    else can put a page there.
    """
    platform = platforms().get(rules.platform)
    posting = platform.posts_back if platform else None
    emulator = str(rules.platform_settings.get(EMULATOR_SETTING, ""))
    emulator = emulator or address_of(rules.platform, os.environ) or ""
    if posting is None or not is_own_machine(emulator):
        return posting
    return replace(
        posting,
        frame_origins=(*posting.frame_origins, emulator),
        submit_origins=(*posting.submit_origins, emulator),
    )


def session_query(visit: Visit) -> str:
    """What a worker's page is told of the session in which somebody came, where a set is posted back.

    >>> session_query(Visit("A1", "H1", "S1", "https://www.mturk.com"))
    '?session=S1&submit_to=https%3A%2F%2Fwww.mturk.com'
    """
    if not visit.submit_to:
        return ""
    return "?" + urlencode({"session": visit.session_id, "submit_to": visit.submit_to})


def address_for_platform(open_url: str, rules: Rules) -> str:
    """The open link as it is given to the campaign's platform, which fills in who comes.

    >>> address_for_platform("https://here/join/o-x", Rules(platform="sona"))
    'https://here/join/o-x?id=%SURVEY_CODE%'
    """
    found = identification(rules)
    if found is None:
        return open_url
    usual, known = found.platform.id_parameter, dict(found.platform.placeholders)
    if usual is None:
        known[found.id_parameter] = UNKNOWN_PLACEHOLDER
    elif usual in known:
        # The same person, perhaps by another name of the parameter.
        known[found.id_parameter] = known[usual]
    names = (found.id_parameter, found.study_parameter, found.session_parameter)
    parts = [f"{name}={known[name]}" for name in names if name in known]
    return f"{open_url}?{'&'.join(parts)}" if parts else open_url


def way_back(
    rules: Rules, code: str | None, participant_id: str | None, *, is_finished: bool = True
) -> str | None:
    """Where a worker goes back to; None if there is no such address.

    Whoever has not finished goes back only where the code tells the platform so.

    >>> way_back(Rules(platform="prolific"), "C1A2B3", None)
    'https://app.prolific.com/submissions/complete?cc=C1A2B3'
    """
    platform = platforms().get(rules.platform)
    address = rules.completion_url or (platform.completion_url if platform else None)
    if address is None or (not is_finished and "{code}" not in address):
        return None
    for name, value in (("{code}", code), ("{id}", participant_id)):
        if name in address:
            if value is None:
                return None
            address = address.replace(name, quote(value, safe=""))
    return address


def require_platform(rules: Rules, where: str) -> None:
    """CampaignError with what is wrong with the platform of these rules."""
    platform = platforms().get(rules.platform)
    given = [name for name in _PARAMETERS if getattr(rules, name) is not None]
    problems = []
    if platform is None:
        problems.append(f"[platform] {no_such('platform', rules.platform, platforms())}")
    elif platform.tells_ids and not (rules.id_parameter or platform.id_parameter):
        problems.append(
            f'[platform] lacks "id_parameter": {platform.name} needs the parameter of the address that holds '
            "the participant's id."
        )
    elif given and not platform.tells_ids:
        problems.append(
            f"[platform] {platform.name} sends nobody, so {', '.join(given)} means nothing. Name a platform "
            'that does, such as name = "url-parameter".'
        )
    if problems:
        raise CampaignError(where, problems)

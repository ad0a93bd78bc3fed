"""The platform that sends workers, as a campaign's rules have it: parameters, addresses, the way back."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote

from steelyard.domain.errors import CampaignError
from steelyard.domain.nearest import no_such
from steelyard.domain.participants import Visit
from steelyard.domain.plugin import Platform
from steelyard.domain.running import Rules
from steelyard.platforms import platforms

# The parameters of an address, in order: one may be there twice.
Query = Iterable[tuple[str, str]]
# An id that a platform says nothing more about; a placeholder that nobody filled in has other signs.
ANY_ID = r"[A-Za-z0-9._~@:+=-]{1,100}"
# What stands for an id in the address for a platform that we know nothing about.
UNKNOWN_PLACEHOLDER = "{PARTICIPANT_ID}"
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

    def visit_in(self, query: Query) -> Visit | None:
        """Who comes; None if the address does not say so, or names no id of this platform."""
        given = list(query)

        def one(parameter: str | None, pattern: str) -> str:
            values = {value for name, value in given if name == parameter}
            value = values.pop() if len(values) == 1 else ""
            return value if re.fullmatch(ANY_ID, value) and re.fullmatch(pattern, value) else ""

        participant_id = one(self.id_parameter, self.id_pattern)
        if not participant_id:
            return None
        return Visit(participant_id, one(self.study_parameter, ANY_ID), one(self.session_parameter, ANY_ID))


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
    )


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

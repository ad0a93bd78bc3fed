"""The crowd platform that a campaign file names, in its table [platform]."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Annotated, Any

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from steelyard.domain.running import Rules
from steelyard.formats.campaign_keys import Name, StrictKeys

# What may name a parameter of an address.
Parameter = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$", max_length=64)]
# Repetitions without a fixed number: more of them in a row could take minutes [our choice].
MOST_OPEN_ENDED = 3
_OPEN_ENDED = re.compile(r"[*+?]|\{\d*,")


def _id_pattern(text: str) -> str:
    # Matching a short id then takes no time to speak of, whoever wrote the expression and the id.
    is_simple = not set("()|").intersection(text) and len(_OPEN_ENDED.findall(text)) <= MOST_OPEN_ENDED
    with suppress(re.error):
        if is_simple and re.compile(text):
            return text
    raise PydanticCustomError("id_pattern", "be a regular expression")


class PlatformTable(StrictKeys):
    """The crowd platform that sends workers to the open link. `steelyard settings` changes it."""

    name: Name = Field(
        default=Rules().platform,
        description="prolific, mturk (Mechanical Turk), connect (CloudResearch), sona, besample, or "
        "url-parameter for any other that says in the address who comes; local: you hand out links yourself.",
    )
    id_parameter: Parameter | None = Field(
        default=None,
        description="Parameter of the address that holds the participant's id. Without it: the platform's.",
    )
    study_parameter: Parameter | None = Field(
        default=None, description="Parameter that holds the platform's id of the study, kept beside it."
    )
    session_parameter: Parameter | None = Field(
        default=None, description="Parameter that holds the platform's id of this visit, kept beside it."
    )
    id_pattern: Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_id_pattern)] | None = (
        Field(
            default=None,
            description="What a whole id looks like, as a regular expression without groups, such as "
            "[0-9]{5}. Without it: the platform's.",
        )
    )
    description: Annotated[str, Field(min_length=1, max_length=2000)] | None = Field(
        default=None,
        description="What people read about the campaign on the platform, before they come. Without it: what "
        "the task is, how long it takes and what it pays.",
    )
    settings: dict[str, Any] = Field(
        default_factory=dict,
        description="What only this platform knows, in its own words: workspace, project, filters and so on. "
        "See the page of the platform in docs/howto.",
    )

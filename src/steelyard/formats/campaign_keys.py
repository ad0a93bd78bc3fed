"""What the keys of a campaign file hold: names, texts, numbers, addresses."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from typing import Annotated

from steelyard.domain.extras import missing_part

try:
    from pydantic import AfterValidator, BaseModel, ConfigDict, Field
except ModuleNotFoundError as error:
    raise missing_part(error) from None
from pydantic_core import PydanticCustomError

from steelyard.domain.web_address import LONGEST, is_web_address

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)]
Text = Annotated[str, Field(min_length=1)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Number = Annotated[int, Field(ge=0)]


class StrictKeys(BaseModel):
    """A table of a campaign file: no unknown keys, and values of exactly the kinds named."""

    model_config = ConfigDict(extra="forbid", strict=True)


def _web_address(text: str) -> str:
    if not is_web_address(text):
        raise PydanticCustomError("web_address", "be a complete address")
    return text


# What a browser may be sent to.
WebAddress = Annotated[
    str, Field(pattern=r"^https?://[!-~]+$", max_length=LONGEST), AfterValidator(_web_address)
]


def _day(text: str) -> str:
    with suppress(ValueError):
        return date.fromisoformat(text).isoformat()
    raise PydanticCustomError("day", "be a day such as 2030-12-31")


Day = Annotated[str, AfterValidator(_day)]

"""What a link between campaigns leaves to its caller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from steelyard.domain.draws import LEAST_DRAWS
from steelyard.domain.errors import ChoiceError
from steelyard.domain.options import option, require_known_values

Common = Literal["auto", "known", "calibration", "translations"]


@dataclass(frozen=True, slots=True)
class LinkOptions:
    """Choices of a link beside those of the analyses.

    `slope`: "one" takes only a shift from the common items: for raw points of the same page. `common`:
    earlier scores of calibration items (`known`), calibration items judged in both campaigns, or
    translations (same system and segment) judged in both; "auto" is one of the first two.
    """

    slope: Literal["free", "one"] = option(
        "free", help="With --link: fit a line, or only a shift for points of the same page."
    )
    common: Common = option(
        "auto",
        help="With --link: the shared items: calibration items by their earlier scores (known) or judged in "
        "both, or translations judged in both.",
        usual="auto, known or calibration",
    )
    draws: int = 1000
    seed: int = 7

    def __post_init__(self) -> None:
        require_known_values(self)
        if self.draws < LEAST_DRAWS:
            raise ChoiceError(
                f"A link rests on draws: use at least {LEAST_DRAWS} {{draws}}, not {self.draws}."
            )

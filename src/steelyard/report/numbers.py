"""Numbers for people: rounded, with a true minus sign, and a dash for what is unknown."""

from __future__ import annotations

import math

from steelyard.domain.wording import in_digits

DASH = "–"


def number(value: float | None, digits: int = 3) -> str:
    """A rounded number with a true minus sign, or a dash where there is none.

    >>> number(-0.0004), number(-0.5, 1), number(None)
    ('0.000', '−0.5', '–')
    """
    if value is None or not math.isfinite(value):
        return DASH
    return in_digits(value, digits)


def p_value(value: float | None, digits: int = 4) -> str:
    """A p-value; one too small for its digits is said to be smaller than the least of them.

    >>> p_value(0.03125), p_value(3e-9)
    ('0.0312', '<0.0001')
    """
    least = 10.0**-digits
    if value is not None and value < least:
        return f"<{least:.{digits}f}"
    return number(value, digits)


def percent(share: float | None, digits: int = 0) -> str:
    """A share times 100 with its sign, which never parts from the number.

    >>> percent(0.353, 1)
    '35.3\\xa0%'
    """
    return (
        DASH
        if share is None or not math.isfinite(share)
        else f"{number(100 * share, digits)}\N{NO-BREAK SPACE}%"
    )

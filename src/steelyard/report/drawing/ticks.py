"""Round numbers along an axis, and how they are written."""

from __future__ import annotations

import math
from dataclasses import dataclass

from steelyard.domain.wording import MINUS

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# Powers of ten in this range read better written out.
_PLAIN_POWERS = range(-3, 5)
# Beyond these, digits would crowd the axis.
_LARGE, _FINE = 1e7, 1e-5
_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class Tick:
    """A marked value and what is written beside it; an unlabelled one has no words."""

    value: float
    label: str


def linear_ticks(low: float, high: float, *, wanted: int) -> tuple[Tick, ...]:
    """Multiples of 1, 2 or 5 times a power of ten between two ends: about `wanted` of them, seldom more.

    >>> [tick.label for tick in linear_ticks(-0.13, 0.42, wanted=5)]
    ['0.0', '0.2', '0.4']
    """
    step = round_step((high - low) / wanted)
    first, last = math.ceil(low / step - _SLACK), math.floor(high / step + _SLACK)
    values = [min(max(k * step, low), high) for k in range(first, last + 1)]
    # k * step may miss a given end by a rounding error; a tick must not leave its axis.
    return tuple(Tick(value, _written(k * step, step, values)) for k, value in enumerate(values, start=first))


def round_step(rough: float) -> float:
    """The least of 1, 2, 5 times a power of ten that is not below `rough`."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(
        (power * factor for factor in (1, 2, 5) if power * factor >= rough * (1 - _SLACK)), power * 10
    )


def _written(value: float, step: float, values: list[float]) -> str:
    """A number with as many digits as its step needs."""
    largest = max(abs(other) for other in values)
    if largest >= _LARGE or step < _FINE:
        return _scientific(value, step, largest)
    digits = max(0, -math.floor(math.log10(step) + _SLACK))
    # Four digits may be a year; from five on they are parted.
    parted = "," if largest >= 10_000 else ""
    return f"{value:{parted}.{digits}f}".replace("-", MINUS)


def _scientific(value: float, step: float, largest: float) -> str:
    if abs(value) < step / 2:
        return "0"
    power = math.floor(math.log10(largest) + _SLACK)
    digits = max(0, power - math.floor(math.log10(step) + _SLACK))
    return f"{value / 10.0**power:.{digits}f}×{power_of_ten(power)}".replace("-", MINUS)


def power_of_ten(power: int) -> str:
    """10 with its exponent raised."""
    return "10" + str(power).translate(_SUPERSCRIPTS)


def logarithmic_ticks(low: float, high: float, *, wanted: int) -> tuple[Tick, ...]:
    """Powers of ten between two positive ends; within few of them also 2 and 5 times these.

    >>> [tick.label for tick in logarithmic_ticks(1e-7, 1.0, wanted=5)]
    ['10⁻⁶', '10⁻⁴', '10⁻²', '10⁰']
    """
    first, last = math.floor(math.log10(low) + _SLACK), math.ceil(math.log10(high) - _SLACK)
    plain = first in _PLAIN_POWERS and last in _PLAIN_POWERS
    every = next(n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500) if (last - first) / n <= wanted)
    powers = [power for power in range(first, last + 1) if power % every == 0]
    chosen = [(power, 1) for power in powers]
    if last - first <= 2 and plain:
        chosen = [(power, factor) for power in range(first, last + 1) for factor in (1, 2, 5)]
    inside = [(power, factor) for power, factor in chosen if _within(factor * 10.0**power, low, high)]
    if len(inside) < 2 and high / low < 10:
        # Less than a decade that no 1, 2 or 5 divides: ticks as on a linear axis.
        return linear_ticks(low, high, wanted=wanted)
    return tuple(
        Tick(min(max(factor * 10.0**power, low), high), _power_label(power, factor, plain=plain))
        for power, factor in inside
    )


def _within(value: float, low: float, high: float) -> bool:
    return low * (1 - _SLACK) <= value <= high * (1 + _SLACK)


def _power_label(power: int, factor: int, *, plain: bool) -> str:
    if not plain:
        return power_of_ten(power)
    parted = "," if power >= 4 else ""
    return f"{factor * 10.0**power:{parted}.{max(0, -power)}f}"

"""Small pieces of the sentences that we print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from math import floor

# What tables have before numbers below 0.
MINUS = "−"
# Currencies whose smallest unit in use is a whole one.
_WITHOUT_CENTS = frozenset({"JPY", "KRW", "VND", "CLP", "ISK", "PYG", "UGX", "XAF", "XOF"})


class Note(str):
    """A warning that only informs: something usual, after which every number and claim still holds.

    A plain string among warnings alarms: something is wrong with the data, or a claim may not hold. Both
    kinds are told everywhere; only where they are shown apart does the kind matter.
    """

    __slots__ = ()


def alarms_of(warnings: Iterable[str]) -> list[str]:
    """The warnings that alarm.

    >>> alarms_of(["All workers are simulated.", Note("Ignored columns: colour.")])
    ['All workers are simulated.']
    """
    return [warning for warning in warnings if not isinstance(warning, Note)]


def notes_of(warnings: Iterable[str]) -> list[str]:
    """The warnings that only inform."""
    return [warning for warning in warnings if isinstance(warning, Note)]


def told_of(name: str, warning: str) -> str:
    """The warning with the name of what it is about in front, of the same kind."""
    said = f"{name}: {warning}"
    return Note(said) if isinstance(warning, Note) else said


def counted(number: int, noun: str) -> str:
    """A number with its noun, in the plural where it is due.

    >>> counted(1, "worker"), counted(1200, "worker")
    ('1 worker', '1,200 workers')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def in_json(value: object) -> str:
    """What JSON has no form for, as text: moments in ISO 8601.

    >>> in_json(date(2026, 11, 18))
    '2026-11-18'
    """
    return value.isoformat() if isinstance(value, date) else str(value)


def listed(names: Sequence[str], *, most: int = 10) -> str:
    """Some names for a message, and how many more there are.

    >>> listed(["4", "9", "12"]), listed(["1", "2", "3"], most=2)
    ('4, 9, 12', '1, 2 and 1 more')
    """
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def joined(names: Sequence[str]) -> str:
    """All names as a sentence has them.

    >>> joined(["scaling"]), joined(["scaling", "two-stage", "weighted-vote"])
    ('scaling', 'scaling, two-stage and weighted-vote')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def in_currency(amount: float | None, currency: str) -> str:
    """An amount of money with the code of its currency; a dash for one that is unknown.

    >>> in_currency(1234.5, "EUR"), in_currency(-0.001, "JPY"), in_currency(None, "EUR")
    ('EUR 1,234.50', 'JPY 0', '–')
    """
    if amount is None:
        return "–"
    return f"{currency} {payable(amount, currency):,.{decimals_of(currency)}f}"


def decimals_of(currency: str) -> int:
    """How many decimals an amount of money has.

    >>> decimals_of("EUR"), decimals_of("JPY")
    (2, 0)
    """
    return 0 if currency in _WITHOUT_CENTS else 2


def payable(amount: float, currency: str) -> float:
    """An amount rounded to what can be paid: to the cent, or to whole units of a currency without.

    >>> payable(2.625, "EUR"), payable(2.625, "JPY")
    (2.63, 3.0)
    """
    cents: int = 10 ** decimals_of(currency)
    # Half a cent that is only just missed by rounding errors is a cent.
    return floor(amount * cents + 0.5 + 1e-9) / cents + 0.0


def to_cents(amount: float, currency: str) -> int:
    """An amount in the smallest unit of its currency, in which sums are exact.

    >>> to_cents(2.5, "EUR"), to_cents(2.5, "JPY")
    (250, 3)
    """
    cents: int = 10 ** decimals_of(currency)
    return round(payable(amount, currency) * cents)


def in_units(cents: int) -> str:
    """An amount in cents as programs write it, in whole units.

    >>> in_units(1205), in_units(-5)
    ('12.05', '-0.05')
    """
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02}"


def cents_in_words(cents: int, currency: str) -> str:
    """An amount in the smallest unit, with the code of its currency.

    >>> cents_in_words(123450, "EUR"), cents_in_words(250, "JPY")
    ('EUR 1,234.50', 'JPY 250')
    """
    return in_currency(cents / 10 ** decimals_of(currency), currency)


def in_digits(value: float, digits: int, *, plus: bool = False) -> str:
    """A number for sentences, with a true minus as tables have it; `plus` shows that sign too.

    >>> in_digits(-0.0331, 3), in_digits(0.5, 2), in_digits(0.5, 2, plus=True), in_digits(-0.0001, 3)
    ('−0.033', '0.50', '+0.50', '0.000')
    """
    rounded = f"{value:+.{digits}f}" if plus else f"{value:.{digits}f}"
    # "−0.000" would claim a sign that the digits do not show.
    return rounded.lstrip("-") if float(rounded) == 0 else rounded.replace("-", MINUS)

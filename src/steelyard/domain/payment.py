"""Payments: what workers are owed, with the evidence that a manager decides by."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Payment:
    """What one worker is owed and why. The pay is rounded to what can be paid; None without a wage.

    `hits` counts parts of HITs that were released; `hours` are those that items were on screen, and
    `hourly_pay` what the pay comes to by that clock. `open_items` were judged in a HIT that is still
    open: they will be due with it. The rest is the evidence; `suggestion` is one, and nobody is refused
    by it. `excluded`: why a person decided that some or all of it does not count; empty if nobody did.
    """

    worker_id: str
    name: str
    email: str
    participant_id: str
    """The worker's id on the platform that sent them; empty if none did."""
    hits: float
    items: int
    hours: float
    pay: float | None
    hourly_pay: float | None
    open_items: int
    verdict: str | None
    suggestion: str | None
    reason: str | None
    n_pairs: int | None
    mean_difference: float | None
    p_value: float | None
    flags: tuple[str, ...]
    remarks: tuple[str, ...]
    excluded: str
    is_simulated: bool


@dataclass(frozen=True, slots=True)
class PaymentTotal:
    """The sum line. `cost` includes the platform's fee."""

    workers: int
    hits: float
    items: int
    hours: float
    pay: float | None
    fee: float | None
    cost: float | None
    hourly_pay: float | None


@dataclass(frozen=True, slots=True)
class Payments:
    """Everybody who judged something, and the sum."""

    campaign: str
    currency: str
    check: str
    workers: tuple[Payment, ...]
    total: PaymentTotal
    notes: tuple[str, ...]

"""What a running campaign costs: spent, committed and expected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.domain.running import Rules
from steelyard.domain.wording import in_currency, payable
from steelyard.planning.cost import MINIMUM_WAGE, pay_per_hit

# The currency of the least wage that goes without a warning.
_CURRENCY_OF_MINIMUM = "USD"
# Workers who take this many times as long as planned earn noticeably less than was meant [our choice].
_NOTICEABLY_LONGER = 1.25
# Judged items from which the time that items take is known well enough to warn of it [our choice].
_ENOUGH_ITEMS = 200


@dataclass(frozen=True, slots=True)
class PayTerms:
    """What work is paid: by the hour of the time that a careful worker takes, or by the HIT.

    `wage` and `per_hit` None: nothing is known about pay, only about hours.
    """

    seconds_per_item: float
    wage: float | None
    per_hit: float | None
    fee: float
    currency: str

    def pay(self, *, hits: float, items: float) -> float | None:
        """Pay for this many items in this many HITs, parts of HITs included; None without terms.

        >>> PayTerms(18, wage=12, per_hit=None, fee=0, currency="EUR").pay(hits=1, items=100)
        6.0
        """
        if self.per_hit is not None:
            return self.per_hit * hits
        if self.wage is None:
            return None
        return pay_per_hit(self.wage, seconds_per_item=self.seconds_per_item, hit_size=items)

    def amount(self, *, hits: float, items: float) -> Amount:
        """Hours and money for this much work."""
        paid = self.pay(hits=hits, items=items)
        hours = items * self.seconds_per_item / 3600
        if paid is None:
            return Amount(hits, items, hours, None, None, None)
        fee = paid * self.fee
        return Amount(hits, items, hours, paid, fee, paid + fee)

    def due(self, works: Sequence[Workload]) -> Amount:
        """What is owed for the work of several people, each paid in whole cents, and the fee on it.

        >>> terms = PayTerms(18, wage=10, per_hit=None, fee=0.2, currency="EUR")
        >>> terms.due([Workload(0.05, 5), Workload(0.05, 5)]).pay, terms.amount(hits=0.1, items=10).pay
        (0.5, 0.5)
        >>> terms.due([Workload(0.01, 1), Workload(0.01, 1), Workload(0.01, 1)]).pay
        0.15
        """
        hits, items = sum(work.hits for work in works), sum(work.items for work in works)
        hours = items * self.seconds_per_item / 3600
        if self.pay(hits=0, items=0) is None:
            return Amount(hits, items, hours, None, None, None)
        paid = [self.pay(hits=work.hits, items=work.items) or 0.0 for work in works]
        total = payable(sum(payable(each, self.currency) for each in paid), self.currency)
        fee = payable(total * self.fee, self.currency)
        return Amount(hits, items, hours, total, fee, payable(total + fee, self.currency))


@dataclass(frozen=True, slots=True)
class Amount:
    """Some work: HITs (parts of them included), items, hours as planned, and money if terms are known."""

    hits: float
    items: float
    hours: float
    pay: float | None
    fee: float | None
    cost: float | None


@dataclass(frozen=True, slots=True)
class Spending:
    """Money and hours of a campaign.

    `spent`: submitted HITs, and what was judged of released ones, rounded as each worker's pay is.
    `committed`: HITs that are open. `expected`: all of it once every place is filled. `hours_worked`: the
    time that items were on screen; `hourly_pay` is what workers have earned by that clock,
    `planned_hourly_pay` what they were meant to.
    """

    currency: str
    wage: float | None
    pay_per_hit: float | None
    fee: float
    seconds_per_item: float
    spent: Amount
    committed: Amount
    expected: Amount
    hours_worked: float
    hourly_pay: float | None
    planned_hourly_pay: float | None
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Workload:
    """HITs, parts of them included, and items."""

    hits: float
    items: float


def pay_terms(rules: Rules, *, seconds_per_item: float) -> PayTerms:
    """The terms that a campaign's rules set."""
    return PayTerms(seconds_per_item, rules.wage, rules.pay_per_hit, rules.fee, rules.currency)


def spending(
    terms: PayTerms, *, done: Sequence[Workload], held: Workload, free: Workload, hours_worked: float
) -> Spending:
    """What was spent on the work of each worker, is committed to HITs held, and will be spent in all."""
    spent, committed = terms.due(done), terms.amount(hits=held.hits, items=held.items)
    rest = terms.amount(hits=free.hits, items=free.items)
    expected = _together(spent, committed, rest)
    hourly = spent.pay / hours_worked if spent.pay is not None and hours_worked > 0 else None
    # Without the rounding of small amounts, which is nobody's wage.
    meant = terms.pay(hits=expected.hits, items=expected.items)
    planned = meant / expected.hours if meant is not None and expected.hours > 0 else None
    return Spending(
        currency=terms.currency,
        wage=terms.wage,
        pay_per_hit=terms.per_hit,
        fee=terms.fee,
        seconds_per_item=terms.seconds_per_item,
        spent=spent,
        committed=committed,
        expected=expected,
        hours_worked=hours_worked,
        hourly_pay=hourly,
        planned_hourly_pay=planned,
        warnings=_warnings(terms, planned, hourly, spent, hours_worked),
    )


def _together(*amounts: Amount) -> Amount:
    def added(values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return sum(known) if known else None

    return Amount(
        hits=sum(each.hits for each in amounts),
        items=sum(each.items for each in amounts),
        hours=sum(each.hours for each in amounts),
        pay=added([each.pay for each in amounts]),
        fee=added([each.fee for each in amounts]),
        cost=added([each.cost for each in amounts]),
    )


def _warnings(
    terms: PayTerms, planned: float | None, hourly: float | None, spent: Amount, hours_worked: float
) -> tuple[str, ...]:
    found = []
    if planned is not None and terms.currency == _CURRENCY_OF_MINIMUM and planned < MINIMUM_WAGE * (1 - 1e-9):
        found.append(
            f"The pay comes to {in_currency(planned, terms.currency)} an hour, less than "
            f"{in_currency(MINIMUM_WAGE, terms.currency)}."
        )
    if hourly is not None and planned is not None and spent.items >= _ENOUGH_ITEMS:
        seconds = 3600 * hours_worked / spent.items
        if seconds > _NOTICEABLY_LONGER * terms.seconds_per_item:
            found.append(
                f"An item takes workers {seconds:.0f} s on average, and the pay was worked out for "
                f"{terms.seconds_per_item:g} s: they earn {in_currency(hourly, terms.currency)} an hour "
                f"instead of {in_currency(planned, terms.currency)}."
            )
    return tuple(found)

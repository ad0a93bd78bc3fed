"""What ratings cost: HITs, hours and money."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

from steelyard.planning.sample_size import whole

# Share of ratings that came from workers who passed the check [Graham2014].
PASS_RATES = {"adequacy": 0.61, "fluency": 0.64}
# Campaigns differ: 13 % to 58 % of workers passed in published ones. Plans show what happens if the
# pass rate is this much lower or higher [our choice], but not below one rating in twenty.
PASS_RATE_MARGIN = 0.15
LEAST_PASS_RATE = 0.05

# Share of the pay that Mechanical Turk takes on top of it, and what it takes from this many
# assignments of one HIT on.
FEE, FEE_FOR_MANY, MANY_ASSIGNMENTS = 0.2, 0.4, 10

# Pay for an hour of work, and the least that goes without a warning [our choices, in US dollars]. The
# pay of the first studies came to between 1.20 and 2.77 an hour [Graham2014]: no example to follow.
WAGE = 12.0
MINIMUM_WAGE = 12.0


@dataclass(frozen=True, slots=True)
class Terms:
    """What one HIT asks of a worker and of the organiser. `fee` is a share of the pay."""

    hit_size: float
    seconds_per_item: float
    pay_per_hit: float
    fee: float = FEE

    @property
    def hours_per_hit(self) -> float:
        return self.seconds_per_item * self.hit_size / 3600

    @property
    def hourly_pay(self) -> float:
        """What the pay comes to for an hour."""
        return self.pay_per_hit / self.hours_per_hit

    @property
    def cost_per_hit(self) -> float:
        return self.pay_per_hit * (1 + self.fee)


@dataclass(frozen=True, slots=True)
class Outlay:
    """What this many HITs cost; a HIT given to two workers counts twice."""

    hits: int
    hours: float
    paid_to_workers: float
    platform_fee: float
    cost: float


def pay_per_hit(wage: float, *, seconds_per_item: float, hit_size: float) -> float:
    """Pay for one HIT that gives this hourly wage.

    >>> pay_per_hit(12, seconds_per_item=18, hit_size=100)
    6.0
    """
    return wage * seconds_per_item * hit_size / 3600


def platform_fee(assignments_per_hit: int) -> float:
    """The platform's share, which is larger where one HIT goes to many workers.

    >>> platform_fee(9), platform_fee(10)
    (0.2, 0.4)
    """
    return FEE_FOR_MANY if assignments_per_hit >= MANY_ASSIGNMENTS else FEE


def hits_for(ratings: float, *, usable_share: float, hit_size: float, pass_rate: float) -> int:
    """HITs to publish so that this many ratings can be used, all systems together.

    Of a HIT's items only `usable_share` belong to a system, the others being controls; of the
    ratings only `pass_rate` are of workers who pass.

    >>> hits_for(5 * 1500, usable_share=0.8, hit_size=100, pass_rate=0.61)
    154
    """
    return max(1, whole(ratings / (usable_share * hit_size * pass_rate)))


def hits_within(budget: float, terms: Terms) -> int:
    """HITs that the budget pays for, the platform's fee included; 0 if not even one.

    >>> hits_within(1108.80, Terms(hit_size=100, seconds_per_item=18, pay_per_hit=6.0))
    154
    """
    # The other way round from `whole`: a budget worked out for a number of HITs pays for all of them.
    return floor(budget / terms.cost_per_hit * (1 + 1e-12))


def outlay(hits: int, terms: Terms) -> Outlay:
    """Hours and money for this many HITs.

    >>> spent = outlay(154, Terms(hit_size=100, seconds_per_item=18, pay_per_hit=6.0))
    >>> spent.hours, round(spent.cost, 2)
    (77.0, 1108.8)
    """
    paid = hits * terms.pay_per_hit
    return Outlay(
        hits=hits,
        hours=hits * terms.hours_per_hit,
        paid_to_workers=paid,
        platform_fee=paid * terms.fee,
        cost=hits * terms.cost_per_hit,
    )


def pass_rate_range(pass_rate: float) -> tuple[float, float]:
    """The lowest and the highest pass rate to be ready for.

    >>> [round(rate, 2) for rate in pass_rate_range(0.61)], pass_rate_range(0.9)[1]
    ([0.46, 0.76], 1.0)
    """
    lowest = min(pass_rate, max(LEAST_PASS_RATE, pass_rate - PASS_RATE_MARGIN))
    return lowest, min(1.0, pass_rate + PASS_RATE_MARGIN)

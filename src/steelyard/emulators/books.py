"""What an emulated platform has been paid and has paid out, in whole cents, for each session and in all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from typing import Any


def share_of(amount: int, share: float) -> int:
    """A share of an amount in whole cents, halves up.

    >>> share_of(150, 0.33), share_of(50, 0.33), share_of(250, 0.3333)
    (50, 17, 83)
    """
    return int((amount * Decimal(str(share))).quantize(Decimal(1), ROUND_HALF_UP))


@dataclass(frozen=True, slots=True)
class Charge:
    """One payment: what a person gets, what the platform takes for it, and the tax on that."""

    pay: int
    fee: int
    vat: int

    @property
    def cost(self) -> int:
        return self.pay + self.fee + self.vat

    def __mul__(self, n: int) -> Charge:
        return Charge(self.pay * n, self.fee * n, self.vat * n)

    def __add__(self, other: Charge) -> Charge:
        return Charge(self.pay + other.pay, self.fee + other.fee, self.vat + other.vat)


NOTHING = Charge(0, 0, 0)


@dataclass(slots=True)
class _Account:
    """What was paid to one person for one session."""

    person: str
    rewards: list[Charge] = field(default_factory=list)
    bonuses: list[Charge] = field(default_factory=list)


class Books:
    """The ledger of an emulated platform.

    Fees and taxes are rounded payment by payment, so that any sum of them agrees to the cent with any other.
    """

    def __init__(
        self, *, currency: str, balance: int, fee_on: Callable[[int], int], vat_on: Callable[[int], int]
    ) -> None:
        self.currency = currency
        self.balance = balance
        self._fee_on = fee_on
        self._vat_on = vat_on
        self._accounts: dict[str, _Account] = {}

    def charge(self, amount: int, *, fee: int | None = None) -> Charge:
        """What it costs to pay somebody this amount; `fee`: where it is not the usual one."""
        taken = self._fee_on(amount) if fee is None else fee
        return Charge(amount, taken, self._vat_on(taken))

    def pay_reward(self, session: str, person: str, charge: Charge) -> None:
        """Pay for a session."""
        self._account(session, person).rewards.append(charge)
        self.balance -= charge.cost

    def pay_bonus(self, session: str, person: str, charge: Charge) -> None:
        """Pay more for a session; as often as it is asked for."""
        self._account(session, person).bonuses.append(charge)
        self.balance -= charge.cost

    def reward(self, session: str) -> int:
        """What was paid for a session, bonuses aside."""
        return sum(charge.pay for charge in self._of(session).rewards)

    def bonuses(self, session: str) -> list[int]:
        """Every bonus that was paid for a session, in order."""
        return [charge.pay for charge in self._of(session).bonuses]

    def statement(self, sessions: Sequence[Mapping[str, str]]) -> dict[str, Any]:
        """All there is to compare with: each session with `session`, `person` and `state` given, and sums."""
        accounts = [self._of(each["session"]) for each in sessions]
        rewards = sum((charge for account in accounts for charge in account.rewards), NOTHING)
        bonuses = sum((charge for account in accounts for charge in account.bonuses), NOTHING)
        both = rewards + bonuses
        return {
            "currency": self.currency,
            "balance": self.balance,
            "sessions": [
                {**each, **_figures(account)} for each, account in zip(sessions, accounts, strict=True)
            ],
            "total": {
                "rewards": rewards.pay,
                "bonuses": bonuses.pay,
                "fees": both.fee,
                "vat": both.vat,
                "cost": both.cost,
            },
        }

    def _account(self, session: str, person: str) -> _Account:
        return self._accounts.setdefault(session, _Account(person))

    def _of(self, session: str) -> _Account:
        return self._accounts.get(session) or _Account("")


def _figures(account: _Account) -> dict[str, Any]:
    rewards = sum(account.rewards, NOTHING)
    bonuses = sum(account.bonuses, NOTHING)
    return {
        "reward": rewards.pay,
        "fee": rewards.fee,
        "bonuses": [charge.pay for charge in account.bonuses],
        "bonus_fees": bonuses.fee,
        "vat": rewards.vat + bonuses.vat,
    }

"""Bonuses: written down before a platform is asked to pay them, and settled once it is known what it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, insert, select, update

from steelyard.store import tables


class TransferState(StrEnum):
    """Where a bonus stands.

    `intended`: written down, nothing was sent. `sent`: the platform was asked to pay, and has not yet shown
    that it did. `unknown`: it was asked, and the reply was lost. `paid`: it shows the bonus. `refused`: it
    was certainly not paid.
    """

    INTENDED = "intended"
    SENT = "sent"
    UNKNOWN = "unknown"
    PAID = "paid"
    REFUSED = "refused"


# Nobody knows yet whether these were paid, so nothing more is paid for their sessions.
UNSETTLED = (TransferState.INTENDED, TransferState.SENT, TransferState.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Transfer:
    """A bonus for one session. Money in cents; `fee` is what the platform takes for it."""

    token: str
    tag: str
    session_id: str
    worker_id: str | None
    amount: int
    fee: int
    reason: str
    state: TransferState
    made_at: datetime
    order_id: str | None = None
    settled_at: datetime | None = None

    @property
    def is_spent(self) -> bool:
        """Whether its money is gone, or may be."""
        return self.state is not TransferState.REFUSED


def add_transfers(connection: Connection, transfers: Sequence[Transfer]) -> None:
    """Write down what is meant to be paid."""
    names = Transfer.__slots__
    rows = [{name: getattr(each, name) for name in names} | {"state": each.state.value} for each in transfers]
    connection.execute(insert(tables.transfers), rows)


def set_transfer(connection: Connection, token: str, **values: Any) -> None:
    """Change what is known of a bonus."""
    stored = tables.transfers
    known = {name: each.value if isinstance(each, TransferState) else each for name, each in values.items()}
    connection.execute(update(stored).where(stored.c.token == token).values(**known))


def transfers(connection: Connection) -> list[Transfer]:
    """All bonuses, the oldest first."""
    stored = tables.transfers
    rows = connection.execute(select(stored).order_by(stored.c.made_at, stored.c.token))
    return [Transfer(**{**row._mapping, "state": TransferState(row.state)}) for row in rows]

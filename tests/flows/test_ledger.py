"""The ledger: sums by hand, and a budget that two managers at once cannot exceed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest

from steelyard.domain.crowd import ListingState, SessionReport, SessionState
from steelyard.domain.errors import Conflict
from steelyard.domain.running import Rules
from steelyard.flows.ledger import fee_rate, ledger_in, require_budget
from steelyard.store import crowd, running
from steelyard.store.crowd import StoredListing
from steelyard.store.database import Store
from steelyard.store.transfers import Transfer, TransferState, add_transfers


def listing(noon: datetime, **changes: object) -> StoredListing:
    """Ten places at 2.00, of which the platform takes a third and one in five of that as tax."""
    values = {
        "tag": "t1",
        "platform": "prolific",
        "listing_id": "s1",
        "state": ListingState.ACTIVE,
        "places": 10,
        "reward": 200,
        "pay": 2000,
        "cost": 2800,
        "currency": "EUR",
        "made_at": noon,
    }
    return StoredListing(**{**values, **changes})  # type: ignore[arg-type]


def report(
    name: str, state: SessionState, noon: datetime, *, reward: int = 0, bonus: int = 0
) -> SessionReport:
    return SessionReport(name, f"p{name}", state, noon, reward=reward, bonuses=(bonus,) if bonus else ())


def transfer(token: str, session: str, amount: int, state: TransferState, noon: datetime) -> Transfer:
    return Transfer(token, "t1", session, None, amount, amount // 5, "", state, noon, order_id="o1")


@pytest.fixture
def money(toy_store: Store, noon: datetime) -> Store:
    with toy_store.write() as connection:
        running.set_rules(connection, Rules(budget=50.0, currency="EUR"))
        crowd.add_listing(connection, listing(noon))
        states = [
            report("a", SessionState.APPROVED, noon, reward=200, bonus=50),
            report("b", SessionState.PARTLY_APPROVED, noon, reward=100),
            report("c", SessionState.SUBMITTED, noon),
            report("d", SessionState.ACTIVE, noon),
            report("e", SessionState.RETURNED, noon),
            report("f", SessionState.REJECTED, noon),
        ]
        for each in states:
            crowd.put_session(connection, "t1", each, worker_id=None, now=noon)
    return toy_store


def test_every_cent_is_somewhere(money: Store, noon: datetime) -> None:
    with money.write() as connection:
        paid = transfer("t", "a", 50, TransferState.PAID, noon)
        lost = transfer("u", "b", 30, TransferState.UNKNOWN, noon)
        gone = transfer("v", "b", 70, TransferState.REFUSED, noon)
        add_transfers(connection, [paid, lost, gone])
        found = ledger_in(connection)

    assert (found.rewards, found.bonuses, found.elsewhere) == (300, 50, 0)
    # Two people at work or waiting, and a bonus that nobody is sure of.
    assert found.pending == 2 * 200 + 30
    # Two fifths of what was paid or promised as rewards, a fifth of the bonuses.
    assert found.fees == 280 + 10 + 6
    # Four of ten places are taken for good or for now.
    assert found.reserved == 6 * 280
    assert found.committed == 300 + 50 + 430 + 296 + 1680
    assert found.left == 5000 - found.committed


def test_a_listing_that_is_over_sets_nothing_aside(money: Store) -> None:
    with money.write() as connection:
        crowd.set_listing(connection, "t1", state=ListingState.ENDED)
        assert ledger_in(connection).reserved == 0


def test_bonuses_paid_on_the_platforms_own_page_are_counted_apart(money: Store) -> None:
    with money.read() as connection:
        found = ledger_in(connection)
    assert (found.bonuses, found.elsewhere) == (0, 50)


def test_the_fee_is_what_the_platform_priced(noon: datetime) -> None:
    assert fee_rate(listing(noon)) * 5 == 2
    assert fee_rate(listing(noon, pay=0, cost=0)) == 0


def test_nothing_is_spent_beyond_the_budget(money: Store) -> None:
    with money.read() as connection:
        left = ledger_in(connection).left
        assert left is not None
        require_budget(connection, left, "A bonus")
        with pytest.raises(Conflict, match="the budget of EUR 50") as refused:
            require_budget(connection, left + 1, "A bonus")
    assert refused.value.code == "budget"


def test_two_managers_at_once_do_not_spend_the_same_money(money: Store, noon: datetime) -> None:
    with money.read() as connection:
        left = ledger_in(connection).left
    assert left is not None
    each_wants = left // 6

    def spend(number: int) -> bool:
        try:
            with money.write() as connection:
                running.hold_campaign(connection)
                require_budget(connection, each_wants, "A bonus")
                amount = each_wants * 5 // 6
                meant = Transfer(
                    *(f"w{number}", "t1", f"z{number}", None, amount, each_wants - amount, ""),
                    state=TransferState.INTENDED,
                    made_at=noon,
                )
                add_transfers(connection, [meant])
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(8) as managers:
        done = list(managers.map(spend, range(24)))

    assert sum(done) == 6
    with money.read() as connection:
        after = ledger_in(connection).left
    assert after is not None
    assert 0 <= after < each_wants

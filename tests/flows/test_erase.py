"""Erasing what leads to people: nothing of them is left, and money and judgements stay as they were."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import select

from steelyard.domain.crowd import SessionReport, SessionState, is_stand_in, stand_in
from steelyard.domain.entry import Remark
from steelyard.domain.errors import Conflict
from steelyard.flows.entry_answers import give_consent
from steelyard.flows.erase import erase, erase_all
from steelyard.flows.links import join_campaign
from steelyard.flows.log import log
from steelyard.flows.participants import forget_ids
from steelyard.flows.people import name_worker
from steelyard.flows.progress import Watch
from steelyard.flows.remarks import add_remark
from steelyard.flows.verify import verify
from steelyard.store import crowd, tables
from steelyard.store.forgetting import n_recognisable
from steelyard.store.transfers import Transfer, TransferState, add_transfers, transfers

PID, SESSION, ABSENT = "5f0a1b2c3d4e5f60718293a4", "60aa0000000000000000bbbb", "60aa0000000000000000cccc"
PAID = SessionState.APPROVED


def report(session_id: str, now: datetime, state: SessionState = PAID) -> SessionReport:
    return SessionReport(session_id, PID, state, now, code="Anna was here", reward=250, bonuses=(40,))


@pytest.fixture
def paid(people: Any, listing: crowd.StoredListing, noon: datetime) -> Any:
    """W0001 came from Prolific, finished a HIT and was paid with a bonus; somebody else never came."""
    people.rules(platform="prolific")
    query = [("PROLIFIC_PID", PID), ("STUDY_ID", "study-1"), ("SESSION_ID", SESSION)]
    worker = join_campaign(people.campaign, base_url="", now=noon, query=query).worker_id
    people.finish(worker)
    bonus = Transfer(
        *("token-1", "tag-1", SESSION, worker, 40, 10, "Anna Weber wrote to us"),
        state=TransferState.PAID,
        made_at=noon,
        settled_at=noon,
    )
    with people.campaign.store.write() as connection:
        crowd.add_listing(connection, listing)
        known = crowd.put_session(connection, "tag-1", report(SESSION, noon), worker_id=worker, now=noon)
        assert crowd.tie_assignment(connection, known) is not None
        absent = replace(report(ABSENT, noon, SessionState.RETURNED), code=None)
        crowd.put_session(connection, "tag-1", absent, worker_id=None, now=noon)
        add_transfers(connection, [bonus])
    return people


def cells(people: Any) -> str:
    """Everything that the database holds, as text."""
    with people.campaign.store.read() as connection:
        every = (connection.execute(select(table)) for table in tables.metadata.sorted_tables)
        return repr([tuple(row) for rows in every for row in rows])


def money(people: Any) -> tuple[int, int, int]:
    with people.campaign.store.read() as connection:
        sessions, sent = crowd.sessions(connection), transfers(connection)
    return (
        sum(each.reward for each in sessions),
        sum(sum(each.bonuses) for each in sessions),
        sum(each.amount + each.fee for each in sent),
    )


def n_left(people: Any) -> int:
    with people.campaign.store.read() as connection:
        return n_recognisable(connection)


def test_an_erased_worker_is_tied_to_no_session_and_no_bonus_and_the_money_is_still_there(
    paid: Any, noon: datetime
) -> None:
    before, judgements = money(paid), paid.status("W0001").n_judged

    done = erase(paid.campaign, "W0001", by="manager", now=noon)

    assert (done.was_participant, done.n_sessions) == (True, 1)
    left = cells(paid)
    assert not [word for word in (PID, SESSION, "token-1", "Anna") if word in left]
    with paid.campaign.store.read() as connection:
        [mine] = [each for each in crowd.sessions(connection) if is_stand_in(each.session_id)]
        [bonus] = transfers(connection)
    assert (mine.worker_id, mine.assignment_id, bonus.worker_id) == (None, None, None)
    assert bonus.session_id == mine.session_id == stand_in("tag-1", SESSION)
    assert money(paid) == before == (500, 80, 50)
    assert paid.status("W0001").n_judged == judgements > 0
    assert verify(paid.campaign).is_sound


def test_what_the_platform_says_later_finds_the_session_again(paid: Any, noon: datetime) -> None:
    erase(paid.campaign, "W0001", by="manager", now=noon)
    later = replace(report(SESSION, noon), session_id=stand_in("tag-1", SESSION), code=None, bonuses=(40, 5))

    with paid.campaign.store.write() as connection:
        found = crowd.put_session(connection, "tag-1", later, worker_id=None, now=noon)

    assert (found.worker_id, found.bonuses) == (None, (40, 5))
    assert money(paid)[:2] == (500, 85)


def test_forgotten_ids_leave_the_worker_tied_to_what_they_were_paid(paid: Any, noon: datetime) -> None:
    """So that nobody is paid twice who comes again: they are known by their pseudonym."""
    before = money(paid)

    assert forget_ids(paid.campaign, by="manager", now=noon) == 1

    left = cells(paid)
    assert not [word for word in (PID, SESSION, ABSENT, "Anna") if word in left]
    with paid.campaign.store.read() as connection:
        [mine] = [each for each in crowd.sessions(connection) if each.worker_id is not None]
        assert [each.worker_id for each in transfers(connection)] == ["W0001"]
    assert mine.assignment_id is not None
    assert money(paid) == before
    assert forget_ids(paid.campaign, by="manager", now=noon) == 0
    assert erase(paid.campaign, "W0001", by="manager", now=noon).n_sessions == 1
    assert money(paid) == before


@pytest.mark.parametrize("pending", ["submitted", "bonus"])
def test_nobody_is_erased_whom_the_platform_still_owes_something(
    paid: Any, noon: datetime, pending: str
) -> None:
    with paid.campaign.store.write() as connection:
        if pending == "submitted":
            crowd.set_session(connection, SESSION, SessionState.SUBMITTED)
        else:
            connection.execute(tables.transfers.update().values(state=TransferState.UNKNOWN.value))
    paid.state("closed")
    before = cells(paid)

    for attempt in (
        lambda: erase(paid.campaign, "W0001", by="manager", now=noon),
        lambda: erase_all(paid.campaign, by="manager", now=noon),
        lambda: forget_ids(paid.campaign, by="manager", now=noon),
    ):
        with pytest.raises(Conflict, match="not yet decided or not yet paid"):
            attempt()
    assert cells(paid) == before


def test_everybody_is_erased_at_once_with_one_line_in_the_log(
    paid: Any, noon: datetime, ask_first: Callable[..., None]
) -> None:
    ask_first(paid.campaign)
    [named] = paid.add()
    give_consent(paid.campaign, named, agrees=True, revision=2, now=noon)
    name_worker(paid.campaign, named, name="Anna Weber", by="manager", now=noon)
    add_remark(paid.campaign, Remark("r1", named, "comment", "Anna here.", noon))
    before, n_actions = money(paid), len(log(paid.campaign))
    assert n_left(paid) == 3
    with pytest.raises(Conflict, match="Close the campaign"):
        erase_all(paid.campaign, by="manager", now=noon)
    paid.state("closed")

    assert erase_all(paid.campaign, by="manager", now=noon, reason="the day has come") == 3

    left = cells(paid)
    assert not [word for word in (PID, SESSION, ABSENT, "Anna") if word in left]
    assert n_left(paid) == 0
    closed, newest = log(paid.campaign)[-2:]
    assert (newest.verb, newest.worker_id, newest.detail) == ("erase-all", None, {"people": 3})
    assert (closed.verb, len(log(paid.campaign))) == ("close", n_actions + 2)
    assert money(paid) == before
    assert verify(paid.campaign).is_sound
    # That somebody agreed stays, as proof; and there is nothing more to erase.
    assert '"agrees": true' in left
    assert erase_all(paid.campaign, by="manager", now=noon) == 0
    assert len(log(paid.campaign)) == n_actions + 2


@pytest.mark.parametrize(
    ("until", "words"),
    [
        (None, None),
        ("2024-05-16", None),
        ("2024-05-15", "may be kept until 2024-05-15, and the records still point to 2 people"),
        ("2024-05-01", "was to be kept until 2024-05-01 only, and the records still point to 2 people"),
    ],
)
def test_managers_are_told_a_fortnight_before_data_is_kept_too_long(
    paid: Any, noon: datetime, until: str | None, words: str | None
) -> None:
    paid.rules(platform="prolific", retain_until=until)

    told = [each for each in Watch(paid.campaign).overview(now=noon).warnings if "kept until" in each]

    assert len(told) == (words is not None)
    assert words is None or words in told[0]
    paid.state("closed")
    erase_all(paid.campaign, by="manager", now=noon)
    assert not [each for each in Watch(paid.campaign).overview(now=noon).warnings if "kept" in each]

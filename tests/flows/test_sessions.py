"""Sessions of a platform to which sets are posted back: one set each, and no set twice."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

import pytest

from steelyard.domain.errors import AnswerError, Conflict, EvaluationError, NotFound
from steelyard.flows.links import WorkerLink, join_campaign, links
from steelyard.flows.open import OpenCampaign
from steelyard.flows.participants import forget_ids, participants, welcome
from steelyard.flows.sessions import finish_session, hand_in
from steelyard.flows.work_status import WorkStatus, work_status
from steelyard.store import participants as stored

WORKER, SITE = "A1EXAMPLE", "https://www.mturk.com"


def query(session: str, **changes: str) -> list[tuple[str, str]]:
    given = {"workerId": WORKER, "hitId": "HIT1", "assignmentId": session, "turkSubmitTo": SITE}
    return list((given | changes).items())


def come(campaign: OpenCampaign, session: str, now: datetime, **changes: str) -> WorkerLink:
    return join_campaign(campaign, base_url="", now=now, query=query(session, **changes))


def status(campaign: OpenCampaign, session: str, now: datetime, worker: str = "W0001") -> WorkStatus:
    return work_status(campaign, worker, now=now, session_id=session)


@pytest.fixture
def mturk(people: Any) -> OpenCampaign:
    """The toy campaign, which a worker of Mechanical Turk has joined."""
    people.rules(platform="mturk")
    come(people.campaign, "S1", people.start)
    return people.campaign


def test_a_preview_makes_nobody_a_worker(people: Any, noon: datetime) -> None:
    people.rules(platform="mturk")
    looking = [("assignmentId", "ASSIGNMENT_ID_NOT_AVAILABLE"), ("hitId", "HIT1")]

    assert welcome(people.campaign, looking) == "preview"
    # Even where the platform says who looks.
    assert welcome(people.campaign, query("ASSIGNMENT_ID_NOT_AVAILABLE")) == "preview"
    with pytest.raises(Conflict) as refused:
        join_campaign(people.campaign, base_url="", now=noon, query=looking)

    assert refused.value.code == "preview"
    assert links(people.campaign, base_url="").workers == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"turkSubmitTo": "https://evil.example"},
        {"turkSubmitTo": "https://www.mturk.com.evil.example"},
        {"turkSubmitTo": "http://www.mturk.com"},
        {"turkSubmitTo": ""},
        {"assignmentId": ""},
        {"workerId": "W0001"},
    ],
)
def test_nobody_joins_who_could_not_hand_in(people: Any, changes: dict[str, str]) -> None:
    people.rules(platform="mturk")

    assert welcome(people.campaign, query("S1")) == "open"
    assert welcome(people.campaign, query("S1", **changes)) == "no_id"


def test_the_address_of_the_page_says_which_session_it_is(people: Any, noon: datetime) -> None:
    people.rules(platform="mturk")

    link = come(people.campaign, "S1", noon, turkSubmitTo=f"{SITE}/")

    assert link.url == f"/w/{link.token}?session=S1&submit_to=https%3A%2F%2Fwww.mturk.com"


def test_a_rehearsal_counts_the_emulator_of_ones_own_machine_as_the_platform(people: Any) -> None:
    def is_welcome(origin: str, emulator: str) -> bool:
        people.rules(platform="mturk", platform_settings={"emulator": emulator})
        return welcome(people.campaign, query("S1", turkSubmitTo=origin)) == "open"

    assert is_welcome("http://127.0.0.1:8712", "http://127.0.0.1:8712")
    assert is_welcome(SITE, "http://127.0.0.1:8712")
    assert not is_welcome("http://127.0.0.1:8713", "http://127.0.0.1:8712")
    assert not is_welcome("https://evil.example", "https://evil.example")


def test_a_finished_set_is_credited_to_one_session_once(people: Any, mturk: OpenCampaign) -> None:
    with pytest.raises(Conflict) as refused:
        finish_session(mturk, "W0001", "S1", now=people.at(1))
    assert refused.value.code == "no_set"

    people.finish("W0001")
    first = finish_session(mturk, "W0001", "S1", now=people.at(2))
    again = finish_session(mturk, "W0001", "S1", now=people.at(3))
    come(mturk, "S2", people.at(4))
    with pytest.raises(Conflict) as refused:
        finish_session(mturk, "W0001", "S2", now=people.at(5))

    assert first == again
    assert refused.value.code == "no_set"
    people.finish("W0001", 6)
    second = finish_session(mturk, "W0001", "S2", now=people.at(7))
    assert second.assignment_id != first.assignment_id
    with pytest.raises(NotFound):
        finish_session(mturk, "W0001", "S3", now=people.at(8))


def test_of_many_sessions_at_once_as_many_hand_in_as_sets_were_finished(
    people: Any, mturk: OpenCampaign
) -> None:
    sessions = [f"S{number}" for number in range(1, 7)]
    for session in sessions:
        come(mturk, session, people.start)
    people.finish("W0001")
    people.finish("W0001")

    def tab(session: str) -> str:
        try:
            return finish_session(mturk, "W0001", session, now=people.at(1)).assignment_id
        except EvaluationError as error:
            return type(error).__name__

    with ThreadPoolExecutor(6) as tabs:
        found = list(tabs.map(tab, sessions * 2))

    credited = {
        session: done for session, done in zip(sessions * 2, found, strict=True) if done != "Conflict"
    }
    assert len(credited) == len(set(credited.values())) == 2
    assert found[:6] == found[6:]


def test_a_session_goes_from_work_to_posting_and_stays_there(people: Any, mturk: OpenCampaign) -> None:
    assert status(mturk, "S1", people.start).state == "ready"
    people.judge("W0001", 1)
    assert status(mturk, "S1", people.start).state == "open"
    people.finish("W0001")

    due = status(mturk, "S1", people.start)
    assert (due.state, due.more, due.completion) == ("posting", False, None)
    finish_session(mturk, "W0001", "S1", now=people.at(1))
    # The browser may have died before the platform knew of it; a paused campaign changes nothing about that.
    people.state("paused")
    assert status(mturk, "S1", people.start).state == "posting"
    people.state("open")

    # In another session another set is to be done, as if it were the first one.
    come(mturk, "S2", people.at(2))
    fresh = status(mturk, "S2", people.start)
    assert (fresh.state, fresh.more, fresh.n_hits_done, fresh.n_judged) == ("ready", True, 0, 0)
    people.finish("W0001", 3)
    finish_session(mturk, "W0001", "S2", now=people.at(4))
    come(mturk, "S3", people.at(5))
    assert (status(mturk, "S3", people.start).state, status(mturk, "S3", people.start).more) == (
        "done",
        False,
    )
    # Without a session, or in one that is somebody else's, a worker stands where they always stood.
    assert status(mturk, "S9", people.start) == people.status("W0001")


def test_elsewhere_a_session_says_nothing(people: Any, noon: datetime) -> None:
    people.rules(platform="prolific", completion_code="C1")
    pid = "5f0a1b2c3d4e5f60718293a4"
    asked = [("PROLIFIC_PID", pid), ("STUDY_ID", "s1"), ("SESSION_ID", "v1")]
    link = join_campaign(people.campaign, base_url="", now=noon, query=asked)
    people.finish(link.worker_id)

    assert "?" not in link.url
    assert status(people.campaign, "v1", noon, link.worker_id) == people.status(link.worker_id)
    assert finish_session(people.campaign, link.worker_id, "v1", now=noon).n_items > 0


def test_what_is_posted_names_the_session_and_our_own_name_for_the_worker(
    people: Any, mturk: OpenCampaign
) -> None:
    people.finish("W0001")
    n_items = people.status("W0001").n_judged

    posting = hand_in(mturk, "W0001", "S1", SITE, now=people.at(1))

    assert posting.address == "https://www.mturk.com/mturk/externalSubmit"
    assert posting.fields == {"assignmentId": "S1", "worker": "W0001", "items": str(n_items)}
    for place in ("https://evil.example", f"{SITE}/", ""):
        with pytest.raises(AnswerError):
            hand_in(mturk, "W0001", "S1", place, now=people.at(1))


def test_sessions_with_a_finished_set_are_not_among_those_that_could_fill_a_disk(
    people: Any, mturk: OpenCampaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "MOST_SESSIONS", 1)
    come(mturk, "S2", people.start)
    assert [each.session_id for each in participants(mturk).workers[0].sessions] == ["S1"]

    people.finish("W0001")
    finish_session(mturk, "W0001", "S1", now=people.at(1))
    come(mturk, "S2", people.at(2))

    assert [each.session_id for each in participants(mturk).workers[0].sessions] == ["S1", "S2"]


def test_forgetting_ids_forgets_which_session_had_which_set(people: Any, mturk: OpenCampaign) -> None:
    people.finish("W0001")
    finish_session(mturk, "W0001", "S1", now=people.at(1))

    forget_ids(mturk, by="manager", now=people.at(2))

    assert participants(mturk).workers[0].sessions == ()

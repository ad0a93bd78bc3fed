"""Before the first set: in order, once, on either database; and what nobody gets around."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import select

from steelyard.domain.entry import CampaignEntry, EntryQuestion, EntryRecord
from steelyard.domain.errors import AnswerError, Conflict, NotFound
from steelyard.flows.assign import Finished, NextItem
from steelyard.flows.collect import Arrival, Collector, Delivered
from steelyard.flows.correct import Correction, consent_of, correct, seen_revisions
from steelyard.flows.entry_answers import (
    MOST_RECORDS,
    answer_questions,
    checked_answers,
    give_consent,
    try_training,
)
from steelyard.flows.links import add_workers
from steelyard.flows.open import OpenCampaign
from steelyard.flows.simulate import simulate
from steelyard.store import entries, tables, work

YES = {"native": "Yes"}


@pytest.fixture
def asking(people: Any, ask_first: Callable[..., None]) -> Any:
    """People of a campaign that asks first."""
    ask_first(people.campaign)
    return people


def agree(people: Any, worker_id: str, *, agrees: bool = True, revision: int = 2, minute: float = 0) -> None:
    give_consent(people.campaign, worker_id, agrees=agrees, revision=revision, now=people.at(minute))


def enter(people: Any, worker_id: str) -> None:
    """Do all that is asked."""
    agree(people, worker_id)
    answer_questions(people.campaign, worker_id, YES, now=people.at(1))
    for number in (1, 2):
        try_training(people.campaign, worker_id, number, {"rating": 80}, now=people.at(2))


def stored(campaign: OpenCampaign, worker_id: str) -> list[EntryRecord]:
    with campaign.store.read() as connection:
        return entries.worker_entries(connection, worker_id) or []


def code_of(call: Callable[[], Any]) -> str:
    with pytest.raises(Conflict) as caught:
        call()
    return caught.value.code


def test_work_is_given_after_consent_questions_and_training_in_this_order(asking: Any) -> None:
    [worker] = asking.add()
    campaign, steps = asking.campaign, []

    def note() -> None:
        steps.append((asking.status(worker).step, code_of(lambda: asking.next(worker))))

    note()
    agree(asking, worker)
    note()
    answer_questions(campaign, worker, {"native": "Yes", "age": 30}, now=asking.at(1))
    note()
    try_training(campaign, worker, 1, {"rating": 10}, now=asking.at(2))
    try_training(campaign, worker, 2, {"rating": 10}, now=asking.at(3))

    assert steps == [("consent", "entry"), ("questions", "entry"), ("training", "entry")]
    status = asking.status(worker)
    assert (status.step, status.n_trained, status.state) == (None, 2, "ready")
    assert isinstance(asking.next(worker), NextItem)
    assert [(record.step, dict(record.content), record.revision) for record in stored(campaign, worker)] == [
        ("consent", {"version": campaign.entries[2].consent.version, "agrees": True}, 2),
        ("questions", {"answers": {"native": "Yes", "age": 30}, "is_accepted": True}, 2),
        ("training", {"number": 1, "answer": {"rating": 10}, "is_expected": False}, 2),
        ("training", {"number": 2, "answer": {"rating": 10}, "is_expected": None}, 2),
    ]


def test_no_step_can_be_taken_before_its_turn(asking: Any) -> None:
    [worker] = asking.add()
    campaign = asking.campaign

    def answer() -> None:
        answer_questions(campaign, worker, YES, now=asking.at(0))

    def train() -> None:
        try_training(campaign, worker, 1, {"rating": 80}, now=asking.at(0))

    assert (code_of(answer), code_of(train)) == ("entry", "entry")
    agree(asking, worker)
    assert code_of(train) == "entry"


def test_a_worker_who_does_not_agree_may_reconsider(asking: Any) -> None:
    [worker] = asking.add()

    agree(asking, worker, agrees=False)
    declined = asking.status(worker)
    agree(asking, worker, minute=5)

    assert (declined.state, declined.step, declined.more) == ("declined", "consent", False)
    assert asking.status(worker).step == "questions"
    assert [record.content["agrees"] for record in stored(asking.campaign, worker)] == [False, True]


def test_consent_can_be_taken_back_at_any_time_and_answers_given_are_kept(asking: Any) -> None:
    [worker] = asking.add()
    enter(asking, worker)
    view = asking.judge(worker, 1, minute=3)
    asking.state("paused", 4)

    agree(asking, worker, agrees=False, minute=5)

    assert code_of(lambda: agree(asking, worker, minute=6)) == "paused"
    asking.state("open", 7)
    assert code_of(lambda: asking.next(worker, 8)) == "entry"
    # What was on its way when they changed their mind is not lost.
    asking.send(worker, asking.answer_to(view), minute=9)
    assert asking.status(worker, 9).n_judged == 2


def test_who_takes_back_consent_in_another_window_is_shown_no_further_text(asking: Any) -> None:
    [link] = add_workers(asking.campaign, 1, base_url="", now=asking.start)
    enter(asking, link.worker_id)
    view = asking.judge(link.worker_id, 1, minute=3)
    agree(asking, link.worker_id, agrees=False, minute=4)
    delivered: list[Delivered] = []
    collector = Collector(asking.campaign, delivered.extend)

    given = asking.answer_to(view)
    collector.add(Arrival(link.token, given, asking.at(5), None))
    collector.collect()
    replies = [asking.send(link.worker_id, given, minute=minute) for minute in (5, 6)]

    # Not in order, so that it is looked at with care; stored once, whatever they think of the next one.
    assert [outcome for _, outcome in delivered] == [None]
    assert replies == [Finished(None, 0, 0, 0, more=False, revision=2)] * 2
    assert asking.status(link.worker_id, 7).n_judged == 2


def test_the_latest_word_counts_although_the_clock_was_set_back(asking: Any) -> None:
    [worker] = asking.add()
    agree(asking, worker, minute=5)

    agree(asking, worker, agrees=False, minute=1)

    assert asking.status(worker).state == "declined"


def test_a_new_text_asks_everybody_again_and_nobody_agrees_to_what_they_have_not_read(asking: Any) -> None:
    campaign = asking.campaign
    [worker] = asking.add()
    enter(asking, worker)
    view = asking.judge(worker, 1, minute=3)

    correct(campaign, Correction(consent="Other words.\n"), by="manager", now=asking.at(4))

    assert (asking.status(worker, 5).step, asking.status(worker, 5).state) == ("consent", "open")
    assert code_of(lambda: asking.next(worker, 5)) == "entry"
    assert code_of(lambda: agree(asking, worker, revision=2, minute=5)) == "revision"
    asking.send(worker, asking.answer_to(view), minute=6)
    agree(asking, worker, revision=3, minute=7)
    # Questions and training stand as they are.
    assert isinstance(asking.next(worker, 8), NextItem)
    with pytest.raises(AnswerError, match="There are revisions 1 to 3, so there is no 4"):
        agree(asking, worker, revision=4, minute=9)


def test_a_correction_of_something_else_asks_nobody_again(asking: Any) -> None:
    [worker] = asking.add()
    agree(asking, worker)

    correct(asking.campaign, Correction(title="For natives"), by="manager", now=asking.at(1))

    assert asking.status(worker).step == "questions"
    [other] = asking.add()
    # The text is the same as the one that was on the page.
    agree(asking, other, revision=2)
    assert asking.status(other).step == "questions"


def test_a_running_campaign_can_begin_to_ask(people: Any, noon: datetime) -> None:
    [worker] = people.add()
    people.judge(worker, 1)

    correct(people.campaign, Correction(consent="Please agree."), by="manager", now=people.at(1))

    assert people.status(worker).step == "consent"
    *_, last = seen_revisions(people.campaign)
    assert last.changed == ("consent text",)
    consent = consent_of(last.revision)
    # Nobody was told that the handling of the page is recorded.
    assert consent is not None
    assert (consent.text, consent.behaviour) == ("Please agree.", False)


def test_an_empty_consent_text_is_refused(people: Any, noon: datetime) -> None:
    with pytest.raises(Exception, match="the consent text is empty"):
        correct(people.campaign, Correction(consent=" \n"), by="manager", now=noon)


def test_an_answer_that_is_not_looked_for_ends_the_visit(asking: Any) -> None:
    [worker] = asking.add()
    agree(asking, worker)

    answer_questions(asking.campaign, worker, {"native": "No"}, now=asking.at(1))

    status = asking.status(worker)
    assert (status.state, status.step, status.more) == ("screened", None, False)
    assert code_of(lambda: asking.next(worker)) == "screened"
    train = {"rating": 80}
    assert code_of(lambda: try_training(asking.campaign, worker, 1, train, now=asking.at(2))) == "screened"
    assert stored(asking.campaign, worker)[-1].content["is_accepted"] is False


def test_questions_are_answered_once(asking: Any) -> None:
    campaign = asking.campaign
    [worker] = asking.add()
    agree(asking, worker)
    answer_questions(campaign, worker, {"native": "No"}, now=asking.at(1))

    answer_questions(campaign, worker, {"native": "No", "age": None}, now=asking.at(2))

    assert code_of(lambda: answer_questions(campaign, worker, YES, now=asking.at(3))) == "answered"
    assert [record.step for record in stored(campaign, worker)] == ["consent", "questions"]


QUESTIONS = (
    EntryQuestion("one", "?", "choice", ("a", "b"), optional=True),
    EntryQuestion("some", "?", "choices", ("a", "b", "c"), optional=True),
    EntryQuestion("number", "?", "number", optional=True, minimum=1, maximum=5),
    EntryQuestion("words", "?", "text", optional=True),
)


@pytest.mark.parametrize(
    ("given", "cleaned"),
    [
        ({}, {}),
        ({"one": "", "some": [], "number": None, "words": "  "}, {}),
        ({"some": ["c", "a"], "one": "b"}, {"one": "b", "some": ["a", "c"]}),
        ({"number": 2.5, "words": " a b "}, {"number": 2.5, "words": "a b"}),
    ],
)
def test_answers_are_cleaned(given: dict[str, Any], cleaned: dict[str, Any]) -> None:
    assert checked_answers(QUESTIONS, given) == cleaned


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("one", "c"),
        ("one", ["a"]),
        ("one", {"a": 1}),
        ("some", "a"),
        ("some", ["a", "d"]),
        ("some", [["a"]]),
        ("number", "3"),
        ("number", True),
        ("number", 0),
        ("number", 5.1),
        ("number", float("nan")),
        ("number", 10**400),
        ("words", 3),
        ("words", "x" * 501),
        ("words", "a\x00b"),
        ("words", "half of an emoji: \ud83d"),
    ],
)
def test_an_answer_that_cannot_be_is_refused_by_the_name_of_its_question(name: str, value: Any) -> None:
    with pytest.raises(AnswerError) as caught:
        checked_answers(QUESTIONS, {name: value})

    assert caught.value.field == name


def test_an_answer_to_no_question_is_refused_without_repeating_its_name() -> None:
    with pytest.raises(AnswerError, match="There is no such question") as caught:
        checked_answers(QUESTIONS, {"\ud83d": "x"})

    assert caught.value.field == "answers"


def test_a_question_must_be_answered_unless_it_is_optional() -> None:
    with pytest.raises(AnswerError, match="Please answer this question") as caught:
        checked_answers([replace(QUESTIONS[0], optional=False)], {"one": ""})

    assert caught.value.field == "one"


def test_training_says_what_was_expected_and_may_be_repeated(asking: Any) -> None:
    campaign = asking.campaign
    [worker] = asking.add()
    agree(asking, worker)
    answer_questions(campaign, worker, YES, now=asking.at(1))

    tries = [
        try_training(campaign, worker, number, {"rating": rating}, now=asking.at(2))
        for number, rating in ((1, 69.9), (1, 69.9), (1, 70), (2, 5))
    ]

    assert [(tried.is_expected, tried.side, tried.expected) for tried in tries] == [
        (False, "low", (70, 100)),
        (False, "low", (70, 100)),
        (True, None, (70, 100)),
        (None, None, None),
    ]
    assert [tried.feedback for tried in tries[-2:]] == ["The meaning is there.", "Judge as you like."]
    # What is sent twice, as after a broken connection, is one try.
    numbers = [each.content["number"] for each in stored(campaign, worker) if each.step == "training"]
    assert numbers == [1, 1, 2]
    with pytest.raises(AnswerError, match="There are 2 examples, so there is no 3"):
        try_training(campaign, worker, 3, {"rating": 5}, now=asking.at(3))
    with pytest.raises(AnswerError, match="rating"):
        try_training(campaign, worker, 1, {"rating": 500}, now=asking.at(3))


def test_the_training_item_that_comes_next_is_the_first_that_was_not_tried(asking: Any) -> None:
    [worker] = asking.add()
    agree(asking, worker)
    answer_questions(asking.campaign, worker, YES, now=asking.at(1))

    counts = []
    for number in (2, 1):
        try_training(asking.campaign, worker, number, {"rating": 80}, now=asking.at(2))
        counts.append(asking.status(worker).n_trained)

    assert counts == [0, 2]


def test_what_is_not_asked_cannot_be_answered(people: Any, asked: CampaignEntry, ask_first: Any) -> None:
    [worker] = people.add()
    for entry in (None, replace(asked, consent=None, questions=(), training=asked.training)):
        if entry is not None:
            ask_first(people.campaign, entry)
        with pytest.raises(NotFound):
            agree(people, worker, revision=1)
        with pytest.raises(NotFound):
            answer_questions(people.campaign, worker, YES, now=people.at(0))
    ask_first(people.campaign, replace(asked, training=()))
    with pytest.raises(NotFound):
        try_training(people.campaign, worker, 1, {"rating": 5}, now=people.at(0))


def test_two_pages_that_answer_at_once_store_one_answer(asking: Any) -> None:
    campaign = asking.campaign
    [worker] = asking.add()

    def both(call: Callable[[int], Any]) -> list[Any]:
        def run(number: int) -> Any:
            try:
                return call(number)
            except Conflict as error:
                return error.code

        with ThreadPoolExecutor(4) as pool:
            return list(pool.map(run, range(4)))

    agreed = both(lambda _: agree(asking, worker))
    answered = both(
        lambda number: answer_questions(
            campaign, worker, {"native": "Yes", "age": 20 + number}, now=asking.at(1)
        )
    )

    assert agreed == [None] * 4
    assert sorted(map(str, answered)) == ["None", "answered", "answered", "answered"]
    assert [record.step for record in stored(campaign, worker)] == ["consent", "questions"]


def test_nobody_can_fill_the_disk(asking: Any) -> None:
    [worker] = asking.add()
    row = {
        "worker_id": worker,
        "step": "consent",
        "content": '{"version": "", "agrees": false}',
        "revision": 1,
    }
    with asking.campaign.store.write() as connection:
        rows = [{**row, "number": n, "made_at": asking.at(0)} for n in range(1, MOST_RECORDS + 1)]
        connection.execute(tables.entries.insert(), rows)

    assert code_of(lambda: agree(asking, worker)) == "too_often"


def test_simulated_workers_are_asked_nothing_and_nothing_is_invented(asking: Any) -> None:
    with asking.campaign.store.write() as connection:
        worker = work.add_worker(connection, now=asking.at(0), is_simulated=True).worker_id

    assert code_of(lambda: agree(asking, worker)) == "simulated"
    assert asking.status(worker).step is None
    simulate(asking.campaign, 2, seed=1)

    with asking.campaign.store.read() as connection:
        assert connection.execute(select(tables.entries)).all() == []
        assert connection.execute(select(tables.judgements)).first() is not None


def test_a_campaign_that_asks_nothing_looks_up_nothing(people: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    [worker] = people.add()

    def fail(*_: Any) -> None:
        raise AssertionError("nothing is to be looked up")

    monkeypatch.setattr(entries, "worker_entries", fail)

    assert isinstance(people.next(worker), NextItem | Finished)
    assert people.status(worker).step is None

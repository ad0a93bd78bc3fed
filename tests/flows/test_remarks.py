"""What workers write arrives once, with the item it is about, and is read by nobody else."""

from __future__ import annotations

import csv
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from steelyard.domain.entry import Remark
from steelyard.domain.errors import AnswerError, Conflict, NotFound
from steelyard.flows.assign import NextItem
from steelyard.flows.background import backgrounds, export_background
from steelyard.flows.entry_answers import answer_questions, give_consent, try_training
from steelyard.flows.erase import erase
from steelyard.flows.log import log
from steelyard.flows.people import name_worker
from steelyard.flows.remarks import MOST_REMARKS, add_remark, campaign_remarks, export_remarks
from steelyard.store import tables
from steelyard.store.links import linked_workers


def comment(people: Any, worker_id: str, minute: float = 0, **changes: Any) -> Remark:
    remark = Remark(str(uuid.uuid4()), worker_id, "comment", "Nice texts.", people.at(minute))
    return replace(remark, **changes)


def test_a_remark_is_stored_once_however_often_it_is_sent(people: Any) -> None:
    [worker] = people.add()
    remark = comment(people, worker)

    with ThreadPoolExecutor(4) as pool:
        new = list(pool.map(lambda _: add_remark(people.campaign, remark), range(4)))

    assert sorted(new) == [False, False, False, True]
    found = campaign_remarks(people.campaign)
    assert ([each.remark for each in found.remarks], found.n_remarks) == ([remark], 1)
    with pytest.raises(Conflict, match="belongs to another remark"):
        add_remark(people.campaign, replace(remark, text="Something else."))


def test_a_remark_names_the_place_of_its_item(people: Any) -> None:
    [worker] = people.add()
    view = people.judge(worker, 1)
    assert isinstance(view, NextItem)
    about = {"assignment_id": view.assignment_id, "item_id": view.item.item_id, "kind": "problem"}
    add_remark(people.campaign, comment(people, worker, 1))

    add_remark(people.campaign, comment(people, worker, 2, **about))

    newest, oldest = campaign_remarks(people.campaign).remarks
    hit_id = people.take(worker)
    assert (newest.hit_id, newest.position, newest.remark.kind) == (hit_id, 2, "problem")
    assert newest.segment_id is not None
    assert (oldest.hit_id, oldest.position, oldest.segment_id) == (None, None, None)
    assert len(campaign_remarks(people.campaign, limit=1).remarks) == 1


def test_a_remark_is_about_a_worker_s_own_work_only(people: Any) -> None:
    one, other = people.add(2)
    view = people.next(one)
    assert isinstance(view, NextItem)
    own = {"assignment_id": view.assignment_id, "item_id": view.item.item_id}

    with pytest.raises(NotFound, match="no such assignment"):
        add_remark(people.campaign, comment(people, other, **own))
    with pytest.raises(NotFound, match="no such item in this set"):
        add_remark(people.campaign, comment(people, one, **{**own, "item_id": "training-1"}))
    with pytest.raises(AnswerError, match="which assignment"):
        add_remark(people.campaign, comment(people, one, item_id=view.item.item_id))
    assert campaign_remarks(people.campaign).n_remarks == 0


def test_workers_can_write_when_the_campaign_is_over(people: Any) -> None:
    [worker] = people.add()
    people.state("closed")

    assert add_remark(people.campaign, comment(people, worker))


def test_one_worker_cannot_fill_the_disk(people: Any) -> None:
    one, other = people.add(2)
    row = {"worker_id": one, "kind": "comment", "text": "x", "made_at": people.at(0)}
    with people.campaign.store.write() as connection:
        connection.execute(
            tables.remarks.insert(), [{**row, "remark_id": str(n)} for n in range(MOST_REMARKS)]
        )

    with pytest.raises(Conflict, match="more than can be kept"):
        add_remark(people.campaign, comment(people, one))
    assert add_remark(people.campaign, comment(people, other))


@pytest.fixture
def said(people: Any, ask_first: Callable[..., None]) -> Any:
    """People of whom one has agreed, answered and trained, and one has not agreed."""
    ask_first(people.campaign)
    one, other = people.add(2)
    campaign = people.campaign
    give_consent(campaign, one, agrees=True, revision=2, now=people.at(0))
    answer_questions(campaign, one, {"native": "Yes", "age": 40}, now=people.at(1))
    for rating in (10, 80):
        try_training(campaign, one, 1, {"rating": rating}, now=people.at(2))
    give_consent(campaign, other, agrees=False, revision=2, now=people.at(3))
    return people


def test_the_background_of_a_worker_is_what_they_said(said: Any) -> None:
    found = backgrounds(said.campaign)

    one, other = found.workers
    assert [question.name for question in found.questions] == ["native", "age"]
    assert (one.agrees, one.is_current, one.is_accepted) == (True, True, True)
    assert dict(one.answers) == {"native": "Yes", "age": 40}
    [tried] = one.training
    assert (tried.number, tried.n_tries, tried.first_expected, tried.last_expected) == (1, 2, False, True)
    assert (other.agrees, other.is_accepted, other.training) == (False, None, ())


def test_what_could_tell_who_somebody_is_can_be_erased(said: Any) -> None:
    campaign = said.campaign
    name_worker(campaign, "W0001", by="manager", now=said.at(4), name="Ada Byron")
    add_remark(campaign, comment(said, "W0001"))
    add_remark(campaign, comment(said, "W0002"))

    erased = erase(campaign, "W0001", by="manager", now=said.at(5), reason="asked for it")

    assert (erased.had_name, erased.n_answers, erased.n_remarks) == (True, 3, 1)
    one, _ = backgrounds(campaign).workers
    assert (one.agrees, dict(one.answers), one.training) == (True, {}, ())
    assert [each.remark.worker_id for each in campaign_remarks(campaign).remarks] == ["W0002"]
    with campaign.store.read() as connection:
        assert linked_workers(connection, ["W0001"])[0].name == ""
    last = log(campaign)[-1]
    assert (last.verb, last.worker_id, last.detail) == ("erase", "W0001", {"answers": 3, "remarks": 1})
    with pytest.raises(NotFound, match="There is no worker 'W0009'"):
        erase(campaign, "W0009", by="manager", now=said.at(6))


def test_files_about_people_are_for_their_owner_and_hold_no_formula(said: Any, tmp_path: Path) -> None:
    add_remark(said.campaign, comment(said, "W0001", 1, text='=HYPERLINK("x")'))
    add_remark(said.campaign, comment(said, "W0002", 2, text="Two\nlines."))
    written, people = tmp_path / "remarks.csv", tmp_path / "background.csv"

    assert (export_remarks(said.campaign, written), export_background(said.campaign, people)) == (2, 2)

    assert [file.stat().st_mode & 0o777 for file in (written, people)] == [0o600, 0o600]
    with written.open(newline="", encoding="utf-8") as file:
        texts = [(row["worker"], row["text"]) for row in csv.DictReader(file)]
    assert texts == [("W0001", '\'=HYPERLINK("x")'), ("W0002", "Two\nlines.")]
    with people.open(newline="", encoding="utf-8") as file:
        one, other = csv.DictReader(file)
    assert (one["agrees"], one["answer.native"], one["answer.age"], one["n_tries"]) == (
        "true",
        "Yes",
        "40.0",
        "2",
    )
    assert (other["agrees"], other["answer.native"], other["n_trained"]) == ("false", "", "0")


@pytest.mark.parametrize("ending", [".tsv", ".jsonl", ".parquet"])
def test_the_files_are_written_in_every_format(said: Any, tmp_path: Path, ending: str) -> None:
    read = {".tsv": lambda path: pl.read_csv(path, separator="\t"), ".jsonl": pl.read_ndjson}
    for export in (export_remarks, export_background):
        add_remark(said.campaign, comment(said, "W0001"))
        path = tmp_path / f"{export.__name__}{ending}"

        n = export(said.campaign, path)

        assert len(read.get(ending, pl.read_parquet)(path)) == n

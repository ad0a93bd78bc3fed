from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest

from steelyard.domain.errors import ChoiceError, NotFound
from steelyard.domain.people import Person
from steelyard.flows.export import export
from steelyard.flows.links import add_workers, holder, links
from steelyard.flows.open import OpenCampaign
from steelyard.flows.people import Invited, invite, name_worker
from steelyard.flows.simulate import simulate
from steelyard.store.actions import logged_actions

ANA = Person("Ana López", "ana@example.org")
BO = Person("Bo", "")


def invited(campaign: OpenCampaign, *people: Person, now: datetime, again: bool = False) -> Invited:
    return invite(campaign, people, base_url="http://here", by="manager", now=now, again=again)


def test_people_get_links_in_their_order(campaign: OpenCampaign, noon: datetime) -> None:
    made = invited(campaign, ANA, BO, now=noon)

    assert [(link.name, link.email) for link in made.links] == [("Ana López", "ana@example.org"), ("Bo", "")]
    assert [holder(campaign, link.token, "worker") for link in made.links] == ["W0001", "W0002"]
    assert links(campaign, base_url="http://here").workers == made.links


@pytest.mark.parametrize(
    "same", [ANA, Person("A. L.", "ANA@example.org"), Person("ana lópez")], ids=["twin", "address", "name"]
)
def test_who_has_a_link_keeps_it(campaign: OpenCampaign, noon: datetime, same: Person) -> None:
    first = invited(campaign, ANA, now=noon)

    second = invited(campaign, BO, same, now=noon)

    assert second.n_new == 1
    assert second.links[1] == first.links[0]
    assert len(links(campaign, base_url="").workers) == 2


def test_a_person_twice_in_one_list_gets_one_link(campaign: OpenCampaign, noon: datetime) -> None:
    made = invited(campaign, ANA, ANA, now=noon)

    assert made.n_new == 1
    assert made.links[0] == made.links[1]


def test_a_second_link_is_made_if_asked_for(campaign: OpenCampaign, noon: datetime) -> None:
    first = invited(campaign, ANA, now=noon)

    second = invited(campaign, ANA, now=noon, again=True)

    assert second.n_new == 1
    assert second.links[0].token != first.links[0].token


def test_people_of_one_name_and_two_addresses_are_two(campaign: OpenCampaign, noon: datetime) -> None:
    assert invited(campaign, ANA, Person("Ana López", "other@example.org"), now=noon).n_new == 2


def test_a_name_can_be_given_later_and_taken_back(campaign: OpenCampaign, noon: datetime) -> None:
    [worker] = add_workers(campaign, 1, base_url="", now=noon)

    name_worker(campaign, worker.worker_id, by="manager", now=noon, name=" Bo ", email="bo@example.org")
    name_worker(campaign, worker.worker_id, by="manager", now=noon, name="Bob")
    [named] = links(campaign, base_url="").workers
    name_worker(campaign, worker.worker_id, by="manager", now=noon, name="", email="")

    assert (named.name, named.email) == ("Bob", "bo@example.org")
    assert links(campaign, base_url="").workers == (worker,)


def test_only_a_worker_can_be_named(campaign: OpenCampaign, noon: datetime) -> None:
    with pytest.raises(NotFound, match="There is no worker W0007"):
        name_worker(campaign, "W0007", by="manager", now=noon, name="Bo")


def test_what_is_no_address_is_refused_and_nobody_is_added(campaign: OpenCampaign, noon: datetime) -> None:
    with pytest.raises(ChoiceError, match='"nowhere" is not an e-mail address'):
        invited(campaign, ANA, Person("Bo", "nowhere"), now=noon)

    assert links(campaign, base_url="").workers == ()


def test_the_log_says_what_was_done_and_not_who_it_is(campaign: OpenCampaign, noon: datetime) -> None:
    invited(campaign, ANA, now=noon)
    name_worker(campaign, "W0001", by="command line", now=noon, name="Anna")

    with campaign.store.read() as connection:
        logged = logged_actions(connection)

    assert [(action.verb, action.done_by) for action in logged] == [
        ("add-workers", "manager"),
        ("name-worker", "command line"),
    ]
    assert "example.org" not in str(logged)
    assert "Ann" not in str(logged)


def test_people_are_not_exported(campaign: OpenCampaign, noon: datetime, tmp_path: Path) -> None:
    simulate(campaign, 1, seed=7)
    name_worker(campaign, "W0001", by="manager", now=noon, name=ANA.name, email=ANA.email)

    export(campaign, tmp_path / "judgements.csv")

    text = (tmp_path / "judgements.csv").read_text("utf-8")
    assert "W0001" in text
    assert "Ana" not in text
    assert "example.org" not in text


def test_managers_may_name_a_worker_at_the_same_moment(campaign: OpenCampaign, noon: datetime) -> None:
    add_workers(campaign, 1, base_url="", now=noon)

    def name(number: int) -> None:
        name_worker(campaign, "W0001", by="manager", now=noon, name=f"Ana {number}")

    with ThreadPoolExecutor(8) as managers:
        list(managers.map(name, range(24)))

    [worker] = links(campaign, base_url="").workers
    assert worker.name.startswith("Ana ")


@pytest.mark.parametrize(
    ("given", "kept"),
    [("علی\u200cرضا", "علی\u200cرضا"), ("Ana\u00a0López", "Ana López"), ("Bo\nLi", "Bo Li")],
)
def test_names_of_all_scripts_and_spreadsheets_are_taken(
    campaign: OpenCampaign, noon: datetime, given: str, kept: str
) -> None:
    add_workers(campaign, 1, base_url="", now=noon)

    name_worker(campaign, "W0001", by="manager", now=noon, name=given)

    assert links(campaign, base_url="").workers[0].name == kept


def test_a_name_cannot_turn_the_text_around_it(campaign: OpenCampaign, noon: datetime) -> None:
    add_workers(campaign, 1, base_url="", now=noon)

    with pytest.raises(ChoiceError, match="cannot be printed"):
        name_worker(campaign, "W0001", by="manager", now=noon, name="Ana\u202egnp")

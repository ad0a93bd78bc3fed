"""No one takes all: what a caller gets before the server says 429, and who still gets through."""

from __future__ import annotations

import shutil
import socket
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import httpx2
import pytest
import uvicorn
from fastapi.testclient import TestClient

from steelyard.domain.errors import TooMany
from steelyard.flows import assign
from steelyard.flows.links import add_workers, links
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.rules import change_rules
from steelyard.web.app import create_app
from steelyard.web.limits import Buckets, Limits, TakenHits
from steelyard.web.serving import ServerSettings, run_server

WRONG = "W0001-thisisnotavalidtoken0000"


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def answer(assignment_id: str, item_id: str) -> dict[str, Any]:
    return {
        "judgement_id": str(uuid.uuid4()),
        "assignment_id": assignment_id,
        "item_id": item_id,
        "answer": {"rating": 55},
        "shown_ms": 4200,
    }


@dataclass(frozen=True)
class Door:
    """A campaign's app, and people who come from one address or another."""

    campaign: OpenCampaign
    limits: Limits
    clock: Clock
    open_token: str
    manager_token: str
    clients: dict[str, TestClient]

    def ask(self, method: str, path: str, token: str, *, address: str = "192.0.2.1", **more: Any) -> Any:
        if address not in self.clients:
            app = create_app(self.campaign, self.limits)
            self.clients[address] = TestClient(app, client=(address, 50000))
        headers = {"Authorization": f"Bearer {token}", **more.pop("headers", {})}
        return self.clients[address].request(method, path, headers=headers, **more)

    def join(self, address: str = "192.0.2.1") -> Any:
        return self.ask("POST", "/api/v1/join", self.open_token, address=address)

    def next(self, token: str, address: str = "192.0.2.1") -> Any:
        return self.ask("POST", "/api/v1/work/next", token, address=address)

    def judge(self, token: str, view: dict[str, Any]) -> None:
        body = answer(view["assignment_id"], view["item"]["item_id"])
        assert self.ask("POST", "/api/v1/work/judgements", token, json=body).status_code == 201

    def rules(self, **changes: int) -> None:
        change_rules(self.campaign, changes, by="manager", now=datetime.now(UTC))

    def new_token(self) -> str:
        [worker] = add_workers(self.campaign, 1, base_url="", now=datetime.now(UTC))
        return worker.token


@pytest.fixture
def door(made_once: Path, tmp_path: Path) -> Iterator[Door]:
    clock = Clock()
    with open_campaign(str(shutil.copy(made_once, tmp_path / "site.db"))) as campaign:
        found = links(campaign, base_url="")
        tokens = (url.rpartition("/")[2] for url in (found.open_url, found.manager_url))
        yield Door(campaign, Limits.new(clock=clock), clock, *tokens, {})


def assert_refused(reply: httpx2.Response, seconds: int) -> None:
    assert reply.status_code == 429
    assert reply.json()["error"]["code"] == "too_many"
    assert reply.headers["Retry-After"] == str(seconds)


# Buckets


def test_a_bucket_gives_a_burst_at_once_and_then_at_its_rate() -> None:
    clock = Clock()
    buckets = Buckets(clock=clock)
    take = lambda: buckets.take("somebody", rate=2, burst=3)  # noqa: E731

    assert [take() for _ in range(5)] == [0, 0, 0, 0.5, 0.5]
    clock.now += 0.5
    assert [take(), take()] == [0, 0.5]
    clock.now += 60
    assert [take() for _ in range(4)] == [0, 0, 0, 0.5]


def test_a_full_bucket_of_one_caller_is_not_anothers() -> None:
    buckets = Buckets(clock=Clock())
    assert buckets.take("one", rate=1, burst=1) == 0
    assert buckets.take("one", rate=1, burst=1) == 1

    assert buckets.take("other", rate=1, burst=1) == 0


def test_any_number_of_callers_fits_into_the_same_memory() -> None:
    buckets = Buckets(clock=Clock(), most_keys=100)
    taken = TakenHits(most=100)

    for number in range(10_000):
        buckets.take(number, rate=1, burst=1)
        taken.add(number % 7, str(number))

    assert len(buckets) == len(taken) == 100
    with taken.turn(3) as held:
        assert len(held) <= 100


def test_a_hit_that_is_forgotten_leaves_nothing_behind() -> None:
    taken = TakenHits()
    taken.add("somebody", "a1")
    taken.forget(["a1", "never heard of"])

    assert len(taken) == 0
    assert not taken._by_taker


# Joins


def test_joins_of_one_address_end_at_the_rule(door: Door) -> None:
    door.rules(joins_per_hour=3)
    replies = [door.join().status_code for _ in range(3)]

    assert replies == [201, 201, 201]
    assert_refused(door.join(), 1200)


def test_somebody_else_may_join_while_an_address_has_to_wait(door: Door) -> None:
    door.rules(joins_per_hour=1)
    door.join()
    assert door.join().status_code == 429

    assert door.join(address="192.0.2.2").status_code == 201
    assert door.join(address="2001:db8::1").status_code == 201
    assert door.join(address="2001:db8::2").status_code == 429


def test_waiting_as_long_as_the_reply_says_lets_the_next_one_join(door: Door) -> None:
    door.rules(joins_per_hour=1)
    door.join()
    door.clock.now += int(door.join().headers["Retry-After"])

    assert door.join().status_code == 201


def test_a_manager_lets_more_join_at_once(door: Door) -> None:
    door.rules(joins_per_hour=1)
    door.join()
    assert door.join().status_code == 429

    door.rules(joins_per_hour=0)

    assert door.join().status_code == 201


def test_a_refused_join_makes_no_worker(door: Door) -> None:
    door.rules(joins_per_hour=1)
    door.join()
    with door.campaign.store.read() as connection:
        before = connection.exec_driver_sql("SELECT count(*) FROM workers").scalar_one()

    door.join()

    with door.campaign.store.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM workers").scalar_one() == before


# HITs that are not begun


def test_one_person_cannot_take_every_hit_through_the_open_link(door: Door) -> None:
    """Joining again and again and taking a HIT each time, which once took more than half of a campaign."""
    door.rules(unbegun_hits=2)
    replies = [door.next(door.join().json()["token"]) for _ in range(6)]

    assert [reply.status_code for reply in replies] == [200, 200, 429, 429, 429, 429]
    assert_refused(replies[-1], assign.UNBEGUN_WAIT)
    with door.campaign.store.read() as connection:
        taken = connection.exec_driver_sql("SELECT count(*) FROM assignments").scalar_one()
    assert taken == 2


def test_many_at_once_take_no_more_than_one_after_the_other(door: Door) -> None:
    door.rules(unbegun_hits=2)
    tokens = [door.new_token() for _ in range(6)]
    door.next(tokens[0])
    replies: list[int] = []

    def take(token: str) -> None:
        replies.append(door.next(token).status_code)

    threads = [Thread(target=take, args=[token]) for token in tokens[1:]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(replies) == [200, 429, 429, 429, 429]


def test_an_address_at_its_limit_keeps_the_hits_it_has(door: Door) -> None:
    door.rules(unbegun_hits=1)
    first, second = door.new_token(), door.new_token()
    view = door.next(first).json()
    assert door.next(second).status_code == 429

    assert door.next(first).json() == view


def test_a_judgement_lets_the_next_one_take_a_hit(door: Door) -> None:
    door.rules(unbegun_hits=1)
    first, second = door.new_token(), door.new_token()
    view = door.next(first).json()
    assert door.next(second).status_code == 429

    door.judge(first, view)

    assert door.next(second).status_code == 200


def test_a_hit_given_back_lets_the_next_one_take_it(door: Door) -> None:
    door.rules(unbegun_hits=1)
    first, second = door.new_token(), door.new_token()
    assignment_id = door.next(first).json()["assignment_id"]
    assert door.next(second).status_code == 429

    door.ask("POST", "/api/v1/work/return", first, json={"assignment_id": assignment_id})

    assert door.next(second).status_code == 200


def test_another_address_takes_hits_while_one_has_to_wait(door: Door) -> None:
    door.rules(unbegun_hits=1)
    door.next(door.new_token())
    waiting = door.new_token()
    assert door.next(waiting).status_code == 429

    assert door.next(waiting, address="192.0.2.9").status_code == 200


def test_a_hit_whose_time_has_run_out_is_not_held_any_more(door: Door) -> None:
    taken = door.next(door.new_token()).json()["assignment_id"]
    now = datetime.now(UTC)

    assert assign.unbegun(door.campaign, [taken], now=now) == [taken]
    assert assign.unbegun(door.campaign, [taken], now=now + timedelta(hours=3)) == []


def test_who_may_take_none_is_refused_before_anything_is_written(door: Door) -> None:
    [worker] = add_workers(door.campaign, 1, base_url="", now=datetime.now(UTC))

    with pytest.raises(TooMany):
        assign.next_item(door.campaign, worker.worker_id, now=datetime.now(UTC), may_take=False)

    with door.campaign.store.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM assignments").scalar_one() == 0


def test_200_students_behind_one_address_join_within_an_hour_under_a_raised_rule(door: Door) -> None:
    door.rules(joins_per_hour=200)
    replies = []
    for _ in range(200):
        replies.append(door.join().status_code)
        door.clock.now += 3600 / 200

    assert set(replies) == {201}


# Guesses


def test_links_that_are_not_valid_can_be_tried_thirty_times(door: Door) -> None:
    replies = [door.ask("GET", "/api/v1/work", f"{WRONG}{n}").status_code for n in range(30)]

    assert set(replies) == {401}
    assert_refused(door.ask("GET", "/api/v1/work", WRONG), 2)


def use_up_guesses(door: Door) -> None:
    while door.ask("GET", f"/w/{WRONG}", "").status_code == 404:
        pass


@pytest.mark.parametrize("page", ["/w/", "/m/", "/join/"])
def test_pages_of_links_that_are_not_valid_count_as_well(door: Door, page: str) -> None:
    use_up_guesses(door)

    reply = door.ask("GET", f"{page}{WRONG}", "", headers={"Accept": "text/html"})

    assert reply.status_code == 429
    assert reply.headers["content-type"].startswith("text/html")
    assert "try again in a minute" in reply.text


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/api/v1/work/judgements"), ("POST", "/api/v1/join"), ("GET", "/api/v1/campaign")],
)
def test_the_limit_on_guesses_holds_for_every_kind_of_link(door: Door, method: str, path: str) -> None:
    use_up_guesses(door)

    body = answer("a", "i") if path.endswith("judgements") else None
    assert door.ask(method, path, WRONG, json=body).status_code == 429


def test_valid_links_work_from_an_address_that_has_guessed_too_often(door: Door) -> None:
    token = door.new_token()
    use_up_guesses(door)

    assert door.ask("GET", "/api/v1/work", token).status_code == 200
    assert door.ask("GET", f"/w/{token}", "").status_code == 200
    assert door.ask("GET", "/api/v1/campaign", door.manager_token).status_code == 200


def test_a_reply_about_guesses_has_the_headers_that_protect_a_reader(door: Door) -> None:
    use_up_guesses(door)

    assert door.ask("GET", f"/w/{WRONG}", "").headers["Cache-Control"] == "no-store"


# Requests of a worker


def test_a_script_is_slowed_down_and_other_workers_are_not(door: Door) -> None:
    script, person = door.new_token(), door.new_token()
    replies = [door.ask("GET", "/api/v1/work", script) for _ in range(61)]

    assert {reply.status_code for reply in replies[:60]} == {200}
    assert_refused(replies[-1], 1)
    assert door.ask("GET", "/api/v1/work", person).status_code == 200
    assert door.ask("GET", "/api/v1/campaign", door.manager_token).status_code == 200


def test_spelling_the_header_otherwise_gives_no_more_requests(door: Door) -> None:
    script = door.new_token()
    while door.ask("GET", "/api/v1/work", script).status_code == 200:
        pass

    reply = door.ask("GET", "/api/v1/work", script, headers={"Authorization": f"bEARER {script}"})

    assert reply.status_code == 429


def test_answers_count_with_all_other_requests_however_the_header_is_spelt(door: Door) -> None:
    script = door.new_token()
    view, statuses = [door.next(script).json() for _ in range(20)][-1], []
    for spelling in ("Bearer", "bearer", "BEARER") * 14:
        headers = {"Authorization": f"{spelling} {script}"}
        body = answer(view["assignment_id"], view["item"]["item_id"])
        reply = door.ask("POST", "/api/v1/work/judgements", script, json=body, headers=headers)
        statuses.append(reply.status_code)
        view = reply.json().get("next", view)

    assert statuses == [201] * 40 + [429] * 2


def test_an_answer_that_needs_a_closer_look_counts_once(door: Door) -> None:
    token = door.new_token()
    view = door.next(token).json()
    body = answer(view["assignment_id"], "another")
    replies = [door.ask("POST", "/api/v1/work/judgements", token, json=body) for _ in range(59)]

    assert {reply.status_code for reply in replies} == {409}


def test_nobody_without_a_token_keeps_managers_from_their_workers(door: Door) -> None:
    for _ in range(70):
        door.ask("GET", "/api/v1/work", "", headers={"Authorization": ""})
    path = "/api/v1/workers/W0001/block"

    assert door.ask("POST", path, "", headers={"Authorization": ""}, address="192.0.2.2").status_code == 401


def test_a_script_goes_on_after_the_wait(door: Door) -> None:
    script = door.new_token()
    while door.ask("GET", "/api/v1/work", script).status_code == 200:
        pass
    door.clock.now += 1

    assert door.ask("GET", "/api/v1/work", script).status_code == 200


def test_a_server_may_leave_requests_uncounted(door: Door) -> None:
    limits = Limits.new(requests_per_second=None, clock=door.clock)

    assert not any(limits.request(b"somebody") for _ in range(1000))


def test_the_contract_names_429(door: Door) -> None:
    description = door.ask("GET", "/openapi.json", "").json()

    assert all(
        "429" in route["responses"] for path in description["paths"].values() for route in path.values()
    )


# Behind proxies


def served_app(database: Path, monkeypatch: pytest.MonkeyPatch, settings: ServerSettings) -> tuple[Any, str]:
    """The app as uvicorn gets to serve it, and the open link's token."""
    configs: list[uvicorn.Config] = []

    class Unstarted(uvicorn.Server):
        def run(self, *_args: Any, **_kwargs: Any) -> None:
            configs.append(self.config)

    monkeypatch.setattr(uvicorn, "Server", Unstarted)
    with open_campaign(str(database)) as campaign:
        change_rules(campaign, {"joins_per_hour": 1}, by="manager", now=datetime.now(UTC))
        token = links(campaign, base_url="").open_url.rpartition("/")[2]
    with socket.create_server(("127.0.0.1", 0)) as listening:
        run_server(str(database), listening, settings)
    [config] = configs
    config.load()
    return config.loaded_app, token


def joined_as(app: Any, token: str, *forwarded: str) -> list[int]:
    """The replies to people who join by a program of this machine, which names these addresses."""
    with TestClient(app, client=("127.0.0.1", 50000)) as client:
        headers = {"Authorization": f"Bearer {token}"}
        return [
            client.post("/api/v1/join", headers={**headers, "X-Forwarded-For": one}).status_code
            for one in forwarded
        ]


def test_naming_other_addresses_is_no_way_round_a_limit(
    made_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    database = Path(shutil.copy(made_once, tmp_path / "site.db"))
    app, token = served_app(database, monkeypatch, ServerSettings())

    assert joined_as(app, token, "192.0.2.1", "192.0.2.2") == [201, 429]


def test_people_behind_a_trusted_proxy_are_told_apart(
    made_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Path(shutil.copy(made_once, tmp_path / "site.db"))
    settings = ServerSettings(trusted_proxies=("127.0.0.1",))
    app, token = served_app(database, monkeypatch, settings)

    assert joined_as(app, token, "192.0.2.1", "192.0.2.2", "9.9.9.9, 192.0.2.2") == [201, 201, 429]

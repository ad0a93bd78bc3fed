"""What goes wrong is logged, and what opens something is not. No address of anybody, and no id, gets out."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy.exc import OperationalError
from tests.web.test_roles import ROLES

from steelyard.cli.main import DONE, run
from steelyard.domain.crowd import SessionReport, SessionState, stand_in
from steelyard.domain.errors import SourceError
from steelyard.domain.participants import Visit
from steelyard.domain.people import Person
from steelyard.flows.managers import add_managers, managers
from steelyard.store import crowd, participants
from steelyard.store.transfers import Transfer, TransferState, add_transfers
from steelyard.web.app import create_app, observed_app
from steelyard.web.callers import BehindProxies
from steelyard.web.limits import Limits
from steelyard.web.logs import RequestLog

TOKEN = "M01-" + "x" * 32
PATHS = ["/w/{0}", "/join/{0}", "/m/{0}", "/m/{0}/report", "/m/{0}/report?link={0}", "/api/v1/campaign?m={0}"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", [SourceError, RuntimeError])
def test_no_token_is_logged_when_the_database_fails(
    site: Any,
    path: str,
    kind: type[Exception],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise SourceError("eval.db", ["it is gone."]) if kind is SourceError else RuntimeError("it is gone")

    monkeypatch.setattr("steelyard.flows.links.stored.door", fail)
    with caplog.at_level(logging.DEBUG):
        reply = site.client.get(path.format(TOKEN), headers={"Authorization": f"Bearer {TOKEN}"})

    assert reply.status_code in (500, 503)
    # The client of tests logs the addresses that it asks for; it is not the server.
    ours = [record for record in caplog.records if not record.name.startswith("http")]
    assert ours or kind is RuntimeError
    assert TOKEN not in "\n".join(logging.Formatter().format(record) for record in ours)
    assert TOKEN not in reply.text


def test_an_error_of_the_database_names_no_token(site: Any) -> None:
    with site.campaign.store.read() as connection, pytest.raises(OperationalError) as caught:
        connection.exec_driver_sql("SELECT ? FROM nowhere", (TOKEN,))

    assert TOKEN not in str(caught.value)


# Of networks that are for documentation.
CALLERS = ("203.0.113.77", "2001:db8:7a:9::5")
BEHIND = "198.51.100.23"


def spellings(address: str) -> list[bytes]:
    """What would give an address away in a file or a line."""
    packed = ip_address(address).packed
    return [address.encode(), ip_address(address).exploded.encode(), packed.hex().encode(), packed]


@pytest.mark.parametrize("caller", CALLERS)
def test_nothing_that_is_stored_or_logged_holds_the_address_of_a_caller(
    site: Any,
    caller: str,
    ask_first: Callable[..., None],
    noon: datetime,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    ask_first(site.campaign)
    stream = io.StringIO()
    limits = Limits.new(requests_per_second=3)
    app = observed_app(create_app(site.campaign, limits), site.campaign, RequestLog("text", stream))
    client = TestClient(BehindProxies(app, [caller]), raise_server_exceptions=False, client=(caller, 40001))
    bearer = {"Authorization": f"Bearer {site.open_token}"}
    with client, caplog.at_level(logging.DEBUG):
        for headers in (bearer, {**bearer, "X-Forwarded-For": BEHIND}):
            token = client.post("/api/v1/join", headers=headers).json()["token"]
            mine = {**headers, "Authorization": f"Bearer {token}"}
            client.post("/api/v1/work/consent", headers=mine, json={"agrees": True, "revision": 2})
            answers = {"answers": {"native": "Yes"}}
            client.post("/api/v1/work/questions", headers=mine, json=answers)
            client.post("/api/v1/work/training", headers=mine, json={"number": 1, "answer": {"rating": 5}})
            remark = {"remark_id": "7b0e6c1e-9f0f-4b53-9d3c-0c1e6a5d2f10", "kind": "comment", "text": "Hm."}
            client.post("/api/v1/work/remarks", headers=mine, json=remark)
            statuses = [client.post("/api/v1/work/next", headers=mine).status_code for _ in range(40)]
            # Whoever asks too often is told so, and so is whoever tries links.
            assert 429 in statuses
            for _ in range(40):
                client.get(f"/w/{TOKEN}")

    site.campaign.store.close()
    lines = (stream.getvalue() + caplog.text).encode()
    assert lines.count(b" 429 ") > 1
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert [file.name for file in files if file.name == "site.db"]
    found = {"the log": lines, **{file.name: file.read_bytes() for file in files}}
    for where, content in found.items():
        assert not [each for known in (caller, BEHIND) for each in spellings(known) if each in content], where


PID, SESSION, STUDY = "5f0a1b2c3d4e5f60718293a4", "60aa0000000000000000bbbb", "60aa0000000000000000dddd"


@pytest.fixture
def paid_site(judged_site: Any, listing: crowd.StoredListing, noon: datetime) -> Any:
    """W0001 came from Prolific, and was paid there with a bonus."""
    report = SessionReport(SESSION, PID, SessionState.APPROVED, noon, "Anna", 250, (40,))
    bonus = Transfer(
        "t-1", "tag-1", SESSION, "W0001", 40, 10, "for Anna", TransferState.PAID, noon, "order-1"
    )
    visit = Visit(PID, STUDY, SESSION)
    with judged_site.campaign.store.write() as connection:
        participants.add_participant(
            connection, "W0001", visit, platform="prolific", pseudonym="the-keyed-hash", now=noon
        )
        participants.add_session(connection, "W0001", visit, now=noon)
        crowd.add_listing(connection, replace(listing, listing_id=STUDY))
        known = crowd.put_session(connection, "tag-1", report, worker_id="W0001", now=noon)
        crowd.tie_assignment(connection, known)
        add_transfers(connection, [bonus])
    return judged_site


SECRET_WORDS = (PID, SESSION, stand_in("tag-1", SESSION), "the-keyed-hash", "Anna", "order-1")


def test_no_id_of_a_participant_is_in_anything_that_viewers_read(paid_site: Any, noon: datetime) -> None:
    viewer = Person("The viewer", "viewer@example.org")
    add_managers(paid_site.campaign, [viewer], "viewer", by="command line", now=noon)
    [token] = [each.url.removeprefix("/m/") for each in managers(paid_site.campaign, base_url="")]
    paths = [route.split()[1] for route, role in ROLES.items() if role == "viewer"]
    paths += ["/api/v1/payments.csv?people=true", f"/m/{token}/report"]
    read = {}
    for path in paths:
        path = path.replace("{worker_id}", "W0001")
        read[path] = paid_site.client.get(path, headers={"Authorization": f"Bearer {token}"})

    answered = {path for path, reply in read.items() if reply.status_code == 200}
    assert answered >= {"/api/v1/judgements.csv", "/api/v1/analysis", f"/m/{token}/report"}
    for path, reply in read.items():
        assert not [word for word in SECRET_WORDS if word in reply.text], path


def test_no_file_for_others_holds_an_id_of_a_participant(
    paid_site: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db, folder = str(paid_site.address), tmp_path / "written"
    folder.mkdir()
    for command in (
        ["export", db, "--to", str(folder / "judgements.csv")],
        ["hits", db, "--to", str(folder / "hits.csv")],
        ["analyse", db, "--method", "mean-rating", "--json", str(folder / "analysis.json")],
        ["progress", db, "--json", str(folder / "progress.json")],
        ["log", db],
        ["background", db, "--to", str(folder / "background.csv")],
        ["remarks", db, "--to", str(folder / "remarks.csv")],
        ["worker", db, "W0001", "--json", str(folder / "worker.json")],
    ):
        assert run(command) == DONE

    written = {file.name: file.read_text("utf-8") for file in folder.iterdir()}
    assert "W0001" in written["judgements.csv"] + written["worker.json"]
    assert len(written) >= 7
    for name, text in {**written, "the terminal": capsys.readouterr().out}.items():
        assert not [word for word in SECRET_WORDS if word in text], name

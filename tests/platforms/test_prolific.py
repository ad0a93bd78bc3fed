"""Prolific: settings, signatures of webhooks, and requests that are repeated, or on no account repeated."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from steelyard.domain.crowd import Bonus, ClientSettings, ListingTerms, NoticeParts, SessionState
from steelyard.domain.errors import PlatformError, ReplyLost
from steelyard.platforms import platforms
from steelyard.platforms._http_calls import MOST_TRIES, HttpCalls
from steelyard.platforms._prolific_client import ProlificClient, describe_error
from steelyard.platforms.credentials import address_of, key_of, notice_secrets
from steelyard.platforms.prolific import notice_in, setting_problems

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
NEW = "new"
KEY = "not-for-anybodys-eyes"
BODY = json.dumps(
    {"event_type": "submission.status.change", "resource_id": "sub1", "status": "AWAITING REVIEW"}
).encode()
BONUS = Bonus("t1", "sub1", "pid1", 150)


def signature(secret: str, stamp: str, body: bytes) -> str:
    """As Prolific's page says, written out with the plainest tools."""
    return base64.b64encode(
        hmac.new(secret.encode(), stamp.encode() + body, hashlib.sha256).digest()
    ).decode()


def parts(*, secret: str = NEW, at: datetime = NOW, body: bytes = BODY, **changes: str) -> NoticeParts:
    stamp = str(int(at.timestamp()))
    headers = {
        "x-prolific-request-timestamp": stamp,
        "x-prolific-request-signature": signature(secret, stamp, body),
        "x-event-id": "event1",
        "x-timestamp": at.isoformat(),
        **changes,
    }
    return NoticeParts(headers, body, ["old", "new"], NOW)


@contextmanager
def answering(
    *replies: Callable[[socketserver.StreamRequestHandler], None],
) -> Iterator[tuple[str, list[str]]]:
    """A server of raw sockets that answers with these in turn, the last for ever; and what it was asked."""
    asked: list[str] = []

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            first = self.rfile.readline().decode().strip()
            length = 0
            while line := self.rfile.readline().strip():
                name, _, value = line.decode().partition(":")
                length = int(value) if name.lower() == "content-length" else length
            self.rfile.read(length)
            asked.append(first.rpartition(" ")[0])
            replies[min(len(asked), len(replies)) - 1](self)

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
        server.shutdown()


def saying(
    status: int, body: Any = None, **headers: str
) -> Callable[[socketserver.StreamRequestHandler], None]:
    def reply(handler: socketserver.StreamRequestHandler) -> None:
        content = json.dumps(body or {}).encode()
        lines = [f"HTTP/1.1 {status} x", "Connection: close", f"Content-Length: {len(content)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        handler.wfile.write("\r\n".join([*lines, "", ""]).encode() + content)

    return reply


def silent(handler: socketserver.StreamRequestHandler) -> None:
    """The request was read, and the connection is closed without a word."""


@contextmanager
def client_at(address: str, waits: list[float] | None = None) -> Iterator[ProlificClient]:
    slept = [] if waits is None else waits
    headers = {"Authorization": f"Token {KEY}"}
    calls = HttpCalls(address, headers, describe_error, sleep=slept.append, chance=lambda: 1.0)
    client = ProlificClient(ClientSettings(key=KEY), calls)
    yield client
    client.close()


def test_a_notice_is_taken_if_either_secret_signed_it() -> None:
    for secret in ("old", "new"):
        notice = notice_in(parts(secret=secret))
        assert (notice.notice_id, notice.session_id, notice.state) == (
            "event1",
            "sub1",
            SessionState.SUBMITTED,
        )
        assert notice.sent_at == NOW


def test_a_notice_about_the_study_names_the_listing() -> None:
    body = json.dumps(
        {"event_type": "study.status.change", "resource_id": "st1", "status": "PAUSED"}
    ).encode()
    notice = notice_in(parts(body=body))
    assert (notice.listing_id, notice.session_id) == ("st1", None)


@pytest.mark.parametrize(
    "wrong",
    [
        parts(secret="guessed"),
        parts(at=NOW - timedelta(minutes=6)),
        parts(at=NOW + timedelta(minutes=6)),
        NoticeParts(parts().headers, BODY + b" ", ["new"], NOW),
        NoticeParts(parts().headers, BODY, [], NOW),
        NoticeParts({}, BODY, ["new"], NOW),
        parts(**{"x-prolific-request-signature": "ü"}),
        parts(body=b"[]"),
    ],
)
def test_a_notice_that_nobody_signed_or_too_long_ago_is_refused(wrong: NoticeParts) -> None:
    with pytest.raises(PlatformError, match="not signed as it should be"):
        notice_in(wrong)


def test_clocks_may_differ_by_some_minutes() -> None:
    for minutes in (-4, 4):
        assert notice_in(parts(at=NOW + timedelta(minutes=minutes))).notice_id == "event1"


def test_what_is_busy_or_broken_is_asked_again_with_growing_pauses() -> None:
    waits: list[float] = []
    me = {"email": "a@example.org", "currency_code": "GBP", "available_balance": 5}
    with (
        answering(saying(429, Retry_After="7"), saying(503), silent, saying(200, me)) as (address, asked),
        client_at(address, waits) as client,
    ):
        assert client.account().balance == 5
    assert len(asked) == 4
    assert waits == [7.0, 1.0, 2.0]


def test_what_stays_broken_is_given_up() -> None:
    with (
        answering(saying(503)) as (address, asked),
        client_at(address) as client,
        pytest.raises(PlatformError),
    ):
        client.account()
    assert len(asked) == MOST_TRIES


@pytest.mark.parametrize("broken", [silent, saying(503), saying(500)])
def test_paying_and_drafting_are_sent_once(broken: Callable[[Any], None]) -> None:
    terms = ListingTerms("tag", "T", "D", "https://here", 1, 100, "GBP", 5.0)
    with answering(broken) as (address, asked), client_at(address) as client:
        with pytest.raises(ReplyLost):
            client.pay_bonuses("order", [BONUS])
        with pytest.raises(ReplyLost):
            client.draft(terms)
    assert asked == ["POST /api/v1/bulk-bonus-payments/order/pay/", "POST /api/v1/studies/"]


def test_a_reply_that_something_in_between_has_given_is_none_of_the_platform() -> None:
    terms = ListingTerms("tag", "T", "D", "https://here", 1, 100, "GBP", 5.0)

    def portal(handler: socketserver.StreamRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 x\r\nConnection: close\r\n\r\n<p>Log in here.</p>")

    with answering(portal) as (address, asked), client_at(address) as client:
        # Taken for an empty list, the study would be made a second time.
        with pytest.raises(PlatformError, match="something else than JSON"):
            client.find("tag")
        with pytest.raises(ReplyLost):
            client.draft(terms)
        with pytest.raises(ReplyLost):
            client.pay_bonuses("order", [BONUS])
    assert len(asked) == 3


def test_a_study_whose_state_or_price_is_not_told_is_not_taken_for_granted() -> None:
    terms = ListingTerms("tag", "T", "D", "https://here", 1, 100, "GBP", 5.0)
    with answering(saying(201, {"status": "UNDER REVIEW"})) as (address, _), client_at(address) as client:
        with pytest.raises(ReplyLost):
            client.draft(terms)
        with pytest.raises(PlatformError, match="what this would cost"):
            client.cost(terms)


def test_a_clear_refusal_to_pay_is_known_not_to_have_paid() -> None:
    reply = saying(400, {"error": {"title": "No", "detail": {"csv": ["bad", "worse"]}}})
    with (
        answering(reply) as (address, asked),
        client_at(address) as client,
        pytest.raises(PlatformError) as told,
    ):
        client.pay_bonuses("order", [BONUS])
    assert not isinstance(told.value, ReplyLost)
    assert str(told.value) == "Prolific refuses (400): No csv: bad csv: worse"
    assert len(asked) == 1


def test_nothing_was_sent_where_nobody_listens() -> None:
    with client_at("http://127.0.0.1:9") as client, pytest.raises(PlatformError) as told:
        client.pay_bonuses("order", [BONUS])
    assert not isinstance(told.value, ReplyLost)


def test_a_bonus_that_was_understood_otherwise_is_not_paid() -> None:
    with (
        answering(saying(201, {"id": "o", "amount": 15000, "total_amount": 20000})) as (address, _),
        client_at(address) as client,
        pytest.raises(PlatformError, match="other amounts"),
    ):
        client.prepare_bonuses("study", [BONUS])


def test_the_key_is_in_nothing_that_is_said() -> None:
    with answering(saying(401)) as (address, _), client_at(address) as client:
        with pytest.raises(PlatformError) as told:
            client.account()
        assert "PROLIFIC_TOKEN" in str(told.value)
        said = f"{told.value!r} {vars(client)} {ClientSettings(key=KEY)!r}"
    assert KEY not in said


def test_a_dry_run_tells_every_request_and_sends_no_change() -> None:
    told: list[str] = []
    settings = ClientSettings(key=KEY, address="http://127.0.0.1:9", tell=told.append)
    client = platforms()["prolific"].client(settings)  # type: ignore[misc]
    terms = ListingTerms("tag", "T", "D", "https://here", 3, 250, "GBP", 5.5)
    listing = client.draft(terms)
    client.publish(listing.listing_id, terms)
    client.pay_bonuses("order", [BONUS])
    client.close()
    assert client.is_dry
    assert KEY not in "".join(told)
    assert [line.splitlines()[0] for line in told] == [
        "POST http://127.0.0.1:9/api/v1/studies/",
        "POST http://127.0.0.1:9/api/v1/studies/STUDY_ID/transition/",
        "POST http://127.0.0.1:9/api/v1/bulk-bonus-payments/order/pay/",
    ]
    body = json.loads(told[0].partition("\n")[2])
    assert (body["reward"], body["total_available_places"], body["estimated_completion_time"]) == (250, 3, 6)


def test_without_a_key_it_says_where_one_is_looked_for() -> None:
    with pytest.raises(PlatformError, match="PROLIFIC_TOKEN_FILE"):
        platforms()["prolific"].client(ClientSettings())  # type: ignore[misc]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"projekt": "x"}, "Did you mean 'project'"),
        ({"filters": "x"}, '"filters" must be a list'),
        ({"maximum_allowed_time": True}, "must be a whole number"),
        ({"screened_pay": 0}, "more than 0"),
        ({"screened_places": 3}, 'needs "screened_pay"'),
    ],
)
def test_settings_that_cannot_be_right_are_named(settings: dict[str, Any], problem: str) -> None:
    [found] = setting_problems(settings)
    assert problem in found


def test_a_key_comes_from_the_environment_or_from_a_file_for_nobody_else(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    assert key_of("prolific", home) is None
    assert key_of("mturk", {"PROLIFIC_TOKEN": KEY}) is None
    assert key_of("prolific", {"PROLIFIC_TOKEN": f" {KEY}\n"}) == KEY
    file = tmp_path / ".config" / "steelyard" / "prolific-token"
    file.parent.mkdir(parents=True)
    file.write_text(f"{KEY}\n")
    file.chmod(0o640)
    with pytest.raises(PlatformError, match="chmod 600") as told:
        key_of("prolific", home)
    assert KEY not in str(told.value)
    file.chmod(0o600)
    assert key_of("prolific", home) == KEY
    assert key_of("prolific", {"PROLIFIC_TOKEN_FILE": str(file)}) == KEY
    with pytest.raises(PlatformError, match="cannot be read"):
        key_of("prolific", {"PROLIFIC_TOKEN_FILE": str(tmp_path / "missing")})


@pytest.mark.parametrize("wrong", ["", "  ", "two words", "schlüssel", "a\x00b"])
def test_what_is_no_key_is_refused(wrong: str) -> None:
    with pytest.raises(PlatformError):
        key_of("prolific", {"PROLIFIC_TOKEN": wrong})


def test_two_secrets_hold_while_one_takes_over() -> None:
    assert notice_secrets("prolific", {"PROLIFIC_WEBHOOK_SECRET": "one,two"}) == ["one", "two"]
    assert notice_secrets("sona", {}) == []
    assert address_of("prolific", {"PROLIFIC_URL": "http://127.0.0.1:1/"}) == "http://127.0.0.1:1"
    assert address_of("sona", {}) is None

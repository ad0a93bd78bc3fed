"""The commands that talk to a platform, as a person types them."""

from __future__ import annotations

import io
import json
from contextlib import nullcontext
from datetime import datetime
from typing import Any

import pytest
from tests.emulators.conftest import Study

from steelyard.cli.main import run
from steelyard.domain.crowd import ListingState, SessionState
from steelyard.domain.errors import PlatformError
from steelyard.emulators.control_page import control_page
from steelyard.flows.crowd_client import crowd_client
from steelyard.platforms.credentials import address_of

DONE, UNSUPPORTED, UNUSABLE = 0, 1, 2


class Terminal(io.StringIO):
    """Somebody who sits at a terminal and types this."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def db(study: Study, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of the study's campaign for commands, which find the emulator by their environment."""
    monkeypatch.setattr("steelyard.flows.open.open_campaign", lambda _db: nullcontext(study.campaign))
    monkeypatch.setenv("PROLIFIC_URL", study.url)
    monkeypatch.setenv("PROLIFIC_TOKEN", study.settings.token)
    return "eval.db"


def finished(study: Study) -> str:
    worker_id = study.come()
    study.judge(worker_id)
    study.finish(worker_id)
    study.sync()
    return worker_id


def test_paying_says_how_much_and_asks_whoever_sits_at_a_terminal(
    study: Study, db: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    study.publish(3)
    worker_id = finished(study)
    monkeypatch.setattr("sys.stdin", Terminal("n\n"))
    assert run(["approve", db]) == UNSUPPORTED
    assert run(["publish", "prolific", db, "--add-places", "1"]) == UNSUPPORTED
    said = capsys.readouterr()
    reward = study.status.listings[0].listing.reward
    assert f"Pay GBP {reward / 100:.2f} to 1 worker?" in said.err
    assert "1 place more: GBP " in said.err
    assert study.status.sessions[0].state is SessionState.SUBMITTED
    assert study.status.listings[0].listing.places == 3

    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert run(["approve", db]) == DONE
    assert capsys.readouterr().out == f"1 worker paid, GBP {reward / 100:.2f}\n"
    assert run(["approve", db]) == DONE
    assert "Nobody waits to be paid" in capsys.readouterr().out
    assert run(["bonus", db, worker_id, "1.50", "--reason", "It took longer.", "--yes"]) == DONE
    study.entrance.advance(60)
    assert study.entrance.books()["total"]["bonuses"] == 150

    assert run(["stop", db, "--yes"]) == DONE
    assert run(["publish", "prolific", db, "--resume"]) == UNUSABLE
    assert "The listing is over" in capsys.readouterr().err
    assert study.status.listings[0].listing.state is ListingState.ENDED
    # The two places that nobody took open again with the new one.
    free = study.ledger.committed
    assert run(["publish", "prolific", db, "--add-places", "1", "--yes"]) == DONE
    more = study.ledger.committed - free
    assert f"1 place more: GBP {more / 100:.2f} with the platform's fee" in capsys.readouterr().err
    assert study.status.listings[0].n_open == 3


@pytest.mark.parametrize("amount", ["nan", "inf", "1,50", "0", "-1", "1e300"])
def test_what_is_no_amount_of_money_is_refused(amount: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bonus", "eval.db", "W0001", "--reason", "x", "--yes", "--", amount]) == UNUSABLE
    assert "no amount" in capsys.readouterr().err


def test_a_dry_run_says_what_would_be_and_asks_nothing(
    study: Study, db: str, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--base-url", "http://127.0.0.1"]
    assert run(["publish", "prolific", db, *where, "--dry-run"]) == DONE
    assert "\nWithout --dry-run: prolific: active" in capsys.readouterr().out
    study.publish(2)
    idle = study.come()
    study.finish(idle)
    study.sync()
    assert run(["reject", db, idle, "--category", "NO_DATA", "--dry-run"]) == DONE
    assert capsys.readouterr().out.endswith(f"Without --dry-run: {idle} is not paid\n")
    assert run(["reject", db, idle]) == UNUSABLE
    assert "Say under which category (--category NAME), one of: TOO_QUICKLY, " in capsys.readouterr().err
    assert run(["publish", "prolific", db, "--resume", "--places", "1"]) == UNUSABLE

    words = "Nothing was judged. Please return it."
    assert run(["reject", db, idle, "--ask-to-return", "--message", words]) == DONE
    assert run(["status", db]) == DONE
    said = capsys.readouterr().out
    assert "1 session differs:" in said
    assert "they have been asked to return the place" in said


def test_the_state_as_json_has_times_in_iso_8601_and_is_private(
    study: Study, db: str, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["sync", db]) == DONE
    assert "Nothing is published" in capsys.readouterr().out
    study.publish(1)
    file = tmp_path / "status.json"
    assert run(["status", db, "--json", str(file)]) == DONE
    made_at = json.loads(file.read_text("utf-8"))["listings"][0]["listing"]["made_at"]
    assert made_at == datetime.fromisoformat(made_at).isoformat()
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("platform_url", ["http://example.org", "example.org", "ftp://127.0.0.1"])
def test_no_key_is_sent_unencrypted_to_another_machine(study: Study, platform_url: str) -> None:
    with (
        pytest.raises(PlatformError, match="https:// only"),
        crowd_client(study.campaign, environ={"PROLIFIC_URL": platform_url, "PROLIFIC_TOKEN": "secret"}),
    ):
        pass
    assert address_of("mturk", {"MTURK_URL": "https://example.org/"}) == "https://example.org"


def test_the_page_of_an_emulator_fits_a_phone(study: Study) -> None:
    page = control_page("Prolific", study.now, [], study.entrance.books())
    assert '<meta name="viewport" content="width=device-width">' in page

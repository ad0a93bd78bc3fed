"""The platform tells us by itself, and is asked by itself: late, twice, in any order, or not at all."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import logging
from datetime import timedelta

import httpx2
import pytest
from tests.emulators.conftest import Study

from steelyard.domain.crowd import SessionState
from steelyard.emulators.serving import serving
from steelyard.flows.notices import NoticeTaken, take_notice
from steelyard.web.app import create_app
from steelyard.web.crowd_watch import CrowdWatch
from steelyard.web.limits import Limits

pytestmark = pytest.mark.parametrize("address", ["sqlite"], indirect=True)
SECRET = "PROLIFIC_WEBHOOK_SECRET"


def told(study: Study, event: str, session: str, status: str, minutes: float = 0) -> NoticeTaken:
    """A notice as Prolific signs it, of something that happened so many minutes from now."""
    said = {"event_type": "submission.status.change", "resource_id": session, "status": status}
    body, stamp = json.dumps(said).encode(), str(int(study.now.timestamp()))
    digest = hmac.new(b"s1", stamp.encode() + body, hashlib.sha256).digest()
    headers = {
        "x-prolific-request-timestamp": stamp,
        "x-prolific-request-signature": base64.b64encode(digest).decode(),
        "x-event-id": event,
        "x-timestamp": (study.now + timedelta(minutes=minutes)).isoformat(),
    }
    return take_notice(study.campaign, headers, body, now=study.now, environ={SECRET: "s0,s1"})


def state_of(study: Study) -> SessionState:
    [session] = study.status.sessions
    return session.state


def test_notices_count_once_and_never_lead_back(study: Study) -> None:
    study.publish(1)
    worker_id = study.come()
    session = study.places[worker_id].session
    assert told(study, "e0", session, "ACTIVE") == NoticeTaken(is_new=True, has_changed=False)
    study.sync()

    assert told(study, "e1", session, "AWAITING REVIEW", 3).has_changed
    assert not told(study, "e1", session, "RETURNED", 9).is_new
    assert not told(study, "e2", session, "ACTIVE", 1).has_changed
    assert not told(study, "e3", session, "RETURNED", 2).has_changed
    assert not told(study, "e4", "somebody-elses", "APPROVED", 4).has_changed
    assert state_of(study) is SessionState.SUBMITTED
    assert told(study, "e5", session, "RETURNED", 5).has_changed
    # Which of two decisions holds, only the platform itself can say.
    assert not told(study, "e6", session, "REJECTED", 6).has_changed
    # What it says when it is asked is how it is.
    study.sync()
    assert state_of(study) is SessionState.ACTIVE


def test_a_hook_follows_people_over_a_new_secret_and_a_sync_finds_what_an_endpoint_missed(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    study.publish(2)
    app = create_app(study.campaign, Limits.new(requests_per_second=None))
    with serving(app) as base_url:
        headers = {"Authorization": f"Token {study.settings.token}"}
        hooks = f"{study.url}/api/v1/hooks/subscriptions/"
        target = f"{base_url}/api/v1/notices/prolific"
        wanted = {"workspace_id": "w", "event_type": "submission.status.change", "target_url": target}
        made = httpx2.post(hooks, headers=headers, json=wanted, timeout=60)
        first = made.headers["X-Hook-Secret"]
        httpx2.post(f"{hooks}{made.json()['id']}/", headers=headers, json={"secret": first}, timeout=60)
        assert httpx2.post(target, content=b"{}", timeout=60).status_code == 404
        monkeypatch.setenv(SECRET, first)
        assert httpx2.post(target, content=b"{}", timeout=60).status_code == 401
        worker_id = study.come()
        study.sync()
        study.fail("duplicate", "submission.*")
        study.judge(worker_id)
        study.finish(worker_id)
        study.entrance.advance(1)
        assert state_of(study) is SessionState.SUBMITTED

        second = study.by_hand("rotate-secret")["secret"]
        study.entrance.leave(study.places[worker_id].session)
        study.entrance.advance(1)
        assert state_of(study) is SessionState.SUBMITTED
        monkeypatch.setenv(SECRET, f"{first},{second}")
        study.entrance.advance(61)
        assert state_of(study) is SessionState.RETURNED

    # Nobody listens any more, for hours.
    late = study.come()
    study.judge(late)
    study.finish(late)
    study.entrance.advance(3600)
    study.sync()
    assert {each.state for each in study.status.sessions} == {SessionState.RETURNED, SessionState.SUBMITTED}


def test_a_server_asks_by_itself_and_pays_what_nobody_decides_on(
    study: Study, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PROLIFIC_URL", study.url)
    monkeypatch.setenv("PROLIFIC_TOKEN", "wrong-but-secret")
    watch = CrowdWatch([study.campaign], look_seconds=3600, clock=lambda: study.now)
    assert watch.look() == 0
    study.publish(1)
    worker_id = study.come()
    study.judge(worker_id)
    study.finish(worker_id)
    with caplog.at_level(logging.WARNING):
        assert watch.look() == 0
    assert "PlatformError" in caplog.text
    assert "wrong-but-secret" not in caplog.text

    monkeypatch.setenv("PROLIFIC_TOKEN", study.settings.token)
    # What could not be asked is left alone for a while.
    assert watch.look() == 0
    study.settings.clock.advance(300)
    assert (watch.look(), watch.look()) == (1, 0)
    assert state_of(study) is SessionState.SUBMITTED
    study.settings.clock.advance(timedelta(days=8).total_seconds())
    assert watch.look() == 1
    assert state_of(study) is SessionState.APPROVED
    study.settings.clock.advance(300)
    assert watch.look() == 1
    study.require_equal_books()
    watch.close()

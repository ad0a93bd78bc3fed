"""Crowds of sixty through emulated platforms, with faults: campaigns end complete, paid and reconciled."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import steelyard
from steelyard.domain.crowd import ListingState, SessionState
from steelyard.domain.work import AssignmentStatus
from steelyard.emulators.faults import Faults, PlannedFault
from steelyard.emulators.rehearsal import Rehearsal, RehearsalWish, perform
from steelyard.flows.create import create
from steelyard.flows.ledger import ledger
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.participants import participants
from steelyard.flows.payments import payments
from steelyard.flows.progress import Watch
from steelyard.flows.rehearse import rehearsal_copy
from steelyard.flows.rules import change_rules
from steelyard.flows.settings import settings_from
from steelyard.flows.source import from_campaign
from steelyard.flows.verdicts import worker_verdicts

DEMO = Path(steelyard.__file__).parent / "demo"
CAMPAIGN = """
[campaign]
name = "crowded"
title = "Which translations say it right?"
protocol = "da"
attribute = "adequacy"
source_language = "de"
target_language = "en"
[texts]
source = "source.de.txt"
reference = "reference.en.txt"
[[systems]]
name = "brass"
translations = "brass.en.txt"
[[systems]]
name = "iron"
translations = "iron.en.txt"
[design]
{design}
[[questions]]
name = "native"
text = "Is English your first language?"
choices = ["Yes", "No"]
accept = ["Yes"]
[rules]
hits_per_worker = 1
[pay]
wage = 12.0
"""
# Some 30 HITs each, short, to save time; one with controls.
N_SEGMENTS = 60
DESIGN = {
    "prolific": "hit_size = 12\nratings_per_item = 2\nquota = { degraded = 5, repeat = 0, reference = 0 }",
    "mturk": "hit_size = 8\nratings_per_item = 2\nquota = { degraded = 0, repeat = 0, reference = 0 }",
}
# What each platform loses a reply to, after having acted.
LOST = {
    "prolific": ("POST /api/v1/studies/", "*/pay/", "*/transition/"),
    "mturk": ("CreateHIT*", "SendBonus", "ApproveAssignment"),
}
BUSY = {"prolific": "*/submissions/", "mturk": "ListAssignmentsForHIT"}
CURRENCY = {"prolific": "GBP", "mturk": "USD"}
# Less than a rehearsal lasts: who came early is paid before anybody decides.
AFTER_DAYS = {"prolific": 2.0, "mturk": 7.0}
SETTINGS: dict[str, dict[str, Any]] = {"prolific": {"screened_pay": 0.07, "screened_places": 10}, "mturk": {}}


def faults(platform: str) -> Faults:
    planned = [PlannedFault("lose", path) for path in LOST[platform]]
    planned += [PlannedFault("throttle", BUSY[platform], 2), PlannedFault("trouble", BUSY[platform], 1)]
    return Faults(retry_after=0, next=planned)


@pytest.fixture
def copy(tmp_path: Path, address: str, platform: str) -> Any:
    """A rehearsal's copy of a small campaign, on each database in turn."""
    (tmp_path / "campaign.toml").write_text(CAMPAIGN.format(design=DESIGN[platform]))
    for name in ("source.de.txt", "reference.en.txt", "brass.en.txt", "iron.en.txt"):
        lines = (DEMO / name).read_text("utf-8").splitlines()[:N_SEGMENTS]
        (tmp_path / name).write_text("\n".join(lines), "utf-8")
    made = str(tmp_path / "made.db")
    now = datetime.now(UTC)
    create(tmp_path / "campaign.toml", made, now=now)
    with open_campaign(made) as campaign:
        rehearsal_copy(campaign, address, now=now)
    with open_campaign(address) as opened:
        changes = {
            "platform": platform,
            "currency": CURRENCY[platform],
            "budget": 150.0,
            "pay_after_days": AFTER_DAYS[platform],
            "platform_settings": SETTINGS[platform],
        }
        change_rules(opened, changes, by="command line", now=now)
        yield opened


@pytest.mark.parametrize("platform", ["prolific", "mturk"])
def test_sixty_people_finish_a_campaign_and_every_cent_is_accounted_for(
    copy: OpenCampaign, platform: str
) -> None:
    found = perform(copy, RehearsalWish(platform, 60, seed=11, faults=faults(platform)))

    assert found.crowd.problems == ()
    kinds = Counter(visit.end.value for visit in found.crowd.visits)
    assert {"finished", "returned", "abandoned"} <= set(kinds)
    places = Watch(copy).progress(now=datetime.now(UTC)).places
    assert (places.free, places.open, places.idle) == (0, 0, 0)
    assert_reconciled(copy, found)
    assert_paid_fairly(copy, found)
    assert_mirrored(found)
    states = found.crowd.states()
    assert found.n_approved == states.get("APPROVED", 0) + states.get("Approved", 0)


def assert_reconciled(copy: OpenCampaign, found: Rehearsal) -> None:
    """Our ledger and the platform's books say the same, to the cent and for each session."""
    total, mine = found.books["total"], ledger(copy)
    assert found.differences == ()
    assert found.status.in_doubt == ()
    assert (mine.rewards, mine.bonuses, mine.elsewhere) == (total["rewards"], total["bonuses"], 0)
    assert (mine.pending, mine.reserved) == (0, 0)
    assert mine.fees == total["fees"] + total["vat"]
    assert mine.committed == total["cost"] <= 15000
    theirs = {each["session"]: (each["reward"], sum(each["bonuses"])) for each in found.books["sessions"]}
    ours = {each.session_id: (each.reward, each.bonuses) for each in found.status.sessions}
    paid = {session: amounts for session, amounts in theirs.items() if any(amounts)}
    assert {session: amounts for session, amounts in ours.items() if any(amounts)} == paid


def assert_paid_fairly(copy: OpenCampaign, found: Rehearsal) -> None:
    """Everybody who judged anything got what that is worth, whatever the check found, and no more."""
    source, now = from_campaign(copy), datetime.now(UTC)
    owed = payments(Watch(copy), worker_verdicts(source, settings_from(source)), now=now)
    got: Counter[str] = Counter()
    for session in found.status.sessions:
        if session.worker_id is not None:
            got[session.worker_id] += session.reward + session.bonuses
    screened = {each.worker_id for each in found.status.sessions if each.state is SessionState.SCREENED_OUT}
    if found.platform == "mturk":
        # There, only those who have handed in can be paid.
        handed_in = {each.worker_id for each in found.status.sessions}
        owed = replace(owed, workers=tuple(each for each in owed.workers if each.worker_id in handed_in))
    for worker in owed.workers:
        assert worker.pay is not None
        assert got[worker.worker_id] == round(100 * worker.pay), worker.worker_id
    assert set(got) >= {worker.worker_id for worker in owed.workers}
    unpaid = {worker for worker, cents in got.items() if cents and worker not in screened}
    assert unpaid == {worker.worker_id for worker in owed.workers}
    people = participants(copy).workers
    assert len({each.participant_id for each in people}) == len(people)


def assert_mirrored(found: Rehearsal) -> None:
    """The platform's states are ours."""
    assert {each.listing.state for each in found.status.listings} == {ListingState.ENDED}
    approved = [each for each in found.status.sessions if each.state is SessionState.APPROVED]
    assert approved
    assert {each.status for each in approved} == {AssignmentStatus.APPROVED}
    left = [each for each in found.status.sessions if each.state is SessionState.RETURNED]
    assert all(each.status in (None, AssignmentStatus.RETURNED) for each in left)

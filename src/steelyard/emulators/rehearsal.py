"""Rehearse a campaign on a crowd platform: a copy of it, a stand-in for the platform, a simulated crowd.

Everything between the two is what runs when it counts: our server, our client, and the verbs that publish,
follow, approve and pay. The campaign itself is only read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from steelyard.domain.crowd import CrowdClient, Price, SessionState
from steelyard.domain.errors import Conflict, PlatformError, ReplyLost
from steelyard.domain.wording import counted
from steelyard.emulators import emulator_of
from steelyard.emulators.clock import EmulatorClock
from steelyard.emulators.crowd import VisitingCrowd
from steelyard.emulators.crowd_report import CrowdReport
from steelyard.emulators.faults import Faults
from steelyard.emulators.offer import EmulatorSettings
from steelyard.emulators.rehearsal_advice import (
    advice_after,
    advice_before,
    book_differences,
    rules_for_rehearsal,
)
from steelyard.emulators.serving import serving
from steelyard.flows.approve import Refusal, approve, reject, request_return
from steelyard.flows.bonus import MOST_AT_ONCE, owed_bonuses, pay_bonuses
from steelyard.flows.crowd_client import crowd_client
from steelyard.flows.crowd_status import CrowdStatus, SessionStatus, crowd_status
from steelyard.flows.listings import Published, stop_listing
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.payments import campaign_payments
from steelyard.flows.platform import EMULATOR_SETTING, posting_of
from steelyard.flows.progress import Progress as Reached
from steelyard.flows.progress import Watch
from steelyard.flows.publish import Wish, publish
from steelyard.flows.rehearse import rehearsal_copy
from steelyard.flows.release import release_idle
from steelyard.flows.rules import campaign_rules, change_rules
from steelyard.flows.sync import sync
from steelyard.flows.watching import Progress, unseen
from steelyard.web.app import create_app
from steelyard.web.callers import BehindProxies
from steelyard.web.limits import Limits

# More than any rehearsal costs, in cents: nothing is to be found out about the account.
BALANCE = 10**10
# Looks of the crowd between two of the organiser: a few hundred requests, as if every some minutes.
LOOKS_BETWEEN = 20
# Longer than any platform lets people sit idle: who has stopped without a word is timed out.
LONG = 25 * 3600.0
# People wait for places that others give back, who then may give theirs back too [our choice].
MOST_ROUNDS = 4
NOTHING_DONE = (
    "The task was handed in, but nothing was judged in it. Please return it, so that others can do it."
)


@dataclass(frozen=True, slots=True)
class RehearsalWish:
    """What to rehearse: on which platform, and with how many people."""

    platform: str
    n_people: int = 60
    seed: int = 7
    media: Path | None = None
    faults: Faults = field(default_factory=Faults)


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What happened in a rehearsal.

    `books`: the platform's own. `differences`: where they and our ledger disagree. `advice`: what the
    organiser should see to before publishing.
    """

    campaign: str
    platform: str
    published: Published
    crowd: CrowdReport
    reached: Reached
    status: CrowdStatus
    books: Mapping[str, Any]
    n_approved: int
    n_asked_to_return: int
    n_rejected: int
    n_bonuses: int
    differences: tuple[str, ...]
    advice: tuple[str, ...]

    @property
    def price(self) -> Price:
        """What all places would cost."""
        return self.published.price


def rehearse(
    campaign: OpenCampaign,
    wish: RehearsalWish,
    folder: Path,
    *,
    tell: Callable[[str], None] = lambda _line: None,
    progress: Progress = unseen,
) -> Rehearsal:
    """Rehearse a campaign in a folder, where its copy is made; the campaign itself is not touched.

    `tell` hears what happens, line by line.
    """
    # Before anything is made.
    emulator_of(wish.platform)
    now, database = datetime.now(UTC), folder / "rehearsal.db"
    advice = advice_before(campaign, wish.platform, now=now)
    created = rehearsal_copy(campaign, str(database), now=now, media=wish.media)
    tell(f"A copy of {campaign.settings.name}, with {counted(created.n_openings, 'place')}, is made.")
    with open_campaign(str(database)) as copy:
        rules_for_rehearsal(copy, wish.platform, now=now)
        found = perform(copy, wish, tell=tell, progress=progress)
    return replace(found, advice=tuple(dict.fromkeys((*advice, *found.advice))))


def perform(
    copy: OpenCampaign,
    wish: RehearsalWish,
    *,
    tell: Callable[[str], None] = lambda _line: None,
    progress: Progress = unseen,
) -> Rehearsal:
    """Let a crowd come to this campaign itself, which must be a copy: whoever comes is simulated."""
    with _staged(copy, wish, tell) as stage:
        published = stage.publish()
        stage.let_people_come(wish.n_people, progress)
        stage.wait_for_stragglers()
        stage.pay()
        return stage.outcome(published)


@contextmanager
def _staged(copy: OpenCampaign, wish: RehearsalWish, tell: Callable[[str], None]) -> Iterator[_Stage]:
    """The platform's stand-in, our server, our client and the crowd."""
    offered, rules = emulator_of(wish.platform), campaign_rules(copy)
    settings = EmulatorSettings(balance=BALANCE, currency=rules.currency, seed=wish.seed, faults=wish.faults)
    # Everybody comes from an address of their own, as in earnest; only their haste is not held against them.
    app = BehindProxies(create_app(copy, Limits.new(requests_per_second=None)), ["127.0.0.1"])
    with serving(offered.create_app(settings)) as platform_url, serving(app) as base_url:
        _admit_emulator(copy, platform_url, now=settings.clock.now())
        filled = {"url": platform_url, "token": settings.token}
        environ = {name: value.format(**filled) for name, value in offered.environment.items()}
        with (
            crowd_client(copy, environ=environ) as client,
            closing(VisitingCrowd(platform_url, copy, seed=wish.seed)) as crowd,
        ):
            tell(f"The stand-in for {offered.title} is at {platform_url}, the copy at {base_url}.")
            yield _Stage(copy, client, crowd, settings.clock, base_url, tell)


def _admit_emulator(copy: OpenCampaign, url: str, *, now: datetime) -> None:
    """Where finished sets are posted back to the platform, let its stand-in take them."""
    rules = campaign_rules(copy)
    if posting_of(rules) is not None:
        settings = {**rules.platform_settings, EMULATOR_SETTING: url}
        change_rules(copy, {"platform_settings": settings}, by="command line", now=now)


@dataclass
class _Stage:
    """A rehearsal under way."""

    copy: OpenCampaign
    client: CrowdClient
    crowd: VisitingCrowd
    clock: EmulatorClock
    base_url: str
    tell: Callable[[str], None]
    advice: list[str] = field(default_factory=list)
    n_approved: int = 0
    asked: set[str] = field(default_factory=set)
    n_rejected: int = 0
    n_bonuses: int = 0
    n_looks: int = 0

    def publish(self) -> Published:
        """Publish the copy; a budget that is too small is told, and put aside."""
        try:
            return self._publish()
        except Conflict as conflict:
            if conflict.code != "budget":
                raise
            self.advice.append(str(conflict))
            change_rules(self.copy, {"budget": None}, by="command line", now=self.clock.now())
            return self._publish()

    def _publish(self) -> Published:
        done = publish(self.copy, self.client, Wish(self.base_url), by="command line", now=self.clock.now())
        self.advice += [warning for warning in done.warnings if warning not in self.advice]
        self.tell(f"Published: {counted(done.listing.places, 'place')}. People come …")
        return done

    def let_people_come(self, n: int, progress: Progress) -> None:
        """Let people come; the organiser looks every now and then."""
        with progress("People", n) as advance:
            report = self.crowd.run(n, look=self._look, progress=advance)
        n_judged = sum(visit.n_judged for visit in report.visits)
        self.tell(f"{counted(n_judged, 'judgement')} of {counted(len(report.visits), 'visit')} are stored.")

    def _look(self) -> None:
        self.n_looks += 1
        if self.n_looks % LOOKS_BETWEEN == 0:
            self.sync()

    def sync(self) -> None:
        """Ask the platform how things stand; what nobody has decided on in time is approved by that."""
        done = sync(self.copy, self.client, by="command line", now=self.clock.now())
        self.n_approved += done.n_approved

    def wait_for_stragglers(self) -> None:
        """Let a day pass, again and again, until nobody takes what others have left."""
        for _ in range(MOST_ROUNDS):
            self.sync()
            self.crowd.entrance.advance(LONG)
            self.sync()
            release_idle(self.copy, by="command line", now=self.clock.now())
            self.ask_to_return()
            before = len(self.crowd.report().visits)
            if len(self.crowd.run().visits) == before:
                break
        self.crowd.send_home()
        self.sync()
        self.tell("Nobody is at work any more.")

    def ask_to_return(self) -> None:
        """Ask those for their places who handed in without having finished a set, once each."""
        for session in self._handed_in_unfinished():
            if session.session_id in self.asked:
                continue
            who, now = session.worker_id or session.session_id, self.clock.now()
            try:
                request_return(self.copy, self.client, who, NOTHING_DONE, by="command line", now=now)
                self.asked.add(session.session_id)
            except PlatformError:
                # Not every platform can ask. Where nothing at all was judged, that is evidence enough.
                self._decide_without_return(who, now)

    def _handed_in_unfinished(self) -> list[SessionStatus]:
        return [
            each
            for each in crowd_status(self.copy).sessions
            if each.state is SessionState.SUBMITTED and (each.status is None or each.n_done < each.n_items)
        ]

    def _decide_without_return(self, who: str, now: datetime) -> None:
        """Refuse if nothing was judged for it; otherwise pay, as there is no evidence against it."""
        sure = Refusal(who, "NO_DATA", is_confirmed=True)
        try:
            reject(self.copy, self.client, sure, {}, by="command line", now=now)
        except Conflict:
            approve(self.copy, self.client, [who], by="command line", now=now)
            self.n_approved += 1
        else:
            self.n_rejected += 1

    def pay(self) -> None:
        """Decide on everybody, and pay what is owed, as a fair organiser does."""
        now = self.clock.now()
        self.n_approved += len(approve(self.copy, self.client, [], by="command line", now=now).workers)
        for session in self._handed_in_unfinished():
            # They were asked to return it, or came too late for that, and have gone home.
            self._decide_without_return(session.worker_id or session.session_id, now)
        self.sync()
        self._pay_bonuses()
        stop_listing(self.copy, self.client, by="command line", now=self.clock.now())
        # What is paid later is paid by now.
        self.crowd.entrance.advance(LONG)
        self.sync()
        self.tell(f"{counted(self.n_approved, 'session')} approved, {self.n_bonuses} bonuses paid.")

    def _pay_bonuses(self) -> None:
        now = self.clock.now()
        owed = owed_bonuses(self.copy, campaign_payments(self.copy, now=now))
        for first in range(0, len(owed), MOST_AT_ONCE):
            part = owed[first : first + MOST_AT_ONCE]
            try:
                pay_bonuses(self.copy, self.client, part, by="command line", now=now)
            except ReplyLost as lost:
                self.tell(str(lost))
            self.n_bonuses += len(part)

    def outcome(self, published: Published) -> Rehearsal:
        """All that came of it."""
        status, books, crowd = crowd_status(self.copy), self.crowd.entrance.books(), self.crowd.report()
        after = advice_after(crowd, campaign_rules(self.copy))
        return Rehearsal(
            campaign=self.copy.settings.name,
            platform=status.platform,
            published=published,
            crowd=crowd,
            reached=Watch(self.copy).progress(now=self.clock.now()),
            status=status,
            books=books,
            n_approved=self.n_approved,
            n_asked_to_return=len(self.asked),
            n_rejected=self.n_rejected,
            n_bonuses=self.n_bonuses,
            differences=tuple(book_differences(status, books)),
            advice=tuple(dict.fromkeys((*self.advice, *after))),
        )

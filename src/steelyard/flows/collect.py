"""Collect answers: those that arrive at about the same time are stored in one transaction.

Only what is in order goes this way: the right answer, in time, to the item that its worker has before them,
with another to follow. Everything else is left to `submit`, which looks closely and says what is wrong.
"""

from __future__ import annotations

import hmac
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from steelyard.domain.chain import first_hash
from steelyard.domain.errors import AnswerError, SourceError
from steelyard.domain.judgement import Judgement
from steelyard.domain.running import CampaignState
from steelyard.domain.work import AssignmentStatus
from steelyard.flows.assign import NextItem
from steelyard.flows.context import continues, is_in_context, is_whole
from steelyard.flows.entry import entry_at
from steelyard.flows.open import OpenCampaign
from steelyard.flows.secrets import secret_of
from steelyard.flows.shown import blinded, order_of
from steelyard.flows.submit import Submission, Submitted, as_agreed, judgement_of
from steelyard.flows.tokens import split_token, token_for
from steelyard.protocols import roles_shown, stored_parts
from steelyard.store import judgements, prepared
from steelyard.store.prepared import Doors, Place, Standing
from steelyard.store.work import PlacedTexts

if TYPE_CHECKING:
    from sqlalchemy import Connection

# Answers stored in one transaction: the first of them waits for the last [our choice].
MOST_AT_ONCE = 200
# Items that were shown and are remembered until they are judged [our choice].
MOST_SHOWN = 20_000


@dataclass(frozen=True, slots=True)
class Arrival:
    """An answer that has arrived, the token it came with, and who waits for the reply."""

    token: str
    submission: Submission
    now: datetime
    waiting: Any


# What became of an answer: stored for good; to be submitted by itself (None); or why the database failed.
Outcome = Submitted | None | SourceError
Delivered = tuple[Arrival, Outcome]


class _NotAllNew(Exception):  # noqa: N818 (no error: somebody else was faster)
    """One of the judgements is stored already: nobody knows yet which."""


@dataclass(frozen=True, slots=True)
class _Fit:
    """An answer that is in order: the judgement it makes, the hash before it, and the reply."""

    arrival: Arrival
    judgement: Judgement
    previous: str
    reply: NextItem


class Collector:
    """Stores the answers of one campaign as they come. One thread at a time calls `collect`."""

    def __init__(self, campaign: OpenCampaign, deliver: Callable[[list[Delivered]], None]) -> None:
        self._campaign = campaign
        self._deliver = deliver
        self._roles = roles_shown(campaign.settings)
        self._is_in_context = is_in_context(campaign.settings)
        self._is_whole = is_whole(campaign.settings)
        self._lock = threading.Lock()
        self._waiting: deque[Arrival] = deque()
        self._is_collecting = False
        # What was shown last by place; texts never change, so what is here is right.
        self._shown: dict[Place, PlacedTexts] = {}
        self.n_stored = 0
        self.n_commits = 0

    @property
    def n_waiting(self) -> int:
        """Answers that are not looked at yet."""
        return len(self._waiting)

    def add(self, arrival: Arrival) -> bool:
        """Take an answer in; whether `collect` must be called, because nobody is collecting."""
        with self._lock:
            self._waiting.append(arrival)
            is_idle = not self._is_collecting
            self._is_collecting = True
            return is_idle

    def collect(self) -> None:
        """Store what has arrived, and what arrives meanwhile, until nothing is left. Never raises."""
        while arrivals := self._next_arrivals():
            try:
                outcomes = self._store(arrivals)
            except SourceError as error:
                outcomes = [error] * len(arrivals)
            except Exception:
                # Whatever it is, each answer by itself will show it.
                outcomes = [None] * len(arrivals)
            # One who can no longer be reached must not keep the others waiting.
            with suppress(Exception):
                self._deliver(list(zip(arrivals, outcomes, strict=True)))

    def _next_arrivals(self) -> list[Arrival]:
        with self._lock:
            n = min(len(self._waiting), MOST_AT_ONCE)
            self._is_collecting = n > 0
            return [self._waiting.popleft() for _ in range(n)]

    def _store(self, arrivals: Sequence[Arrival]) -> list[Outcome]:
        """What became of each answer. All that is in order is durable when this returns."""
        try:
            with self._campaign.store.write() as connection:
                fits = self._in_order(connection, arrivals)
                chained = [(fit.judgement, fit.previous) for fit in fits]
                if chained and judgements.append_all(connection, chained) < len(chained):
                    raise _NotAllNew
        except _NotAllNew:
            return [None] * len(arrivals)
        self.n_stored += len(fits)
        self.n_commits += bool(fits)
        replies = {id(fit.arrival): Submitted(fit.reply, is_new=True) for fit in fits}
        return [replies.get(id(arrival)) for arrival in arrivals]

    def _in_order(self, connection: Connection, arrivals: Sequence[Arrival]) -> list[_Fit]:
        """The answers that are in order, of one assignment only one."""
        doors = prepared.doors(connection)
        if doors.state != CampaignState.OPEN or doors.mark is None:
            return []
        first = {arrival.submission.assignment_id: arrival for arrival in reversed(arrivals)}
        standings = prepared.standings(connection, list(first))
        secret = secret_of(self._campaign, doors.mark)
        welcome = {
            assignment_id: standing
            for assignment_id, standing in standings.items()
            if standing.status == AssignmentStatus.ACCEPTED
            and standing.n_done + 2 <= standing.n_items
            and (standing.consent is None or standing.consent["agrees"])
            and _opens(first[assignment_id].token, standing, secret, doors.mark)
        }
        shown = self._texts(connection, welcome)
        fits = [
            self._fit(connection, first[assignment_id], standing, shown, doors)
            for assignment_id, standing in welcome.items()
        ]
        # In one order everywhere: else two processes with the same ids could wait for each other.
        return sorted(filter(None, fits), key=lambda fit: fit.judgement.judgement_id)

    def _texts(self, connection: Connection, standings: Mapping[str, Standing]) -> dict[Place, PlacedTexts]:
        """The items that are judged now and those that come next."""
        wanted = [
            (standing.hit_id, position)
            for standing in standings.values()
            for position in (standing.n_done + 1, standing.n_done + 2)
        ]
        known = {place: self._shown[place] for place in wanted if place in self._shown}
        missing = [place for place in wanted if place not in known]
        if missing:
            found = prepared.placed_texts(connection, missing, **stored_parts(self._campaign.settings))
            if len(self._shown) > MOST_SHOWN:
                self._shown.clear()
            self._shown |= found
            known |= found
        return known

    def _fit(
        self,
        connection: Connection,
        arrival: Arrival,
        standing: Standing,
        shown: Mapping[Place, PlacedTexts],
        doors: Doors,
    ) -> _Fit | None:
        """The judgement that an answer makes, if everything about it is in order."""
        submission, position = arrival.submission, standing.n_done + 1
        expected, following = (shown.get((standing.hit_id, place)) for place in (position, position + 1))
        revision = doors.revision if submission.revision is None else submission.revision
        if (
            expected is None
            or following is None
            or submission.item_id != expected.item_id
            or not 1 <= revision <= doors.revision
            # The page is then told of the whole document, which is more than can be had here at once.
            or (self._is_whole and not continues(following, expected))
        ):
            return None
        entry = entry_at(connection, self._campaign, revision)
        try:
            judgement = judgement_of(
                as_agreed(submission, entry, standing.consent),
                expected,
                settings=self._campaign.settings,
                position=position,
                revision=revision,
                now=arrival.now,
            )
        except AnswerError:
            return None
        previous = standing.last_hash or first_hash(
            standing.assignment_id, standing.hit_id, standing.worker_id, standing.accepted_at
        )
        reply = self._reply(standing, following, doors.revision)
        if self._is_in_context:
            reply = replace(reply, continues=continues(following, expected))
        return _Fit(arrival, judgement, previous, reply)

    def _reply(self, standing: Standing, following: PlacedTexts, revision: int) -> NextItem:
        order = order_of(self._campaign.settings, standing.assignment_id, following)
        return NextItem(
            standing.assignment_id,
            standing.n_done + 2,
            standing.n_items,
            standing.n_done + 1,
            blinded(following, order, self._roles),
            revision=revision,
        )


def _opens(token: str, standing: Standing, secret: str, mark: str) -> bool:
    """Whether the token is that of the assignment's worker."""
    parts = split_token(token)
    if parts is None or parts.holder_id != standing.worker_id or standing.is_revoked:
        return False
    expected = token_for(secret, mark, "worker", standing.worker_id, standing.link_version)
    return hmac.compare_digest(expected.encode(), token.encode())

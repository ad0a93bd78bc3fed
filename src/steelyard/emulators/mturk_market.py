"""The state of Mechanical Turk: types, HITs, assignments, qualifications and money, without any HTTP.

What happens by itself, abandoned assignments and automatic approvals, is left to the clock. Money that is
held back is counted anew whenever somebody asks, from what is open, taken and submitted.
"""

from __future__ import annotations

import base64
import hashlib
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from steelyard.domain.wording import in_units
from steelyard.emulators.books import Books, Charge, share_of
from steelyard.emulators.clock import EmulatorClock
from steelyard.emulators.mturk_parameters import TurkError

# The usual share that is taken of each payment; HITs with so many assignments cost twice that.
FEE = 0.2
CURRENCY = "USD"
MANY = 10
TOKEN_LIFE = timedelta(hours=24)


class TurkState(StrEnum):
    """Where an assignment stands. The API shows the three in the middle only."""

    ACCEPTED = "Accepted"
    SUBMITTED = "Submitted"
    APPROVED = "Approved"
    REJECTED = "Rejected"
    RETURNED = "Returned"
    ABANDONED = "Abandoned"


SHOWN_STATES = (TurkState.SUBMITTED, TurkState.APPROVED, TurkState.REJECTED)


@dataclass(frozen=True, slots=True)
class HitType:
    """What HITs of one group have in common. `reward` in cents, times in seconds."""

    hit_type_id: str
    title: str
    description: str
    keywords: str
    reward: int
    duration: int
    approval_delay: int
    requirements: tuple[Mapping[str, Any], ...] = ()


@dataclass(slots=True)
class TurkAssignment:
    """One worker with one HIT. After a return, another worker may get the same id."""

    assignment_id: str
    hit_id: str
    worker_id: str
    accepted_at: datetime
    deadline: datetime
    state: TurkState = TurkState.ACCEPTED
    submitted_at: datetime | None = None
    approves_at: datetime | None = None
    decided_at: datetime | None = None
    feedback: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    """What was submitted: names and values, in order."""


@dataclass(slots=True)
class TurkHit:
    """A HIT, with everybody who ever took it."""

    hit_id: str
    hit_type: HitType
    question: str
    address: str
    frame_height: int
    places: int
    created_at: datetime
    expires_at: datetime
    note: str = ""
    is_reviewing: bool = False
    is_disposed: bool = False
    assignments: list[TurkAssignment] = field(default_factory=list)
    free_ids: deque[str] = field(default_factory=deque)
    """Ids of assignments that were returned or abandoned: the next workers get them."""

    def count(self, *states: TurkState) -> int:
        return sum(each.state in states for each in self.assignments)

    @property
    def pending(self) -> int:
        return self.count(TurkState.ACCEPTED)

    @property
    def open_places(self) -> int:
        """Places that nobody has; a rejected assignment keeps its place."""
        return self.places - self.count(TurkState.ACCEPTED, *SHOWN_STATES)

    def status(self, now: datetime) -> str:
        if self.is_disposed:
            return "Disposed"
        if now < self.expires_at and self.open_places > 0:
            return "Assignable"
        if self.pending:
            return "Unassignable"
        return "Reviewing" if self.is_reviewing else "Reviewable"

    def promised(self, now: datetime) -> int:
        """Assignments that may still have to be paid: open places, taken ones, and work not yet reviewed."""
        promised = self.count(TurkState.ACCEPTED, TurkState.SUBMITTED)
        return promised if self.is_disposed or now >= self.expires_at else promised + self.open_places


@dataclass(frozen=True, slots=True)
class TurkBonus:
    """A bonus that was paid; `amount` in cents, without the fee."""

    paid_at: datetime
    assignment_id: str
    hit_id: str
    worker_id: str
    amount: int
    reason: str


@dataclass(slots=True)
class TurkQualification:
    """A type of qualification, with who has it: their values and since when."""

    type_id: str
    name: str
    description: str
    keywords: str
    created_at: datetime
    is_active: bool = True
    auto_value: int | None = None
    """What those get who ask for it, without further questions; None: the requester decides."""
    granted: dict[str, tuple[int | None, datetime]] = field(default_factory=dict)
    revoked: dict[str, tuple[int | None, datetime]] = field(default_factory=dict)


@dataclass(slots=True)
class TurkMarket:
    """All there is on the emulated Mechanical Turk, for one requester. `fee`: its share of a payment."""

    clock: EmulatorClock
    books: Books
    fee: float = FEE
    seed: int = 0
    types: dict[str, HitType] = field(default_factory=dict)
    hits: dict[str, TurkHit] = field(default_factory=dict)
    current: dict[str, TurkAssignment] = field(default_factory=dict)
    """By its id, the last assignment that had it."""
    bonuses: list[TurkBonus] = field(default_factory=list)
    qualifications: dict[str, TurkQualification] = field(default_factory=dict)
    workers: dict[str, None] = field(default_factory=dict)
    blocks: dict[str, str] = field(default_factory=dict)
    messages: list[tuple[str, str, str]] = field(default_factory=list)
    """Worker, subject and text of what was sent to workers."""
    tokens: dict[tuple[str, str], tuple[datetime, str]] = field(default_factory=dict)
    """By operation and token of the request: when, and what came of it."""
    made: int = 0

    def new_id(self, start: str, length: int) -> str:
        """An id of capital letters and digits that no other thing has."""
        self.made += 1
        digest = hashlib.sha256(f"{self.seed}:{self.made}".encode()).digest()
        return start + base64.b32encode(digest).decode()[: length - len(start)]

    def hit(self, hit_id: Any) -> TurkHit:
        if hit_id not in self.hits:
            raise TurkError(f"Hit {hit_id} does not exist.", "HITDoesNotExist")
        return self.hits[hit_id]

    def assignment(self, assignment_id: Any) -> TurkAssignment:
        """The assignment of this id: the last one, where workers returned earlier ones."""
        if assignment_id not in self.current:
            raise TurkError(f"Assignment {assignment_id} does not exist.", "AssignmentDoesNotExist")
        return self.current[assignment_id]

    def now(self) -> datetime:
        return self.clock.now()

    def price(self, hit: TurkHit) -> Charge:
        """What one assignment costs."""
        reward = hit.hit_type.reward
        return self.books.charge(reward, fee=fee_of(reward, self.fee * 2 if hit.places >= MANY else self.fee))

    @property
    def held(self) -> int:
        """Money that is kept back for what is promised."""
        now = self.now()
        return sum(hit.promised(now) * self.price(hit).cost for hit in self.hits.values())

    @property
    def available(self) -> int:
        """Money that can still be spent."""
        return self.books.balance - self.held

    def need(self, cents: int) -> None:
        """Refuse what the account cannot pay."""
        if cents > self.available:
            raise TurkError(
                f"This Requester has insufficient funds in their account to complete this transaction. "
                f"${in_units(cents)} are needed, ${in_units(max(self.available, 0))} are available.",
                "InsufficientFunds",
            )

    def abandon(self, assignment: TurkAssignment) -> None:
        """Its time is over."""
        if assignment.state == TurkState.ACCEPTED:
            self.free(assignment, TurkState.ABANDONED)

    def free(self, assignment: TurkAssignment, state: TurkState) -> None:
        """End an assignment without work: its place, and its id, go to whoever comes next."""
        assignment.state, assignment.decided_at = state, self.now()
        self.hits[assignment.hit_id].free_ids.append(assignment.assignment_id)

    def approve(self, assignment: TurkAssignment) -> None:
        """Pay for an assignment."""
        assignment.state, assignment.decided_at = TurkState.APPROVED, self.now()
        charge = self.price(self.hits[assignment.hit_id])
        self.books.pay_reward(assignment.assignment_id, assignment.worker_id, charge)

    def approve_unless_decided(self, assignment: TurkAssignment) -> None:
        """The requester has had time enough."""
        if assignment.state == TurkState.SUBMITTED:
            self.approve(assignment)

    def seen_token(self, operation: str, token: str | None) -> str | None:
        """What came of an earlier request with this token, if that was within a day; None: there was none."""
        if token is None:
            return None
        if not 1 <= len(token) <= 64:
            raise TurkError("UniqueRequestToken: must have 1 to 64 letters.", "InvalidParameterValue")
        at, result = self.tokens.get((operation, token), (None, None))
        return result if at is not None and self.now() - at < TOKEN_LIFE else None

    def keep_token(self, operation: str, token: str | None, result: str) -> None:
        if token is not None:
            self.tokens[operation, token] = (self.now(), result)


def fee_of(cents: int, share: float) -> int:
    """A share of an amount, half a cent rounded up; if anything is taken at all, at least a cent.

    >>> fee_of(50, 0.2), fee_of(12, 0.2), fee_of(13, 0.2), fee_of(1, 0.2), fee_of(1, 0)
    (10, 2, 3, 1, 0)
    """
    return max(1, share_of(cents, share)) if share else 0

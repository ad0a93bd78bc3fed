"""Campaigns on crowd platforms: what is offered there, who came for it, and what they were paid.

All money is in the smallest unit of a currency (cents), as whole numbers: sums agree exactly.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol


class ListingState(StrEnum):
    """Where a listing stands on its platform. `intended`: asked for, and no reply has come.

    `full`: every place is taken; if somebody gives one back, others may come. `ended`: nobody new comes.
    """

    INTENDED = "intended"
    DRAFT = "draft"
    ACTIVE = "active"
    PAUSED = "paused"
    FULL = "full"
    ENDED = "ended"


class SessionState(StrEnum):
    """Where one person stands with a listing, in the platform's eyes."""

    RESERVED = "reserved"
    ACTIVE = "active"
    SUBMITTED = "submitted"
    APPROVED = "approved"
    PARTLY_APPROVED = "partly approved"
    SCREENED_OUT = "screened out"
    REJECTED = "rejected"
    RETURNED = "returned"
    TIMED_OUT = "timed out"


# Nothing is paid for these, and their places are free again.
LEFT_STATES = (SessionState.RETURNED, SessionState.TIMED_OUT, SessionState.REJECTED)
# The platform has paid for these.
PAID_STATES = (SessionState.APPROVED, SessionState.PARTLY_APPROVED, SessionState.SCREENED_OUT)

# No id of a platform begins with it.
_STANDS_IN = "#"


def stand_in(tag: str, session_id: str) -> str:
    """What stands for a session once its person was erased or forgotten, so that it is known again.

    Made with the listing's tag and not with the secret of the links: another secret would let the platform's
    word on the session count twice. Ids of sessions are long and random, so nobody can try them all.

    >>> stand_in("steelyard-x-1", stand_in("steelyard-x-1", "a1")) == stand_in("steelyard-x-1", "a1")
    True
    """
    if is_stand_in(session_id):
        return session_id
    digest = hmac.digest(tag.encode(), f"session|{session_id}".encode(), "sha256")
    return _STANDS_IN + urlsafe_b64encode(digest)[:32].decode()


def is_stand_in(session_id: str) -> bool:
    """Whether the platform's id of a session is gone."""
    return session_id.startswith(_STANDS_IN)


@dataclass(frozen=True, slots=True)
class Codes:
    """The codes by which people go back; None: the campaign has none of this kind."""

    finished: str | None = None
    screened: str | None = None
    blocked: str | None = None


@dataclass(frozen=True, slots=True)
class ListingTerms:
    """What a platform is asked to list. `tag` is ours: by it a listing is found whose reply was lost."""

    tag: str
    title: str
    description: str
    url: str
    places: int
    reward: int
    currency: str
    minutes: float
    """How long a set takes, as planned."""
    codes: Codes = Codes()
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What only this platform knows: workspace, project, filters and so on, as the campaign file says."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a campaign is on a platform: a study on Prolific, a group of HITs on MTurk."""

    listing_id: str
    tag: str
    state: ListingState
    places: int
    reward: int
    currency: str
    url: str = ""
    """Where the organiser looks at it on the platform."""


@dataclass(frozen=True, slots=True)
class SessionReport:
    """What a platform says about one person's session. `reward`: what was paid for it, 0 before.

    `changed_at`: when this became so, by the platform's clock. `bonuses`: every bonus that was paid.
    """

    session_id: str
    participant_id: str
    state: SessionState
    changed_at: datetime
    code: str | None = None
    reward: int = 0
    bonuses: tuple[int, ...] = ()
    is_return_requested: bool = False


@dataclass(frozen=True, slots=True)
class Price:
    """What people get, and what the platform takes on top, taxes included."""

    pay: int
    fee: int

    @property
    def total(self) -> int:
        return self.pay + self.fee


@dataclass(frozen=True, slots=True)
class Account:
    """Whose key it is: the currency of its money, and how much there is; None: the platform does not say."""

    name: str
    currency: str
    balance: int | None = None


@dataclass(frozen=True, slots=True)
class Bonus:
    """Money for one session beyond its reward. `token` is ours, and no two bonuses have the same."""

    token: str
    session_id: str
    participant_id: str
    amount: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class BonusOrder:
    """Bonuses that a platform has accepted but not yet paid."""

    order_id: str
    cost: Price


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a session is not paid: `message` is what the person reads, `category` one of the platform's."""

    message: str
    category: str


class CrowdClient(Protocol):
    """A platform as the organiser's programs see it.

    Every call raises PlatformError with what the platform said, and ReplyLost if it is not known whether it
    has acted. All but `draft` and `pay_bonuses` may be repeated: a second call changes nothing. What only
    reads, and what may be repeated, is tried again here when the platform is busy or in trouble.
    """

    is_dry: bool
    """Nothing that changes anything is sent: requests are only told."""

    def account(self) -> Account: ...

    def cost(self, terms: ListingTerms) -> Price:
        """What these terms cost if every place is taken and paid, screened-out people included."""
        ...

    def fee(self, amount: int) -> int:
        """What the platform takes for paying somebody this reward."""
        ...

    def find(self, tag: str) -> Listing | None:
        """The listing of this tag; None if the platform has none."""
        ...

    def draft(self, terms: ListingTerms) -> Listing: ...

    def publish(self, listing_id: str, terms: ListingTerms) -> Listing: ...

    def pause(self, listing_id: str) -> Listing: ...

    def resume(self, listing_id: str) -> Listing: ...

    def stop(self, listing_id: str) -> Listing: ...

    def discard(self, listing_id: str) -> None:
        """Take back a draft that was never published."""
        ...

    def set_places(self, listing_id: str, places: int) -> Listing:
        """At least so many places: none is ever taken away."""
        ...

    def listing(self, listing_id: str) -> Listing: ...

    def sessions(self, listing_id: str) -> Sequence[SessionReport]:
        """All sessions there have been, those without an end too."""
        ...

    def approve(self, listing_id: str, session_ids: Sequence[str]) -> None: ...

    def reject(self, session_id: str, rejection: Rejection) -> None: ...

    def request_return(self, session_id: str, reasons: Sequence[str]) -> None: ...

    def pay_partly(self, session_id: str, percent: int, message: str) -> None:
        """Pay part of the reward for work that is not whole; PlatformError where there is no such thing."""
        ...

    def bar_from_more(self, listing_id: str, participant_ids: Sequence[str]) -> None:
        """Let these people, who have handed in, take no further place of a listing for one set each."""
        ...

    def prepare_bonuses(self, listing_id: str, bonuses: Sequence[Bonus]) -> BonusOrder:
        """Announce bonuses, which pays nothing yet; says what they will cost."""
        ...

    def pay_bonuses(self, order_id: str, bonuses: Sequence[Bonus]) -> None:
        """Pay what was prepared. Never call it twice for one order: some platforms pay twice."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """How a platform is reached. `key` and `address` come from outside and are stored nowhere.

    `key`: None where the platform's own library finds it. `address`: where the platform is, if not where
    it usually is, such as an emulator. `tell`: is told every request that would be sent, and then those
    that change something are not sent.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    key: str | None = field(default=None, repr=False)
    address: str | None = None
    tell: Callable[[str], None] | None = None


@dataclass(frozen=True, slots=True)
class NoticeParts:
    """What arrived: headers in lower case, the body as it came, and the secrets that may have signed it."""

    headers: Mapping[str, str]
    body: bytes
    secrets: Sequence[str] = field(repr=False)
    now: datetime


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that a platform tells us: a session has changed, or a listing. Both None: anything else."""

    notice_id: str
    sent_at: datetime
    session_id: str | None = None
    listing_id: str | None = None
    state: SessionState | None = None
    """What the session has become, if the platform says so."""

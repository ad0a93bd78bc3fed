"""The state of Prolific as researchers see it: studies, submissions and money, without any HTTP.

Where each behaviour is documented stands in docs/reference/emulators.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from steelyard.emulators.books import Books, share_of
from steelyard.emulators.offer import EmulatorSettings

# What Prolific charges: a third, unless the settings say otherwise, and the British tax on it.
USUAL_FEE, VAT = 0.3333, 0.2
CURRENCY = "GBP"
RESERVATION = timedelta(minutes=10)
AUTO_APPROVAL = timedelta(days=21)
LEAST_MESSAGE = 100
MOST_BONUSES = 200
# Those who have a place of the study, for now or for good.
PLACED = ("RESERVED", "ACTIVE", "AWAITING REVIEW", "APPROVED", "PARTIALLY APPROVED")
REVIEWED = ("APPROVED", "PARTIALLY APPROVED", "REJECTED", "RETURNED", "TIMED-OUT", "SCREENED OUT")
# By action: the states of a study in which it is allowed, and the one that it leads to.
STUDY_MOVES = {
    "PUBLISH": (("UNPUBLISHED",), "ACTIVE"),
    "PAUSE": (("ACTIVE",), "PAUSED"),
    "START": (("PAUSED",), "ACTIVE"),
    "STOP": (("ACTIVE", "PAUSED"), "AWAITING REVIEW"),
}
DECISIONS = {"APPROVE": "APPROVED", "REJECT": "REJECTED", "COMPLETE": "PARTIALLY APPROVED"}


class ProlificError(Exception):
    """What Prolific answers where something is wrong."""

    def __init__(self, status: int, title: str, detail: Any) -> None:
        super().__init__(title)
        self.status = status
        self.detail = detail
        self.body = {
            "error": {
                "status": status,
                "title": title,
                "error_code": 140000 + status,
                "detail": detail,
                "additional_information": "",
            }
        }


@dataclass(slots=True)
class EmulatedStudy:
    """A study; `fields` are as they were sent."""

    id: str
    fields: dict[str, Any]
    status: str = "UNPUBLISHED"
    is_stopped: bool = False

    @property
    def places(self) -> int:
        return int(self.fields["total_available_places"])

    @property
    def reward(self) -> int:
        return int(self.fields["reward"])

    @property
    def allowed(self) -> timedelta:
        """How long somebody may take: as said, or twice the estimated time and half an hour [our choice]."""
        minutes = self.fields.get("maximum_allowed_time") or 2 * self.fields["estimated_completion_time"] + 30
        return timedelta(minutes=minutes)


@dataclass(slots=True)
class EmulatedSubmission:
    """One person's submission."""

    id: str
    study_id: str
    participant_id: str
    status: str
    started_at: datetime
    completed_at: datetime | None = None
    study_code: str | None = None
    return_requested: datetime | None = None


class ProlificMarket:
    """Everything that the emulated platform knows. `notify` hears of every change of a state."""

    def __init__(self, settings: EmulatorSettings) -> None:
        fee = USUAL_FEE if settings.fee is None else settings.fee
        self.clock = settings.clock
        self.books = Books(
            currency=settings.currency or CURRENCY,
            balance=settings.balance,
            fee_on=lambda amount: share_of(amount, fee),
            vat_on=lambda amount: share_of(amount, VAT),
        )
        self.studies: dict[str, EmulatedStudy] = {}
        self.submissions: dict[str, EmulatedSubmission] = {}
        self.batches: dict[str, list[tuple[str, int]]] = {}
        """Bonuses that were set up: submissions with amounts in cents."""
        self.notify: Callable[[str, str, str, str], None] = lambda *_told: None
        self._chance = np.random.default_rng(settings.seed)

    def new_id(self) -> str:
        """An id as Prolific gives them: 24 digits of base 16."""
        return self._chance.bytes(12).hex()

    def study(self, study_id: str) -> EmulatedStudy:
        found = self.studies.get(study_id)
        if found is None:
            raise ProlificError(404, "Not found", "No study found with that id.")
        return found

    def submission(self, submission_id: str) -> EmulatedSubmission:
        found = self.submissions.get(submission_id)
        if found is None:
            raise ProlificError(404, "Not found", "No submission found with that id.")
        return found

    def of_study(self, study_id: str) -> list[EmulatedSubmission]:
        """All submissions of a study, in the order in which people came."""
        return [each for each in self.submissions.values() if each.study_id == study_id]

    def free_places(self, study: EmulatedStudy) -> int:
        """Places that nobody has."""
        return study.places - sum(each.status in PLACED for each in self.of_study(study.id))

    def price(self, reward: int, places: int) -> dict[str, int]:
        """The price of so many places: that of one, so many times."""
        one = self.books.charge(reward)
        every = one * places
        return {
            "total_cost": every.cost,
            "base_cost": every.pay + every.fee,
            "rewards": every.pay,
            "fees": every.fee,
            "vat": every.vat,
        }

    def move_study(self, study: EmulatedStudy, action: str) -> None:
        """A transition; only those that Prolific allows."""
        if action not in STUDY_MOVES:
            raise ProlificError(400, "Invalid transition", {"action": [f"{action} is not a valid choice."]})
        before, after = STUDY_MOVES[action]
        if study.status not in before:
            problem = f"You cannot {action} a study that is {study.status}."
            raise ProlificError(400, "Invalid transition", problem)
        if action == "PUBLISH" and self.price(study.reward, study.places)["total_cost"] > self.books.balance:
            raise ProlificError(
                400, "Not enough funds", "Your balance does not cover the cost of this study."
            )
        study.is_stopped = action == "STOP"
        self.set_study(study, after)

    def set_study(self, study: EmulatedStudy, status: str) -> None:
        """Put a study into a state."""
        if study.status != status:
            study.status = status
            self.notify("study.status.change", study.id, status, "")

    def set_places(self, study: EmulatedStudy, places: int) -> None:
        """Once a study is published, the number of places only grows."""
        if study.status != "UNPUBLISHED" and places < study.places:
            detail = {"total_available_places": ["The number of places can only be increased."]}
            raise ProlificError(400, "Invalid field", detail)
        study.fields["total_available_places"] = places
        if study.status in ("AWAITING REVIEW", "COMPLETED") and self.free_places(study) > 0:
            study.is_stopped = False
            self.set_study(study, "ACTIVE")

    def set_submission(self, submission: EmulatedSubmission, status: str) -> None:
        """Put a submission into a state; its study follows."""
        submission.status = status
        self.notify("submission.status.change", submission.id, status, submission.participant_id)
        self._follow(self.study(submission.study_id))

    def decide(self, submission: EmulatedSubmission, body: Mapping[str, Any]) -> None:
        """APPROVE, REJECT or COMPLETE a submission. The same decision again changes nothing."""
        action = str(body.get("action"))
        wanted = DECISIONS.get(action)
        if wanted is None:
            raise ProlificError(400, "Invalid transition", {"action": [f"{action} is not a valid choice."]})
        if submission.status == wanted:
            return
        if submission.status != "AWAITING REVIEW":
            problem = f"A submission that is {submission.status} cannot {action}."
            raise ProlificError(400, "Invalid transition", problem)
        reward = self.study(submission.study_id).reward
        if action == "REJECT":
            _require_reason(body)
            self.set_submission(submission, wanted)
            return
        if action == "COMPLETE":
            reward = reward * _percent(body) // 100
        self.pay_reward(submission, reward, wanted)

    def pay_reward(self, submission: EmulatedSubmission, reward: int, status: str) -> None:
        """Pay for a submission, which puts it into a state."""
        self.books.pay_reward(submission.id, submission.participant_id, self.books.charge(reward))
        self.set_submission(submission, status)

    def order_bonuses(self, study_id: str, text: str) -> dict[str, Any]:
        """Set bonuses up, which pays nothing: lines of a person or submission and an amount in units."""
        self.study(study_id)
        batch: list[tuple[str, int]] = []
        unknown = []
        for line in filter(None, text.strip().split("\n")):
            who, _, amount = line.partition(",")
            own = [each for each in self.of_study(study_id) if who.strip() in (each.id, each.participant_id)]
            if own:
                batch.append((own[0].id, round(100 * float(amount))))
            else:
                unknown.append(who)
        if unknown:
            detail = f"These ids have not taken part in the study: {', '.join(unknown)}"
            raise ProlificError(400, "Invalid bonuses", {"csv_bonuses": [detail]})
        if not 0 < len(batch) <= MOST_BONUSES or min(amount for _, amount in batch) < 1:
            raise ProlificError(400, "Invalid bonuses", {"csv_bonuses": ["1 to 200 lines, each above 0."]})
        batch_id = self.new_id()
        self.batches[batch_id] = batch
        charges = [self.books.charge(amount) for _, amount in batch]
        return {
            "id": batch_id,
            "study": study_id,
            "amount": sum(each.pay for each in charges),
            "fees": sum(each.fee for each in charges),
            "vat": sum(each.vat for each in charges),
            "total_amount": sum(each.cost for each in charges),
        }

    def pay_batch(self, batch_id: str) -> None:
        """Pay what was set up, in a moment. Asked again, it pays again: Prolific warns of it."""
        batch = self.batches.get(batch_id)
        if batch is None:
            raise ProlificError(404, "Not found", "No bulk bonus payment found with that id.")

        def pay() -> None:
            for submission_id, amount in batch:
                person = self.submissions[submission_id].participant_id
                self.books.pay_bonus(submission_id, person, self.books.charge(amount))

        self.clock.after(1, pay)

    def _follow(self, study: EmulatedStudy) -> None:
        """A study ends by itself once every place is done, and is completed once all are reviewed.

        A place that is given back afterwards opens it again, unless somebody has stopped it.
        """
        own = self.of_study(study.id)
        is_open = any(each.status in ("RESERVED", "ACTIVE") for each in own)
        if study.status == "ACTIVE" and not is_open and self.free_places(study) == 0:
            self.set_study(study, "AWAITING REVIEW")
        if study.status == "AWAITING REVIEW" and not study.is_stopped and self.free_places(study) > 0:
            self.set_study(study, "ACTIVE")
        if study.status == "AWAITING REVIEW" and own and all(each.status in REVIEWED for each in own):
            self.set_study(study, "COMPLETED")


def _require_reason(body: Mapping[str, Any]) -> None:
    if len(str(body.get("message", ""))) < LEAST_MESSAGE:
        detail = {"message": [f"Must be at least {LEAST_MESSAGE} characters long."]}
        raise ProlificError(400, "Invalid field", detail)
    if not body.get("rejection_category"):
        raise ProlificError(400, "Invalid field", {"rejection_category": ["This field is required."]})


def _percent(body: Mapping[str, Any]) -> int:
    percent = int((body.get("completion_code_data") or {}).get("percentage_of_reward", 0))
    if not 8 <= percent <= 99:
        raise ProlificError(400, "Invalid field", {"percentage_of_reward": ["Must be from 8 to 99."]})
    return percent

"""Prolific as the people see it who work there: they take places, open the link, finish, leave."""

from __future__ import annotations

from typing import Any

from steelyard.emulators.control import ControlError
from steelyard.emulators.offer import EmulatorSettings
from steelyard.emulators.prolific_hooks import ProlificHooks
from steelyard.emulators.prolific_market import (
    AUTO_APPROVAL,
    RESERVATION,
    EmulatedStudy,
    EmulatedSubmission,
    ProlificError,
    ProlificMarket,
)

# What stands for a code where somebody gave none.
NO_CODE = "NOCODE"


class ProlificStage:
    """The participants' side; see `control.Stage`."""

    title = "Prolific, emulated"

    def __init__(self, settings: EmulatorSettings) -> None:
        self.market = ProlificMarket(settings)
        self.hooks = ProlificHooks(self.market, settings)
        self.clock = settings.clock
        self.faults = settings.faults
        self.books = self.market.books
        self._people: list[str] = []

    def add_people(self, n: int) -> list[str]:
        made = [self.market.new_id() for _ in range(n)]
        self._people += made
        return made

    def offers(self, person: str) -> list[dict[str, Any]]:
        open_to = [each for each in self.market.studies.values() if self._is_open_to(each, person)]
        return [self._listed(each) for each in open_to]

    def listings(self) -> list[dict[str, Any]]:
        return [self._listed(each) for each in self.market.studies.values()]

    def take(self, person: str, listing: str) -> dict[str, Any]:
        study = self.market.studies.get(listing)
        if study is None or person not in self._people:
            raise ControlError(404, "There is no such study, or no such person.")
        if not self._is_open_to(study, person):
            raise ControlError(409, "The study is full or not open, or the person has taken part.")
        submission = EmulatedSubmission(self.market.new_id(), study.id, person, "RESERVED", self.clock.now())
        self.market.submissions[submission.id] = submission
        self.market.set_submission(submission, "RESERVED")
        self.clock.after(RESERVATION.total_seconds(), lambda: self._time_out(submission, "RESERVED"))
        url = str(study.fields["external_study_url"])
        for name, value in (("PROLIFIC_PID", person), ("STUDY_ID", study.id), ("SESSION_ID", submission.id)):
            url = url.replace(f"{{{{%{name}%}}}}", value)
        return {"session": submission.id, "url": url}

    def open_session(self, session: str) -> dict[str, Any]:
        submission = self._own(session)
        if submission.status == "RESERVED":
            self.market.set_submission(submission, "ACTIVE")
            allowed = self.market.study(submission.study_id).allowed.total_seconds()
            self.clock.after(allowed, lambda: self._time_out(submission, "ACTIVE"))
        return {"state": submission.status}

    def finish(self, session: str, code: str | None) -> dict[str, Any]:
        submission = self._own(session)
        if submission.status not in ("RESERVED", "ACTIVE"):
            raise ControlError(409, f"The submission is {submission.status}.")
        study = self.market.study(submission.study_id)
        submission.completed_at, submission.study_code = self.clock.now(), code or NO_CODE
        codes = {each["code"]: each for each in study.fields["completion_codes"]}
        actions = {each["action"]: each for each in codes.get(code or "", {}).get("actions", [])}
        screened = actions.get("FIXED_SCREEN_OUT_PAYMENT")
        if screened is not None:
            self.market.pay_reward(submission, int(screened["fixed_screen_out_reward"]), "SCREENED OUT")
        elif "AUTOMATICALLY_APPROVE" in actions:
            self.market.pay_reward(submission, study.reward, "APPROVED")
        else:
            self.market.set_submission(submission, "AWAITING REVIEW")
            self.clock.after(AUTO_APPROVAL.total_seconds(), lambda: self._approve_at_last(submission))
        return {"state": submission.status}

    def leave(self, session: str) -> dict[str, Any]:
        submission = self._own(session)
        if submission.status not in ("RESERVED", "ACTIVE", "AWAITING REVIEW"):
            raise ControlError(409, f"The submission is {submission.status}.")
        self.market.set_submission(submission, "RETURNED")
        return {"state": submission.status}

    def session(self, session: str) -> dict[str, Any]:
        submission = self._own(session)
        return {
            "session": submission.id,
            "person": submission.participant_id,
            "listing": submission.study_id,
            "state": submission.status,
            "return_requested": submission.return_requested is not None,
        }

    def sessions(self) -> list[dict[str, str]]:
        return [
            {"session": each.id, "person": each.participant_id, "state": each.status}
            for each in self.market.submissions.values()
        ]

    def stop_listing(self, listing: str) -> dict[str, Any]:
        return self._moved(listing, "STOP")

    def pause_listing(self, listing: str) -> dict[str, Any]:
        return self._moved(listing, "PAUSE")

    def rotate_secret(self) -> dict[str, Any]:
        return {"secret": self.hooks.rotate()}

    async def idle(self) -> None:
        await self.hooks.send_all()

    def _own(self, session: str) -> EmulatedSubmission:
        found = self.market.submissions.get(session)
        if found is None:
            raise ControlError(404, "There is no such submission.")
        return found

    def _is_open_to(self, study: EmulatedStudy, person: str) -> bool:
        has_taken = any(each.participant_id == person for each in self.market.of_study(study.id))
        return study.status == "ACTIVE" and self.market.free_places(study) > 0 and not has_taken

    def _listed(self, study: EmulatedStudy) -> dict[str, Any]:
        return {
            "listing": study.id,
            "title": study.fields["name"],
            "state": study.status,
            "reward": study.reward,
            "places": study.places,
            "places_left": self.market.free_places(study),
        }

    def _time_out(self, submission: EmulatedSubmission, still: str) -> None:
        if submission.status == still:
            self.market.set_submission(submission, "TIMED-OUT")

    def _approve_at_last(self, submission: EmulatedSubmission) -> None:
        if submission.status == "AWAITING REVIEW":
            self.market.pay_reward(submission, self.market.study(submission.study_id).reward, "APPROVED")

    def _moved(self, listing: str, action: str) -> dict[str, Any]:
        try:
            study = self.market.study(listing)
            self.market.move_study(study, action)
        except ProlificError as error:
            raise ControlError(404 if error.status == 404 else 409, str(error.detail)) from None
        return {"state": study.status}

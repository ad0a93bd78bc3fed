"""Prolific's REST API. Field names, states and paths as its documentation has them (docs.prolific.com)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from steelyard.domain.crowd import (
    PAID_STATES,
    Account,
    Bonus,
    BonusOrder,
    ClientSettings,
    Listing,
    ListingState,
    ListingTerms,
    Price,
    Rejection,
    SessionReport,
    SessionState,
)
from steelyard.domain.errors import PlatformError
from steelyard.domain.wording import in_units
from steelyard.platforms._http_calls import HttpCalls
from steelyard.platforms.credentials import key_hint
from steelyard.platforms.prolific import moment_in

USUAL_ADDRESS = "https://api.prolific.com"
API = "/api/v1"
PAGE = 100
# More pages than any study has; a list that never ends is no list.
MOST_PAGES = 1000
MOST_BONUSES = 200
DRY_ID = "STUDY_ID"

LISTING_STATES = {
    "UNPUBLISHED": ListingState.DRAFT,
    "SCHEDULED": ListingState.DRAFT,
    "PUBLISHING": ListingState.ACTIVE,
    "ACTIVE": ListingState.ACTIVE,
    "PAUSED": ListingState.PAUSED,
    # Either every place is taken, or somebody has stopped the study: Prolific says the same of both.
    "AWAITING REVIEW": ListingState.FULL,
    "COMPLETED": ListingState.ENDED,
}
SESSION_STATES = {
    "RESERVED": SessionState.RESERVED,
    "ACTIVE": SessionState.ACTIVE,
    "AWAITING REVIEW": SessionState.SUBMITTED,
    "APPROVED": SessionState.APPROVED,
    "PARTIALLY APPROVED": SessionState.PARTLY_APPROVED,
    "SCREENED OUT": SessionState.SCREENED_OUT,
    "REJECTED": SessionState.REJECTED,
    "RETURNED": SessionState.RETURNED,
    "TIMED-OUT": SessionState.TIMED_OUT,
    "TIMED OUT": SessionState.TIMED_OUT,
}
# Settings that are fields of a study under the same name.
STUDY_FIELDS = (
    *("filters", "filter_set_id", "project", "maximum_allowed_time", "study_labels", "study_type"),
    *("quotas", "device_compatibility", "peripheral_requirements"),
)


class ProlificClient:
    """The organiser's side of Prolific."""

    def __init__(self, settings: ClientSettings, calls: HttpCalls | None = None) -> None:
        if settings.key is None:
            raise PlatformError(f"There is no key for Prolific. {key_hint('prolific')}")
        self.is_dry = settings.tell is not None
        self._settings = settings.settings
        headers = {"Authorization": f"Token {settings.key}"}
        self._calls = calls or HttpCalls(
            settings.address or USUAL_ADDRESS, headers, describe_error, tell=settings.tell
        )

    def account(self) -> Account:
        """Whose token it is; the money is that of the workspace, if the settings name one."""
        me = self._calls.get(f"{API}/users/me/")
        currency, balance = str(me.get("currency_code", "")), me.get("available_balance")
        workspace = self._settings.get("workspace")
        if workspace:
            money = self._calls.get(f"{API}/workspaces/{workspace}/balance/")
            currency = str(money.get("currency_code") or currency)
            balance = money.get("available_balance", balance)
        return Account(str(me.get("email", "")), currency, None if balance is None else round(balance))

    def cost(self, terms: ListingTerms) -> Price:
        """By Prolific's own calculator; what is set aside for those screened out at the same rate."""
        body = {"reward": terms.reward, "total_available_places": terms.places}
        said = self._calls.ask(f"{API}/study-cost-calculator/", body)
        pay = terms.reward * terms.places
        total = round(said.get("total_cost", pay))
        screened = _screened_pay(terms)
        return Price(pay + screened, total - pay + math.ceil((total - pay) * screened / pay))

    def find(self, tag: str) -> Listing | None:
        """The study whose internal name is our tag."""
        project = self._settings.get("project")
        path = f"{API}/projects/{project}/studies/" if project else f"{API}/studies/"
        if self.is_dry:
            return None
        for study in self._pages(path):
            if study.get("internal_name") == tag:
                return self.listing(str(study["id"]))
        return None

    def draft(self, terms: ListingTerms) -> Listing:
        """Make an unpublished study. Not to be repeated: a second call makes a second study."""
        body = _study_body(terms)
        made = {**body, "id": DRY_ID, "status": "UNPUBLISHED"}
        study = self._calls.change("POST", f"{API}/studies/", body, repeatable="once", otherwise=made)
        return _listing(study)

    def publish(self, listing_id: str, terms: ListingTerms) -> Listing:
        return self._move(listing_id, "PUBLISH", ListingState.ACTIVE)

    def pause(self, listing_id: str) -> Listing:
        return self._move(listing_id, "PAUSE", ListingState.PAUSED)

    def resume(self, listing_id: str) -> Listing:
        return self._move(listing_id, "START", ListingState.ACTIVE)

    def stop(self, listing_id: str) -> Listing:
        """Nobody new comes after this; what is left is to be reviewed."""
        return replace(self._move(listing_id, "STOP", ListingState.FULL), state=ListingState.ENDED)

    def discard(self, listing_id: str) -> None:
        """Delete a draft; one that is gone is gone."""
        try:
            self._calls.change("DELETE", f"{API}/studies/{listing_id}/", otherwise={})
        except PlatformError as error:
            if error.status != 404:
                raise

    def set_places(self, listing_id: str, places: int) -> Listing:
        """More places; Prolific takes none away."""
        before = self.listing(listing_id)
        if places <= before.places:
            return before
        body = {"total_available_places": places}
        otherwise = {"id": listing_id, "status": "ACTIVE", **body}
        return _listing(
            self._calls.change("PATCH", f"{API}/studies/{listing_id}/", body, otherwise=otherwise), before
        )

    def listing(self, listing_id: str) -> Listing:
        if self.is_dry and listing_id == DRY_ID:
            return _listing({"id": DRY_ID, "status": "UNPUBLISHED"})
        return _listing(self._calls.get(f"{API}/studies/{listing_id}/"))

    def sessions(self, listing_id: str) -> Sequence[SessionReport]:
        return [_report(each) for each in self._pages(f"{API}/studies/{listing_id}/submissions/")]

    def approve(self, listing_id: str, session_ids: Sequence[str]) -> None:
        for session_id in session_ids:
            self._decide(session_id, {"action": "APPROVE"}, SessionState.APPROVED)

    def reject(self, session_id: str, rejection: Rejection) -> None:
        body = {
            "action": "REJECT",
            "message": rejection.message,
            "rejection_category": rejection.category,
        }
        self._decide(session_id, body, SessionState.REJECTED)

    def request_return(self, session_id: str, reasons: Sequence[str]) -> None:
        body = {"request_return_reasons": list(reasons)}
        self._calls.change("POST", f"{API}/submissions/{session_id}/request-return/", body, otherwise={})

    def pay_partly(self, session_id: str, percent: int, message: str) -> None:
        """Complete a submission by the code for partial payment that every study of ours has."""
        submission = self._calls.get(f"{API}/submissions/{session_id}/")
        study = self._calls.get(f"{API}/studies/{submission.get('study_id')}/")
        codes = study.get("completion_codes") or []
        code = next((each["code"] for each in codes if each.get("code_type") == PARTLY), None)
        if code is None:
            raise PlatformError("The study has no code for partial payment. Approve it, or pay a bonus.")
        body = {
            "action": "COMPLETE",
            "completion_code": code,
            "completion_code_data": {"percentage_of_reward": percent, "message_to_participant": message},
        }
        self._decide(session_id, body, SessionState.PARTLY_APPROVED)

    def bar_from_more(self, listing_id: str, participant_ids: Sequence[str]) -> None:
        """Nothing to do: our studies take one submission from each person."""

    def prepare_bonuses(self, listing_id: str, bonuses: Sequence[Bonus]) -> BonusOrder:
        """Set bonuses up, which pays nothing. The amounts are written in whole units: 1.50, not 150."""
        if len(bonuses) > MOST_BONUSES:
            raise PlatformError(f"Prolific takes at most {MOST_BONUSES} bonuses at once.")
        lines = [f"{each.session_id},{in_units(each.amount)}" for each in bonuses]
        body = {"study_id": listing_id, "csv_bonuses": "\n".join(lines)}
        pay = sum(each.amount for each in bonuses)
        otherwise = {"id": "BONUS_ID", "amount": pay, "total_amount": pay}
        said = self._calls.change("POST", f"{API}/submissions/bonus-payments/", body, otherwise=otherwise)
        # Prolific may leave any amount but the total empty.
        total = round(said.get("total_amount") or said.get("total") or 0)
        amount = said.get("amount")
        if round(pay if amount is None else amount) != pay or total < pay:
            raise PlatformError("Prolific understood other amounts than were asked for, so nothing was paid.")
        return BonusOrder(str(said["id"]), Price(pay, total - pay))

    def pay_bonuses(self, order_id: str, bonuses: Sequence[Bonus]) -> None:
        """Pay what was set up. A second call would pay everybody a second time."""
        self._calls.change(
            "POST", f"{API}/bulk-bonus-payments/{order_id}/pay/", repeatable="once", otherwise={}
        )

    def close(self) -> None:
        self._calls.close()

    def _move(self, listing_id: str, action: str, wanted: ListingState) -> Listing:
        status = next(name for name, state in LISTING_STATES.items() if state is wanted)
        otherwise = {"id": listing_id, "status": status}
        try:
            said = self._calls.change(
                "POST", f"{API}/studies/{listing_id}/transition/", {"action": action}, otherwise=otherwise
            )
        except PlatformError:
            # A reply that was lost before may have been a success: what counts is how the study stands.
            found = self.listing(listing_id)
            if found.state not in (wanted, ListingState.ENDED):
                raise
            return found
        return self.listing(listing_id) if not self.is_dry else _listing(said)

    def _decide(self, session_id: str, body: Mapping[str, Any], wanted: SessionState) -> None:
        try:
            self._calls.change(
                "POST", f"{API}/submissions/{session_id}/transition/", dict(body), otherwise={}
            )
        except PlatformError:
            found = self._calls.get(f"{API}/submissions/{session_id}/")
            if _state(found) is not wanted:
                raise

    def _pages(self, path: str) -> Iterator[Mapping[str, Any]]:
        for number in range(MOST_PAGES):
            said = self._calls.get(path, limit=PAGE, offset=number * PAGE)
            found = said.get("results") or []
            yield from found
            total = (said.get("meta") or {}).get("count")
            if not found or (total is not None and (number + 1) * PAGE >= total):
                return
            if total is None and len(found) < PAGE:
                return
        raise PlatformError("Prolific's list does not end.")


# The kinds of completion codes that our studies have, by the names that Prolific uses.
FINISHED, SCREENED, BLOCKED, PARTLY = "COMPLETED", "SCREENED_OUT", "OTHER", "DYNAMIC_PAYMENT"
_LOOK = [{"action": "MANUALLY_REVIEW"}]


def _study_body(terms: ListingTerms) -> dict[str, Any]:
    """A study as Prolific wants it."""
    settings = terms.settings
    body: dict[str, Any] = {
        "name": terms.title,
        "internal_name": terms.tag,
        "description": terms.description,
        "external_study_url": terms.url,
        "prolific_id_option": "url_parameters",
        "completion_codes": _codes(terms),
        "total_available_places": terms.places,
        "estimated_completion_time": max(1, math.ceil(terms.minutes)),
        "reward": terms.reward,
        "device_compatibility": ["desktop", "tablet", "mobile"],
        "peripheral_requirements": [],
        "submissions_config": {"max_submissions_per_participant": 1},
    }
    return body | {name: settings[name] for name in STUDY_FIELDS if name in settings}


def _codes(terms: ListingTerms) -> list[dict[str, Any]]:
    codes = terms.codes
    kinds = ((codes.finished, FINISHED), (codes.screened, SCREENED), (codes.blocked, BLOCKED))
    found = [
        {"code": code, "code_type": kind, "actor": "participant", "actions": _LOOK}
        for code, kind in kinds
        if code
    ]
    if "screened_pay" in terms.settings and codes.screened:
        pay = {
            "action": "FIXED_SCREEN_OUT_PAYMENT",
            "fixed_screen_out_reward": round(100 * terms.settings["screened_pay"]),
            "slots": terms.settings.get("screened_places", terms.places),
        }
        found[1]["actions"] = [pay]
    # Only we use it, to pay for a part of the work.
    partly = {"action": PARTLY}
    found.append(
        {
            "code": f"P{terms.tag[-8:].upper()}",
            "code_type": PARTLY,
            "actor": "researcher",
            "actions": [partly],
        }
    )
    return found


def _screened_pay(terms: ListingTerms) -> int:
    each = round(100 * terms.settings.get("screened_pay", 0))
    return each * int(terms.settings.get("screened_places", terms.places)) if each else 0


def _listing(study: Mapping[str, Any], before: Listing | None = None) -> Listing:
    status = _plain(study.get("status"))
    if status not in LISTING_STATES:
        raise PlatformError(
            f"Prolific says that the study is {status or 'nothing'}, which is not known here."
        )
    listing_id = str(study["id"])
    return Listing(
        listing_id,
        str(study.get("internal_name") or (before.tag if before else "")),
        LISTING_STATES[status],
        int(study.get("total_available_places") or (before.places if before else 0)),
        round(study.get("reward") or (before.reward if before else 0)),
        str(study.get("currency_code") or study.get("presentment_currency_code") or ""),
        url=f"https://app.prolific.com/researcher/studies/{listing_id}",
    )


def session_state(status: Any) -> SessionState | None:
    """What a submission's status means; None for one that is not known here."""
    return SESSION_STATES.get(_plain(status))


def _plain(status: Any) -> str:
    return str(status or "").upper().replace("_", " ")


def _state(submission: Mapping[str, Any]) -> SessionState:
    status = submission.get("status")
    found = session_state(status)
    if found is None:
        raise PlatformError(
            f"Prolific says that a submission is {status or 'nothing'}, which is not known here."
        )
    return found


def _report(submission: Mapping[str, Any]) -> SessionReport:
    state = _state(submission)
    times = [submission.get(name) for name in ("completed_at", "started_at")]
    return SessionReport(
        session_id=str(submission["id"]),
        participant_id=str(submission.get("participant_id") or submission.get("participant") or ""),
        state=state,
        changed_at=next(filter(None, map(moment_in, times)), datetime.fromtimestamp(0, UTC)),
        code=submission.get("study_code") or submission.get("entered_code"),
        reward=round(submission.get("reward") or 0) if state in PAID_STATES else 0,
        bonuses=tuple(round(each) for each in submission.get("bonus_payments") or ()),
        is_return_requested=bool(submission.get("return_requested")),
    )


def describe_error(status: int, said: Any) -> str:
    """What Prolific says in a reply that is no success, in a sentence."""
    error = said.get("error", said) if isinstance(said, Mapping) else {}
    if status in (401, 403):
        return f"Prolific does not accept the key. {key_hint('prolific')}"
    parts = [error.get(name) for name in ("title", "detail", "message", "additional_information")]
    words = (
        [text for part in parts if part for text in _words(part)]
        if isinstance(error, Mapping)
        else [str(error)]
    )
    return f"Prolific refuses ({status}): {' '.join(dict.fromkeys(words)) or 'it does not say why.'}"


def _words(part: Any) -> Iterator[str]:
    """Sentences in a detail, which may be a text, a list, or an object with a list for each field."""
    if isinstance(part, Mapping):
        for name, inner in part.items():
            yield from (f"{name}: {text}" for text in _words(inner))
    elif isinstance(part, list):
        for inner in part:
            yield from _words(inner)
    else:
        yield str(part)

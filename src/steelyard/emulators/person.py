"""One simulated person: takes a place on the platform, does what our pages ask, and goes back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

import numpy as np

from steelyard.domain.entry import CampaignEntry, EntryQuestion
from steelyard.emulators.entrance import Entrance
from steelyard.emulators.steps import FOR_PLACE, TURN, Steps
from steelyard.emulators.tab import STANDING, Tab
from steelyard.emulators.wire import RequestRefused, Wire
from steelyard.flows.simulate import Hand

# How often somebody who got a place there and no work here looks again before they leave [our choice].
LOOKS = 2


class PersonKind(StrEnum):
    """What people do with the place they take."""

    DILIGENT = "diligent"
    """Does the set and goes back with the code."""
    CLICKING = "clicking"
    """Does the set without looking, and goes back with the code."""
    LEAVING = "leaving"
    """Gives the place back in the middle."""
    ABANDONING = "abandoning"
    """Stops in the middle without a word."""
    FORGETTING = "forgetting"
    """Does the set, and tells the platform so without the code."""
    CHEATING = "cheating"
    """Does nothing, and hands in the code of somebody else."""
    TWO_TABS = "two tabs"
    """Works in two tabs at once."""
    SHARING = "sharing"
    """Gives the address to somebody else, and both work."""
    SCREENED = "screened"
    """Answers a question so that there is no work for them."""
    AGAIN = "again"
    """Does the set, and comes again for another listing."""


class VisitEnd(StrEnum):
    """How somebody's visit ended, by what they did themselves."""

    UNDER_WAY = "under way"
    FINISHED = "finished"
    WITHOUT_CODE = "without code"
    STOLEN_CODE = "stolen code"
    SCREENED_OUT = "screened out"
    RETURNED = "returned"
    ABANDONED = "abandoned"
    NO_WORK = "no work"
    """There was a place for them there and no set here: they gave it back."""
    TOO_LATE = "too late"
    """The platform had ended their session before."""


@dataclass(slots=True)
class CrowdVisit:
    """A place that somebody took, and what became of it. `state`: the platform's word, once it was asked."""

    person: str
    kind: PersonKind
    listing: str
    session: str
    end: VisitEnd = VisitEnd.UNDER_WAY
    n_judged: int = 0
    """Judgements that were stored, those of a second window included."""
    assignment: str | None = None
    state: str = ""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What people of one crowd share. `news` is told when there may be a place or a code for others.

    `visits`: those of everybody, in the order in which they took their places.
    """

    wire: Wire
    entrance: Entrance
    entry: CampaignEntry | None
    news: Callable[[Literal["place", "code"]], None]
    codes: list[str]
    visits: list[CrowdVisit]


@dataclass(slots=True, eq=False)
class SimulatedPerson:
    """Somebody with an account on the platform. `helper`: who works with them, if somebody does."""

    person_id: str
    kind: PersonKind
    hand: Hand
    rng: np.random.Generator
    address: str
    around: Surroundings
    helper: Hand | None = None
    visits: list[CrowdVisit] = field(default_factory=list)

    def take_place(self) -> Steps[tuple[CrowdVisit, str]]:
        """Take a place of a listing that one has not been to, as soon as there is one, and open it."""
        entrance, known = self.around.entrance, {visit.listing for visit in self.visits}
        while True:
            yield TURN
            offered = [
                each
                for each in entrance.listings(self.person_id)
                if each.places_left > 0 and each.listing not in known
            ]
            if offered:
                yield TURN
                chosen = offered[int(self.rng.integers(len(offered)))].listing
                taken = entrance.take(self.person_id, chosen)
                if taken is not None:
                    visit = CrowdVisit(self.person_id, self.kind, chosen, taken.session)
                    self.visits.append(visit)
                    self.around.visits.append(visit)
                    yield TURN
                    entrance.open(taken.session)
                    return visit, taken.url
            yield FOR_PLACE

    def new_tab(self, url: str, *, of_helper: bool = False) -> Tab:
        """The address in a tab of its own."""
        address = self.address.replace("10.", "11.", 1) if of_helper else self.address
        return Tab(self.around.wire, url, address=address, rng=self.rng)

    def work(
        self, tab: Tab, visit: CrowdVisit, *, share: float = 1.0, hand: Hand | None = None
    ) -> Steps[dict[str, Any]]:
        """Join, do what comes first, and judge this share of a set; gives where the worker stands then."""
        status = yield from tab.join()
        status = yield from self._enter(tab, status, hand or self.hand)
        for _ in range(LOOKS):
            if status["more"] or status["state"] not in ("done", "released") or status["completion"]:
                break
            # Somebody else may give theirs back.
            yield FOR_PLACE
            status = yield from tab.status()
        if not status["more"]:
            return status
        yield from self._judge(tab, visit, share, hand or self.hand)
        return (yield from tab.status())

    def hand_in(self, tab: Tab, visit: CrowdVisit, status: dict[str, Any]) -> Steps[None]:
        """Go back to the platform by the way that our page shows; without one, give the place back."""
        if status["state"] == "posting":
            yield from self._post_back(tab, visit)
            return
        code = code_in(status["completion"])
        if code is None:
            # Nobody who was turned away by an answer of theirs waits for work.
            is_turned_away = status["state"] in ("screened", "declined", "blocked")
            yield from self.leave(visit, VisitEnd.SCREENED_OUT if is_turned_away else VisitEnd.NO_WORK)
            return
        is_finished = status["completion"]["is_finished"]
        yield from self.finish(visit, code, VisitEnd.FINISHED if is_finished else VisitEnd.SCREENED_OUT)
        if is_finished:
            self.around.codes.append(code)
            self.around.news("code")

    def finish(self, visit: CrowdVisit, code: str | None, end: VisitEnd) -> Steps[None]:
        """Tell the platform that one is done."""
        yield TURN
        is_in_time = self.around.entrance.finish(visit.session, code)
        visit.end = end if is_in_time else VisitEnd.TOO_LATE

    def leave(self, visit: CrowdVisit, end: VisitEnd = VisitEnd.RETURNED) -> Steps[None]:
        """Give the place back on the platform, for others to take."""
        yield TURN
        visit.end = end if self.around.entrance.leave(visit.session) else VisitEnd.TOO_LATE
        self.around.news("place")

    def _post_back(self, tab: Tab, visit: CrowdVisit) -> Steps[None]:
        posting = yield from tab.post("/finish", tab.own_session())
        yield TURN
        is_in_time = self.around.entrance.submit_form(posting["address"], posting["fields"])
        visit.end = VisitEnd.FINISHED if is_in_time else VisitEnd.TOO_LATE

    def _enter(self, tab: Tab, status: dict[str, Any], hand: Hand) -> Steps[dict[str, Any]]:
        """Everything that comes before the first set."""
        entry = self.around.entry or CampaignEntry()
        while status["step"] is not None and status["state"] not in ("screened", "declined"):
            try:
                if status["step"] == "consent":
                    body = {"agrees": True, "revision": status["revision"]}
                    status = yield from tab.post("/consent", body)
                elif status["step"] == "questions":
                    answers = answers_to(entry.questions, self.rng, wrongly=self.kind is PersonKind.SCREENED)
                    status = yield from tab.post("/questions", {"answers": answers})
                else:
                    number = status["n_trained"] + 1
                    answer = hand.try_out(entry.training[number - 1])
                    tried = yield from tab.post("/training", {"number": number, "answer": answer})
                    status = tried["work"]
            except RequestRefused as refused:
                # Done in another window already, or the text is a new one.
                if refused.code not in ("answered", "revision", "entry", "screened"):
                    raise
                status = yield from tab.status()
        return status

    def _judge(self, tab: Tab, visit: CrowdVisit, share: float, hand: Hand) -> Steps[None]:
        """Judge the items of one set, or a share of them."""
        try:
            view = yield from tab.post("/next")
        except RequestRefused as refused:
            if refused.code not in STANDING:
                raise
            return
        while not view.get("finished"):
            visit.assignment = visit.assignment or view["assignment_id"]
            if visit.assignment != view["assignment_id"]:
                # The set was finished in another window, and this one is a further set, which is not wanted.
                yield from tab.post("/return", {"assignment_id": view["assignment_id"]})
                return
            if share < 1 and view["n_done"] >= int(share * view["n_items"]):
                return
            answer, milliseconds = hand.judge(view["assignment_id"], view["item"]["item_id"])
            delivered = yield from tab.deliver(view, answer, milliseconds)
            visit.n_judged += delivered.is_stored
            if delivered.next is None:
                return
            view = delivered.next


def answers_to(
    questions: Iterable[EntryQuestion], rng: np.random.Generator, *, wrongly: bool = False
) -> dict[str, Any]:
    """Answers that are looked for; or `wrongly` to all questions for which only some are."""
    return {each.name: _answer(each, rng, wrongly) for each in questions}


def _answer(question: EntryQuestion, rng: np.random.Generator, wrongly: bool) -> Any:
    match question.kind:
        case "choice" | "choices":
            others = [each for each in question.choices if each not in question.accept]
            right = question.accept or question.choices
            among = others if wrongly and question.accept and others else right
            chosen = among[int(rng.integers(len(among)))]
            return [chosen] if question.kind == "choices" else chosen
        case "number":
            low = 30.0 if question.minimum is None else question.minimum
            high = low + 10 if question.maximum is None else question.maximum
            return int(rng.integers(int(np.ceil(low)), max(int(high), int(np.ceil(low))) + 1))
        case "text":
            return "I read a lot."


def code_in(completion: dict[str, Any] | None) -> str | None:
    """The code with which somebody goes back, out of the address that leads back if there is one.

    >>> code_in({"code": "C1", "url": "https://app.prolific.com/submissions/complete?cc=C1"})
    'C1'
    """
    if completion is None:
        return None
    carried = parse_qs(urlsplit(completion["url"] or "").query).get("cc")
    code: str | None = carried[0] if carried else completion["code"]
    return code

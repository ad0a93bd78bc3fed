"""What people of each kind do with the place they take."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from steelyard.emulators.person import CrowdVisit, PersonKind, SimulatedPerson, VisitEnd
from steelyard.emulators.steps import FOR_CODE, TURN, Steps, alternately
from steelyard.emulators.wire import RequestRefused

# Somebody who joins with these codes is told so by our page, and gives the place back.
_NOT_FOR_THEM = ("barred", "no_id", "open_link_off")
Way = Callable[[SimulatedPerson, CrowdVisit, str], Steps[None]]


def take_part(person: SimulatedPerson) -> Steps[None]:
    """All that somebody does, from looking for a place on the platform to the end."""
    for _ in range(2 if person.kind is PersonKind.AGAIN else 1):
        visit, url = yield from person.take_place()
        try:
            yield from WAYS[person.kind](person, visit, url)
        except RequestRefused as refused:
            if refused.code not in _NOT_FOR_THEM:
                raise
            yield from person.leave(visit, VisitEnd.NO_WORK)


def _do_it(person: SimulatedPerson, visit: CrowdVisit, url: str) -> Steps[None]:
    tab = person.new_tab(url)
    status = yield from person.work(tab, visit)
    yield from person.hand_in(tab, visit, status)


def _leave(person: SimulatedPerson, visit: CrowdVisit, url: str) -> Steps[None]:
    tab = person.new_tab(url)
    status = yield from person.work(tab, visit, share=float(person.rng.random()))
    # Some find the button on our page first, others only that of the platform.
    if status["can_return"] and person.rng.random() < 0.5:
        yield from tab.post("/return", {"assignment_id": status["assignment_id"]})
    yield from person.leave(visit)


def _abandon(person: SimulatedPerson, visit: CrowdVisit, url: str) -> Steps[None]:
    yield from person.work(person.new_tab(url), visit, share=float(person.rng.random()))
    visit.end = VisitEnd.ABANDONED


def _forget(person: SimulatedPerson, visit: CrowdVisit, url: str) -> Steps[None]:
    tab = person.new_tab(url)
    status = yield from person.work(tab, visit)
    if not status["n_hits_done"]:
        yield from person.hand_in(tab, visit, status)
        return
    if "turkSubmitTo" in tab.parameters:
        # There is no other way to say so than by our page, which they have closed.
        visit.end = VisitEnd.ABANDONED
    else:
        yield from person.finish(visit, None, VisitEnd.WITHOUT_CODE)


def _cheat(person: SimulatedPerson, visit: CrowdVisit, url: str) -> Steps[None]:
    tab = person.new_tab(url)
    parameters = tab.parameters
    # Some look at our page first, and are known here.
    if person.rng.random() < 0.5:
        yield from tab.join()
    if "turkSubmitTo" in parameters:
        # Nothing but the id of the assignment is needed there.
        yield TURN
        address = f"{parameters['turkSubmitTo']}/mturk/externalSubmit"
        person.around.entrance.submit_form(address, {"assignmentId": visit.session, "done": "yes"})
        visit.end = VisitEnd.STOLEN_CODE
    else:
        while not person.around.codes:
            yield FOR_CODE
        yield from person.finish(visit, person.around.codes[0], VisitEnd.STOLEN_CODE)


def _use_two_tabs(person: SimulatedPerson, visit: CrowdVisit, url: str) -> Steps[None]:
    tabs = [person.new_tab(url) for _ in range(2)]
    yield from alternately(person.rng, *(person.work(tab, visit) for tab in tabs))
    yield from person.hand_in(tabs[0], visit, (yield from tabs[0].status()))


def _share(person: SimulatedPerson, visit: CrowdVisit, url: str) -> Steps[None]:
    own, others = person.new_tab(url), person.new_tab(url, of_helper=True)
    yield from alternately(
        person.rng, person.work(own, visit), person.work(others, visit, hand=person.helper)
    )
    yield from person.hand_in(own, visit, (yield from own.status()))


WAYS: Mapping[PersonKind, Way] = {
    PersonKind.DILIGENT: _do_it,
    PersonKind.CLICKING: _do_it,
    PersonKind.LEAVING: _leave,
    PersonKind.ABANDONING: _abandon,
    PersonKind.FORGETTING: _forget,
    PersonKind.CHEATING: _cheat,
    PersonKind.TWO_TABS: _use_two_tabs,
    PersonKind.SHARING: _share,
    # Their answers make the difference; where nothing is asked, there is none.
    PersonKind.SCREENED: _do_it,
    PersonKind.AGAIN: _do_it,
}

"""How pages were handled, from the browser's summary to flags and files, on each database."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steelyard.domain.entry import CampaignEntry, Consent
from steelyard.domain.judgement import Behaviour
from steelyard.domain.result import AnalysisSettings, MethodSettings
from steelyard.flows.analyse import analyse
from steelyard.flows.collect import Arrival, Collector, Delivered
from steelyard.flows.entry_answers import give_consent
from steelyard.flows.export import export
from steelyard.flows.handling import PageHandling, page_handling
from steelyard.flows.judged import judged_frames
from steelyard.flows.links import add_workers
from steelyard.flows.open import OpenCampaign
from steelyard.flows.source import Source, from_campaign, read_source
from steelyard.flows.verify import verify
from steelyard.store import judgements

AUTOMATED = Behaviour(hidden_ms=1500, n_pastes=2, straightness=0.25, is_automated=True)
BY_HAND = Behaviour(hidden_ms=0, n_pastes=0, straightness=None, is_automated=False)
SETTINGS = AnalysisSettings(check="none", method="mean-rating", method_settings=MethodSettings(draws=50))
COLUMNS = ("first_touch_seconds", "moves", "hidden_seconds", "straightness", "pastes", "automated")


Agree = Callable[..., None]


@pytest.fixture
def agree(ask_first: Callable[..., None]) -> Agree:
    """Lets a campaign ask for consent, perhaps to records of behaviour, and a worker agree to it or not."""

    def ask(people: Any, worker_id: str, *, behaviour: bool = True, agrees: bool = True) -> None:
        ask_first(people.campaign, CampaignEntry(Consent("You may stop at any time.", behaviour)))
        give_consent(people.campaign, worker_id, agrees=agrees, revision=2, now=people.start)

    return ask


def judged(people: Any, link: Any) -> OpenCampaign:
    """One item collected the quick way, one submitted with care, and the same without any summary."""
    view = people.next(link.worker_id)
    delivered: list[Delivered] = []
    collector = Collector(people.campaign, delivered.extend)
    answer = {"rating": 30, "first_touch_ms": 2500, "n_moves": 3}
    first = people.answer_to(view, judgement_id="j1", answer=answer, behaviour=AUTOMATED)
    collector.add(Arrival(link.token, first, people.start, None))
    collector.collect()
    [(_, reply)] = delivered
    second = people.answer_to(reply.next, judgement_id="j2", behaviour=BY_HAND)
    third = people.answer_to(people.send(link.worker_id, second), judgement_id="j3")
    people.send(link.worker_id, third)
    return people.campaign


def stored_behaviour(campaign: OpenCampaign, *names: str) -> list[Behaviour | None]:
    with campaign.store.read() as connection:
        found = [judgements.find(connection, name) for name in names]
    return [each.behaviour for each in found if each]


def flags(source: Source) -> list[str]:
    [remarks] = analyse(source, SETTINGS).workers["remarks"].to_list()
    return [remark for remark in remarks if "program" in remark]


def test_a_summary_is_stored_by_both_ways_and_reaches_flags_and_files(
    people: Any, agree: Agree, tmp_path: Path
) -> None:
    [link] = add_workers(people.campaign, 1, base_url="", now=people.start)
    # The campaign was opened before: what is asked is that of the revision.
    agree(people, link.worker_id)

    campaign = judged(people, link)

    assert stored_behaviour(campaign, "j1", "j2", "j3") == [AUTOMATED, BY_HAND, None]
    assert verify(campaign).is_sound
    path = tmp_path / "judgements.csv"
    export(campaign, path)
    with path.open(newline="") as file:
        rows = {row["judgement_id"]: [row[name] for name in COLUMNS] for row in csv.DictReader(file)}
    assert rows == {
        "j1": ["2.5", "3", "1.5", "0.25", "2", "true"],
        "j2": ["", "", "0.0", "", "0", "false"],
        "j3": [""] * 6,
    }
    read = read_source(str(path))
    assert read.warnings == ()
    assert flags(read) == flags(from_campaign(campaign))
    assert flags(read)[0].startswith("In 1 of 2 judgements (50 %)")
    of_worker = judged_frames(campaign, worker_id="W0001").handling
    assert page_handling(of_worker) == PageHandling(2, 1, 1.5, 2, 0.25, 1)


def test_without_consent_to_it_no_summary_is_stored(people: Any, agree: Agree, tmp_path: Path) -> None:
    [link] = add_workers(people.campaign, 1, base_url="", now=people.start)
    agree(people, link.worker_id, behaviour=False)

    campaign = judged(people, link)

    assert stored_behaviour(campaign, "j1", "j2") == [None, None]
    assert page_handling(judged_frames(campaign, worker_id="W0001").handling) is None
    export(campaign, tmp_path / "judgements.csv")
    header = (tmp_path / "judgements.csv").read_text("utf-8").splitlines()[0].split(",")
    assert {"first_touch_seconds", "moves"} == set(COLUMNS) & set(header)


def test_no_summary_is_stored_of_one_who_did_not_agree_or_no_longer_does(people: Any, agree: Agree) -> None:
    link, other = add_workers(people.campaign, 2, base_url="", now=people.start)
    begun, others = people.next(link.worker_id), people.next(other.worker_id)
    agree(people, link.worker_id)
    view = people.send(link.worker_id, people.answer_to(begun, judgement_id="j1", behaviour=BY_HAND))
    give_consent(people.campaign, link.worker_id, agrees=False, revision=2, now=people.at(1))

    people.send(link.worker_id, people.answer_to(view, judgement_id="j2", behaviour=BY_HAND), minute=2)
    # Of a page that asked nothing yet, and of one who has not said whether they agree.
    for number, revision in ((3, 1), (4, 2)):
        given = people.answer_to(others, judgement_id=f"j{number}", behaviour=BY_HAND, revision=revision)
        others = people.send(other.worker_id, given)

    assert stored_behaviour(people.campaign, "j1", "j2", "j3", "j4") == [BY_HAND, None, None, None]

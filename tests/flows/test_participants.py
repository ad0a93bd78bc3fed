"""People whom a crowd platform sends: one worker each, known again, kept out, forgotten, erased."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from steelyard.domain.entry import CampaignEntry
from steelyard.domain.errors import CampaignError, ChoiceError, Conflict, NotFound
from steelyard.domain.running import Rules
from steelyard.flows.entry_answers import answer_questions, give_consent
from steelyard.flows.erase import erase
from steelyard.flows.export import export
from steelyard.flows.links import LinkChanges, WorkerLink, change_links, join_campaign, links, renew_all
from steelyard.flows.log import log
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.participants import (
    admit_participants,
    exclude_participants,
    forget_ids,
    participants,
    welcome,
)
from steelyard.flows.rules import change_rules
from steelyard.formats.participants_file import participants_csv
from steelyard.store import running, tables

PID, OTHER = "5f0a1b2c3d4e5f60718293a4", "5f0a1b2c3d4e5f60718293a5"


def query(participant_id: str = PID, **more: str) -> list[tuple[str, str]]:
    return [("PROLIFIC_PID", participant_id), *more.items()]


def come(campaign: OpenCampaign, now: datetime, participant_id: str = PID, **more: str) -> WorkerLink:
    return join_campaign(campaign, base_url="", now=now, query=query(participant_id, **more))


def all_cells(campaign: OpenCampaign) -> str:
    """Everything that the database holds, as text."""
    with campaign.store.read() as connection:
        rows = [
            tuple(row) for table in tables.metadata.sorted_tables for row in connection.execute(select(table))
        ]
    return repr(rows)


@pytest.fixture
def prolific(people: Any) -> OpenCampaign:
    """The toy campaign, to which Prolific sends people."""
    people.rules(platform="prolific", completion_code="C1")
    return people.campaign


def test_an_id_is_one_worker_however_often_and_in_whichever_study_it_comes(
    prolific: OpenCampaign, noon: datetime
) -> None:
    first = come(prolific, noon, STUDY_ID="s1", SESSION_ID="v1")
    again = come(prolific, noon, STUDY_ID="s1", SESSION_ID="v1")
    later = come(prolific, noon, STUDY_ID="s2", SESSION_ID="v2")
    other = come(prolific, noon, OTHER)

    assert first.token == again.token == later.token != other.token
    known = participants(prolific).workers
    assert [(one.worker_id, one.platform, one.participant_id) for one in known] == [
        (first.worker_id, "prolific", PID),
        (other.worker_id, "prolific", OTHER),
    ]
    assert {(each.study_id, each.session_id) for each in known[0].sessions} == {("s1", "v1"), ("s2", "v2")}
    assert known[1].sessions == ()
    assert [action.verb for action in log(prolific)].count("join") == 2


def test_two_tabs_at_the_same_moment_make_one_worker(prolific: OpenCampaign, noon: datetime) -> None:
    with ThreadPoolExecutor(8) as tabs:
        found = list(tabs.map(lambda _: come(prolific, noon, SESSION_ID="v1").worker_id, range(16)))

    assert set(found) == {"W0001"}
    [known] = participants(prolific).workers
    assert len(known.sessions) == 1


@pytest.mark.parametrize(
    "given",
    [
        [],
        [("PROLIFIC_PID", "")],
        query("{{%PROLIFIC_PID%}}"),
        query(PID.upper()),
        query(f"{PID}0"),
        query(f"{PID}\n"),
        query("x" * 100_000),
        [*query(PID), *query(OTHER)],
        [("prolific_pid", PID)],
    ],
)
def test_nobody_joins_without_one_whole_id(
    prolific: OpenCampaign, noon: datetime, given: list[tuple[str, str]]
) -> None:
    with pytest.raises(Conflict) as refused:
        join_campaign(prolific, base_url="", now=noon, query=given)

    assert refused.value.code == "no_id"
    assert welcome(prolific, given) == "no_id"
    assert links(prolific, base_url="").workers == ()


def test_a_strange_session_is_left_out_and_keeps_nobody_away(prolific: OpenCampaign, noon: datetime) -> None:
    come(prolific, noon, STUDY_ID="a b", SESSION_ID="{{%SESSION_ID%}}")

    [known] = participants(prolific).workers
    assert known.sessions == ()


def test_without_a_platform_parameters_mean_nothing(people: Any, noon: datetime) -> None:
    first, second = come(people.campaign, noon), come(people.campaign, noon)

    assert first.worker_id != second.worker_id
    assert participants(people.campaign).workers == ()


def test_when_the_open_link_is_off_only_those_come_in_who_came_before(
    prolific: OpenCampaign, noon: datetime
) -> None:
    before = come(prolific, noon)
    change_rules(prolific, {"open_link": False}, by="manager", now=noon)

    assert come(prolific, noon).token == before.token
    assert (welcome(prolific, query()), welcome(prolific, query(OTHER))) == ("known", "open")
    with pytest.raises(Conflict, match="Nobody new"):
        come(prolific, noon, OTHER)
    change_links(prolific, LinkChanges(revoke=(before.worker_id,)), by="manager", now=noon)
    with pytest.raises(NotFound):
        come(prolific, noon)


def test_who_is_on_a_list_cannot_join_until_admitted_again(
    prolific: OpenCampaign, noon: datetime, tmp_path: Path
) -> None:
    come(prolific, noon, OTHER)
    (tmp_path / "ids.csv").write_text(f"worker_id,participant_id\nW1,{PID}\nW2,{OTHER}\n", "utf-8")
    (tmp_path / "ids.txt").write_text(f"{PID}\n\n{PID}\n", "utf-8")

    done = exclude_participants(prolific, str(tmp_path / "ids.csv"), by="manager", now=noon)
    again = exclude_participants(prolific, str(tmp_path / "ids.txt"), by="manager", now=noon)

    assert (done.n_changed, done.n_here, again.n_changed) == (2, 1, 0)
    assert welcome(prolific, query()) == "barred"
    with pytest.raises(Conflict) as refused:
        come(prolific, noon)
    assert refused.value.code == "barred"
    # Who works here already is not stopped halfway.
    assert come(prolific, noon, OTHER).worker_id == "W0001"
    assert PID not in all_cells(prolific)
    assert admit_participants(prolific, str(tmp_path / "ids.txt"), by="manager", now=noon).n_changed == 1
    assert come(prolific, noon).worker_id == "W0002"


def test_who_took_part_in_another_campaign_cannot_join(
    prolific: OpenCampaign, noon: datetime, created_in_sqlite: str, tmp_path: Path
) -> None:
    other = str(shutil.copy(created_in_sqlite, tmp_path / "earlier.db"))
    with open_campaign(other) as earlier:
        with earlier.store.write() as connection:
            running.set_rules(connection, Rules(platform="url-parameter", id_parameter="PROLIFIC_PID"))
        come(earlier, noon)

    done = exclude_participants(prolific, other, by="manager", now=noon)

    assert (done.n_changed, done.n_forgotten) == (1, 0)
    assert (welcome(prolific, query()), welcome(prolific, query(OTHER))) == ("barred", "open")
    with open_campaign(other) as earlier:
        forget_ids(earlier, by="manager", now=noon)
    assert exclude_participants(prolific, other, by="manager", now=noon).n_forgotten == 1
    if prolific.store.file is not None:
        with pytest.raises(ChoiceError, match="the campaign itself"):
            exclude_participants(prolific, str(prolific.store.file), by="manager", now=noon)


def test_nothing_of_an_id_is_left_once_it_is_erased(prolific: OpenCampaign, noon: datetime) -> None:
    worker = come(prolific, noon, STUDY_ID="study-1", SESSION_ID="visit-1").worker_id
    [row] = _rows(prolific)

    done = erase(prolific, worker, by="manager", now=noon)

    assert done.was_participant
    left = all_cells(prolific)
    assert not [word for word in (PID, row.pseudonym, "study-1", "visit-1") if word in left]
    # Nobody can tell any more that it is the same person.
    assert come(prolific, noon).worker_id != worker
    assert not erase(prolific, worker, by="manager", now=noon).was_participant


def test_forgotten_ids_are_gone_and_their_owners_known_again(prolific: OpenCampaign, noon: datetime) -> None:
    before = come(prolific, noon, SESSION_ID="visit-1")

    assert forget_ids(prolific, by="manager", now=noon) == 1

    left = all_cells(prolific)
    assert PID not in left
    assert "visit-1" not in left
    assert come(prolific, noon).token == before.token
    assert forget_ids(prolific, by="manager", now=noon) == 0


def test_a_new_secret_knows_those_whose_ids_are_there_and_says_how_many_are_lost(
    prolific: OpenCampaign, noon: datetime, tmp_path: Path
) -> None:
    worker = come(prolific, noon).worker_id
    (tmp_path / "ids.txt").write_text(OTHER, "utf-8")
    exclude_participants(prolific, str(tmp_path / "ids.txt"), by="manager", now=noon)

    assert renew_all(prolific, by="manager", now=noon) == 1
    assert come(prolific, noon).worker_id == worker
    assert welcome(prolific, query(OTHER)) == "open"
    forget_ids(prolific, by="manager", now=noon)
    assert renew_all(prolific, by="manager", now=noon) == 1
    assert come(prolific, noon).worker_id != worker


def test_an_id_is_in_its_own_table_alone_and_in_no_export(
    people: Any, prolific: OpenCampaign, noon: datetime, tmp_path: Path
) -> None:
    worker = come(prolific, noon, SESSION_ID="visit-1").worker_id
    people.finish(worker)

    export(prolific, tmp_path / "judgements.csv")

    assert worker in (tmp_path / "judgements.csv").read_text("utf-8")
    assert PID not in (tmp_path / "judgements.csv").read_text("utf-8")
    assert all_cells(prolific).count(PID) == 1
    [known] = participants(prolific).workers
    assert (known.hits, known.judged) == (1, people.status(worker).n_judged)


def test_a_finished_set_gives_the_code_and_the_way_back(
    people: Any, prolific: OpenCampaign, noon: datetime
) -> None:
    worker = come(prolific, noon).worker_id
    assert people.status(worker).completion is None

    people.finish(worker)

    found = people.status(worker).completion
    assert (found.code, found.url) == ("C1", "https://app.prolific.com/submissions/complete?cc=C1")
    sona = "https://school.sona-systems.com/webstudy_credit.aspx?experiment_id=1&survey_code={id}"
    people.rules(platform="sona", completion_url=sona)
    assert people.status(worker).completion.url == sona.format(id=PID)
    # What would be wrong without the id is not offered to those who have none.
    [stranger] = people.add()
    people.finish(stranger)
    assert people.status(stranger).completion is None


def test_who_is_blocked_before_the_end_has_a_code_of_their_own(
    people: Any, prolific: OpenCampaign, noon: datetime
) -> None:
    people.rules(platform="prolific", completion_code="C1", blocked_code="B 1".replace(" ", "&"))
    early, late = come(prolific, noon).worker_id, come(prolific, noon, OTHER).worker_id
    people.finish(late)
    for worker in (early, late):
        people.block(worker)

    found, finished = people.status(early).completion, people.status(late).completion

    assert (found.code, found.is_finished) == ("B&1", False)
    assert found.url == "https://app.prolific.com/submissions/complete?cc=B%261"
    assert (finished.code, finished.is_finished) == ("C1", True)
    # An address that tells the platform nothing but that somebody has finished is not for them.
    people.rules(completion_url="https://crowd.example/done", blocked_code="B1")
    assert people.status(early).completion.url is None
    people.rules(platform="prolific", completion_code="C1")
    assert people.status(early).completion is None


def test_who_is_screened_out_has_a_code_of_their_own(
    people: Any, prolific: OpenCampaign, noon: datetime, ask_first: Callable[..., None]
) -> None:
    ask_first(prolific)
    people.rules(platform="prolific", completion_code="C1", screened_code="S1")
    worker = come(prolific, noon).worker_id
    give_consent(prolific, worker, agrees=True, revision=2, now=noon)
    answer_questions(prolific, worker, {"native": "No", "age": 40}, now=noon)

    status = people.status(worker)

    assert status.state == "screened"
    assert status.completion.url == "https://app.prolific.com/submissions/complete?cc=S1"
    assert not status.completion.is_finished


def test_when_somebody_agreed_and_to_which_text_stands_beside_their_id(
    prolific: OpenCampaign, noon: datetime, ask_first: Callable[..., None], asked: CampaignEntry
) -> None:
    ask_first(prolific)
    stays, leaves = come(prolific, noon).worker_id, come(prolific, noon, OTHER).worker_id
    later, last = noon + timedelta(hours=1), noon + timedelta(hours=2)
    for worker, time in ((stays, later), (leaves, noon)):
        give_consent(prolific, worker, agrees=True, revision=2, now=time)
    give_consent(prolific, leaves, agrees=False, revision=2, now=last)

    found = {each.participant_id: each for each in participants(prolific).workers}

    assert asked.consent is not None
    version = asked.consent.version
    said = {each: (one.agreed_at, one.consent_version, one.withdrew_at) for each, one in found.items()}
    assert said == {PID: (later, version, None), OTHER: (noon, version, last)}
    first, *rows = participants_csv(found.values()).splitlines()
    assert first.endswith("is_blocked,agreed_at,consent_version,withdrew_at")
    assert rows[0].endswith(f",false,2024-05-01T13:00:00+00:00,{version},")
    assert rows[1].endswith(f",false,2024-05-01T12:00:00+00:00,{version},2024-05-01T14:00:00+00:00")


def test_the_open_link_is_ready_to_be_pasted(people: Any) -> None:
    def open_url(**rules: Any) -> str:
        people.rules(**rules)
        return links(people.campaign, base_url="https://here").open_url.partition("?")[2]

    prolific = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    assert open_url(platform="prolific") == prolific
    assert open_url(platform="prolific", id_parameter="pid").startswith("pid={{%PROLIFIC_PID%}}&STUDY_ID=")
    assert open_url(platform="sona") == "id=%SURVEY_CODE%"
    # These add what they have to say by themselves.
    assert open_url(platform="connect") == open_url(platform="besample") == open_url() == ""
    # Nobody can join by what is pasted without being filled in.
    assert open_url(platform="url-parameter", id_parameter="worker") == "worker={PARTICIPANT_ID}"
    assert welcome(people.campaign, [("worker", "{PARTICIPANT_ID}")]) == "no_id"
    assert welcome(people.campaign, [("worker", "anna-1")]) == "open"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"platform": "prolfic"}, r'no platform "?\'?prolfic'),
        ({"platform": "url-parameter"}, "url-parameter needs the parameter"),
        ({"id_parameter": "pid"}, "local sends nobody, so id_parameter means nothing"),
        ({"platform": "prolific", "id_pattern": "(a+)+"}, "needs a simple regular expression"),
        ({"platform": "prolific", "id_pattern": "a*a*a*a*b"}, "needs a simple regular expression"),
        ({"platform": "prolific", "id_pattern": "[a"}, "needs a simple regular expression"),
        ({"platform": "prolific", "screened_code": "two words"}, "needs a code of up to 100"),
    ],
)
def test_a_platform_that_cannot_work_is_refused(
    people: Any, noon: datetime, changes: dict[str, Any], problem: str
) -> None:
    with pytest.raises(CampaignError, match=problem):
        change_rules(people.campaign, changes, by="manager", now=noon)


def test_a_campaign_that_is_running_is_upgraded_and_takes_participants(
    people: Any, address: str, noon: datetime
) -> None:
    campaign = people.campaign
    [worker] = people.add()
    people.judge(worker, 1)
    with campaign.store.write() as connection:
        of_9 = ("notices", "transfers", "crowd_sessions", "listings")
        for table in (*of_9, "platform_sessions", "participants", "barred_participants"):
            connection.exec_driver_sql(f"DROP TABLE {table}")
        connection.exec_driver_sql("DELETE FROM schema_versions WHERE version >= 8")
    campaign.store.close()

    with open_campaign(address) as upgraded:
        change_rules(upgraded, {"platform": "prolific"}, by="manager", now=noon)
        assert come(upgraded, noon).worker_id == "W0002"
        assert [link.platform for link in links(upgraded, base_url="").workers] == ["", "prolific"]


def _rows(campaign: OpenCampaign) -> list[Any]:
    with campaign.store.read() as connection:
        return list(connection.execute(select(tables.participants)))

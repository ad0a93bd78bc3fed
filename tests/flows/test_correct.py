from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from steelyard.domain.entry import CampaignEntry
from steelyard.domain.errors import CampaignError, ChoiceError
from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.correct import Correction, correct, seen_revisions
from steelyard.flows.export import export
from steelyard.flows.links import add_workers
from steelyard.flows.open import OpenCampaign
from steelyard.flows.source import from_campaign, read_source
from steelyard.flows.state import campaign_now
from steelyard.flows.submit import Submission, submit
from steelyard.formats.words_file import to_toml
from steelyard.store.actions import logged_actions
from steelyard.store.running import add_revision


def words_of(campaign: OpenCampaign) -> str:
    return to_toml(campaign_now(campaign).settings.presentation["words"])


def test_a_new_title_leaves_everything_else_as_it_was(campaign: OpenCampaign, noon: datetime) -> None:
    before = campaign_now(campaign)

    correct(campaign, Correction(title="For native speakers"), by="manager", now=noon)

    now = campaign_now(campaign)
    assert (now.settings.title, now.revision) == ("For native speakers", 2)
    assert now.settings.presentation == before.settings.presentation


def test_new_words_change_the_words_only(campaign: OpenCampaign, noon: datetime) -> None:
    before = campaign_now(campaign).settings
    file = words_of(campaign).replace("How", "In what way")
    assert file != words_of(campaign)

    correct(campaign, Correction(instructions=file), by="manager", now=noon)

    after = campaign_now(campaign).settings
    assert words_of(campaign) == file
    assert after.title == before.title
    assert {**after.presentation, "words": None} == {**before.presentation, "words": None}


def test_a_campaign_of_an_earlier_version_is_corrected_in_the_words_it_has(
    campaign: OpenCampaign, noon: datetime
) -> None:
    older = {
        **campaign.settings.presentation["words"],
        "labels": {"grey": "Grey text", "black": "Black text"},
    }
    presentation = {**campaign.settings.presentation, "words": older}
    with campaign.store.write() as connection:
        add_revision(connection, campaign.settings.title, presentation, now=noon)
    recorded = replace(campaign, settings=replace(campaign.settings, presentation=presentation))

    words = {**older, "labels": {"grey": "Grey words", "black": "Black words"}}
    corrected = correct(recorded, Correction(instructions=to_toml(words)), by="manager", now=noon)

    assert corrected.revision.presentation["words"]["labels"]["grey"] == "Grey words"


def test_a_correction_is_logged_with_its_reason(campaign: OpenCampaign, noon: datetime) -> None:
    before = campaign.settings.title

    correct(campaign, Correction(title="Other", reason="a typo"), by="command line", now=noon)

    with campaign.store.read() as connection:
        [action] = logged_actions(connection)
    assert (action.verb, action.reason) == ("correct", "a typo")
    assert action.detail == {"revision": 2, "title": {"before": before, "after": "Other"}}


def test_a_correction_that_changes_nothing_makes_no_revision(
    campaign: OpenCampaign, noon: datetime, ask_first: Callable[..., None], asked: CampaignEntry
) -> None:
    ask_first(campaign)
    assert asked.consent is not None
    same = Correction(campaign.settings.title, words_of(campaign), consent=f"{asked.consent.text}\n")

    assert not correct(campaign, same, by="manager", now=noon).is_new

    assert len(seen_revisions(campaign)) == 2


def test_all_problems_of_a_correction_come_in_one_message(campaign: OpenCampaign, noon: datetime) -> None:
    words = words_of(campaign).replace("language = ", "langauge = ")

    with pytest.raises(CampaignError) as caught:
        correct(campaign, Correction("", words), by="manager", now=noon)

    text = str(caught.value)
    assert '[campaign] "title" may not be empty.' in text
    assert "language: missing" in text
    assert "langauge: unknown; remove it." in text
    assert len(seen_revisions(campaign)) == 1


def test_words_that_are_no_toml_are_refused(campaign: OpenCampaign, noon: datetime) -> None:
    with pytest.raises(CampaignError, match=r"own\.toml: is not valid TOML"):
        correct(campaign, Correction(instructions="hint = ", file="own.toml"), by="manager", now=noon)


def test_a_title_that_a_database_cannot_hold_is_refused(campaign: OpenCampaign, noon: datetime) -> None:
    with pytest.raises(CampaignError, match="must be one line, without control characters"):
        correct(campaign, Correction(title="Half\0way"), by="manager", now=noon)


def test_an_empty_correction_is_refused(campaign: OpenCampaign, noon: datetime) -> None:
    with pytest.raises(ChoiceError, match="Give a new title, new instructions, or a new consent text"):
        correct(campaign, Correction(reason="none"), by="manager", now=noon)


def test_words_in_another_language_than_the_texts_cause_a_warning(
    campaign: OpenCampaign, noon: datetime
) -> None:
    words = words_of(campaign).replace('language = "en"', 'language = "fr"')

    correct(campaign, Correction(instructions=words), by="manager", now=noon)

    first, second = seen_revisions(campaign)
    assert first.warnings == ()
    assert 'say that they are in "fr"' in second.warnings[0]


def test_revisions_say_what_they_changed_and_when(campaign: OpenCampaign, noon: datetime) -> None:
    later = noon + timedelta(hours=1)
    correct(campaign, Correction(title="Other"), by="manager", now=later)
    words = words_of(campaign).replace("How", "In what way")
    correct(campaign, Correction(instructions=words), by="manager", now=later)

    seen = seen_revisions(campaign)

    assert [(each.new_title, each.new_words) for each in seen] == [
        (False, False),
        (True, False),
        (False, True),
    ]
    assert [each.revision.made_at for each in seen] == [noon, later, later]


def test_corrections_at_the_same_moment_are_revisions_one_after_the_other(
    campaign: OpenCampaign, noon: datetime
) -> None:
    titles = ["one", "two", "three"]

    def retitle(title: str) -> int:
        return correct(campaign, Correction(title=title), by="manager", now=noon).revision.revision

    with ThreadPoolExecutor(len(titles)) as managers:
        numbers = list(managers.map(retitle, titles))

    assert sorted(numbers) == [2, 3, 4]
    found = {each.revision.revision: each.revision.title for each in seen_revisions(campaign)}
    assert [found[number] for number in numbers] == titles


Judge = Callable[..., None]


@pytest.fixture
def judge(campaign: OpenCampaign, noon: datetime) -> Judge:
    """Lets a worker judge the next item, having seen a revision of the words, or the latest."""
    [worker] = add_workers(campaign, 1, base_url="", now=noon)

    def judge_next(name: str, revision: int | None = None) -> None:
        view = next_item(campaign, worker.worker_id, now=noon)
        assert isinstance(view, NextItem)
        given = Submission(name, view.assignment_id, view.item.item_id, {"rating": 50}, 900, revision)
        submit(campaign, worker.worker_id, given, now=noon)

    return judge_next


@pytest.fixture
def judged(campaign: OpenCampaign, judge: Judge, noon: datetime) -> OpenCampaign:
    """A campaign whose instructions were corrected after the first of three judgements."""
    judge("first")
    words = words_of(campaign).replace("How", "In what way")
    correct(campaign, Correction(instructions=words), by="manager", now=noon)
    judge("on its way when the words changed", 1)
    judge("afterwards")
    return campaign


def test_each_judgement_counts_for_the_revision_that_its_worker_saw(judged: OpenCampaign) -> None:
    assert [seen.n_judgements for seen in seen_revisions(judged)] == [2, 1]


def test_an_export_names_the_revision_of_each_judgement(judged: OpenCampaign, tmp_path: Path) -> None:
    export(judged, tmp_path / "judgements.csv")

    table = pl.read_csv(tmp_path / "judgements.csv").unique("judgement_id")
    assert dict(table.select("judgement_id", "revision").iter_rows()) == {
        "first": 1,
        "on its way when the words changed": 1,
        "afterwards": 2,
    }
    assert read_source(str(tmp_path / "judgements.csv")).warnings == ()


def test_without_corrections_an_export_has_no_column_for_them(
    campaign: OpenCampaign, judge: Judge, tmp_path: Path
) -> None:
    judge("only")

    export(campaign, tmp_path / "judgements.csv")

    assert "revision" not in pl.read_csv(tmp_path / "judgements.csv").columns


def test_an_analysis_says_when_the_words_changed_and_who_saw_which(judged: OpenCampaign) -> None:
    [note] = from_campaign(judged).warnings

    assert "corrected while the campaign ran: instructions on 2024-05-01 12:00 UTC." in note
    assert note.endswith("Judgements given: 2 under revision 1, 1 under revision 2.")


def test_a_correction_before_the_first_judgement_needs_no_mention(
    campaign: OpenCampaign, judge: Judge, noon: datetime
) -> None:
    correct(campaign, Correction(title="Other"), by="manager", now=noon)
    judge("only")

    assert from_campaign(campaign).warnings == ()

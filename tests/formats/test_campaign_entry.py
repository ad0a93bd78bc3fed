"""Consent, questions and training in campaign files: what they become, and how each mistake is answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from steelyard.domain.entry import CampaignEntry, Consent, EntryQuestion, TrainingItem, entry_in
from steelyard.domain.errors import CampaignError
from steelyard.domain.judgement import RatingRow, Said
from steelyard.formats.campaign_entry import consent_text, entry_of
from steelyard.formats.campaign_files import CampaignFiles
from steelyard.formats.campaign_mistakes import parse_tables
from steelyard.formats.campaign_toml import CampaignSource, read_campaign
from steelyard.protocols import protocols

Read = Callable[..., CampaignSource]
TRAINING = '[[training]]\nreference = "A hat."\ntext = "One hat."\nfeedback = "Nearly."\n'
QUESTION = '[[questions]]\nname = "native"\ntext = "Native?"\nchoices = ["Yes", "No"]\n'


def problems(read_with: Read, more: str) -> list[str]:
    with pytest.raises(CampaignError) as caught:
        read_with(more=more)
    return list(caught.value.problems)


def test_a_file_without_the_tables_asks_nobody(read_with: Read) -> None:
    assert entry_in(read_with().campaign.settings.presentation) is None


def test_the_tables_become_what_comes_before_the_first_set(read_with: Read, folder: Path) -> None:
    (folder / "consent.txt").write_text("\ufeffWe store  \r\nanswers.\r\n\r\nStop any time.\r\n", "utf-8")
    tables = f"""
[consent]
file = "consent.txt"
{QUESTION}accept = ["Yes"]
[[questions]]
name = "languages"
text = "Which do you read?"
choices = ["German", "French"]
several = true
optional = true
[[questions]]
name = "age"
text = "Age?"
number = true
minimum = 18
[[questions]]
name = "city"
text = "Where do you live?"
{TRAINING}expected = [40, 90.5]
"""

    entry = entry_in(read_with(more=tables).campaign.settings.presentation)

    assert entry == CampaignEntry(
        Consent("We store answers.\n\nStop any time."),
        (
            EntryQuestion("native", "Native?", "choice", ("Yes", "No"), ("Yes",)),
            EntryQuestion("languages", "Which do you read?", "choices", ("German", "French"), optional=True),
            EntryQuestion("age", "Age?", "number", minimum=18),
            EntryQuestion("city", "Where do you live?", "text"),
        ),
        (TrainingItem(("One hat.",), "Nearly.", reference="A hat.", expected=((40, 90.5),)),),
    )


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("We store\nyour answers.\n \t\nStop.", "We store your answers.\n\nStop."),
        ("You may\n1. stop,\n2) ask,\n• go.", "You may\n1. stop,\n2) ask,\n• go."),
        ("Write to\nus. We\na) reply,\n(b) erase.", "Write to us. We\na) reply,\n(b) erase."),
        ("我们保存\n您的回答。\nABC", "我们保存您的回答。 ABC"),
    ],
)
def test_line_ends_of_an_editor_are_none_of_the_text(written: str, text: str) -> None:
    assert consent_text(written, where="consent.txt") == text


def test_another_text_and_another_use_of_behaviour_are_another_version() -> None:
    versions = {Consent(text, behaviour).version for text in ("a", "b") for behaviour in (True, False)}

    assert len(versions) == 4


@pytest.mark.parametrize(
    ("tables", "problem"),
    [
        ("[consent]\nbehaviour = true\n", "[consent] needs either file or text."),
        ('[consent]\nfile = "c.txt"\ntext = "x"\n', "[consent] has both file and text; leave one out."),
        ('[consent]\ntext = "  \\n "\n', "[consent] text: the consent text is empty."),
        ('[consent]\nfile = "gone.txt"\n', "gone.txt: there is no such file."),
        (QUESTION * 2, 'the name "native" is used 2 times; give each its own.'),
        (QUESTION.replace("native", "first language"), '"name" may hold letters, digits'),
        (QUESTION + 'accept = ["Yes", "Maybe"]\n', 'accept names "Maybe", which is none of the choices'),
        (QUESTION + 'accept = ["Yes", "No"]\n', "accept names every choice, so it screens nobody"),
        (QUESTION + 'accept = ["Yes"]\noptional = true\n', "a question that screens must be answered"),
        (QUESTION + "number = true\n", "has choices and number = true"),
        (QUESTION.replace('"No"', '"Yes"'), "the choices must differ"),
        (QUESTION + "minimum = 3\n", "minimum and maximum are for numbers"),
        ('[[questions]]\nname = "a"\ntext = "?"\nseveral = true\n', "several = true needs choices"),
        ('[[questions]]\nname = "a"\ntext = "?"\nnumber = true\naccept = ["3"]\n', "accept needs choices"),
        (
            '[[questions]]\nname = "a"\ntext = "?"\nnumber = true\nminimum = 3\nmaximum = 2\n',
            "no number lies between a minimum of 3 and a maximum of 2; swap the two.",
        ),
        (TRAINING.replace('reference = "A hat."\n', ""), "workers see the reference: give it as reference."),
        (TRAINING + 'source = "Ein Hut."\n', "workers do not see the source in this campaign"),
        (TRAINING.replace('text = "One hat."\n', ""), "da shows one translation: give it as text."),
        (TRAINING + 'texts = ["a", "b"]\n', "has both text and texts"),
        (TRAINING.replace("Nearly.", " "), "the feedback is empty"),
        (TRAINING + "expected = [90, 40]\n", "expected goes from 90 to 40; put the lower one first."),
        (TRAINING + "expected = [40, 101]\n", "beyond the scale of da, which goes from 0 to 100."),
        (TRAINING + "expected = [40]\n", '"expected" needs at least 2 entries in its brackets, and has 1.'),
        (
            TRAINING + "expected = [1, 2, 3]\n",
            '"expected" needs at most 2 entries in its brackets, and has 3.',
        ),
        (TRAINING + "expected = 50\n", '"expected" needs a list in brackets, such as [70, 100].'),
        (QUESTION + "accept = []\n", '"accept" needs at least 1 entry in its brackets, and has none.'),
        (QUESTION + 'accept = "Yes"\n', '"accept" needs a list in brackets, such as ["Yes"].'),
        (TRAINING + 'preferred = ["a"]\n', "preferred is for protocols that compare, and da does not"),
        ('[rules]\ncompletion_url = "javascript:alert(1)"\n', "begins with https:// or http://"),
        ('[rules]\ncompletion_url = "https://"\n', "needs a complete address"),
        ('[rules]\ncompletion_url = "https://a:x/"\n', "needs a complete address"),
        ('[rules]\ncompletion_code = "C1 A2"\n', "without spaces"),
    ],
)
def test_each_mistake_is_answered_with_what_to_do(read_with: Read, tables: str, problem: str) -> None:
    [found] = problems(read_with, tables)

    assert problem in found


def test_pay_that_nobody_knows_cannot_be_told(read_with: Read) -> None:
    told = "[pay]\ntell_workers = true\n"

    assert read_with(more=f"{told}wage = 12.0\n").warnings == ()
    [warning] = read_with(more=told).warnings
    assert "neither wage nor per_hit" in warning


def test_all_mistakes_are_told_at_once(read_with: Read) -> None:
    tables = f'[consent]\n{QUESTION}accept = ["Si"]\n{TRAINING}expected = [5, 1]\npreferred = ["b"]\n'

    found = problems(read_with, tables)

    assert len(found) == 5
    assert any("[[training]] number 1: has both expected and preferred" in each for each in found)


def entry_problems(raw: dict[str, Any], protocol: Any) -> list[str]:
    campaign = {"name": "a", "title": "A", "protocol": protocol.name, "attribute": protocol.attributes[0]}
    campaign |= {"source_language": "de", "target_language": "en"}
    parsed, mistakes = parse_tables({"campaign": campaign, "texts": {}, **raw})
    assert parsed is not None, mistakes
    files = CampaignFiles(Path())
    entry_of(parsed, protocol, protocol.shows[protocol.attributes[0]], files)
    return files.problems


def test_a_range_is_refused_where_an_answer_is_no_single_rating() -> None:
    da = protocols()["da"]
    two = Said(ratings=(RatingRow(0, "meaning", 1.0), RatingRow(0, "tone", 2.0)))
    example = {"reference": "A hat.", "text": "One hat.", "feedback": "Nearly.", "expected": [1, 2]}
    pair = {"source": "Ein Hut.", "texts": ["A hat.", "Hat."], "feedback": "So.", "expected": [1, 2]}

    [several] = entry_problems({"training": [example]}, replace(da, rows=lambda *_: two))
    [none] = entry_problems({"training": [pair]}, protocols()["pairwise"])

    assert "expected is a range of one rating, and da asks for several" in several
    assert "expected is a range of ratings, and pairwise gives none; use preferred." in none


def test_what_compares_needs_as_many_texts_as_it_shows() -> None:
    pair = {"source": "Ein Hut.", "text": "A hat.", "feedback": "So.", "preferred": ["a"]}

    [found] = entry_problems({"training": [pair]}, protocols()["pairwise"])

    assert 'pairwise shows 2 translations: give them as texts = ["…", "…"].' in found


def uncommented(example: str) -> str:
    """The example with what it offers: the block that begins with [consent], and the two keys of a code."""
    lines, is_inside = [], False
    for line in example.splitlines():
        is_inside = line.startswith("#") and (is_inside or line == "# [consent]")
        offered = is_inside or line.startswith(("# completion_", "# tell_workers"))
        lines.append(line.removeprefix("#").removeprefix(" ") if offered else line)
    return "\n".join(lines)


@pytest.mark.parametrize("name", sorted(protocols()))
def test_what_an_example_offers_in_comments_is_accepted(name: str, tmp_path: Path) -> None:
    example = (protocols()[name].folder / "example.toml").read_text("utf-8")
    (tmp_path / "campaign.toml").write_text(uncommented(example), "utf-8")

    source = read_campaign(tmp_path / "campaign.toml")

    settings = source.campaign.settings
    entry = entry_in(settings.presentation)
    assert entry is not None
    assert entry.consent is not None
    assert len(entry.consent.text.split("\n\n")) == 3
    assert [question.name for question in entry.questions] == ["native", "experience"]
    assert all(item.expected or item.preferred or item.spans for item in entry.training)
    assert len(entry.training) == 2
    assert (settings.rules.completion_code, settings.rules.tell_pay) == ("C1A2B3", True)
    assert source.warnings == ()

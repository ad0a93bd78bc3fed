"""The consent text to fill in says what is true of a campaign; what is not filled in is noticed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from steelyard.domain.entry import CampaignEntry, Consent
from steelyard.domain.errors import CampaignError
from steelyard.domain.running import Rules
from steelyard.flows.consent import ConsentFacts, consent_example, consent_facts, consent_warnings, unfilled
from steelyard.flows.create import design
from steelyard.formats.campaign_entry import consent_text

# What a platform asks for, and how the text answers it.
SEVEN = {
    "what data": ("What we store", "when each arrived"),
    "use": ("What we use it for", "to find out how well systems translate"),
    "storage and duration": ("Where we store it, and for how long", "and then erased"),
    "anonymity": ("Whether you can be recognised", "under a number, not under your name"),
    "sharing": ("Who else gets it", "We may publish"),
    "withdrawal and deletion": ("How to stop, and how to have your data deleted", "have it deleted"),
    "legal basis": ("On what legal basis", "The legal basis is your consent"),
}


def flowing(text: str) -> str:
    """The text as workers read it."""
    return consent_text(text, where="consent.txt")


def sections(text: str) -> dict[str, str]:
    parts = re.split(r"^# (.+)$", flowing(text), flags=re.MULTILINE)[1:]
    return {title: said.strip() for title, said in zip(parts[::2], parts[1::2], strict=True)}


@pytest.mark.parametrize("point", SEVEN)
@pytest.mark.parametrize("platform", [None, "Prolific"])
def test_each_of_the_seven_points_has_a_heading_of_its_own(point: str, platform: str | None) -> None:
    heading, words = SEVEN[point]

    assert words in sections(consent_example(ConsentFacts(platform=platform)))[heading]


def test_the_text_says_what_is_true_of_the_campaign(campaign_file: Path) -> None:
    text = campaign_file.read_text("utf-8").partition("[rules]\n")[0]
    plain = f'{text}\n[rules]\nretain_until = "2030-12-31"\n'
    campaign_file.write_text(plain, "utf-8")
    bare = sections(consent_example(consent_facts(campaign_file)))
    campaign_file.write_text(
        f'{plain}hits_per_worker = 1\n[pay]\nwage = 12.0\ncurrency = "EUR"\n[platform]\nname = "prolific"\n'
        '[consent]\nfile = "not-there-yet.txt"\nbehaviour = false\n'
        '[[questions]]\nname = "native"\ntext = "Native?"\n',
        "utf-8",
    )
    full = sections(consent_example(consent_facts(campaign_file)))

    for found in (bare, full):
        assert "kept until 31 December 2030 at the latest" in found["Where we store it, and for how long"]
    assert "An hour of work is paid with EUR 12.00." in full["What this is about"]
    assert "is paid with" not in bare["What this is about"]
    data, more = bare["What we store"], full["What we store"]
    assert ("about yourself" in data, "about yourself" in more) == (False, True)
    assert ("e-mail" in data, "your id at Prolific" in more) == (True, True)
    assert ("what you were paid" in data, "what you were paid" in more) == (False, True)
    assert ("told at the end" in data, "told at the end" in more) == (True, False)
    assert "practice" not in data + more
    assert "us through Prolific" in full["How to stop, and how to have your data deleted"]


def test_a_platform_without_a_name_is_left_to_the_organiser(campaign_file: Path) -> None:
    with campaign_file.open("a", encoding="utf-8") as file:
        file.write('[platform]\nname = "url-parameter"\nid_parameter = "worker"\n')

    text = flowing(consent_example(consent_facts(campaign_file)))

    assert "your id at [NAME OF THE PLATFORM]" in text


def test_a_file_that_is_no_campaign_is_refused(tmp_path: Path) -> None:
    (tmp_path / "campaign.toml").write_text("[pay]\nwage = -1\n", "utf-8")

    with pytest.raises(CampaignError):
        consent_facts(tmp_path / "campaign.toml")


def test_what_is_not_filled_in_is_noticed() -> None:
    text = flowing(consent_example(ConsentFacts()))
    places = dict.fromkeys(re.findall(r"\[[^\]]+\]", text))
    filled = re.sub(r"\[[^\]]+\]", "something", text)

    [told] = unfilled(text)

    assert told.endswith(f"{', '.join(list(places)[:4])} and {len(places) - 4} more.")
    assert not unfilled(filled)


@pytest.mark.parametrize(
    ("platform", "text", "warning"),
    [
        ("local", None, None),
        ("prolific", None, "Prolific asks that people agree to a consent text"),
        ("prolific", "We are the University of Lindersund [1].", None),
        ("local", "We are [NAME OF YOUR INSTITUTION].", "[NAME OF YOUR INSTITUTION]"),
    ],
)
def test_campaigns_without_a_whole_text_are_warned_of(
    platform: str, text: str | None, warning: str | None
) -> None:
    entry = CampaignEntry(None if text is None else Consent(text))

    found = consent_warnings(Rules(platform=platform), {"entry": entry.recorded})

    assert len(found) == (warning is not None)
    assert warning is None or warning in found[0]


def test_creating_such_a_campaign_warns_and_does_not_refuse(campaign_file: Path) -> None:
    with campaign_file.open("a", encoding="utf-8") as file:
        file.write('[platform]\nname = "prolific"\n[consent]\ntext = "We are [NAME OF YOUR INSTITUTION]."\n')

    designed = design(campaign_file)

    assert any("[NAME OF YOUR INSTITUTION]" in warning for warning in designed.warnings)

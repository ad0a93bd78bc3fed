"""Campaign files: what they become, and how each mistake is answered."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from steelyard.domain.errors import CampaignError
from steelyard.formats.campaign_toml import read
from steelyard.protocols import protocols

GOOD = """
[campaign]
name = "toy"
title = "A toy"
protocol = "da"
attribute = "adequacy"
source_language = "de"
target_language = "en"

[texts]
source = "source.txt"
reference = "reference.txt"

[[systems]]
name = "alpha"
translations = "alpha.txt"

[[systems]]
name = "beta"
translations = "beta.txt"
is_human = true

[design]
hit_size = 50
"""
N_LINES = 20


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A good campaign file and its texts, 2 systems x 20 segments."""
    for name in ("source", "reference", "alpha", "beta"):
        lines = [f"{name} sentence number {k} is here" for k in range(1, N_LINES + 1)]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    (tmp_path / "campaign.toml").write_text(GOOD, "utf-8")
    return tmp_path


def problems_after(folder: Path, old: str, new: str) -> str:
    """The error text for the good file with one part replaced."""
    assert old in GOOD
    path = folder / "campaign.toml"
    path.write_text(GOOD.replace(old, new, 1), "utf-8")
    with pytest.raises(CampaignError) as caught:
        read(path)
    return str(caught.value)


def test_a_good_file_becomes_a_campaign(folder: Path) -> None:
    campaign = read(folder / "campaign.toml")

    assert [(system.system_id, system.is_human) for system in campaign.systems] == [
        ("alpha", False),
        ("beta", True),
    ]
    assert len(campaign.segments) == N_LINES
    assert campaign.segments[2].reference == "reference sentence number 3 is here"
    assert campaign.translations["beta"][0] == "beta sentence number 1 is here"
    assert campaign.settings.check == "paired-t"


@pytest.mark.parametrize("name", sorted(protocols()))
def test_the_example_of_every_protocol_is_accepted_as_it_is(name: str) -> None:
    campaign = read(protocols()[name].folder / "example.toml")

    assert campaign.settings.protocol == name


def test_byte_order_mark_crlf_and_gzip_make_no_difference(folder: Path) -> None:
    plain = read(folder / "campaign.toml")
    text = (folder / "source.txt").read_text("utf-8")
    (folder / "source.txt").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    (folder / "alpha.txt.gz").write_bytes(gzip.compress((folder / "alpha.txt").read_bytes()))
    (folder / "campaign.toml").write_text(GOOD.replace('"alpha.txt"', '"alpha.txt.gz"'), "utf-8")

    assert read(folder / "campaign.toml") == plain


def test_only_newlines_divide_lines(folder: Path) -> None:
    text = (folder / "source.txt").read_text("utf-8").replace("number 1 is", "number 1\u2028\x0b\x85is")
    (folder / "source.txt").write_text(text, "utf-8", newline="")

    assert len(read(folder / "campaign.toml").segments) == N_LINES


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("hit_size = 50", "hit_sice = 50", 'does not know the key "hit_sice". Did you mean "hit_size"?'),
        ('title = "A toy"\n', "", '[campaign] lacks the key "title"'),
        ('name = "toy"', "name = 3", '[campaign] "name"'),
        ('name = "toy"', 'name = "to|y"', "letters, digits, dots, dashes and underscores"),
        ("is_human = true", 'is_human = "yes"', '[[systems]] number 2: "is_human"'),
        ('"de"', '"german"', 'did you mean "de"?'),
        ('"de"', '"xx"', '"xx" is not a language code'),
        ('"en"', '"tlh"', 'has no instructions in "tlh" yet'),
        ('"da"', '"dba"', 'protocol "dba" is unknown; there is: '),
        ('"adequacy"', '"beauty"', 'attribute "beauty" is unknown'),
        ("hit_size = 50", "hit_size = 51", "hit_size 51 is not offered"),
        ("hit_size = 50", "hit_size = 100", "Set [design] hit_size = 50, which needs 35"),
        ('"beta"', '"alpha"', 'the name "alpha" is used 2 times'),
        ('"beta.txt"', '"gamma.txt"', "gamma.txt: there is no such file"),
        ("[design]", "[design", "is not valid TOML"),
        ("[texts]", "[quality]\ncheck = 'guess'\n[texts]", 'check "guess" is unknown; there is: '),
    ],
)
def test_a_mistake_is_named_with_what_to_do(folder: Path, old: str, new: str, expected: str) -> None:
    assert expected in problems_after(folder, old, new)


def test_too_few_translations_for_any_hit_say_how_many_are_needed(folder: Path) -> None:
    for path in folder.glob("*.txt"):
        path.write_text("\n".join(path.read_text("utf-8").splitlines()[:5]), "utf-8")

    with pytest.raises(CampaignError, match=r"10 translations.*smallest HIT \(hit_size = 50\) needs 35"):
        read(folder / "campaign.toml")


def test_different_numbers_of_lines_are_both_named(folder: Path) -> None:
    (folder / "beta.txt").write_text("one line only\n", "utf-8")

    with pytest.raises(CampaignError, match=r"beta\.txt: has 1 lines, but source\.txt has 20"):
        read(folder / "campaign.toml")


def test_empty_lines_are_named_by_number(folder: Path) -> None:
    lines = (folder / "alpha.txt").read_text("utf-8").splitlines()
    lines[3] = lines[9] = "  "
    (folder / "alpha.txt").write_text("\n".join(lines), "utf-8")

    with pytest.raises(CampaignError, match=r"alpha\.txt: line 4, 10 are empty"):
        read(folder / "campaign.toml")


def test_another_encoding_is_named_with_its_line(folder: Path) -> None:
    content = (folder / "alpha.txt").read_bytes().replace(b"number 7", "Grüße 7".encode("latin-1"))
    (folder / "alpha.txt").write_bytes(content)

    with pytest.raises(
        CampaignError, match=r"alpha\.txt: line 7 is not UTF-8 \(the file looks like Windows-1252"
    ):
        read(folder / "campaign.toml")


def test_utf16_is_recognised(folder: Path) -> None:
    (folder / "alpha.txt").write_text((folder / "alpha.txt").read_text("utf-8"), "utf-16")

    with pytest.raises(CampaignError, match=r"alpha\.txt: is encoded as UTF-16"):
        read(folder / "campaign.toml")


def test_a_broken_gzip_file_is_named(folder: Path) -> None:
    (folder / "beta.txt.gz").write_bytes(gzip.compress(b"words\n" * 1000)[:40])

    assert "not a complete gzip file" in problems_after(folder, '"beta.txt"', '"beta.txt.gz"')


def test_all_problems_come_in_one_message(folder: Path) -> None:
    (folder / "alpha.txt").write_text("short\n", "utf-8")

    text = problems_after(
        folder, 'name = "beta"\ntranslations = "beta.txt"', 'name = "alpha"\ntranslations = "no.txt"'
    )

    assert "3 problems" in text
    assert "alpha.txt: has 1 lines" in text
    assert "no.txt: there is no such file" in text
    assert 'the name "alpha" is used 2 times' in text

"""Campaign files: what they become, and how each mistake is answered."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard.domain.campaign import DesignSettings
from steelyard.domain.errors import CampaignError
from steelyard.domain.running import Rules
from steelyard.domain.work import ItemKind
from steelyard.formats.campaign_toml import CampaignSource, read_campaign
from steelyard.protocols import protocols, roles_shown, words_in

Read = Callable[..., CampaignSource]
Problems = Callable[..., str]
N_LINES = 20


def test_a_good_file_becomes_a_campaign(folder: Path) -> None:
    source = read_campaign(folder / "campaign.toml")

    campaign = source.campaign
    assert [(system.system_id, system.is_human, system.weight) for system in campaign.systems] == [
        ("alpha", False, 1.0),
        ("beta", True, 1.0),
    ]
    assert len(campaign.segments) == N_LINES
    assert campaign.segments[2].reference == "reference sentence number 3 is here"
    assert campaign.translations["beta"][0] == "beta sentence number 1 is here"
    assert campaign.settings.check == "paired-t"
    assert campaign.settings.design == DesignSettings(hit_size=50)
    assert source.warnings == ()


@pytest.mark.parametrize("name", sorted(protocols()))
def test_the_example_of_every_protocol_is_accepted_as_it_is(name: str) -> None:
    source = read_campaign(protocols()[name].folder / "example.toml")

    assert source.campaign.settings.protocol == name
    assert source.warnings == ()


def test_every_key_of_the_design_reaches_its_settings(read_with: Read) -> None:
    tables = """
ratings_per_item = 3
layout = "2013"
order = "grouped"
groups = 10
partition = "fixed"
degradation = "replace-words"
merge_duplicates = false
quota = { degraded = 6, repeat = 5, reference = 4 }
"""

    design = read_with(more=tables).campaign.settings.design

    assert design == DesignSettings(
        hit_size=50,
        ratings_per_item=3,
        layout="2013",
        order="grouped",
        groups=10,
        quota={
            ItemKind.DEGRADED: 6,
            ItemKind.REPEAT: 5,
            ItemKind.REFERENCE: 4,
            ItemKind.CALIBRATION: 0,
        },
        partition="fixed",
        degradation="replace-words",
        merge_duplicates=False,
    )


def test_rules_and_pay_reach_the_rules(read_with: Read) -> None:
    tables = "[rules]\nlease_minutes = 45\nhits_per_worker = 2\nopen_link = false\n"
    tables += '[pay]\nwage = 14\ncurrency = "EUR"\nper_hit = 6.5\nfee = 0.2\n'

    campaign = read_with("[design]", f"{tables}[design]").campaign

    assert campaign.settings.rules == Rules(
        lease_minutes=45.0,
        hits_per_worker=2,
        open_link=False,
        wage=14.0,
        currency="EUR",
        pay_per_hit=6.5,
        fee=0.2,
    )


def test_systems_have_weights(read_with: Read) -> None:
    campaign = read_with("is_human = true", "is_human = true\nweight = 0.5").campaign

    assert [system.weight for system in campaign.systems] == [1.0, 0.5]


def test_a_whole_number_will_do_for_a_weight(read_with: Read) -> None:
    assert read_with("is_human = true", "weight = 2").campaign.systems[1].weight == 2.0


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("hit_size = 50", "hit_sice = 50", 'does not know the key "hit_sice". Did you mean "hit_size"?'),
        ("hit_size = 50", "colour = 50", '[design] does not know the key "colour". It knows: hit_size, '),
        (
            "hit_size = 50",
            "quota = {degarded = 5}",
            '[design.quota] does not know the key "degarded". Did you',
        ),
        ("[design]", "[desing]", 'The file does not know the table [desing]. Did you mean "design"?'),
        ('title = "A toy"\n', "", '[campaign] lacks the key "title"'),
        ('title = "A toy"', 'title = "A\\u0000toy"', '[campaign] "title" must be one line, without control'),
        ('name = "toy"', "name = 3", '[campaign] "name" needs text in quotes, not 3.'),
        ('name = "toy"', 'name = "to|y"', "letters, digits, dots, dashes and underscores"),
        (
            "is_human = true",
            'is_human = "yes"',
            "[[systems]] number 2: \"is_human\" needs true or false, not 'yes'",
        ),
        ("is_human = true", "weight = 0", '[[systems]] number 2: "weight" should be greater than 0, not 0.'),
        ("is_human = true", "weight = nan", '[[systems]] number 2: "weight" needs a finite number, not nan.'),
        ("hit_size = 50", "hit_size = 50.5", '[design] "hit_size" needs a whole number, not 50.5.'),
        ("hit_size = 50", "layout = 2014", "[design] \"layout\" should be '2014' or '2013', not 2014."),
        (
            "hit_size = 50",
            'order = "mixed"',
            "[design] \"order\" should be 'grouped', 'free', 'documents' or",
        ),
        ("hit_size = 50", "ratings_per_item = 0", '"ratings_per_item" should be greater than or equal to 1'),
        ("hit_size = 50", "quota = 5", "[design.quota] must be a table"),
        ('"source.txt"', '""', '[texts] "source" may not be empty.'),
        ('"de"', '"german"', 'did you mean "de"?'),
        ('"de"', '"xx"', '"xx" is not a language code'),
        ('"en"', '"tlh"', 'has no instructions in "tlh" yet'),
        (
            '"en"',
            '"tlh"',
            "translate what `steelyard example da --instructions en` prints and name your file: ",
        ),
        ('"en"', '"tlh"', '[presentation] instructions = "own.toml"'),
        ('"da"', '"dba"', 'protocol "dba" is unknown; choose from: '),
        ('"adequacy"', '"beauty"', 'attribute "beauty" is unknown; da has: adequacy, fluency.'),
        (
            "hit_size = 50",
            "hit_size = 97",
            "[design] 97 items cannot be cut into",
        ),
        (
            "hit_size = 50",
            "quota = {degraded = 3}",
            "[design] quota: no worker can be tested on 3 degraded items",
        ),
        ("hit_size = 50", 'degradation = "blur"', '[design] degradation "blur" is unknown; choose from: '),
        (
            "hit_size = 50",
            'degradation = "duplicate-words"',
            '"duplicate-words" does not reliably lower adequacy',
        ),
        ("hit_size = 50", 'order = "given"', '[design] order = "given" needs HITs that are already laid out'),
        ("hit_size = 50", 'order = "documents"', '[design] order = "documents" must know which segments'),
        (
            "hit_size = 50",
            "quota = {calibration = 5, degraded = 5}",
            "name their file in the table [calibration]",
        ),
        ('"beta"', '"alpha"', 'the name "alpha" is used 2 times'),
        ('"beta.txt"', '"gamma.txt"', "gamma.txt: there is no such file"),
        ('name = "beta"', 'name = "calibration"', "it is reserved for calibration texts"),
        ("[design]", "[design", "is not valid TOML"),
        ("[texts]", "[quality]\ncheck = 'guess'\n[texts]", 'check "guess" is unknown; choose from: '),
        (
            "[design]",
            "[presentation]\nline_width_px = 300\n[design]",
            '"line_width_px" should be greater than',
        ),
        ("[design]", "[rules]\nlease_minutes = 0\n[design]", '[rules] "lease_minutes" should be greater'),
        ("[design]", "[rules]\nlease_minuts = 5\n[design]", 'Did you mean "lease_minutes"?'),
        ("[design]", '[pay]\ncurrency = "Euro"\n[design]', "a code of three capital letters, such as"),
        ("[design]", "[pay]\nfee = 33\n[design]", '[pay] "fee" is a share of the pay: write 0.4 for 40 %'),
        ("[design]", "[pay]\nwage = 0\n[design]", '[pay] "wage" should be greater than 0, not 0.'),
        ("[design]", "[[examples]]\nrating = 1\n[design]", '[[examples]] number 1: lacks the key "text"'),
        ("[design]", "[examples]\nrating = 1\n[design]", "[[examples]] must be written with two brackets"),
    ],
)
def test_a_mistake_is_named_with_what_to_do(
    problems_with: Problems, old: str, new: str, expected: str
) -> None:
    assert expected in problems_with(old, new)


def test_a_question_ends_a_sentence_by_itself(problems_with: Problems) -> None:
    assert problems_with('"de"', '"german"').endswith('did you mean "de"?')


def test_all_problems_come_in_one_message(folder: Path, problems_with: Problems) -> None:
    (folder / "alpha.txt").write_text("short\n", "utf-8")

    text = problems_with(
        'name = "beta"\ntranslations = "beta.txt"', 'name = "alpha"\ntranslations = "no.txt"'
    )

    assert "3 problems" in text
    assert "alpha.txt: has 1 lines" in text
    assert "no.txt: there is no such file" in text
    assert 'the name "alpha" is used 2 times' in text


def test_a_misspelt_key_does_not_hide_a_missing_file(folder: Path, problems_with: Problems) -> None:
    (folder / "beta.txt").unlink()

    text = problems_with("hit_size = 50", "hit_sice = 50")

    assert "2 problems" in text
    assert 'Did you mean "hit_size"?' in text
    assert "beta.txt: there is no such file" in text


def test_a_missing_table_leaves_nothing_to_look_at(tmp_path: Path) -> None:
    (tmp_path / "campaign.toml").write_text("[design]\nhit_size = 50\n", "utf-8")

    with pytest.raises(CampaignError) as caught:
        read_campaign(tmp_path / "campaign.toml")

    assert "The file lacks the table [campaign]." in str(caught.value)
    assert "The file lacks the table [texts]." in str(caught.value)


def test_a_campaign_file_in_another_encoding_is_named(folder: Path) -> None:
    path = folder / "campaign.toml"
    path.write_bytes(path.read_text("utf-8").replace("A toy", "Grüße").encode("cp1252"))

    with pytest.raises(CampaignError, match=r"line 4 is not UTF-8 \(the file looks like Windows-1252\)"):
        read_campaign(path)


def test_byte_order_mark_crlf_and_gzip_make_no_difference(folder: Path, read_with: Read) -> None:
    plain = read_campaign(folder / "campaign.toml")
    text = (folder / "source.txt").read_text("utf-8")
    (folder / "source.txt").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    (folder / "alpha.txt.gz").write_bytes(gzip.compress((folder / "alpha.txt").read_bytes()))

    assert read_with('"alpha.txt"', '"alpha.txt.gz"') == plain


@pytest.mark.parametrize(
    ("protocol", "attribute", "expected"),
    [
        ("da", "adequacy", '[texts] lacks the key "reference", the file with the reference: da shows it'),
        (
            "da",
            "fluency",
            "each HIT shows 5 in place of translations (to do without, set [design.quota] deg",
        ),
        (
            "da-source",
            "adequacy",
            '[texts] lacks the key "source", the file with the source: da-source shows it',
        ),
    ],
)
def test_a_text_that_is_needed_is_asked_for(
    folder: Path, problems_with: Problems, protocol: str, attribute: str, expected: str
) -> None:
    key = "source" if protocol == "da-source" else "reference"
    old = 'protocol = "da"\nattribute = "adequacy"'
    new = f'protocol = "{protocol}"\nattribute = "{attribute}"'
    path = folder / "campaign.toml"
    text = path.read_text("utf-8").replace(old, new).replace(f'{key} = "{key}.txt"\n', "")
    path.write_text(text, "utf-8")

    with pytest.raises(CampaignError) as caught:
        read_campaign(path)

    assert expected in str(caught.value)


def test_fluency_without_reference_controls_needs_translations_only(folder: Path) -> None:
    path = folder / "campaign.toml"
    text = path.read_text("utf-8").replace('"adequacy"', '"fluency"')
    text = text.replace('source = "source.txt"\nreference = "reference.txt"\n', "")
    path.write_text(text + "quota = { degraded = 5, repeat = 5 }\n", "utf-8")

    campaign = read_campaign(path).campaign

    assert len(campaign.segments) == N_LINES
    assert campaign.segments[0].source == campaign.segments[0].reference == ""


def test_documents_order_needs_no_reference_where_nobody_sees_it(folder: Path) -> None:
    path = folder / "campaign.toml"
    (folder / "documents.txt").write_text("news-1\n" * 10 + "news-2\n" * 10, "utf-8")
    text = path.read_text("utf-8").replace('"adequacy"', '"fluency"')
    text = text.replace('reference = "reference.txt"\n', 'documents = "documents.txt"\n')
    path.write_text(text + 'order = "documents"\n', "utf-8")

    campaign = read_campaign(path).campaign

    assert campaign.settings.design.order == "documents"
    assert campaign.settings.presentation["context"] is True
    assert {segment.document_id for segment in campaign.segments} == {"news-1", "news-2"}


def test_the_presentation_is_the_protocols_with_the_campaigns_wishes(read_with: Read) -> None:
    tables = "[presentation]\nline_width_px = 800\ntexts_as_images = true\n"

    shown = read_with(more=tables).campaign.settings.presentation

    assert shown["line_width_px"] == 800
    assert shown["texts_as_images"] is True
    assert shown["start"] == protocols()["da"].presentation["start"]
    assert shown["words"] == words_in(protocols()["da"], "en")


PAIRS = 'protocol = "pairwise"'


@pytest.mark.parametrize(
    ("more", "shows"),
    [
        ("", ["text", "source"]),
        ("[presentation]\nshows = []\n", ["text"]),
        ('[presentation]\nshows = ["reference"]\n', ["text", "reference"]),
        ('[presentation]\nshows = ["reference", "source"]\n', ["text", "source", "reference"]),
    ],
)
def test_a_campaign_of_pairs_chooses_what_is_shown_with_them(
    read_with: Read, more: str, shows: list[str]
) -> None:
    settings = read_with('protocol = "da"', PAIRS, more=more).campaign.settings

    assert settings.presentation["shows"] == shows
    assert roles_shown(settings) == tuple(shows)
    assert settings.design.n_translations == 2


def test_pairs_have_their_own_quota_and_check_unless_the_file_says_otherwise(read_with: Read) -> None:
    usual = read_with('protocol = "da"', PAIRS).campaign.settings
    chosen = read_with(
        'protocol = "da"', PAIRS, more="quota = {degraded = 6}\n[quality]\ncheck = 'preferred-original'\n"
    ).campaign.settings

    assert usual.check == chosen.check == "preferred-original"
    assert {kind.value: n for kind, n in (usual.design.quota or {}).items() if n} == {
        "degraded": 10,
        "repeat": 5,
    }
    assert {kind.value: n for kind, n in (chosen.design.quota or {}).items() if n} == {"degraded": 6}


@pytest.mark.parametrize(
    ("old", "new", "more", "expected"),
    [
        (
            "",
            "",
            '[presentation]\nshows = ["source"]\n',
            "[presentation] shows: da always shows the same texts",
        ),
        (
            'protocol = "da"',
            PAIRS,
            '[presentation]\nshows = ["picture"]\n',
            "[presentation] \"shows\", entry 1, should be 'source' or 'reference', not 'picture'.",
        ),
        (
            'protocol = "da"',
            PAIRS,
            '[presentation]\nshows = "source"\n',
            '[presentation] "shows" needs a list in brackets, such as ["source"].',
        ),
        (
            'protocol = "da"',
            PAIRS,
            "[quality]\ncheck = 'paired-t'\n",
            '"paired-t" needs ratings, and pairwise gives preferences; choose from: preferred-original.',
        ),
        (
            'protocol = "da"',
            PAIRS,
            'quota = {degraded = 5, reference = 5}\n[presentation]\nshows = ["reference"]\n',
            "[design.quota] reference: workers see the reference already",
        ),
    ],
)
def test_what_pairs_cannot_have_is_named(
    problems_with: Problems, old: str, new: str, more: str, expected: str
) -> None:
    assert expected in problems_with(old, new, more=more)


def test_without_wishes_texts_stay_texts(read_with: Read) -> None:
    shown = read_with().campaign.settings.presentation

    assert shown["texts_as_images"] is False
    assert shown["line_width_px"] == protocols()["da"].presentation["line_width_px"]
    assert not {"examples", "context"} & set(shown)


def test_a_line_width_is_refused_where_there_is_no_line(problems_with: Problems) -> None:
    text = problems_with(
        'protocol = "da"', 'protocol = "likert"', more="[presentation]\nline_width_px = 800\n"
    )

    assert "[presentation] line_width_px: likert has no line; leave it out." in text


def own_words(changed: str = "") -> str:
    """The German words of direct assessment as a file of the organiser's own."""
    text = (protocols()["da"].folder / "instructions" / "de.toml").read_text("utf-8")
    return changed + text


def test_own_instructions_serve_a_language_that_is_not_bundled(folder: Path, read_with: Read) -> None:
    (folder / "own.toml").write_text(own_words(), "utf-8")

    shown = read_with('"en"', '"tlh"', more='[presentation]\ninstructions = "own.toml"\n')

    assert shown.campaign.settings.presentation["words"] == words_in(protocols()["da"], "de")


def test_own_instructions_must_say_all_that_the_english_ones_say(
    folder: Path, problems_with: Problems
) -> None:
    (folder / "own.toml").write_text('surprise = "!"\n', "utf-8")

    text = problems_with(more='[presentation]\ninstructions = "own.toml"\n')

    assert "own.toml: surprise: unknown; remove it." in text
    assert "own.toml: statements: missing." in text


def test_own_instructions_that_are_no_toml_are_named(folder: Path, problems_with: Problems) -> None:
    (folder / "own.toml").write_text("statements =", "utf-8")

    assert "own.toml: is not valid TOML" in problems_with(more='[presentation]\ninstructions = "own.toml"\n')


def example(rating: int) -> str:
    return f'[[examples]]\nrating = {rating}\ntext = "text {rating}"\nreference = "reference {rating}"\n'


def test_examples_reach_the_presentation_best_first(read_with: Read) -> None:
    source = read_with('"da"', '"adequacy4"', more="".join(map(example, (1, 2, 3, 4))))

    shown = source.campaign.settings.presentation["examples"]
    assert [each["rating"] for each in shown] == [4, 3, 2, 1]
    assert shown[0] == {"rating": 4, "text": "text 4", "reference": "reference 4"}


@pytest.mark.parametrize(
    ("ratings", "expected"),
    [
        ((1, 2, 4), "[[examples]]: adequacy4 needs one with rating = 3; give one for each of 4, 3, 2, 1."),
        ((1, 2, 3, 4, 4), "[[examples]]: there are 2 with rating = 4; leave one."),
        ((1, 2, 3, 4, 5), "[[examples]] number 5: rating 5 is none of 4, 3, 2, 1."),
    ],
)
def test_examples_are_one_for_each_answer(
    problems_with: Problems, ratings: tuple[int, ...], expected: str
) -> None:
    assert expected in problems_with('"da"', '"adequacy4"', more="".join(map(example, ratings)))


def test_examples_are_refused_where_the_protocol_shows_none(problems_with: Problems) -> None:
    assert "[[examples]]: da shows no examples; leave them out." in problems_with(more=example(1))

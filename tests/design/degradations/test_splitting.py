from __future__ import annotations

import subprocess
import sys
import unicodedata

import icu4py
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from icu4py.breakers import CharacterBreaker

from steelyard.design.degradations import segmentation
from steelyard.design.degradations._splitting import (
    LANGUAGES_WITHOUT_SPACES,
    SPACES,
    by_characters,
    by_icu,
    splitter_for,
)

hurried = settings(max_examples=40, deadline=None)


@pytest.mark.parametrize("text", ["", " ", "one", "so  it goes", "\none\u00a0two ", "a\tb c", "a b c"])
def test_words_are_what_stands_between_white_space(text):
    pieces = SPACES.split(text)

    assert pieces.units == text.split()
    assert pieces.text() == text


def test_pieces_make_the_text_again(corpus):
    assert [corpus.splitter.split(text).text() for text in corpus.texts] == list(corpus.texts)


@hurried
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=25), st.sampled_from(["th", "ja"]))
def test_pieces_of_any_text_make_it_again(text, language):
    assert by_icu(language).split(text).text() == text
    assert by_characters(language).split(text).text() == text


def n_characters(text: str) -> int:
    return len(list(CharacterBreaker(text, "en")))


def test_no_unit_begins_or_ends_within_a_character(corpus):
    for text in corpus.texts:
        units = corpus.splitter.split(text).units
        blanks = text
        for unit in units:
            blanks = blanks.replace(unit, "", 1)

        assert n_characters(text) == sum(map(n_characters, units)) + n_characters(blanks)


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("zh", "我们昨天在北京。", ["我们", "昨天", "在", "北京", "。"]),
        ("zh-Hant", "我們昨天 去了 Google。", ["我們", "昨天", "去了", "Google", "。"]),
        ("ja", "私は新しい橋を見た", ["私", "は", "新しい", "橋", "を", "見", "た"]),
        ("th", "ฉันไปตลาด กับเพื่อน", ["ฉัน", "ไป", "ตลาด", "กับ", "เพื่อน"]),
        ("km", "ខ្ញុំបានទៅផ្សារ។", ["ខ្ញុំ", "បាន", "ទៅ", "ផ្សារ", "។"]),
        ("lo", "ຂ້ອຍໄປຕະຫຼາດ", ["ຂ້ອຍ", "ໄປ", "ຕະຫຼາດ"]),
        ("my", "မနေ့က ဈေးကို သွား", ["မနေ့", "က", "ဈေး", "ကို", "သွား"]),
    ],
)
def test_icu_finds_words_without_spaces(language, text, words):
    assert list(by_icu(language).split(text).units) == words


@pytest.mark.parametrize("splitter", [by_icu("th"), by_characters("th")], ids=["icu", "characters"])
def test_spaces_between_phrases_are_joints_not_units(splitter):
    pieces = splitter.split("ไป กัน\u200bไหม")

    assert not {" ", "\u200b"} & set(pieces.units)
    assert [joint for joint in pieces.joints if joint] == [" ", "\u200b"]


@pytest.mark.parametrize(("language", "per_word"), [("zh", 2), ("yue", 2), ("ja", 2), ("th", 4), ("my", 4)])
def test_without_icu_a_word_is_two_or_four_characters(language, per_word):
    text = {"zh": "字", "yue": "字", "ja": "か", "th": "ก", "my": "က"}[language]

    # 9 characters: ceil(9/2) = 5 words, ceil(9/4) = 3 words.
    assert by_characters(language).split(text * 9).n_words == {2: 5, 4: 3}[per_word]


@pytest.mark.parametrize("make", [by_icu, by_characters])
@pytest.mark.parametrize("text", ["Windows 11 is here", "Ну и ну", "12:30 – OK!", ""])
def test_texts_in_a_spaced_script_are_cut_at_spaces_in_any_language(make, text):
    pieces = make("th").split(text)

    assert pieces.units == text.split()
    assert pieces.splitter is SPACES


def test_words_that_icu_would_cut_within_a_character_stay_whole():
    # A letter, a control that ICU counts to it, a mark of its own: our units end where characters do.
    text = "ก\u0e33字\u0600 字"

    assert "".join(by_icu("th").split(text).units).count("\u0600 ") == 1


@pytest.mark.parametrize(
    ("language", "joints", "expected"),
    [
        # New neighbours of one spaced script get a space, others none.
        ("zh", "", "字AB CD字"),
        # A space that set off a foreign word goes with it; one between phrases stays.
        ("zh", " ", "字 AB CD 字"),
        ("th", " ", "字 AB CD 字"),
    ],
)
def test_new_neighbours_in_spaced_scripts_are_set_apart(language, joints, expected):
    pieces = by_characters(language).split(joints.join("字典字"))

    damaged = pieces.spliced(1, 2, ["AB", "CD"]) if not joints else pieces.spliced(1, 2, ["AB CD"])

    assert damaged.text() == expected


@pytest.mark.parametrize(("language", "expected"), [("zh", "去字了"), ("th", "去 字 了")])
def test_a_space_beside_a_foreign_word_goes_where_spaces_end_no_phrase(language, expected):
    pieces = by_characters(language).split("去 Oslo 了")

    assert pieces.spliced(1, 2, ["字"]).text() == expected


@pytest.mark.parametrize(
    ("text", "start", "end", "expected"),
    [
        ("one two three", 1, 2, "one three"),
        ("one two\nthree four", 1, 2, "one\nthree four"),
        ("one two\nthree four", 1, 3, "one\nfour"),
        ("one\u00a0two  three", 1, 2, "one\u00a0three"),
        (" one two ", 1, 2, " one "),
        ("\none two", 0, 1, "\ntwo"),
    ],
)
def test_of_the_spaces_around_a_gap_the_strongest_stays(text, start, end, expected):
    assert SPACES.split(text).spliced(start, end, ()).text() == expected


def test_a_space_is_never_on_both_sides_of_an_insertion():
    pieces = by_characters("th").split("กข คง")

    assert pieces.spliced(2, 2, ["จ"]).text() == "กข จคง"


@pytest.mark.parametrize(
    ("left", "right"),
    [("🇨", "🇿"), ("👩\u200d", "👧"), ("字", "\u0301"), ("က", "\u102c"), ("ခ\u1039", "ခ"), ("\u0600", "字")],
)
def test_neighbours_that_would_melt_are_refused(left, right):
    pieces = by_characters("zh").split("字典字")

    assert pieces.spliced(1, 2, [left, right]) is None


@pytest.mark.parametrize("language", sorted(LANGUAGES_WITHOUT_SPACES))
def test_icu_is_used_where_it_is_installed(language):
    assert splitter_for(language).name == segmentation(language) == f"icu {icu4py.icu_version}"


@pytest.mark.parametrize("language", ["zh-Hant", "zh-Hans-CN", "ja-JP", "th-TH"])
def test_script_and_region_do_not_matter(language):
    assert segmentation(language).startswith("icu ")


@pytest.mark.parametrize("language", ["en", "ko", "hsb", "pt-BR", "vi"])
def test_other_languages_are_cut_at_spaces(language):
    assert segmentation(language) == "spaces"


def test_without_icu_characters_are_counted_and_the_record_says_so():
    program = (
        "import sys; sys.modules['icu4py'] = None\n"
        "from steelyard.design.degradations import segmentation\n"
        "print(segmentation('th'), segmentation('en'), sep='|')"
    )

    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

    assert told.strip() == f"graphemes {unicodedata.unidata_version}|spaces"

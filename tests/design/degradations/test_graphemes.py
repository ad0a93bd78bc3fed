from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from icu4py.breakers import CharacterBreaker

from steelyard.design.degradations._graphemes import (
    begins_with_letter,
    ends_in_letter,
    folded,
    gathered,
    grapheme_clusters,
    places_to_cut,
    surely_stand_apart,
    units,
)

ZWJ, ZWNJ = "\u200d", "\u200c"
# By the rules of UAX #29, which are numbered GB1 to GB999; a stroke marks every break.
CASES = {
    "GB1/2 a single letter": "a",
    "GB3 CR and LF stay together": "a|\r\n|b",
    "GB3 LF and CR do not": "\n|\r",
    "GB4 nothing joins a control": "\n|\u0301|a",
    "GB5 a control joins nothing": "a|\u0000|b",
    "GB4 marks do not join a zero-width space": "a|\u200b|\u0301",
    "GB4 a mark of direction stands alone": "א|\u200f|ב",
    "GB6 Hangul: two initials and a vowel": "\u1100\u1100\u1161",
    "GB6 Hangul: an initial and a syllable": "\u1100\uac00",
    "GB7 Hangul: a syllable, a vowel, a final": "\uac00\u1161\u11a8",
    "GB8 Hangul: two finals": "\uac01\u11a8\u11a8",
    "GB8 Hangul: no vowel after a final": "\u1100\u1161\u11a8|\u1161",
    "GB8 Hangul: no initial after a vowel": "\u1161|\u1100",
    "Hangul syllables stand apart": "각|각",
    "GB9 a combining accent": "e\u0301|a",
    "GB9 several accents": "q\u0323\u0307|x",
    "GB9 an enclosing mark": "5\u20e3|6",
    "GB9 a keycap": "5\ufe0f\u20e3",
    "GB9 a variation selector": "❤\ufe0f|❤",
    "GB9 a variation selector of Han": "葛\U000e0100|城",
    "GB9 ZWJ joins what is before it": f"a{ZWJ}|b",
    "GB9 ZWNJ likewise": f"ی{ZWNJ}|ش",
    "GB9 a mark without a base": "\u0301|a",
    "GB9 a mark on a space": "a| \u0301|b",
    "GB9 halfwidth voiced sound mark": "ｶ\uff9e|ｷ",
    "GB9 Hebrew points": "שָׁ|ל",
    "GB9 Arabic vowels": "بِ|سْ",
    "GB9a Thai SARA AM": "น้ำ|ม",
    "GB9a Lao SARA AM": "ນ\u0eb3|ມ",
    "GB9a a Devanagari vowel sign": "का|की",
    "GB9a a Tamil vowel sign": "கா|கி",
    "GB9 a Bengali length mark": "ক\u09d7|ক",
    "GB9a Khmer vowel signs": "ក\u17be|ក\u17c6",
    "Myanmar AA begins a cluster": "က|\u102c",
    "Myanmar visarga begins a cluster": "က|\u1038",
    "GB9b a prepended number sign": "\u0600\u0661|\u0662",
    "GB9b two prepended signs": "\u0600\u0601\u0661",
    "GB9b nothing after a prepended sign": "a|\u0600",
    "GB9b a prepended sign before a control": "\u0600|\n",
    "GB9b Malayalam dot reph": "\u0d4e\u0d15",
    "GB9c Devanagari conjunct": "क्ष|त्र",
    "GB9c Devanagari conjunct of three": "स्त्री",
    "GB9c a conjunct with ZWJ": f"क्{ZWJ}ष",
    "GB9c ZWNJ prevents a conjunct": f"क्{ZWNJ}|ष",
    "GB9c no conjunct without a linker": "क|ष",
    "GB9c a nukta does not hinder": "क़्ष",
    "GB9c a linker before a vowel": "क्|अ",
    "GB9c Bengali conjunct": "ক্ষ|ক",
    "GB9c Gujarati conjunct": "ક્ષ|ક",
    "GB9c Odia conjunct": "କ୍ଷ|କ",
    "GB9c Telugu conjunct": "క్ష|క",
    "GB9c Malayalam conjunct": "ക്ഷ|ക",
    "GB9c Tamil has none": "க்|ஷ",
    "GB9c Myanmar stack": "\u1019\u1039\u1019|\u1014",
    "GB9c Khmer coeng": "ខ្ញុំ|បា",
    "GB11 a family": f"👩{ZWJ}👩{ZWJ}👧|👩",
    "GB11 a heart on fire": f"❤\ufe0f{ZWJ}🔥",
    "GB11 a skin tone before ZWJ": f"👩🏽{ZWJ}🚀",
    "GB11 ZWJ between letters joins nothing": f"a{ZWJ}|👧",
    "GB11 ZWJ before a letter joins nothing": f"👩{ZWJ}|a",
    "GB9 a skin tone": "👍🏽|👍",
    "GB9 a flag of tags": "🏴\U000e0067\U000e0062\U000e0065\U000e007f|🏴",
    "GB12 a flag": "🇨🇿",
    "GB12 three halves": "🇨🇿|🇩",
    "GB12 two flags": "🇨🇿|🇩🇪",
    "GB13 a flag after a letter": "a|🇨🇿|b",
    "GB13 a mark parts flags": "🇨\u0301|🇿",
    "GB999 Han": "字|典",
    "GB999 kana": "か|な|ー",
    "GB999 Thai vowels before the consonant": "เ|ม",
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_clusters_end_where_the_rules_say(case):
    expected = case.split("|")

    assert grapheme_clusters("".join(expected)) == expected


ALPHABETS = (
    "\r\n\u0000\u200b\u0301\u0323\u20e3\ufe0f\u200d\u200c a1",
    "กขาำ่้ไเ ຂນາຳ່",
    "ကမန\u102c\u1038\u1039\u102d\u1037\u103a\u103b ",
    "កខញ\u17d2\u17b6\u17bb\u17c6។",
    "कषअ\u094d\u093c\u093e\u093f\u200c\u200d",
    "ক\u09cd\u09be\u09d7ક\u0acd\u0abeକ\u0b4d\u0b3eక\u0c4d\u0c3eക\u0d4d\u0d3e\u0d4e",
    "\u1100\u1161\u11a8\uac00\uac01\ua960",
    "👩👧🏽❤\ufe0f\u200d🔥©a",
    "🇨🇿🇩a\u0301",
    "\u0600\u06dd١ا\u064eשׁ",
    "字かｶ\uff9eー。，",
)


@pytest.mark.parametrize("alphabet", ALPHABETS, ids=range(len(ALPHABETS)))
def test_clusters_of_random_strings_are_those_of_icu(alphabet):
    @settings(max_examples=100, deadline=None)
    @given(st.text(alphabet, max_size=12))
    def check(text):
        assert grapheme_clusters(text) == list(CharacterBreaker(text, "en"))

    check()


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from("".join(ALPHABETS)), max_size=14).map("".join))
def test_clusters_of_mixed_scripts_are_those_of_icu(text):
    assert grapheme_clusters(text) == list(CharacterBreaker(text, "en"))


@settings(max_examples=150, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_any_text_can_be_put_together_again(text):
    found, blanks = units(text)

    assert "".join(grapheme_clusters(text)) == text
    assert blanks[0] + "".join(unit + blank for unit, blank in zip(found, blanks[1:], strict=True)) == text


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from("".join(ALPHABETS)), max_size=14).map("".join))
def test_units_never_part_a_cluster(text):
    found, blanks = units(text)
    ends, position = set(), 0
    for part in [blanks[0], *(part for pair in zip(found, blanks[1:], strict=True) for part in pair)]:
        position += len(part)
        ends.add(position)

    cluster_ends, position = {0}, 0
    for cluster in CharacterBreaker(text, "en"):
        position += len(cluster)
        cluster_ends.add(position)
    assert ends <= cluster_ends


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("字典", ["字", "典"]),
        ("用Python3写", ["用", "Python3", "写"]),
        ("用Café写", ["用", "Café", "写"]),
        ("重3.5吨", ["重", "3.5", "吨"]),
        ("don't说", ["don't", "说"]),
        ("说.字", ["说", ".", "字"]),
        ("A.字", ["A", ".", "字"]),
        ("去Москва了", ["去", "Москва", "了"]),
        ("๒๕๖๗ ปี", ["๒๕๖๗", "ปี"]),
        ("ＡＢ字", ["ＡＢ", "字"]),
        ("한국 字", ["한국", "字"]),
        ("क्षत्र字", ["क्षत्र", "字"]),
        # The vowel AA, which the rules part from its consonant, stays with it.
        ("ကာမ", ["ကာ", "မ"]),
        ("မြန်မာ", ["မြ", "န်", "မာ"]),
        ("好👩\u200d👧！", ["好", "👩\u200d👧", "！"]),
    ],
)
def test_units_are_clusters_and_runs_of_letters_of_spaced_scripts(text, expected):
    assert units(text)[0] == expected


@pytest.mark.parametrize(
    "blank", [" ", "\u00a0", "\u3000", "\n", "\r\n", "\u200b", "\u200f", "\u2060", " \u200b\n "]
)
def test_spaces_and_invisible_characters_are_blanks(blank):
    assert units(f"字{blank}典") == (["字", "典"], ["", blank, ""])
    assert gathered(["字", *blank, "典"], f"字{blank}典") == (["字", "典"], ["", blank, ""])


@pytest.mark.parametrize("unit", ["。", " \u0301", "\u0600 ", "\u0301", "👩\u200d"])
def test_what_shows_is_a_unit(unit):
    assert units(f"字\n{unit}\n典")[0] == ["字", unit, "典"]
    assert gathered(["字", "\n", *unit, "\n", "典"], f"字\n{unit}\n典")[0] == ["字", unit, "典"]


@settings(max_examples=150, deadline=None)
@given(*[st.sampled_from([*"字かกာ。.a1 🇨👩", "e\u0301", "\u0600", "ម\u17d2", "👩\u200d"]) for _ in "lr"])
def test_units_that_surely_stand_apart_do(left, right):
    assume(surely_stand_apart(left, right))

    assert len(left) in places_to_cut(left + right)
    assert not begins_with_letter(right)


def test_a_text_is_not_cut_before_a_mark_that_the_rules_let_begin_a_cluster():
    assert places_to_cut("ကာ\u1038 က") == {3, 4, 5}


@pytest.mark.parametrize(
    ("text", "ends", "begins"),
    [
        ("ab", True, True),
        ("字a", True, False),
        ("e\u0301", True, True),
        ("字", False, False),
        ("1字", False, True),
    ],
)
def test_letters_of_spaced_scripts_are_known_at_either_end(text, ends, begins):
    assert (ends_in_letter(text), begins_with_letter(text)) == (ends, begins)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Straße", "STRASSE"), ("cafe\u0301", "CAFÉ"), ("a\u00adb", "ab"), ("\u200fא", "א"), ("❤\ufe0f", "❤")],
)
def test_texts_that_look_alike_fold_alike(one, other):
    assert folded(one) == folded(other)

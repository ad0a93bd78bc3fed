"""Texts in scripts that write spaces between words."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

ALPHABETS = {
    "Latin": "abcčdeéěfghiíjklmnoóprřsštuúůvyýzž",
    "Cyrillic": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
    "Greek": "αάβγδεέζηήθιίκλμνξοόπρστυύφχψωώ",
    "Arabic": "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "Hebrew": "אבגדהוזחטיכלמנסעפצקרשת",
    "Devanagari": "अआइईउऊएकखगघचछजटडतथदधनपफबभमयरलवशषसह",
    "Korean": "가나다라마바사아자차카타파하고노도로모보소오",
}
PUNCTUATION = (".", ",", "!", "—", "«", "»", "।", "؟", "...")


def _texts(script: str) -> st.SearchStrategy[str]:
    word = st.text(ALPHABETS[script], min_size=1, max_size=7)
    token = st.one_of(word, word, word, word, st.sampled_from(PUNCTUATION), word.map(lambda w: f"{w},"))
    return st.lists(token, min_size=1, max_size=45).map(" ".join)


@pytest.fixture(params=sorted(ALPHABETS), scope="session")
def texts(request: pytest.FixtureRequest) -> st.SearchStrategy[str]:
    """Random texts of one to 45 words, punctuation among them."""
    return _texts(request.param)

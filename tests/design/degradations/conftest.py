"""Texts in fourteen languages, and every way of cutting them."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from steelyard.design.degradations import degradations
from steelyard.design.degradations._splitting import SPACES, Splitter, by_characters, by_icu

SENTENCES = {
    "ar": (
        "أغلقت المدينة الجسر القديم أمس بسبب العاصفة القوية.",
        "يخبز جيراننا كعكة البرقوق كل خريف ويوزعونها على الحي كله.",
    ),
    "cs": (
        "Město včera kvůli bouři znovu uzavřelo starý most přes řeku.",
        "Naši sousedé pečou každý podzim švestkový koláč a dávají ho celé ulici.",
    ),
    "el": (
        "Η πόλη έκλεισε χθες την παλιά γέφυρα λόγω της καταιγίδας.",
        "Οι γείτονές μας ψήνουν κάθε φθινόπωρο κέικ με δαμάσκηνα για όλο τον δρόμο.",
    ),
    "en": (
        "Yesterday the town closed the old bridge across the river because of the storm.",
        "Our neighbours bake plum cake every autumn and share it with the whole street.",
    ),
    "he": (
        "העירייה סגרה אתמול את הגשר הישן בגלל הסערה החזקה.",
        "השכנים שלנו אופים בכל סתיו עוגת שזיפים ומחלקים אותה לכל הרחוב.",
    ),
    "hi": (
        "कल तूफ़ान के कारण शहर ने नदी का पुराना पुल बंद कर दिया।",
        "हमारे पड़ोसी हर शरद ऋतु में आलूबुखारे का केक बनाते हैं और सबको बाँटते हैं।",
    ),
    "ja": (
        "市は昨日、嵐のために古い橋を閉鎖した。",
        "隣の人たちは毎年秋にプラムのケーキを焼いて、近所に配ります。",
    ),
    "km": (
        "កាលពីម្សិលមិញ ទីក្រុងបានបិទស្ពានចាស់ដោយសារព្យុះ។",
        "អ្នកជិតខាងរបស់យើងដុតនំរាល់រដូវស្លឹកឈើជ្រុះ ហើយចែកឱ្យគ្រប់គ្នា។",
    ),
    "ko": (
        "시는 어제 폭풍 때문에 강 위의 오래된 다리를 폐쇄했다.",
        "우리 이웃들은 가을마다 자두 케이크를 구워 온 동네와 나눈다.",
    ),
    "lo": (
        "ມື້ວານນີ້ເມືອງໄດ້ປິດຂົວເກົ່າຍ້ອນພະຍຸແຮງ",
        "ເພື່ອນບ້ານຂອງເຮົາອົບເຂົ້າໜົມທຸກໆປີ ແລະແບ່ງໃຫ້ທຸກຄົນ",
    ),
    "my": (
        "မနေ့က မုန်တိုင်းကြောင့် မြို့တော်က တံတားဟောင်းကို ပိတ်လိုက်တယ်။",
        "ကျွန်တော်တို့ အိမ်နီးချင်းတွေက ဆောင်းဦးတိုင်း ကိတ်မုန့် ဖုတ်ကြတယ်။",
    ),
    "ru": (
        "Вчера из-за бури город снова закрыл старый мост через реку.",
        "Наши соседи каждую осень пекут сливовый пирог и угощают всю улицу.",
    ),
    "th": (
        "เมื่อวานนี้เมืองได้ปิดสะพานเก่า เพราะพายุที่รุนแรงมาก",
        "เพื่อนบ้านของเราอบเค้กพลัมทุกฤดูใบไม้ร่วง และแบ่งให้ทุกคนในซอย",
    ),
    "zh": (
        "因为暴风雨,市政府昨天又关闭了河上的老桥。",
        "我们的邻居每年秋天都烤李子蛋糕,分给整条街的人吃。",
    ),
}
UNSPACED = ("ja", "km", "lo", "my", "th", "zh")
PUNCTUATION = (".", ",", "!", "—", "«", "।", "؟", "...", "。", "၊")
# Marks, joined emoji, a flag, marks of direction, Latin among other scripts, numbers.
AWKWARD = (
    "e\u0301te\u0301",
    "q\u0323\u0307",
    "👩\u200d👩\u200d👧",
    "👍🏽",
    "❤\ufe0f",
    "🇨🇿",
    "\u200fשלום\u200f",
    "\u200eok\u200e",
    "क्ष्म\u200dी",
    "GPT",
    "2.5",
    "don't",
    "각",
    "\u1100\u1161\u11a8",
)
JOINTS = (" ", " ", " ", " ", " ", "  ", "\u00a0", "\n", "\u202f")


N_TEXTS = 200


@dataclass(frozen=True)
class Corpus:
    """Two sentences of a language, many texts made of parts of the first, and a way of cutting them."""

    language: str
    splitter: Splitter
    sentence: str
    other: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """A text and what became of it."""

    text: str
    damaged: str | None


def _spaced(sentence: str, chance: random.Random) -> str:
    tokens = [*sentence.split() * 2, *PUNCTUATION, *AWKWARD]
    words = chance.choices(tokens, k=chance.randint(1, 40))
    return "".join(word + chance.choice(JOINTS) for word in words[:-1]) + words[-1]


def _unspaced(sentence: str, chance: random.Random) -> str:
    units = by_characters("th").split(sentence).units
    starts = range(len(units) - 2)
    words = ["".join(units[start : start + chance.randint(1, 3)]) for start in starts] * 2
    tokens = [*words, *PUNCTUATION, *AWKWARD, *JOINTS, "\u200b"]
    return "".join(chance.choices(tokens, k=chance.randint(1, 30)))


def _cases() -> list[tuple[str, str]]:
    return [
        (language, way)
        for language in sorted(SENTENCES)
        for way in (("icu", "characters") if language in UNSPACED else ("spaces",))
    ]


@pytest.fixture(params=_cases(), ids="-".join, scope="session")
def corpus(request: pytest.FixtureRequest) -> Corpus:
    """Each language with each way of cutting its texts."""
    language, way = request.param
    splitter = {"spaces": lambda _: SPACES, "icu": by_icu, "characters": by_characters}[way](language)
    sentence, other = SENTENCES[language]
    make = _unspaced if language in UNSPACED else _spaced
    chance = random.Random(language)
    return Corpus(language, splitter, sentence, other, tuple(make(sentence, chance) for _ in range(N_TEXTS)))


@pytest.fixture(params=sorted(degradations()), scope="session")
def degradation(request: pytest.FixtureRequest):
    return degradations()[request.param]


@pytest.fixture(scope="session")
def damage(degradation, corpus):
    """The degradation for texts that are cut as the corpus says."""
    return sys.modules[degradation.damage.__module__].damage_by(corpus.splitter)


@pytest.fixture(scope="session")
def squeezed() -> Callable[[str], str]:
    """Removes everything that may stand between units."""
    return lambda text: "".join(c for c in text if not c.isspace() and c not in "\u200b\u200e\u200f")


@pytest.fixture(scope="session")
def outcomes(damage, corpus) -> list[Outcome]:
    """Every text of the corpus, damaged where it will go."""
    rng = np.random.default_rng(11)
    return [
        Outcome(text, damage.degrade(text, corpus.sentence, [corpus.other], rng)) for text in corpus.texts
    ]

"""Which encoding a file that is not UTF-8 was probably saved in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

# Enough to see whole alphabets, and quick even on gigabytes.
SAMPLE_BYTES = 200_000
# Below this share of characters that make sense a guess would only mislead.
LEAST_SHARE = 0.8

_EUROPEAN_MARKS = "«»„“”‚‘’–—…°§€©®™·•¿¡´ \u00a0\u00ad\u200c\u200d\u200e\u200f"
# Letters beyond a to z, by language: a good guess explains a text by the letters of one of them.
_WESTERN = (
    "äöüß",
    "éèêëàâçùûîïôœæÿ",
    "áéíóúñüªº",
    "ãõáéíóúâêôàçüªº",
    "àèéìíîòóù",
    "åäöé",
    "åæøéòôó",
    "áéíóúýðþæö",
    "ëéèïöüóáê",
    "áéíóú",
)
_CENTRAL = (
    "áčďéěíňóřšťúůýž",
    "ąćęłńóśźż",
    "áéíóöőúüű",
    "áäčďéíĺľňóôŕšťúýž",
    "čšž",
    "čćđšž",
    "ăâîşţ",
    "äöüß",
)
# Where a script has no letters in common with ours its commonest letters come first, ten of them: nearly
# any bytes are letters of such a script, but only its own texts consist mostly of the common ones.
_RUSSIAN = "оеаинтсрвлбгдёжзйкмпуфхцчшщъыьэюя"
_CYRILLIC = (
    _RUSSIAN,
    "оаинвіетрсбгґдєжзїйклмпуфхцчшщьюя",
    "аоиенртсјкбвгдђжзлљмњпћуфхцчџш",
    "аіенртосклбвгдеёжзймпуўфхцчшыьэюя",
)
_ARABIC = ("الينمورتبهثجحخدذزسشصضطظعغفقكىةءآأؤإئًٌٍَُِّْـپچژگ؟،؛",)
_GREEK = ("αοιετσνηυρβγδζθκλμξπφχψωςάέήίόύώϊϋΐΰ",)
_HEBREW = ("יוהלאתרמבשגדזחטכךםנןסעפףצץק",)
# Byte-order marks; the longer ones first, for they begin like the others.
_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_WIDE = (
    ("UTF-32LE", "utf-32-le", 4),
    ("UTF-32BE", "utf-32-be", 4),
    ("UTF-16LE", "utf-16-le", 2),
    ("UTF-16BE", "utf-16-be", 2),
)
# Two letters of three are common ones in real texts; in words put together by chance one.
_LEAST_COMMON = 0.45


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An encoding by the name people know, Python's name for it, and how well a text suits it."""

    name: str
    codec: str
    share: Callable[[str], float]
    """Of the characters beyond ASCII, the share that makes sense."""


def likely_encoding(content: bytes) -> str | None:
    """The name of the encoding these bytes suit best; None if none of those we know suits them.

    One-byte encodings are told apart by whether one language's letters explain the text,
    East Asian ones by whether it consists of common characters.

    >>> likely_encoding("Žluťoučký kůň úpěl".encode("windows-1250"))
    'Windows-1250'
    >>> likely_encoding("это работает".encode("windows-1251"))
    'Windows-1251'
    """
    if wide := wide_encoding(content):
        return wide
    sample = _sample(content)
    best, best_share = None, 0.0
    for candidate in _CANDIDATES:
        text = _decoded(sample, candidate.codec)
        share = candidate.share(text) if text is not None else 0.0
        if share > best_share:
            best, best_share = candidate.name, share
    return best if best_share >= LEAST_SHARE else None


def wide_encoding(content: bytes) -> str | None:
    """UTF-16 or UTF-32, known by its byte-order mark or by where its zeros stand; else None."""
    for mark, name in _MARKS:
        if content.startswith(mark):
            return name
    sample = content[: SAMPLE_BYTES // 4 * 4]
    zeros = sample.count(0)
    # A few zero bytes in a good UTF-8 text are just that.
    narrow = _decoded(sample.replace(b"\x00", b""), "utf-8")
    if not zeros or (zeros < len(sample) / 4 and narrow is not None and _is_free_of_odd_signs(narrow)):
        return None
    for name, codec, width in _WIDE:
        # A sample may end between the halves of a character.
        text = _decoded(sample, codec, errors="strict" if len(sample) == len(content) else "ignore")
        if text and len(content) % width == 0 and _makes_sense(text):
            return name
    return None


def _makes_sense(text: str) -> bool:
    """Whether this reads like text: bytes taken in the wrong order become rare and unused signs."""
    return _is_free_of_odd_signs(text) and any(character.isascii() for character in text)


def _is_free_of_odd_signs(text: str) -> bool:
    return all(character.isprintable() or character.isspace() or character == "\ufeff" for character in text)


def _sample(content: bytes) -> bytes:
    """The first stretch around bytes beyond ASCII, cut at line ends so that no character is."""
    first = next((place for place, byte in enumerate(content) if byte >= 0x80), 0)
    begin = content.rfind(b"\n", 0, first) + 1
    if len(content) - begin <= SAMPLE_BYTES:
        return content[begin:]
    end = content.rfind(b"\n", begin, begin + SAMPLE_BYTES)
    return content[begin : end if end > begin else begin + SAMPLE_BYTES]


def _decoded(content: bytes, codec: str, errors: str = "strict") -> str | None:
    try:
        return content.decode(codec, errors)
    except UnicodeDecodeError:
        return None


def _share_of_alphabet(alphabets: tuple[str, ...], *, n_common: int = 0) -> Callable[[str], float]:
    """Share of characters that the letters of one language explain; marks occur in all of them."""

    def share(text: str) -> float:
        found = Counter(character for character in text if not character.isascii())
        total = found.total()
        if not total or _odd_capitals(text):
            return 0.0
        marks = sum(found[mark] for mark in _EUROPEAN_MARKS)
        return max(marks + _explained(found, alphabet, n_common) for alphabet in alphabets) / total

    return share


def _explained(found: Counter[str], alphabet: str, n_common: int) -> float:
    def times(letters: str) -> int:
        return sum(found[letter] for letter in set(letters + letters.upper()))

    letters = times(alphabet)
    if not n_common or not letters:
        return letters
    return letters * min(1.0, times(alphabet[:n_common]) / letters / _LEAST_COMMON)


def _odd_capitals(text: str) -> bool:
    """Capitals after small letters: KOI8-R read as Windows-1251 has its case reversed."""
    turns = sum(
        before.islower() and after.isupper() and not after.isascii() for before, after in pairwise(text)
    )
    words = sum(
        before.islower() and after.islower() and not after.isascii() for before, after in pairwise(text)
    )
    return turns > words


def _is_kana(character: str) -> bool:
    return "\u3041" <= character <= "\u30ff"


def _is_common_mark(character: str) -> bool:
    return (
        "\u3000" <= character <= "\u3020" or "\uff01" <= character <= "\uff5e" or character in _EUROPEAN_MARKS
    )


def _share_in_rows(codec: str, first: int, last: int) -> Callable[[str], float]:
    """Share of characters in the rows (lead bytes) where the standard puts the common ones."""

    def share(text: str) -> float:
        found = Counter(character for character in text if not character.isascii())
        common = 0
        for character, times in found.items():
            code = character.encode(codec, "ignore")
            in_rows = len(code) == 2 and first <= code[0] <= last and not _is_kana(character)
            if in_rows or _is_common_mark(character):
                common += times
        return common / found.total() if found else 0.0

    return share


def _japanese_share(text: str) -> float:
    """As above for Japanese: hardly a line of it is without kana, and Chinese has none."""
    found = Counter(character for character in text if not character.isascii())
    kana = sum(times for character, times in found.items() if _is_kana(character))
    if not kana or kana < 0.15 * found.total():
        return 0.0
    return min(1.0, kana / found.total() + _share_in_rows("euc_jp", 0xB0, 0xF4)(text))


# In order: of candidates that suit equally well the first is named.
_CANDIDATES = (
    _Candidate("Shift-JIS", "cp932", _japanese_share),
    _Candidate("EUC-JP", "euc_jp", _japanese_share),
    # Korean syllables stand where GB 2312 has common signs too, but not the other way round.
    _Candidate("EUC-KR", "euc_kr", _share_in_rows("euc_kr", 0xB0, 0xC8)),
    _Candidate("GB18030", "gb18030", _share_in_rows("gb2312", 0xB0, 0xD7)),
    _Candidate("Big5", "big5", _share_in_rows("big5", 0xA4, 0xC6)),
    _Candidate("Windows-1252", "cp1252", _share_of_alphabet(_WESTERN)),
    _Candidate("Windows-1250", "cp1250", _share_of_alphabet(_CENTRAL)),
    _Candidate("ISO-8859-2", "iso8859_2", _share_of_alphabet(_CENTRAL)),
    _Candidate("Windows-1254", "cp1254", _share_of_alphabet(("âçğıİîöşûü",))),
    _Candidate("Windows-1251", "cp1251", _share_of_alphabet(_CYRILLIC, n_common=10)),
    _Candidate("KOI8-R", "koi8_r", _share_of_alphabet((_RUSSIAN,), n_common=10)),
    _Candidate("Windows-1256", "cp1256", _share_of_alphabet(_ARABIC, n_common=10)),
    _Candidate("Windows-1253", "cp1253", _share_of_alphabet(_GREEK, n_common=10)),
    _Candidate("Windows-1255", "cp1255", _share_of_alphabet(_HEBREW, n_common=10)),
)
# What Windows programs save as plain text in Europe and around: Python's names, by those that people know.
WINDOWS = {each.name: each.codec for each in _CANDIDATES if each.name.startswith("Windows-")}

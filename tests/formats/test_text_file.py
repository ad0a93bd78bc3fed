"""Plain text files: what is read, and how a file in another encoding is recognised."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.domain.errors import SourceError
from steelyard.formats.text_encoding import likely_encoding
from steelyard.formats.text_file import decode, read_lines

CHINESE = "今天天气很好，我们去公园散步。他说这个问题很重要，政府应该采取措施。"
TAIWANESE = "今天天氣很好，我們去公園散步。他說這個問題很重要，政府應該採取措施。"
JAPANESE = "今日は天気がいいので、公園へ散歩に行きましょう。この問題はとても重要だと彼は言った。"
KOREAN = "오늘은 날씨가 좋아서 우리는 공원으로 산책을 갑니다. 그는 이 문제가 매우 중요하다고 말했다."
CZECH = "Vláda dnes schválila návrh zákona, řekl ministr. Žádná změna by neměla přijít později než v září."
POLISH = "Rząd przyjął dziś ustawę, powiedział minister. Każda zmiana będzie możliwa później, jeśli trzeba."
HUNGARIAN = "A kormány ma elfogadta a törvényt, mondta a miniszter. Később is lehet módosítani, ha szükséges."
SLOVAK = "Vláda dnes schválila návrh, povedal minister. Ľudia čakajú, že zmeny prídu neskôr, možno už v lete."
RUSSIAN = "Правительство сегодня одобрило проект закона, сообщил министр. Изменения вступят в силу позже."
UKRAINIAN = (
    "Уряд сьогодні схвалив проєкт закону, повідомив міністр. Зміни набудуть чинності пізніше, її підтримали."
)
ARABIC = "وافقت الحكومة اليوم على مشروع القانون، وقال الوزير إن التغييرات ستدخل حيز التنفيذ لاحقا."
GERMAN = "Die Regierung hat heute über das Gesetz entschieden; größere Änderungen können später kommen."
FRENCH = (
    "Le gouvernement a approuvé aujourd'hui le projet de loi, où l'on prévoit déjà d'être très sévère, ça va."
)
SPANISH = (
    "¿Qué pasó ayer? El gobierno aprobó la ley, según informó el ministro; mañana habrá más información."
)
TURKISH = "Hükümet bugün yasa tasarısını onayladı; değişiklikler daha sonra yürürlüğe girecek, dedi bakan."
GREEK = "Η κυβέρνηση ενέκρινε σήμερα το νομοσχέδιο, είπε ο υπουργός. Οι αλλαγές θα έρθουν αργότερα."
HEBREW = "הממשלה אישרה היום את הצעת החוק, אמר השר. השינויים ייכנסו לתוקף מאוחר יותר."


@pytest.mark.parametrize(
    ("text", "codec", "expected"),
    [
        (CHINESE, "gb18030", "GB18030"),
        (CHINESE, "gb2312", "GB18030"),
        ("你好，世界", "gb18030", "GB18030"),
        (TAIWANESE, "big5", "Big5"),
        (JAPANESE, "shift_jis", "Shift-JIS"),
        (JAPANESE, "euc_jp", "EUC-JP"),
        ("これはペンです", "euc_jp", "EUC-JP"),
        (KOREAN, "euc_kr", "EUC-KR"),
        ("안녕하세요 세계", "euc_kr", "EUC-KR"),
        (CZECH, "cp1250", "Windows-1250"),
        (CZECH, "iso8859_2", "ISO-8859-2"),
        (POLISH, "cp1250", "Windows-1250"),
        (POLISH, "iso8859_2", "ISO-8859-2"),
        (HUNGARIAN, "cp1250", "Windows-1250"),
        (SLOVAK, "cp1250", "Windows-1250"),
        (SLOVAK, "iso8859_2", "ISO-8859-2"),
        (RUSSIAN, "cp1251", "Windows-1251"),
        (RUSSIAN, "koi8_r", "KOI8-R"),
        (UKRAINIAN, "cp1251", "Windows-1251"),
        (ARABIC, "cp1256", "Windows-1256"),
        (GERMAN, "cp1252", "Windows-1252"),
        (GERMAN, "latin_1", "Windows-1252"),
        (FRENCH, "cp1252", "Windows-1252"),
        (SPANISH, "cp1252", "Windows-1252"),
        (TURKISH, "cp1254", "Windows-1254"),
        (GREEK, "cp1253", "Windows-1253"),
        (HEBREW, "cp1255", "Windows-1255"),
    ],
)
def test_an_encoding_is_recognised_by_the_words_in_it(text: str, codec: str, expected: str) -> None:
    assert likely_encoding(f"{text}\n".encode(codec)) == expected


@pytest.mark.parametrize("text", [GERMAN, CZECH, RUSSIAN, ARABIC, CHINESE, JAPANESE, KOREAN])
@pytest.mark.parametrize(
    ("codec", "expected"),
    [
        ("utf-16", "UTF-16"),
        ("utf-16-le", "UTF-16LE"),
        ("utf-16-be", "UTF-16BE"),
        ("utf-32", "UTF-32"),
        ("utf-32-le", "UTF-32LE"),
        ("utf-32-be", "UTF-32BE"),
    ],
)
def test_wide_encodings_are_recognised_with_and_without_their_mark(
    text: str, codec: str, expected: str
) -> None:
    with pytest.raises(SourceError, match=f"is encoded as {expected}; save it as UTF-8"):
        decode(f"{text}\n{text}\n".encode(codec), "x.txt")


def test_the_line_and_the_command_that_helps_are_named() -> None:
    content = ("plain\n" * 6 + GERMAN).encode("cp1252")

    with pytest.raises(SourceError) as caught:
        decode(content, "x.txt")

    assert str(caught.value) == (
        "x.txt: line 7 is not UTF-8 (the file looks like Windows-1252); "
        "save it as UTF-8 (iconv -f WINDOWS-1252 -t UTF-8)."
    )


def test_bytes_that_suit_no_encoding_get_no_wrong_name() -> None:
    with pytest.raises(SourceError, match=r"line 1 is not UTF-8; save the file as UTF-8\.$"):
        decode(bytes(range(128, 256)), "x.txt")


def test_one_broken_line_in_good_utf8_is_not_blamed_on_an_encoding() -> None:
    content = f"{CZECH}\n{CZECH[:5]}".encode()[:-1] + b"\xc3\n" + CZECH.encode()

    with pytest.raises(SourceError, match=r"line 2 is not UTF-8, though nearly all of the file is"):
        decode(content, "x.txt")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"one\ntw\x00o\n", "line 2 holds a zero byte"),
        (b"PK\x03\x04\x80\x00", "is a zipped file, such as an Excel workbook"),
        (gzip.compress(b"text", mtime=0), "is compressed; end its name in .gz"),
    ],
)
def test_what_is_no_text_is_said_to_be_none(content: bytes, expected: str) -> None:
    with pytest.raises(SourceError, match=expected):
        decode(content, "x.txt")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_line_ends_are_taken_off(tmp_path: Path, end: str) -> None:
    (tmp_path / "x.txt").write_bytes(f"\ufeffone{end}two{end}".encode())

    assert read_lines(tmp_path / "x.txt") == ["one", "two"]


def test_only_line_ends_divide_lines(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("one\u2028\x0b\x85\x1ctwo\nthree", "utf-8", newline="")

    assert read_lines(tmp_path / "x.txt") == ["one\u2028\x0b\x85\x1ctwo", "three"]


def test_packed_files_are_unpacked(tmp_path: Path) -> None:
    (tmp_path / "x.txt.gz").write_bytes(gzip.compress("süß\n".encode()))

    assert read_lines(tmp_path / "x.txt.gz") == ["süß"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("no.txt", "there is no such file"),
        ("folder", "is a folder; name a file"),
        ("cut.gz", "is named .gz but is not a complete gzip file"),
        ("plain.gz", "is named .gz but is not a complete gzip file"),
    ],
)
def test_files_that_cannot_be_opened_are_named(tmp_path: Path, name: str, expected: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"words\n" * 1000)[:40])
    (tmp_path / "plain.gz").write_bytes(b"words\n")

    with pytest.raises(SourceError, match=expected):
        read_lines(tmp_path / name)


@given(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00\r\ufeff")))
def test_any_text_in_utf8_comes_back(text: str) -> None:
    assert decode(text.encode(), "x.txt") == text


@given(st.binary())
def test_any_bytes_can_be_guessed_about(content: bytes) -> None:
    assert likely_encoding(content) != ""

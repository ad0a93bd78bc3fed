"""WMT's XML test sets: what is taken from them, and how broken ones are answered."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from steelyard.domain.errors import SourceError
from steelyard.domain.text import Segment
from steelyard.formats.texts import LanguagePair
from steelyard.formats.wmt_xml import read_wmt_xml

PAIR = LanguagePair("en", "de")
GOOD = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="toy">
  <doc origlang="en" id="news.1">
    <src lang="en"><p><seg id="1">One &amp; only.</seg></p><p><seg id="2"> Two. </seg></p></src>
    <ref lang="de" translator="A"><p><seg id="1">Eins A.</seg><seg id="2">Zwei A.</seg></p></ref>
    <ref lang="de" translator="B"><p><seg id="1">Eins B.</seg><seg id="2">Zwei B.</seg></p></ref>
    <hyp system="Online-W" lang="de"><p><seg id="1">Eins W.</seg><seg id="2"></seg></p></hyp>
    <hyp system="Lab_1" language="de"><p><seg id="1">Eins L.</seg><seg id="2">Zwei L.</seg></p></hyp>
  </doc>
  <doc origlang="en" id="news.2">
    <src lang="en"><p><seg id="1">Three.</seg></p></src>
    <ref lang="de" translator="A"><p><seg id="1">Drei A.</seg></p></ref>
    <hyp system="Online-W" lang="de"><p><seg id="1">Drei W.</seg></p></hyp>
  </doc>
  <doc origlang="cs" id="zpravy.1">
    <src lang="cs"><p><seg id="1">Jedna.</seg></p></src>
    <ref lang="uk" translator="A"><p><seg id="1">Один.</seg></p></ref>
  </doc>
</dataset>
"""


def written(path: Path, old: str = "", new: str = "") -> Path:
    assert old in GOOD
    path.write_text(GOOD.replace(old, new, 1), "utf-8")
    return path


def problems(path: Path, reference: str | None = "A") -> str:
    with pytest.raises(SourceError) as caught:
        read_wmt_xml(path, pair=PAIR, reference=reference)
    return str(caught.value)


def test_segments_are_named_after_their_documents(tmp_path: Path) -> None:
    texts = read_wmt_xml(written(tmp_path / "x.xml"), pair=PAIR, reference="A")

    assert texts.segments == (
        Segment("news.1:1", "news.1", "One & only.", "Eins A."),
        Segment("news.1:2", "news.1", "Two.", "Zwei A."),
        Segment("news.2:1", "news.2", "Three.", "Drei A."),
    )


def test_systems_have_their_texts_none_where_they_have_none(tmp_path: Path) -> None:
    texts = read_wmt_xml(written(tmp_path / "x.xml"), pair=PAIR, reference="A")

    assert texts.translations["Online-W"] == ["Eins W.", "", "Drei W."]
    assert texts.translations["Lab_1"] == ["Eins L.", "Zwei L.", None]


def test_further_references_are_people_on_request(tmp_path: Path) -> None:
    texts = read_wmt_xml(written(tmp_path / "x.xml"), pair=PAIR, reference="A")

    assert texts.translations["refB"] == ["Eins B.", "Zwei B.", None]
    assert texts.humans == texts.on_request == {"refB"}


@pytest.mark.parametrize("name", ["B", "refB", "ref-b"])
def test_a_reference_is_chosen_by_name(tmp_path: Path, name: str) -> None:
    texts = read_wmt_xml(written(tmp_path / "x.xml"), pair=PAIR, reference=name)

    assert [segment.reference for segment in texts.segments] == ["Eins B.", "Zwei B.", ""]
    assert texts.on_request == {"refA"}


def test_documents_in_other_languages_are_left_out_with_a_warning(tmp_path: Path) -> None:
    texts = read_wmt_xml(written(tmp_path / "x.xml"), pair=PAIR, reference="A")

    assert texts.warnings == ("1 document in other languages left out.",)


def test_a_region_makes_no_difference(tmp_path: Path) -> None:
    texts = read_wmt_xml(written(tmp_path / "x.xml"), pair=LanguagePair("en-GB", "de-AT"), reference="A")

    assert len(texts.segments) == 3


def test_packed_files_are_unpacked(tmp_path: Path) -> None:
    plain = read_wmt_xml(written(tmp_path / "x.xml"), pair=PAIR, reference="A")
    (tmp_path / "x.xml.gz").write_bytes(gzip.compress(GOOD.encode()))

    assert read_wmt_xml(tmp_path / "x.xml.gz", pair=PAIR, reference="A") == plain


def test_the_encoding_that_a_file_declares_is_believed(tmp_path: Path) -> None:
    text = GOOD.replace("Eins W.", "Grüße").replace("utf-8", "gb18030")
    (tmp_path / "x.xml").write_bytes(text.encode("gb18030"))

    texts = read_wmt_xml(tmp_path / "x.xml", pair=PAIR, reference="A")

    assert texts.translations["Online-W"][0] == "Grüße"


def test_collections_tell_documents_of_one_name_apart(tmp_path: Path) -> None:
    document = '<doc id="1"><src lang="en"><p><seg id="1">{}</seg></p></src>'
    document += '<hyp system="a" lang="de"><p><seg id="1">{}</seg></p></hyp></doc>'
    collections = "".join(
        f'<collection id="{name}">{document.format(name, name.upper())}</collection>'
        for name in ("news", "chat")
    )
    (tmp_path / "x.xml").write_text(f'<dataset id="toy">{collections}</dataset>', "utf-8")

    texts = read_wmt_xml(tmp_path / "x.xml", pair=PAIR)

    assert [segment.segment_id for segment in texts.segments] == ["news/1:1", "chat/1:1"]
    assert texts.translations["a"] == ["NEWS", "CHAT"]


def test_texts_of_segments_that_the_source_lacks_are_counted(tmp_path: Path) -> None:
    path = written(tmp_path / "x.xml", '<seg id="1">Drei W.</seg>', '<seg id="1">x</seg><seg id="9">y</seg>')

    texts = read_wmt_xml(path, pair=PAIR, reference="A")

    assert "1 text of segments that the source lacks left out." in texts.warnings


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", 'has 2 references (refA, refB); choose one: [texts] reference = "refA".'),
        ("</dataset>", "", "line 20 is not well-formed XML (no element found)."),
        ("One &amp; only", "One & only", "line 4 is not well-formed XML (not well-formed (invalid token))"),
        ('system="Lab_1" ', "", "line 8: <hyp> has no system; it must say whose it is."),
        ("news.2", "news.1", 'line 10: the document "news.1" is in line 3 too; give it another id.'),
        ('<seg id="2">Zwei L.', '<seg id="1">Zwei L.', "line 8: segment 1 is in <hyp> of line 8 twice."),
        ("utf-8", "klingon", "declares the encoding klingon, which is unknown or wrong"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, old: str, new: str, expected: str) -> None:
    path = written(tmp_path / "x.xml", old, new)

    assert expected in problems(path, None)


def test_a_system_twice_in_a_document_is_named_with_both_lines(tmp_path: Path) -> None:
    path = written(tmp_path / "x.xml", 'system="Lab_1" language="de"', 'system="Online-W" lang="de"')

    assert 'line 8: <hyp> "Online-W" is in line 7 too.' in problems(path)


def test_a_reference_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    assert 'has no reference "C"; it has: refA, refB.' in problems(written(tmp_path / "x.xml"), "C")


def test_another_language_pair_is_named_with_those_that_are_there(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no document from en to fr; it has: cs-uk, en-de"):
        read_wmt_xml(written(tmp_path / "x.xml"), pair=LanguagePair("en", "fr"))


def test_another_encoding_than_declared_is_recognised(tmp_path: Path) -> None:
    text = GOOD.replace("Один", "Odin").replace("Eins W.", "Grüße, schöne Straße")
    (tmp_path / "x.xml").write_bytes(text.encode("cp1252"))

    assert "line 7 is not UTF-8 (the file looks like Windows-1252)" in problems(tmp_path / "x.xml")


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE dataset [<!ENTITY big "aaaa"><!ENTITY bigger "&big;&big;&big;">]>',
        '<!DOCTYPE dataset [<!ENTITY secret SYSTEM "file:///etc/hostname">]>',
    ],
)
def test_entities_are_refused(tmp_path: Path, declaration: str) -> None:
    path = written(tmp_path / "x.xml", "<dataset", f"{declaration}\n<dataset")

    assert "line 2 uses or declares its own entity" in problems(path)


def test_entities_of_a_file_elsewhere_are_refused_and_not_lost(tmp_path: Path) -> None:
    text = GOOD.replace("<dataset", '<!DOCTYPE dataset SYSTEM "wmt.dtd">\n<dataset', 1)
    (tmp_path / "x.xml").write_text(text.replace("Eins W.", "Eins&nbsp;W."), "utf-8")

    assert "line 8 uses or declares its own entity" in problems(tmp_path / "x.xml")

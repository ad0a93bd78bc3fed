"""Projects of Anthea, read as texts and written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from steelyard.domain.errors import SourceError
from steelyard.domain.text import Segment
from steelyard.formats.anthea import read_anthea_texts, write_project
from steelyard.formats.texts import LanguagePair

PAIR = LanguagePair("en", "ja")
HEADER = '{"source_language": "en", "target_language": "ja-JP"}'
REFERENCES = json.dumps({"references": {"r1": "一", "r2": "壱"}, "primary_reference": "r1"})


def project(tmp_path: Path, *lines: str, header: str = HEADER) -> Path:
    path = tmp_path / "project.tsv"
    path.write_text("\n".join([header, *lines, ""]), "utf-8")
    return path


def test_a_project_is_read_as_texts(tmp_path: Path) -> None:
    path = project(
        tmp_path,
        f"One.\tい\u200bち\u200b\u200b。\tdoc\tA\t{REFERENCES}",
        "",
        "Two\\nlines.\tに\tdoc\tA",
        "doc\tA",
        "One.\tひとつ\tdoc\tB",
        "Two\\nlines.\t\tdoc\tB",
    )
    texts = read_anthea_texts(path, pair=PAIR)
    assert texts.segments == (
        Segment("doc:1", "doc", "One.", "一"),
        Segment("doc:2", "doc", "Two\nlines.", ""),
    )
    assert texts.translations == {"A": ["いち。", "に"], "B": ["ひとつ", None]}
    assert texts.warnings == ("Took borders of words (U+200B) off 1 line.",)
    assert read_anthea_texts(path, pair=PAIR, reference="r2").segments[0].reference == "壱"


def test_all_problems_are_listed_with_their_lines(tmp_path: Path) -> None:
    path = project(
        tmp_path,
        "One.\tichi\tdoc\tA",
        "Other.\tni\tdoc\tB",
        "a\tb\tc",
        "One.\tichi\t\tA",
        "Two.\tni\tdoc\tA\tnot JSON",
    )
    with pytest.raises(SourceError) as error:
        read_anthea_texts(path, pair=PAIR)
    for said in (
        "line 3: another source for segment doc:1",
        "line 4: 3 fields; use source, target",
        "line 5: document is empty",
        "line 6: the fifth field not JSON is not a JSON object",
    ):
        assert said in str(error.value)
    with pytest.raises(SourceError, match="line 1 is not"):
        read_anthea_texts(project(tmp_path, header="source\ttarget\tdocument\tsystem"), pair=PAIR)


def test_another_language_pair_is_told(tmp_path: Path) -> None:
    texts = read_anthea_texts(project(tmp_path, "a\tb\tc\td"), pair=LanguagePair("de", "ja"))
    assert texts.warnings == ("The project is about en (source_language), the campaign about de.",)


def test_what_is_written_is_read_as_the_same(tmp_path: Path) -> None:
    segments = (
        Segment("s1", "d1", "One\tline\nand more", "一"),
        Segment("s2", "d2", "Two", ""),
        Segment("s3", "d1", "Three", ""),
    )
    translations = {"A": ["一\U0001f436か\u3099", "二", "三"], "B": ["ア", None, None]}
    path = tmp_path / "written.tsv"
    assert write_project(segments, translations, path, pair=PAIR, by_character=True) == 4
    written = path.read_text("utf-8")
    # Characters can be marked one by one, but a mark above a letter belongs to the letter.
    assert "一\u200b\U0001f436\u200bか\u3099\t" in written
    texts = read_anthea_texts(path, pair=PAIR)
    assert [segment.segment_id for segment in texts.segments] == ["d1:1", "d1:2", "d2:1"]
    assert [segment.source for segment in texts.segments] == ["One\tline\nand more", "Three", "Two"]
    assert texts.segments[0].reference == "一"
    assert texts.translations == {"A": ["一\U0001f436か\u3099", "三", "二"], "B": ["ア", None, None]}


def test_what_anthea_would_misread_is_refused(tmp_path: Path) -> None:
    segments = (Segment("s1", "d\t1", "C:\\new", ""),)
    with pytest.raises(SourceError) as error:
        write_project(segments, {"A": ["x"]}, tmp_path / "p.csv", pair=PAIR)
    for said in ("end the name in .tsv", "the document 'd\t1' has a tab", "1 text hold a backslash before n"):
        assert said in str(error.value).replace("\\t", "\t")

"""Campaigns for Pearmut: written, worked on in a page that counts as Pearmut's, read back; read as texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from steelyard.control_pairs import control_pairs
from steelyard.domain.errors import SourceError
from steelyard.domain.text import Segment
from steelyard.domain.work import ItemKind
from steelyard.formats.judgements_file import read_judgements
from steelyard.formats.pearmut import PearmutSettings, read_pearmut_texts, write_pearmut

Json = dict[str, Any]
SPANS = {
    "severities": ["minor", "major", "fatal"],
    "categories": {"accuracy": ["addition", "omission"], "other": []},
    "tokens": ["[missing]", "[instructions fault]"],
    "by": "word",
    "score": False,
}
GOOD = "Der \U0001f436 läuft\nweit weg"
BAD = "Der \U0001f436 backt\nweit weg"


def row(position: int, text: str, *, kind: str = "regular", **more: object) -> Json:
    return {
        "hit": "H0001",
        "position": position,
        "kind": kind,
        "system": "A",
        "segment": f"s{position}",
        "document": "d1",
        "base_position": None,
        "text": text,
        "source": f"source of {more.get('segment', position)}",
        "reference": "",
        "item_id": f"i{position}",
        "credited": [],
        "known": None,
        "known_sd": None,
        "place": 1,
        **more,
    }


# Two segments of a document, a degraded copy of the first, a text that two systems gave and gold.
ONE = [
    row(1, GOOD),
    row(2, "Zwei"),
    row(3, BAD, kind="degraded", segment="s1", base_position=1, source="source of 1"),
    row(4, "Vier", credited=["twin"], document="d2"),
    row(5, "Gold", kind="gold", known=90.0, known_sd=3.0, document="d3"),
]
# An item of three translations, and its copy in which the second is damaged.
SIDE_BY_SIDE = [
    row(position, text, place=place, system=system, kind=kind, segment="s1", base_position=base)
    for position, base, damaged in ((1, None, False), (2, 1, True))
    for place, (system, text) in enumerate([("A", "Eins"), ("B", GOOD), ("C", "Drei")], start=1)
    for kind in (["degraded"] if damaged and place == 2 else ["regular"])
    for text in ([BAD] if kind == "degraded" else [text])
]


def written(tmp_path: Path, rows: list[Json], protocol: Any = "ESA", **more: Any) -> Json:
    path = tmp_path / "campaign.json"
    settings = PearmutSettings("news", protocol, **({"spans": SPANS} | more))
    write_pearmut(pl.DataFrame(rows, infer_schema_length=None), path, settings)
    content: Json = json.loads(path.read_text("utf-8"))
    return content


def shown_in_page(text: str, tokens: list[str]) -> list[str]:
    """The places of a text in Pearmut's page, as its source makes them: units, no line ends, then tokens."""
    content = text.encode("utf-16-le", "surrogatepass")
    units = [content[k : k + 2].decode("utf-16-le", "surrogatepass") for k in range(0, len(content), 2)]
    return [*(unit for unit in units if unit != "\n"), *tokens]


def marked(text: str, part: str, severity: str = "minor", category: str | None = None) -> Json:
    """What the page logs when somebody marks this part of a text, or a token."""
    page = shown_in_page(text, SPANS["tokens"])
    wanted = [part] if part in page else shown_in_page(part, [])
    start = next(k for k in range(len(page)) if page[k : k + len(wanted)] == wanted)
    return {"start_i": start, "end_i": start + len(wanted) - 1, "severity": severity, "category": category}


def submitted(campaign: Json, answers: dict[tuple[str, str], Json], *, user: str = "u1") -> list[Json]:
    """The log of a person who does the first task; `answers` by text and model, the rest is 50."""
    return [
        {
            "annotation": [
                {
                    model: answers.get((text, model), {"score": 50, "error_spans": []})
                    for model, text in item["tgt"].items()
                }
                for item in items
            ],
            "actions": [{"time": 10.0 + k, "action": "load"}, {"time": 40.0 + k, "action": "submit"}],
            "item": items,
            "user_id": user,
            "item_i": k,
        }
        for k, items in enumerate(campaign["data"][0])
    ]


def read_back(tmp_path: Path, lines: list[Json]) -> Any:
    path = tmp_path / "news.jsonl"
    path.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), "utf-8")
    return read_judgements(path)


def test_a_campaign_comes_back_with_the_same_ratings_and_spans(tmp_path: Path) -> None:
    campaign = written(tmp_path, ONE)
    marks = [
        marked(GOOD, "\U0001f436", "major"),
        marked(GOOD, "läuft\nweit", "fatal"),
        marked(GOOD, "[missing]"),
        marked(GOOD, "[instructions fault]", "major"),
    ]
    answers = {
        (GOOD, "A"): {"score": 61, "error_spans": marks},
        (BAD, "A"): {"score": 12, "error_spans": [marked(BAD, "backt")]},
        ("Vier", "A"): {"score": 77, "error_spans": []},
    }
    found = read_back(tmp_path, submitted(campaign, answers))

    ours = found.frame.sort("position").select(
        *("hit_id", "position", "item_id", "segment_id", "document_id", "item_kind", "system_id", "rating")
    )
    assert ours.rows() == [
        ("H0001", 1, "i1", "s1", "d1", "regular", "A", 61),
        ("H0001", 2, "i2", "s2", "d1", "regular", "A", 50),
        ("H0001", 3, "i3", "s1", "d1", "degraded", "A", 12),
        ("H0001", 4, "i4", "s4", "d2", "regular", "A", 77),
        ("H0001", 4, "i4", "s4", "d2", "regular", "twin", 77),
        ("H0001", 5, "i5", "s5", "d3", "gold", "A", 50),
    ]
    assert found.frame.filter(position=5).select("known", "known_sd").row(0) == (90, 3)
    spans = found.spans.filter(item_id="i1").select("start", "end", "severity", "category").rows()
    assert spans == [
        (GOOD.index("\U0001f436"), GOOD.index("\U0001f436") + 1, "major", None),
        (GOOD.index("läuft"), GOOD.index(" weg"), "fatal", None),
        (None, None, "minor", None),
        (None, None, "major", "[instructions fault]"),
    ]
    degraded = found.spans.filter(item_id="i3").select("start", "end", "injected_start", "injected_end")
    assert degraded.rows() == [(6, 11, 6, 10)]
    assert found.spans.filter(item_id="i4")["credited"].to_list() == [["twin"]]
    pairs = control_pairs(found.frame, ItemKind.DEGRADED).select("base_rating", "control_rating")
    assert pairs.rows() == [(61, 12)]


def test_translations_side_by_side_come_back_each_with_its_kind(tmp_path: Path) -> None:
    campaign = written(tmp_path, SIDE_BY_SIDE, "cESA", shuffles=True)
    assert campaign["info"] | {"mqm_severities": []} == {
        "assignment": "task-based",
        "protocol": "cESA",
        "shuffle": True,
        "special_tokens": SPANS["tokens"],
        "mqm_severities": [],
        "word_level": True,
    }
    answers = {
        (GOOD, "B"): {"score": 80, "error_spans": [marked(GOOD, "weg")]},
        (BAD, "B"): {"score": 20, "error_spans": []},
    }
    found = read_back(tmp_path, submitted(campaign, answers))
    rows = (
        found.frame.sort("position", "system_id")
        .select("position", "system_id", "item_kind", "rating")
        .rows()
    )
    assert rows == [
        (1, "A", "regular", 50),
        (1, "B", "regular", 80),
        (1, "C", "regular", 50),
        (2, "A", "regular", 50),
        (2, "B", "degraded", 20),
        (2, "C", "regular", 50),
    ]
    assert found.frame["judgement_id"].n_unique() == 6
    marks = found.spans.filter(pl.col("start").is_not_null()).select("start", "end").rows()
    assert [GOOD[start:end] for start, end in marks] == ["weg"]


def test_controls_are_silent_rules(tmp_path: Path) -> None:
    campaign = written(tmp_path, SIDE_BY_SIDE, "cESA")
    regular, control = (items[0] for items in campaign["data"][0])
    assert "validation" not in regular
    # The damaged part is "ba" to "ck" of "backt": units 7 to 10, after two halves of a dog.
    assert control["validation"] == {
        "A": [{"score_greaterthan": "B"}],
        "B": [{"error_spans": [{"start_i": [0, 10], "end_i": [7, 19]}]}],
        "C": [{"score_greaterthan": "B"}],
    }


def test_mqm_has_its_categories_and_no_score_unless_asked(tmp_path: Path) -> None:
    assert written(tmp_path, ONE, "MQM")["info"] == {
        "assignment": "task-based",
        "protocol": "MQM",
        "shuffle": False,
        "special_tokens": SPANS["tokens"],
        "mqm_severities": ["Minor", "Major", "Fatal"],
        "word_level": True,
        "mqm_categories": SPANS["categories"],
        "sliders": [],
    }
    assert "sliders" not in written(tmp_path, ONE, "MQM", spans={**SPANS, "score": True})["info"]


def test_scores_alone_need_no_marks(tmp_path: Path) -> None:
    campaign = written(tmp_path, ONE, "DA", spans=None, shows=("text", "reference"))
    assert campaign["info"] == {"assignment": "task-based", "protocol": "DA", "shuffle": False}
    item = campaign["data"][0][0][0]
    assert "src" not in item
    assert item["ref"] == ""
    assert "_spans" not in item
    assert [[each["_position"] for each in items] for items in campaign["data"][0]] == [[1, 2], [3], [4], [5]]


def test_errors_marked_beforehand_go_out_in_units_and_come_back(tmp_path: Path) -> None:
    before = [
        {"start": 4, "end": 5, "severity": "major", "category": None},
        {"start": 12, "end": 16, "severity": "minor", "category": None},
        {"start": None, "end": None, "severity": "minor", "category": None},
    ]
    campaign = written(tmp_path, [row(1, GOOD, prefilled=before)])
    spans = campaign["data"][0][0][0]["error_spans"]["A"]
    assert spans == [marked(GOOD, "\U0001f436", "major"), marked(GOOD, "weit"), marked(GOOD, "[missing]")]
    kept = [spans[0], {**spans[1], "severity": "major"}, marked(GOOD, "Der")]
    found = read_back(tmp_path, submitted(campaign, {(GOOD, "A"): {"score": 40, "error_spans": kept}}))
    assert found.spans["origin"].to_list() == ["accepted", "changed", None]
    assert found.spans["n_removed"].to_list() == [1, 1, 1]


def test_what_pearmut_cannot_take_is_refused(tmp_path: Path) -> None:
    frame = pl.DataFrame(ONE, infer_schema_length=None)
    odd = PearmutSettings("news", "ESA", spans={**SPANS, "severities": ["Minor"]})
    with pytest.raises(SourceError) as error:
        write_pearmut(frame.clear(), tmp_path / "campaign.csv", odd)
    for said in ("end the name in .json", "there is no HIT", "'Minor' would come back as 'minor'"):
        assert said in str(error.value)


def campaign_file(tmp_path: Path, data: object, assignment: str = "task-based", **more: object) -> Path:
    path = tmp_path / "other.json"
    content = {"campaign_id": "c", "info": {"assignment": assignment}, "data": data, **more}
    path.write_text(json.dumps(content), "utf-8")
    return path


def test_a_campaign_file_is_read_as_texts(tmp_path: Path) -> None:
    first = {"item_id": "n1", "src": "eins", "ref": "one", "tgt": {"A": "ein", "B": "uno"}}
    second = {"item_id": "n2", "src": "zwei", "tgt": {"A": "two"}, "error_spans": {"A": []}}
    spoiled = {**first, "tgt": {"A": "ein", "B": "u n o"}, "validation": {"A": {"score_greaterthan": "B"}}}
    form = [{"text": "Your language?", "form": "string"}]
    path = campaign_file(
        tmp_path,
        [[[first, second]], [form, [spoiled]]],
        data_welcome=[[first]],
        data_random=[[spoiled], [first]],
    )
    texts = read_pearmut_texts(path)
    assert texts.segments == (Segment("n1", "n1", "eins", "one"), Segment("n2", "n1", "zwei", ""))
    assert texts.translations == {"A": ["ein", "two"], "B": ["uno", None]}
    assert set(texts.warnings) == {
        "Left out 1 item of forms.",
        "Left out 1 item shown before the work.",
        "Left out 2 items shown at random.",
        "Left out 1 item made to check attention.",
    }


def test_a_campaign_of_ours_is_read_as_the_texts_it_was_made_from(tmp_path: Path) -> None:
    written(tmp_path, ONE)
    texts = read_pearmut_texts(tmp_path / "campaign.json")
    assert [segment.segment_id for segment in texts.segments] == ["s1", "s2", "s4", "s5"]
    assert texts.translations == {"A": [GOOD, "Zwei", "Vier", "Gold"], "twin": [None, None, "Vier", None]}


def test_all_problems_of_a_campaign_file_are_listed_with_their_places(tmp_path: Path) -> None:
    path = campaign_file(tmp_path, [[[{"tgt": {"A": 3}, "src": 4}], []], "x"])
    with pytest.raises(SourceError) as error:
        read_pearmut_texts(path)
    for said in (
        "task 1, document 1, item 1: the text of 'A' is not a text",
        "task 1, document 1, item 1: src is not a text",
        "task 1, document 2: is not a list of items",
        "task 2, data is not a list of documents",
    ):
        assert said in str(error.value)
    item = {"item_id": "n1", "src": "eins", "tgt": {"A": "ein"}}
    changed = [{**item, "src": "EINS"}, {"item_id": "n2", "src": "z", "tgt": {"A": "x"}}]
    path = campaign_file(tmp_path, [[item], changed, [{**item, "tgt": {"A": "andere"}}]], "single-stream")
    with pytest.raises(SourceError) as error:
        read_pearmut_texts(path)
    assert "document 2, item 1: another src or ref for n1" in str(error.value)
    assert "document 3, item 1: another text of A for n1" in str(error.value)
    with pytest.raises(SourceError, match="assignment 'none' is none of"):
        read_pearmut_texts(campaign_file(tmp_path, [], "none"))

"""A campaign's HITs for other systems, and what these make of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from steelyard.domain.errors import SourceError
from steelyard.flows.export import export_hits
from steelyard.flows.open import OpenCampaign
from steelyard.formats.anthea import read_anthea_texts
from steelyard.formats.judgements_file import read_judgements
from steelyard.formats.texts import LanguagePair

SPANS = {
    "severities": ["minor", "major"],
    "categories": None,
    "tokens": ["[missing]"],
    "by": "word",
    "score": True,
}
pytestmark = pytest.mark.parametrize("address", ["sqlite"], indirect=True)


def marking(toy: OpenCampaign, **spans: Any) -> OpenCampaign:
    """The toy campaign as if errors were marked in it."""
    return replace(toy, settings=replace(toy.settings, presentation={"spans": {**SPANS, **spans}}))


def pearmut(campaign: OpenCampaign, path: Path) -> dict[str, Any]:
    assert export_hits(campaign, path, layout="pearmut") == 16
    content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return content


def test_hits_are_tasks_of_pearmut_and_its_log_finds_back(toy: OpenCampaign, tmp_path: Path) -> None:
    content = pearmut(marking(toy), tmp_path / "toy.json")
    assert content["campaign_id"] == "toy-de-en"
    assert content["info"]["protocol"] == "ESA"
    assert [sum(map(len, task)) for task in content["data"]] == [4, 4, 4, 4]
    mark = {"start_i": 4, "end_i": 6, "severity": "major", "category": None}
    lines = [
        {
            "annotation": [
                {model: {"score": 40, "error_spans": [mark]} for model in item["tgt"]} for item in items
            ],
            "item": items,
            "actions": [],
            "user_id": f"user {number}",
            "item_i": k,
        }
        for number, task in enumerate(content["data"])
        for k, items in enumerate(task)
    ]
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    found = read_judgements(log)
    first = found.spans.filter(hit_id="h1").sort("position")
    assert first["item_id"].to_list() == ["i-alpha-s1", "i-beta-s2", "i-degraded", "i-repeat"]
    assert first["item_kind"].to_list() == ["regular", "regular", "degraded", "repeat"]
    assert first.select("start", "end").unique().rows() == [(4, 7)]
    # "The dog sleeps." was made "The tax sleeps."
    assert first.filter(item_kind="degraded").select("injected_start", "injected_end").row(0) == (4, 7)
    assert set(found.frame["hit_id"]) == {"h1", "h2", "h3", "h4"}


def test_the_protocol_of_pearmut_follows_from_what_is_asked(toy: OpenCampaign, tmp_path: Path) -> None:
    path = tmp_path / "toy.json"
    assert pearmut(toy, path)["info"]["protocol"] == "DA"
    assert pearmut(marking(toy, categories={"other": []}), path)["info"]["protocol"] == "MQM"
    likert = replace(toy, settings=replace(toy.settings, protocol="likert"))
    with pytest.raises(SourceError, match="likert cannot run there"):
        export_hits(likert, path, layout="pearmut")


def test_anthea_gets_every_translation_once(toy: OpenCampaign, tmp_path: Path) -> None:
    path = tmp_path / "toy.tsv"
    assert export_hits(marking(toy, by="character"), path, layout="anthea") == 6
    texts = read_anthea_texts(path, pair=LanguagePair("de", "en"))
    assert [segment.segment_id for segment in texts.segments] == ["news-1:1", "news-1:2", "news-2:1"]
    assert texts.translations["alpha"] == ["The dog sleeps.", "It rains since days.", "She laughs loudly."]
    assert texts.segments[0].reference == "The dog is asleep."

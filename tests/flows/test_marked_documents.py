"""Errors marked over whole documents, several systems side by side: from a campaign file to frames and files.

The protocol is a tiny one in a folder outside the package, so that the flows are tried without any widget.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from fastapi.testclient import TestClient

import steelyard.protocols as package
from steelyard.control_pairs import control_pairs
from steelyard.design.prefilled import spans_left
from steelyard.domain.errors import CampaignError
from steelyard.domain.text import changed_part
from steelyard.domain.work import ItemKind
from steelyard.flows.clone import clone
from steelyard.flows.create import create
from steelyard.flows.export import export, export_hits
from steelyard.flows.extend import extend
from steelyard.flows.judged import judged_frames
from steelyard.flows.links import add_workers
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.progress import Watch
from steelyard.flows.settings import settings_from
from steelyard.flows.simulate import simulate
from steelyard.flows.source import from_campaign, read_source
from steelyard.flows.verdicts import worker_verdicts
from steelyard.flows.verify import verify
from steelyard.flows.worker import worker_detail
from steelyard.formats.campaign_spans import SpansTable, spans_shown
from steelyard.formats.campaign_toml import read_campaign
from steelyard.protocols import protocols
from steelyard.store import campaigns
from steelyard.store.audit import audit_rows
from steelyard.store.extending import stored_texts
from steelyard.store.prefilled import prefilled_spans
from steelyard.web.app import create_app

NOON = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
PROTOCOL = '''
"""One to four translations: a rating and marked errors of each."""

from pathlib import Path

from steelyard.domain.errors import AnswerError
from steelyard.domain.judgement import RatingRow, Said, Span
from steelyard.domain.plugin import Protocol
from steelyard.domain.scale import Scale
from steelyard.protocols._answers import AnswerCheck, answer_object

WHOLE = {"type": "integer", "minimum": 0}
SPAN = {
    "type": "object",
    "properties": {"start": WHOLE, "end": WHOLE, "severity": {"type": "string"}, "prefilled": WHOLE},
    "required": ["start", "end", "severity"],
    "additionalProperties": False,
}
ONE = {
    "type": "object",
    "properties": {
        "rating": {"type": "integer", "minimum": 0, "maximum": 100}, "spans": {"type": "array", "items": SPAN}
    },
    "required": ["rating", "spans"],
    "additionalProperties": False,
}
SCHEMA = answer_object({"translations": {"type": "array", "items": ONE}}, required=["translations"])
FITS = AnswerCheck(SCHEMA)


def check(item, answer):
    answer = FITS(answer)
    if len(answer["translations"]) != len(item.translations):
        raise AnswerError("Judge every translation.", "translations")
    for place, one in enumerate(answer["translations"]):
        for span in one["spans"]:
            if span["severity"] not in item.presentation["spans"]["severities"]:
                raise AnswerError("Choose a severity of the campaign.", "severity")
            if "prefilled" in span and span["prefilled"] >= len(item.prefilled[place]):
                raise AnswerError("There is no such mark.", "prefilled")
    return answer


def origin(span):
    return "accepted" if "prefilled" in span else None


def rows(item, answer):
    ratings, spans, removed = [], [], []
    for place, one in enumerate(answer["translations"]):
        ratings.append(RatingRow(place, item.attribute, float(one["rating"])))
        given = item.prefilled[place] if item.prefilled else ()
        kept = [span["prefilled"] for span in one["spans"] if "prefilled" in span]
        removed.append(len(given) - len(kept))
        spans += [
            Span(place, *(span[name] for name in ("start", "end", "severity")), origin=origin(span))
            for span in one["spans"]
        ] or [Span(place)]
    return Said(tuple(ratings), (), tuple(spans), tuple(removed) if item.prefilled else ())


def simulate(item, qualities, rng):
    judged = []
    for place, quality in enumerate(qualities):
        damaged = item.damaged[place]
        spans = [] if damaged is None else [{"start": damaged[0], "end": damaged[1], "severity": "major"}]
        judged.append({"rating": round(100 * quality), "spans": spans})
    return {"translations": judged}


PROTOCOL = Protocol(
    name="marking",
    title="Marking",
    cite=("Graham2013",),
    attributes=("quality",),
    scale=Scale(0, 100),
    presentation={"spans": {"refuse_below": 85}},
    shows={"quality": ("text", "source")},
    seconds_per_item={"quality": 60.0},
    folder=Path(__file__).parent,
    answer_schema=SCHEMA,
    check=check,
    rows=rows,
    simulate=simulate,
    gives=("ratings", "spans"),
    n_translations=3,
    most_translations=4,
    whole_documents=True,
    prefills=True,
    shuffles=True,
    degraded_as={"quality": "overall"},
)
'''
WORDS = """
language = "en"
language_name = "English"
[attributes]
quality = "quality"
[statements]
quality = "the translation is good."
[instructions]
quality = ["Mark the errors."]
"""
SYSTEMS = ("brass", "copper", "iron", "lead")
CAMPAIGN = """
[campaign]
name = "marking-trial"
title = "A trial"
protocol = "marking"
attribute = "quality"
source_language = "de"
target_language = "en"

[texts]
source = "demo:source.de.txt"
reference = "demo:reference.en.txt"
documents = "demo:documents.txt"
first = 40

[design]
order = "documents"
hit_size = 24
{design}
{tables}
""" + "".join(f'[[systems]]\nname = "{name}"\ntranslations = "demo:{name}.en.txt"\n' for name in SYSTEMS)


@pytest.fixture(scope="module", autouse=True)
def marking(more_protocols: Callable[..., AbstractContextManager[Path]]) -> Iterator[None]:
    """The protocol, in a folder that `steelyard.protocols` looks into as well."""
    files = {"__init__.py": PROTOCOL, "widget.js": "export function mount() {}", "widget.css": ""}
    with more_protocols({"marking": {**files, "instructions/en.toml": WORDS}}):
        yield


def campaign_file(folder: Path, *, design: str = "", tables: str = "") -> Path:
    path = folder / "campaign.toml"
    path.write_text(CAMPAIGN.format(design=design, tables=tables), "utf-8")
    return path


PREFILLED = "\n".join(
    [
        "system\tsegment\tstart\tend\tseverity",
        *(f"brass\t{number}\t0\t3\tmajor" for number in range(1, 41)),
        "brass\t1\t4\t8\tminor",
        "iron\t2\t1\t2\tminor",
        # As a file of spans says that there is no error.
        "lead\t2\t\t\t",
    ]
)


@pytest.fixture
def campaign(tmp_path: Path, address: str) -> Iterator[OpenCampaign]:
    """Three at once of four systems, some errors marked beforehand, on each database."""
    (tmp_path / "marks.tsv").write_text(PREFILLED, "utf-8")
    create(campaign_file(tmp_path, tables='[spans]\nprefilled = "marks.tsv"'), address, now=NOON)
    with open_campaign(address) as opened:
        yield opened


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenCampaign]:
    folder = tmp_path_factory.mktemp("judged")
    (folder / "marks.tsv").write_text(PREFILLED, "utf-8")
    file = campaign_file(
        folder,
        design="translations_per_item = 2\nratings_per_item = 2",
        tables='[spans]\nprefilled = "marks.tsv"',
    )
    create(file, str(folder / "trial.db"), now=NOON)
    with open_campaign(str(folder / "trial.db")) as opened:
        simulate(opened, 6, seed=3)
        yield opened


class Page:
    """A worker's page: it asks for work and sends answers."""

    def __init__(self, campaign: OpenCampaign) -> None:
        [self.worker] = add_workers(campaign, 1, base_url="", now=NOON)
        self.bearer = {"Authorization": f"Bearer {self.worker.token}"}
        self.campaign = campaign

    def answer(self, view: dict[str, Any], rating: int = 90) -> dict[str, Any]:
        n = len(view["item"].get("translations", [0]))
        return {"translations": [{"rating": rating - place, "spans": []} for place in range(n)]}

    def send(self, client: TestClient, view: dict[str, Any]) -> dict[str, Any]:
        body = {
            "judgement_id": str(uuid.uuid4()),
            "assignment_id": view["assignment_id"],
            "item_id": view["item"]["item_id"],
            "answer": self.answer(view),
            "shown_ms": 900,
        }
        reply = client.post("/api/v1/work/judgements", headers=self.bearer, json=body)
        assert reply.status_code == 201, reply.text
        return reply.json()["next"]

    def ask(self, client: TestClient) -> dict[str, Any]:
        return client.post("/api/v1/work/next", headers=self.bearer).json()


def texts(view: dict[str, Any]) -> list[str]:
    return [view["source"], *(each["text"] for each in view.get("translations", [view]))]


def test_a_page_is_told_of_the_whole_document_and_then_only_that_it_goes_on(campaign: OpenCampaign) -> None:
    page = Page(campaign)
    with TestClient(create_app(campaign)) as client:
        view, known, n_documents = page.ask(client), [], 0
        while not view.get("finished") and n_documents < 4:
            if view.get("continues"):
                assert {"context", "ahead"}.isdisjoint(view)
                assert texts(view["item"]) == known.pop(0)
            else:
                assert view["context"] == []
                known = [texts(each) for each in view["ahead"]]
                assert len(known) == 4
                assert not known or "item_id" not in view["ahead"][0]
                n_documents += 1
            if len(known) == 2:
                # Whoever loads the page again is told everything, and the answers they gave.
                again = page.ask(client)
                assert [texts(each) for each in again["ahead"]] == known
                assert [len(each["answer"]["translations"]) for each in again["context"]] == [2, 2]
                assert {name: again[name] for name in ("item", "position")} == {
                    name: view[name] for name in ("item", "position")
                }
                shown = again["context"][0]["translations"]
                assert [set(each) for each in shown] <= [{"text"}, {"text"}]
            view = page.send(client, view)
    assert verify(campaign).is_sound


def test_translations_keep_their_order_within_a_document_and_change_it_between_them(
    judged: OpenCampaign,
) -> None:
    frames = judged_frames(judged)
    shown = (
        frames.ratings.sort("assignment_id", "position", maintain_order=True)
        .group_by("assignment_id", "document_id", "position", maintain_order=True)
        .agg(pl.col("system_id"))
        .with_columns(pl.col("system_id").list.join(" "))
    )
    per_document = shown.group_by("assignment_id", "document_id").agg(pl.col("system_id").n_unique())
    orders = shown.with_columns(pl.col("system_id").str.split(" ").list.sort().list.join(" ").alias("group"))
    both = orders.group_by("group").agg(pl.col("system_id").n_unique())

    # A worker may see a document with two groups; each of them is in one order.
    groups = orders.group_by("assignment_id", "document_id").agg(pl.col("group").n_unique())
    assert (
        per_document.join(groups, on=["assignment_id", "document_id"])
        .select((pl.col("system_id") == pl.col("group")).all())
        .item()
    )
    assert both["system_id"].sum() > len(both)


def test_controls_pair_with_the_same_systems_own_text_and_know_where_they_were_damaged(
    judged: OpenCampaign,
) -> None:
    frames = judged_frames(judged)
    degraded = frames.ratings.filter(item_kind="degraded")

    pairs = control_pairs(frames.ratings, ItemKind.DEGRADED)
    repeats = control_pairs(frames.ratings, ItemKind.REPEAT)

    assert len(pairs) == len(degraded) > 20
    assert len(repeats) == len(frames.ratings.filter(item_kind="repeat"))
    assert pairs["base_rating"].mean() > pairs["control_rating"].mean()
    places = frames.spans.filter(item_kind="degraded")
    assert places["injected_start"].null_count() == 0
    # The simulated workers mark what was damaged.
    assert (places["start"] == places["injected_start"]).all()
    assert frames.spans.filter(pl.col("item_kind") != "degraded")["injected_start"].count() == 0
    with judged.store.read() as connection:
        originals = {
            (each.system_id, each.segment_id): each.text for each in campaigns.translations(connection)
        }
        rows = [row for row in audit_rows(connection) if row.kind is ItemKind.DEGRADED]
    known = {
        (row.system, row.segment): changed_part(originals[row.system, row.segment], row.text) for row in rows
    }
    for system, segment, start, end in places.select(
        "system_id", "segment_id", "injected_start", "injected_end"
    ).iter_rows():
        assert known[system, segment] == (start, end)


def test_texts_come_with_a_source_and_with_exported_spans(judged: OpenCampaign, tmp_path: Path) -> None:
    source = from_campaign(judged)
    export(judged, tmp_path / "out.csv")
    spans = pl.read_csv(tmp_path / "out.spans.csv", infer_schema_length=None)
    back = read_source(str(tmp_path / "out.csv"))

    assert set(source.texts["side"]) == {"target", "source"}
    own = source.texts.filter(item_kind="regular", side="target", segment_id="1", system_id="brass")
    demo = Path(package.__file__).parent.parent / "demo" / "brass.en.txt"
    assert own["text"].to_list() == demo.read_text("utf-8").splitlines()[:1]
    assert spans["text"].null_count() == 0
    assert back.texts.join(source.texts, on=source.texts.columns, how="anti").is_empty()
    left_out = ["assignment_id", "item_id"]
    assert back.spans.drop(left_out).equals(source.spans.drop(left_out))


def test_what_was_marked_beforehand_reaches_every_copy_and_further_rounds(
    campaign: OpenCampaign, tmp_path: Path
) -> None:
    with campaign.store.read() as connection:
        marked = prefilled_spans(connection)
        rows = {(row.item_id, row.place): row for row in audit_rows(connection)}
        stored = stored_texts(connection)
    assert len(stored.prefilled) == 41
    assert [span[1:4] for span in stored.prefilled["brass", "1"]] == [(0, 3, "major"), (4, 8, "minor")]
    assert [span[1:4] for span in stored.prefilled["iron", "2"]] == [(1, 2, "minor")]
    for item_id, places in marked.items():
        for place, spans in places.items():
            row = rows[item_id, place]
            own = stored.prefilled[row.system, row.segment]
            text = stored.translations[row.system][row.segment]
            assert [span[1:] for span in spans] == [span[1:] for span in spans_left(own, text, row.text)]
    systems_own = {
        key for key, row in rows.items() if row.system == "brass" and row.kind is not ItemKind.DEGRADED
    }
    assert systems_own <= {(item_id, place) for item_id, places in marked.items() for place in places}

    done = extend(campaign, ratings=1, by="manager", now=NOON)

    with campaign.store.read() as connection:
        assert len(prefilled_spans(connection)) >= len(marked)
        assert stored_texts(connection).prefilled == stored.prefilled
    assert done.n_hits > 0
    clone(campaign, str(tmp_path / "again.db"), now=NOON)
    with open_campaign(str(tmp_path / "again.db")) as again, again.store.read() as connection:
        assert stored_texts(connection).prefilled == stored.prefilled


def test_a_worker_keeps_or_removes_what_was_marked(campaign: OpenCampaign) -> None:
    page = Page(campaign)
    seen = []
    with TestClient(create_app(campaign)) as client:
        view = page.ask(client)
        while not view.get("finished"):
            shown = view["item"].get("translations", [view["item"]])
            seen += [(view["item"]["item_id"], each["spans"]) for each in shown if "spans" in each]
            view = page.send(client, view)
            if view.get("finished") and not seen:
                view = page.ask(client)
    assert seen
    frames = judged_frames(campaign)
    removed = frames.spans.filter(pl.col("n_removed") > 0)

    assert sorted(removed.select("item_id", "n_removed").rows()) == sorted(
        (item_id, len(spans)) for item_id, spans in seen
    )
    assert verify(campaign).is_sound
    with campaign.store.write() as connection:
        # As somebody would who takes the triggers away first.
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("DROP TRIGGER prefilled_no_update")
        else:
            connection.exec_driver_sql("ALTER TABLE prefilled DISABLE TRIGGER prefilled_stay")
        connection.exec_driver_sql(
            """UPDATE prefilled SET spans = '[{"start": 0, "end": 1, "severity": "minor"}]'"""
        )
    assert not verify(campaign).is_sound


def test_hits_of_several_are_written_with_their_places_and_looked_at_by_a_manager(
    judged: OpenCampaign, tmp_path: Path
) -> None:
    n_places = export_hits(judged, tmp_path / "hits.csv")
    audit = pl.read_csv(tmp_path / "hits.csv")

    assert set(audit["place"]) == {1, 2}
    assert n_places * 2 == len(audit)
    source = from_campaign(judged)
    verdicts = worker_verdicts(source, settings_from(source))
    detail = worker_detail(Watch(judged), verdicts, "W0001", now=datetime(2030, 1, 1, tzinfo=UTC))
    shown = {row["text"]: row for row in audit.iter_rows(named=True)}
    degraded = [pair for pair in detail.pairs if pair.kind == "degraded"]
    assert len(degraded) > 3
    for pair in degraded:
        assert (shown[pair.control_text]["kind"], shown[pair.control_text]["system"]) == (
            "degraded",
            pair.system_id,
        )
        assert shown[pair.base_text]["segment"] == int(pair.segment_id)
        assert pair.base_text != pair.control_text


@pytest.mark.parametrize(
    ("design", "tables", "said"),
    [
        (
            "translations_per_item = 5",
            "",
            "[design] translations_per_item = 5: marking shows 4 translations at most",
        ),
        (
            "",
            "[spans]\ncategories = {a = []}",
            "[spans] categories: marking has no use for it; leave it out.",
        ),
        ("", '[spans]\nseverities = ["bad", "bad"]', '[spans] severities: "bad" occurs 2 times; leave one.'),
        ("", "[spans]\nsilly = 1", '[spans] does not know the key "silly".'),
        ("", "[presentation]\ntexts_as_images = true", "errors cannot be marked in images of texts"),
        (
            "",
            "[presentation]\nsource_markup = true\n[spans]\nsource = true",
            "errors cannot be marked in sources with markup",
        ),
    ],
)
def test_what_a_campaign_cannot_ask_for_is_said(tmp_path: Path, design: str, tables: str, said: str) -> None:
    with pytest.raises(CampaignError) as caught:
        read_campaign(campaign_file(tmp_path, design=design, tables=tables))

    assert any(said in problem for problem in caught.value.problems), caught.value.problems


def test_severities_without_weights_are_refused_where_nobody_rates() -> None:
    own = SpansTable(severities=["small", "big"])

    _, problems = spans_shown(own, protocols()["mqm"], "en")
    _, rated = spans_shown(own.model_copy(update={"score": True}), protocols()["mqm"], "en")
    _, scored = spans_shown(own, protocols()["esa"], "en")

    assert "no weights know small, big: use some of neutral, trivial, minor" in problems[0]
    assert (rated, scored) == ([], [])


def test_every_line_that_cannot_be_marked_beforehand_is_told(tmp_path: Path) -> None:
    (tmp_path / "marks.csv").write_text(
        "system,segment,start,end,severity,category,side\n"
        "brass,1,0,3,major,,\n"
        "bras,1,0,3,major,,\n"
        "brass,999,0,3,major,,\n"
        "brass,1,3,3,major,,\n"
        "brass,1,0,9999,major,,\n"
        "brass,1,0,3,awful,,\n"
        "brass,1,0,3,major,style,\n"
        "brass,1,0,3,major,,source\n"
        "brass,1,x,3,major,,\n",
        "utf-8",
    )

    with pytest.raises(CampaignError) as caught:
        read_campaign(campaign_file(tmp_path, tables='[spans]\nprefilled = "marks.csv"'))

    told = "\n".join(caught.value.problems)
    for line, words in {
        3: 'the system "bras" does not take part; did you mean "brass"?',
        4: 'the segment "999" is not in the texts',
        5: "the end 3 is not after the start 3",
        6: "the end 9999 is beyond the text",
        7: 'severity "awful" is none of this campaign\'s: minor, major.',
        8: 'category "style" is none of this campaign\'s: there are none.',
        9: "errors in the source are not marked in this campaign: leave side out, or set [spans] source.",
        10: "the start x is not a number.",
    }.items():
        assert f"line {line}: {words}" in told
    assert "line 2:" not in told


def test_how_errors_are_marked_is_recorded_with_everything_decided(tmp_path: Path) -> None:
    path = campaign_file(tmp_path, tables='[spans]\ntokens = ["[missing]", "[odd]"]\nmost = 20')
    source = read_campaign(path)

    shown = source.campaign.settings.presentation

    assert shown["context"] == "whole"
    assert shown["spans"] == {
        "severities": ["minor", "major"],
        "categories": None,
        "tokens": ["[missing]", "[odd]"],
        "by": "word",
        "source": False,
        "most": 20,
        "score": True,
        "ask_below": 0,
        "refuse_below": 85,
    }
    chinese, _ = spans_shown(None, protocols()["marking"], "zh-Hant")
    assert chinese is not None
    assert chinese["by"] == "character"
    _, problems = spans_shown(SpansTable(), protocols()["da"], "en")
    assert problems == ["[spans]: workers mark no errors with da; remove the table."]
    assert source.campaign.settings.design.n_translations == 3
    assert any("there are none: name their file" in warning for warning in source.warnings)

"""A protocol is one folder: two that the package does not have run from campaign file to ranking.

The first asks for three ratings of one translation; its files are those of the page on adding a protocol. The
second shows two translations and gives ratings, a preference and marked spans at once.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from fastapi.testclient import TestClient

import steelyard
import steelyard.protocols as package
from steelyard.design.problems import setting_problems
from steelyard.domain.campaign import Campaign
from steelyard.domain.errors import AnswerError
from steelyard.domain.layouts import SPAN_LAYOUTS
from steelyard.domain.plugin import Protocol
from steelyard.domain.work import ItemKind, ShownItem, ShownText
from steelyard.flows.analyse import analyse
from steelyard.flows.create import create
from steelyard.flows.export import export
from steelyard.flows.export_marks import export_marks
from steelyard.flows.judged import JudgedFrames, judged_frames
from steelyard.flows.links import add_workers, links
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.settings import settings_from
from steelyard.flows.shown import shown_order
from steelyard.flows.simulate import simulate
from steelyard.flows.source import read_source
from steelyard.formats.campaign_files import CampaignFiles
from steelyard.formats.judgements_file import read_judgements
from steelyard.frames import spread_credit
from steelyard.protocols import check_words, protocols, words_in
from steelyard.store import campaigns
from steelyard.store.audit import audit_rows
from steelyard.web.app import create_app

# The files of the first are those of the page that tells how to add a protocol.
PAGE = (Path(package.__file__).parent / "README.md").read_text("utf-8")
NAMED_FILE = re.compile(r"^`([\w./]+)`[^\n]*\n(?:[^\n`]+\n)*\n```\w+\n(.*?)^```$", flags=re.M | re.S)
THREE_SLIDERS = dict(NAMED_FILE.findall(PAGE))

ALL_AT_ONCE = '''
"""Two translations: a rating of each, which is better, and the errors marked in them."""

from __future__ import annotations

from pathlib import Path

from steelyard.design.problems import setting_problems
from steelyard.domain.campaign import Campaign
from steelyard.domain.errors import AnswerError
from steelyard.domain.judgement import PREFERENCES, PreferenceRow, RatingRow, Said, Span
from steelyard.domain.plugin import Protocol
from steelyard.domain.scale import Scale
from steelyard.protocols._answers import AnswerCheck, answer_object

RATING = {"type": "integer", "minimum": 0, "maximum": 100}
WHOLE = {"type": "integer", "minimum": 0, "maximum": 100_000}
SPAN = {
    "type": "object",
    "properties": {
        "of": {"enum": [0, 1]}, "start": WHOLE, "end": WHOLE, "severity": {"enum": ["minor", "major"]}
    },
    "required": ["of", "start", "end", "severity"],
    "additionalProperties": False,
}
SCHEMA = answer_object(
    {
        "ratings": {"type": "array", "items": RATING, "minItems": 2, "maxItems": 2},
        "better": {"enum": list(PREFERENCES)},
        "spans": {"type": "array", "items": SPAN, "maxItems": 50},
    },
    required=["ratings", "better", "spans"],
)
FITS = AnswerCheck(SCHEMA)


def check(item, answer):
    answer = FITS(answer)
    for span in answer["spans"]:
        if not span["start"] < span["end"] <= len(item.translations[span["of"]].text):
            raise AnswerError("A span must lie within its translation: mark it again.", "spans")
    return answer


def rows(item, answer):
    marked = [
        Span(span["of"], span["start"], span["end"], span["severity"]) for span in answer["spans"]
    ]
    clean = [Span(place) for place in (0, 1) if place not in {span.place for span in marked}]
    ratings = [
        RatingRow(place, item.attribute, float(rating)) for place, rating in enumerate(answer["ratings"])
    ]
    return Said(tuple(ratings), (PreferenceRow(0, 1, answer["better"], item.attribute),), (*marked, *clean))


def simulate(item, qualities, rng):
    first, second = qualities
    better = "tie" if abs(first - second) < 0.02 else "a" if first > second else "b"
    spans = [
        {"of": place, "start": 0, "end": 1, "severity": "major" if quality < 0.3 else "minor"}
        for place, quality in enumerate(qualities)
        if rng.random() > quality
    ]
    return {"ratings": [round(100 * first), round(100 * second)], "better": better, "spans": spans}


PROTOCOL = Protocol(
    name="all-at-once",
    title="All at once",
    cite=("Graham2013",),
    attributes=("quality",),
    scale=Scale(0, 100),
    presentation={},
    shows={"quality": ("text", "source")},
    seconds_per_item={"quality": 60.0},
    folder=Path(__file__).parent,
    answer_schema=SCHEMA,
    check=check,
    rows=rows,
    simulate=simulate,
    gives=("ratings", "preferences", "spans"),
    n_translations=2,
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
quality = ["Compare the two."]
"""
CAMPAIGN = """
[campaign]
name = "trial"
title = "A trial"
protocol = "{name}"
attribute = "quality"
source_language = "de"
target_language = "en"

[texts]
source = "demo:source.de.txt"
reference = "demo:reference.en.txt"

[design]
hit_size = 50
ratings_per_item = 1
"""
SYSTEM = """
[[systems]]
name = "{name}"
translations = "demo:{name}.en.txt"
"""


@dataclass(frozen=True)
class Trial:
    """A protocol in a folder of its own, outside the package."""

    protocol: Protocol
    folder: Path

    @property
    def example(self) -> Path:
        return self.folder / "example.toml"


@pytest.fixture(scope="module")
def trials(more_protocols: Callable[..., AbstractContextManager[Path]]) -> Iterator[dict[str, Trial]]:
    """Both protocols, in a folder that `steelyard.protocols` looks into as well."""
    files = {"three_sliders": THREE_SLIDERS, "all_at_once": _files_of("all-at-once", ALL_AT_ONCE)}
    with more_protocols(files) as home:
        folders = {folder.replace("_", "-"): home / folder for folder in files}
        yield {name: Trial(protocols()[name], folder) for name, folder in folders.items()}


def _files_of(name: str, code: str) -> dict[str, str]:
    systems = "".join(SYSTEM.format(name=each) for each in ("brass", "copper", "iron"))
    return {
        "__init__.py": code,
        "widget.js": "export function mount() {}",
        "widget.css": "",
        "instructions/en.toml": WORDS,
        "example.toml": CAMPAIGN.format(name=name) + systems,
    }


def test_the_page_has_every_file_that_a_protocol_needs() -> None:
    assert sorted(THREE_SLIDERS) == [
        *("__init__.py", "example.toml", "instructions/en.toml", "widget.css", "widget.js"),
    ]


@pytest.fixture
def three_sliders(trials: dict[str, Trial]) -> Trial:
    return trials["three-sliders"]


@pytest.fixture
def all_at_once(trials: dict[str, Trial]) -> Trial:
    return trials["all-at-once"]


def finished(trial: Trial, address: str, noon: datetime, *, n_workers: int = 8) -> OpenCampaign:
    """The campaign of a protocol's example, judged by a simulated crowd."""
    create(trial.example, address, now=noon)
    campaign = open_campaign(address)
    simulate(campaign, n_workers, seed=7)
    return campaign


def test_three_ratings_at_once_rank_systems_by_each_and_together(
    three_sliders: Trial, tmp_path: Path, noon: datetime
) -> None:
    with finished(three_sliders, str(tmp_path / "trial.db"), noon) as campaign:
        exported = export(campaign, tmp_path / "trial.csv")
        ratings = judged_frames(campaign).ratings

    source = read_source(str(tmp_path / "trial.csv"))
    analysis = analyse(source, settings_from(source, check="none"))

    assert exported.n_judgements == len(ratings) / 3
    assert set(ratings["attribute"]) == {"meaning", "language", "tone"}
    assert [ranking.attribute for ranking in analysis.attributes] == ["language", "meaning", "tone"]
    assert set(analysis.systems["system_id"]) == {"brass", "copper", "iron"}
    # From the database and from the file: the same numbers.
    with steelyard.open(str(tmp_path / "trial.db")) as opened:
        again = steelyard.analyse(opened.judgements(), check="none")
    assert again.systems["score"].to_list() == analysis.systems["score"].to_list()


def test_the_server_shows_and_takes_what_the_folder_says(
    three_sliders: Trial, tmp_path: Path, noon: datetime
) -> None:
    create(three_sliders.example, str(tmp_path / "trial.db"), now=noon)
    with open_campaign(str(tmp_path / "trial.db")) as campaign:
        [worker] = add_workers(campaign, 1, base_url="", now=noon)
        bearer = {"Authorization": f"Bearer {worker.token}"}
        with TestClient(create_app(campaign)) as client:
            page = client.get(f"/w/{worker.token}").text
            widget = client.get("/protocols/three-sliders/widget.js").text
            described = client.get("/openapi.json").json()
            view = client.post("/api/v1/work/next", headers=bearer).json()
            send = _sender(client, bearer)
            missing = send(view, {"meaning": 5, "language": 6})
            outside = send(view, {"meaning": 5, "language": 6, "tone": 101})
            taken = send(view, {"meaning": 5, "language": 6, "tone": 7})

    assert "Move all three sliders" in page
    # With what it imports before it, and without what only people need.
    own = THREE_SLIDERS["widget.js"].partition("\n\n")[2]
    assert widget.endswith("".join(f"{line.strip()}\n" for line in own.splitlines() if line))
    assert "function mountQuestion(" in widget
    assert set(view["item"]) == {"item_id", "text", "reference"}
    request = described["paths"]["/api/v1/work/judgements"]["post"]["requestBody"]
    answer = request["content"]["application/json"]["schema"]["properties"]["answer"]
    assert answer["required"] == ["meaning", "language", "tone"]
    assert (missing.status_code, missing.json()["error"]["field"]) == (422, "tone")
    assert missing.json()["error"]["message"] == (
        "The tone is missing: move the slider for tone before sending."
    )
    assert (outside.status_code, outside.json()["error"]["message"]) == (
        422,
        "The tone must be a whole number from 0 to 100: move the slider for tone and send again.",
    )
    assert taken.status_code == 201


def _sender(client: TestClient, bearer: dict[str, str]) -> Callable[[dict[str, Any], dict[str, Any]], Any]:
    def send(view: dict[str, Any], answer: dict[str, Any]) -> Any:
        body = {
            "judgement_id": str(uuid.uuid4()),
            "assignment_id": view["assignment_id"],
            "item_id": view["item"]["item_id"],
            "answer": answer,
            "shown_ms": 900,
        }
        return client.post("/api/v1/work/judgements", headers=bearer, json=body)

    return send


def test_words_of_the_new_folder_are_found_and_checked(three_sliders: Trial) -> None:
    words = words_in(three_sliders.protocol, "en")

    assert words is not None
    assert list(words["sliders"]) == ["meaning", "language", "tone"]
    assert check_words({"language": "de"}, like=words) != []


@pytest.fixture(scope="module")
def judged(
    trials: dict[str, Trial], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[OpenCampaign, JudgedFrames]]:
    """The trial of two translations, judged once for all tests, and what was said."""
    address = str(tmp_path_factory.mktemp("judged") / "trial.db")
    with finished(trials["all-at-once"], address, datetime(2024, 5, 1, tzinfo=UTC)) as campaign:
        yield campaign, judged_frames(campaign)


def test_one_answer_may_fill_all_three_frames(all_at_once: Trial, address: str, noon: datetime) -> None:
    with finished(all_at_once, address, noon, n_workers=1) as campaign:
        frames = judged_frames(campaign)

    assert frames.n_judgements > 0
    assert len(frames.preferences) == frames.n_judgements
    assert len(frames.ratings) == 2 * frames.n_judgements
    translations = frames.spans.unique(["judgement_id", "system_id", "segment_id"])
    assert len(translations) == 2 * frames.n_judgements


def test_the_better_rated_translation_is_the_preferred_one(
    judged: tuple[OpenCampaign, JudgedFrames],
) -> None:
    _, frames = judged
    first, second = (
        frames.ratings.gather_every(2, offset).get_column("rating").to_list() for offset in (0, 1)
    )

    preference = frames.preferences["preference"].to_list()

    assert {"a", "b"} <= set(preference)
    wrong = [
        (a, b, said)
        for a, b, said in zip(first, second, preference, strict=True)
        if (said == "a" and a < b) or (said == "b" and a > b)
    ]
    assert wrong == []


@pytest.mark.parametrize("layout", SPAN_LAYOUTS)
def test_marked_errors_can_be_written_for_other_programs(
    judged: tuple[OpenCampaign, JudgedFrames], tmp_path: Path, layout: str
) -> None:
    campaign, frames = judged
    name = {"mqm": "out.tsv", "seg-rating": "folder"}.get(layout, "out.jsonl")

    exported = export_marks(campaign, tmp_path / name, layout)

    place = ("worker_id", "system_id", "segment_id", "start", "end", "severity")
    read = pl.concat([read_judgements(path).spans for path in exported.files])
    regular = spread_credit(frames.spans.filter(item_kind="regular"))
    # Some saw a translation beside two others: of a worker's judgements of it the last is written.
    last = pl.col("judgement_id") == pl.col("judgement_id").last().over(
        "worker_id", "system_id", "segment_id"
    )
    regular = regular.filter(last)
    assert sorted(read.select(place).rows(), key=repr) == sorted(regular.select(place).rows(), key=repr)
    assert exported.n_judgements == len(regular.unique(["judgement_id", "system_id"]))
    assert [note.partition(" ")[2] for note in exported.notes[:2]] == [
        "judgements left out: the same worker judged the translation again later.",
        "judgements of control items left out: the layout has no kinds of items.",
    ]


def test_each_system_stands_first_about_half_the_time(judged: tuple[OpenCampaign, JudgedFrames]) -> None:
    _, frames = judged
    regular = frames.preferences.filter(item_kind="regular")

    counts = dict(regular["system_a"].value_counts().rows())

    assert set(counts) == {"brass", "copper", "iron"}
    n = {
        system: regular.filter((regular["system_a"] == system) | (regular["system_b"] == system)).height
        for system in counts
    }
    # Five standard deviations of fair coins.
    assert all(abs(counts[system] - n[system] / 2) < 5 * (n[system] / 4) ** 0.5 for system in counts)


def test_a_degraded_control_says_which_side_it_was_on(judged: tuple[OpenCampaign, JudgedFrames]) -> None:
    campaign, frames = judged
    controls = frames.preferences.filter(item_kind="degraded")

    sides = controls["control_side"].to_list()

    assert {"a", "b"} == set(sides)
    assert frames.preferences.filter(item_kind="regular")["control_side"].null_count() == len(
        frames.preferences.filter(item_kind="regular")
    )
    assert (controls["system_a"] == controls["system_b"]).all()
    # What stood on the other side is the system's own text, to the letter; this one is not.
    with campaign.store.read() as connection:
        facts = {fact.item_id: fact for fact in campaigns.item_facts(connection)}
    protocol = protocols()["all-at-once"]
    for control in controls.iter_rows(named=True):
        fact = facts[control["item_id"]]
        stored = [fact.text, *(each.shown.text for each in fact.beside)]
        order = shown_order(protocol, control["assignment_id"], control["item_id"])
        assert order is not None
        shown = dict(zip("ab", (stored[place - 1] for place in order), strict=True))
        own = CampaignFiles(Path()).lines(f"demo:{control['system_a']}.en.txt") or []
        assert [side for side, text in shown.items() if text not in own] == [control["control_side"]]


def test_no_place_in_the_database_gives_a_control_away(judged: tuple[OpenCampaign, JudgedFrames]) -> None:
    # Workers know both ids that the order shown follows from, so the order stored must be random too.
    campaign, _ = judged
    with campaign.store.read() as connection:
        rows = audit_rows(connection)

    places = [row.place for row in rows if row.kind is ItemKind.DEGRADED]

    n = len(places)
    assert abs(places.count(1) - n / 2) < 4 * (n / 4) ** 0.5


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_all_three_frames_come_back_from_files(
    judged: tuple[OpenCampaign, JudgedFrames], tmp_path: Path, ending: str
) -> None:
    campaign, frames = judged
    exported = export(campaign, tmp_path / f"trial.{ending}")

    source = read_source(str(tmp_path / f"trial.{ending}"))

    assert [path.name for path in exported.files] == [
        f"trial.{ending}",
        f"trial.preferences.{ending}",
        f"trial.spans.{ending}",
    ]
    left_out = ["assignment_id", "item_id"]
    assert source.frame.drop(left_out).equals(frames.ratings.drop(left_out))
    assert source.preferences.drop(left_out).equals(frames.preferences.drop(left_out))
    assert source.spans.drop(left_out).equals(frames.spans.drop(left_out))
    assert source.warnings == ()


def test_workers_see_the_translations_and_nothing_else(
    all_at_once: Trial, tmp_path: Path, noon: datetime
) -> None:
    create(all_at_once.example, str(tmp_path / "trial.db"), now=noon)
    with open_campaign(str(tmp_path / "trial.db")) as campaign:
        [worker] = add_workers(campaign, 1, base_url="", now=noon)
        manager = links(campaign, base_url="").manager_url.rpartition("/")[2]
        bearer = {"Authorization": f"Bearer {worker.token}"}
        with TestClient(create_app(campaign)) as client:
            view = client.post("/api/v1/work/next", headers=bearer).json()
            again = client.post("/api/v1/work/next", headers=bearer).json()
            send = _sender(client, bearer)
            too_far = {"of": 0, "start": 0, "end": 99_999, "severity": "minor"}
            refused = send(view, {"ratings": [1, 2], "better": "b", "spans": [too_far]})
            nested = send(view, {"ratings": [1, 2], "better": "b", "spans": [{"of": 0}]})
            taken = send(view, {"ratings": [1, 2], "better": "b", "spans": []})
            files = {
                frame: client.get(
                    f"/api/v1/judgements.csv?frame={frame}", headers={"Authorization": f"Bearer {manager}"}
                ).text
                for frame in ("ratings", "preferences", "spans")
            }

    assert view == again
    assert set(view["item"]) == {"item_id", "source", "translations"}
    assert [set(each) for each in view["item"]["translations"]] == [{"text"}, {"text"}]
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "spans")
    assert (nested.status_code, nested.json()["error"]["field"]) == (422, "spans.0.start")
    assert taken.status_code == 201
    assert [len(text.splitlines()) for text in files.values()] == [3, 2, 3]


def test_what_was_shown_first_is_system_a(all_at_once: Trial, tmp_path: Path, noon: datetime) -> None:
    create(all_at_once.example, str(tmp_path / "trial.db"), now=noon)
    with open_campaign(str(tmp_path / "trial.db")) as campaign:
        [worker] = add_workers(campaign, 1, base_url="", now=noon)
        bearer = {"Authorization": f"Bearer {worker.token}"}
        with TestClient(create_app(campaign)) as client:
            view = client.post("/api/v1/work/next", headers=bearer).json()
            shown = []
            while not view.get("finished"):
                shown.append([each["text"] for each in view["item"]["translations"]])
                answer = {"ratings": [80, 20], "better": "a", "spans": []}
                view = _sender(client, bearer)(view, answer).json()["next"]
        frames = judged_frames(campaign)

    texts = {
        name: (steelyard_demo() / f"{name}.en.txt").read_text("utf-8").splitlines()
        for name in ("brass", "copper", "iron")
    }
    rows = frames.preferences.sort("position").iter_rows(named=True)
    wrong = [
        row["position"]
        for row, (first, second) in zip(rows, shown, strict=True)
        if row["item_kind"] == "regular"
        and not (
            first == texts[row["system_a"]][int(row["segment_id"]) - 1]
            and second == texts[row["system_b"]][int(row["segment_id"]) - 1]
        )
    ]
    assert wrong == []
    # The higher rating belongs to the translation shown first.
    high = frames.ratings.filter(rating=80).sort("position")
    assert high["system_id"].to_list() == frames.preferences.sort("position")["system_a"].to_list()


def steelyard_demo() -> Path:
    return Path(steelyard.__file__).parent / "demo"


def test_a_check_may_look_at_the_texts_of_the_item(all_at_once: Trial) -> None:
    item = ShownItem("quality", (ShownText("A", "s1", "Short."), ShownText("B", "s1", "A longer text.")))
    answer = {
        "ratings": [5, 6],
        "better": "b",
        "spans": [{"of": 1, "start": 0, "end": 14, "severity": "minor"}],
    }

    assert all_at_once.protocol.check(item, answer) == answer
    answer["spans"] = [{"of": 0, "start": 0, "end": 14, "severity": "minor"}]
    with pytest.raises(AnswerError, match="within its translation"):
        all_at_once.protocol.check(item, answer)


def test_more_translations_than_can_be_laid_out_are_refused(toy_campaign: Campaign) -> None:
    design = replace(toy_campaign.settings.design, n_translations=3)
    settings = replace(toy_campaign.settings, design=design)

    problems = setting_problems(replace(toy_campaign, settings=settings))

    assert (
        '3 translations at once are laid out document by document only: set order = "documents", or '
        "translations_per_item = 2 or less."
    ) in problems

"""What a person excluded, and who is simulated, in analyses, exports and files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from steelyard.cli.main import run
from steelyard.domain.errors import Conflict, NotEnoughData
from steelyard.domain.exhibit import ExhibitOptions, Figure
from steelyard.domain.result import Analysis, AnalysisSettings, MethodSettings
from steelyard.domain.running import Exclusion
from steelyard.domain.work import ItemKind
from steelyard.evaluation.settings import EvaluationSettings
from steelyard.exhibits import figures, tables
from steelyard.flows.analyse import analyse, weigh
from steelyard.flows.create import create
from steelyard.flows.evaluate import evaluate
from steelyard.flows.exclude import Decision, exclude
from steelyard.flows.export import export
from steelyard.flows.judged import judged_frames
from steelyard.flows.links import add_workers
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.settings import settings_from
from steelyard.flows.simulate import simulate
from steelyard.flows.source import Source, from_campaign, read_source
from steelyard.flows.verdicts import worker_verdicts
from steelyard.frames import ratings_frame
from steelyard.protocols import protocols
from steelyard.report.html import report_html
from steelyard.report.json import analysis_record
from steelyard.report.text import analysis_text
from steelyard.store import judgements as stored
from steelyard.store.verdicts import n_judgements_of_people

SETTINGS = AnalysisSettings(method_settings=MethodSettings(draws=50))
IGNORING = replace(SETTINGS, exclusions="ignore")
CAREFUL = ("ann", "bob", "eve")


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    """Three careful workers with two HITs each; in the second of eve's the controls are upside down."""
    rng = np.random.default_rng(3)
    rows = []
    for worker in CAREFUL:
        for hit in ("first", "second"):
            for s in range(12):
                for system, quality in (("good", 75.0), ("poor", 50.0)):
                    drop = -30 if (worker, hit) == ("eve", "second") else 30
                    kinds = [("regular", quality), *([("degraded", quality - drop)] if s < 8 else [])]
                    for kind, level in kinds:
                        rating = float(np.clip(rng.normal(level, 6), 0, 100))
                        rows.append((worker, f"{hit} of {worker}", kind, f"s{s}", system, rating))
    names = ["worker_id", "hit_id", "item_kind", "segment_id", "system_id", "rating"]
    return ratings_frame(pl.DataFrame(rows, schema=names, orient="row").with_columns(attribute=pl.lit("")))


def source(frame: pl.DataFrame, *exclusions: Exclusion, simulated: frozenset[str] = frozenset()) -> Source:
    return Source(frame, title="Toy", campaign="file", exclusions=exclusions, simulated=simulated)


BOB = Exclusion("bob", None, "answers copied from ann")
EVES_SECOND = Exclusion("eve", "second of eve", "read the instructions upside down")


def verdicts(analysis: Analysis) -> dict[str, str]:
    return dict(analysis.workers.select("worker_id", "verdict").iter_rows())


def test_an_excluded_worker_does_not_count_and_is_listed_with_verdict_and_reason(frame: pl.DataFrame) -> None:
    found = analyse(source(frame, BOB), SETTINGS)

    without = analyse(source(frame.filter(pl.col("worker_id") != "bob")), SETTINGS)
    assert found.systems.equals(without.systems)
    assert verdicts(found)["bob"] == "pass"
    assert dict(found.workers.select("worker_id", "excluded").iter_rows()) == {
        "ann": None,
        "bob": "answers copied from ann",
        "eve": None,
    }


def test_the_check_no_longer_sees_a_hit_that_was_excluded(frame: pl.DataFrame) -> None:
    assert verdicts(analyse(source(frame), SETTINGS))["eve"] == "fail"

    found = analyse(source(frame, EVES_SECOND), SETTINGS)

    assert verdicts(found)["eve"] == "pass"
    assert not any("match no regular item" in warning for warning in found.warnings)
    left = frame.filter(pl.col("hit_id") != "second of eve")
    assert found.systems.equals(analyse(source(left), SETTINGS).systems)
    reasons = found.hits.filter(pl.col("excluded").is_not_null()).select("hit_id", "excluded").rows()
    assert reasons == [("second of eve", "A person excluded it: read the instructions upside down")]


def test_exclusions_can_be_ignored_and_the_signature_says_so(frame: pl.DataFrame) -> None:
    plain = analyse(source(frame), SETTINGS)

    found = analyse(source(frame, BOB, EVES_SECOND), IGNORING)

    assert found.systems.equals(plain.systems)
    assert found.workers.equals(plain.workers)
    assert "|exclusions:ignored|" in found.signature
    assert found.signature.replace("|exclusions:ignored", "") == plain.signature


def test_the_signature_says_how_many_judgements_a_person_excluded(frame: pl.DataFrame) -> None:
    found = analyse(source(frame, BOB, EVES_SECOND), SETTINGS)

    # A HIT has 24 translations and 16 degraded copies: two HITs of bob, one of eve.
    assert "|excluded:120|" in found.signature
    assert "|excluded:80|" in analyse(source(frame, BOB), SETTINGS).signature


def test_a_sentence_says_what_was_excluded_and_why(frame: pl.DataFrame) -> None:
    found = analyse(source(frame, BOB, EVES_SECOND), SETTINGS)

    assert (
        "A person excluded 1 worker and 1 HIT (120 judgements): bob (answers copied from ann), HIT second of "
        "eve of eve (read the instructions upside down)." in found.warnings
    )
    assert (
        "A person excluded 1 worker (80 judgements): they count here all the same, as asked."
        in analyse(source(frame, BOB), IGNORING).warnings
    )


def test_a_worker_whose_every_hit_is_excluded_is_excluded(frame: pl.DataFrame) -> None:
    each = (Exclusion("bob", f"{hit} of bob", f"{hit} odd") for hit in ("first", "second"))

    found = analyse(source(frame, *each), SETTINGS)

    assert found.warnings[0].startswith("A person excluded 1 worker (80 judgements): bob (first odd; second")
    assert found.systems.equals(analyse(source(frame, BOB), SETTINGS).systems)


def test_exclusions_hold_without_a_check_and_where_single_hits_are_kept(frame: pl.DataFrame) -> None:
    settings = replace(SETTINGS, check="none", exclude_hits=False)

    found = analyse(source(frame, BOB, EVES_SECOND), settings)

    assert (found.counts.kept_judgements, found.counts.judgements) == (120, 240)


def test_with_everyone_excluded_nothing_is_left_to_score(frame: pl.DataFrame) -> None:
    everyone = [Exclusion(worker, None, "test data") for worker in CAREFUL]

    with pytest.raises(NotEnoughData, match="excluded every worker") as caught:
        analyse(source(frame, *everyone), SETTINGS)

    assert 'exclusions="ignore"' in str(caught.value)


def test_verdicts_are_there_with_everyone_excluded(frame: pl.DataFrame) -> None:
    everyone = [Exclusion(worker, None, "test data") for worker in CAREFUL]

    found = worker_verdicts(source(frame, *everyone), SETTINGS)

    assert found.workers["verdict"].to_list() == ["pass", "pass", "fail"]


def test_tables_and_figures_are_made_without_what_was_excluded(frame: pl.DataFrame) -> None:
    evidence = weigh(source(frame, BOB), SETTINGS)

    assert set(evidence.frame["worker_id"]) == {"ann", "eve"}
    assert len(evidence.keeps) == len(evidence.frame)


@pytest.mark.parametrize("out", [BOB, EVES_SECOND], ids=["a worker", "one HIT"])
@pytest.mark.parametrize(
    "name", ["campaign-counts", "pass-by-language", "pass-counts", "p-against-pace", "agreement"]
)
def test_an_exhibit_counts_as_if_what_was_excluded_were_not_there(
    frame: pl.DataFrame, name: str, out: Exclusion
) -> None:
    timed = frame.with_columns(seconds=pl.lit(12.0))
    is_out = pl.col("worker_id") == out.worker_id
    if out.hit_id is not None:
        is_out &= pl.col("hit_id") == out.hit_id
    make = {**figures(), **tables()}[name].make

    found, without = (
        make([weigh(each, SETTINGS)], ExhibitOptions(draws=20))
        for each in (source(timed, out), source(timed.filter(~is_out)))
    )

    rows, wanted = (each.table.rows if isinstance(each, Figure) else each.rows for each in (found, without))
    if name == "p-against-pace":
        # A worker who is shown is described by all they judged, as in the list of workers.
        rows, wanted = (each.drop("n_judgements") for each in (rows, wanted))
    assert rows.equals(wanted)


def test_a_study_of_everybody_leaves_out_whom_a_person_excluded(frame: pl.DataFrame) -> None:
    copies = [frame.with_columns(worker_id=pl.format("{} {}", "worker_id", pl.lit(n))) for n in range(2)]
    asked = EvaluationSettings(methods=("mean-rating",), draws=2, analysis=SETTINGS)

    found = evaluate(source(pl.concat([frame, *copies]), BOB), asked)

    assert "|excluded:80|" in found.signature
    assert any("A person excluded 1 worker" in warning for warning in found.warnings)


def test_every_report_says_what_a_person_excluded(frame: pl.DataFrame) -> None:
    found = analyse(source(frame, BOB), SETTINGS)

    assert "Note: A person excluded 1 worker (80 judgements)" in analysis_text(found)
    page = report_html(found)
    assert "passed</span>, excluded by a person" in page
    assert "those who passed. A person excluded 1 worker, whatever" in " ".join(page.split())
    assert "Excluded by a person: answers copied from ann." in page
    record = analysis_record(found)
    assert record["counts"]["excluded_judgements"] == 80
    assert [worker["excluded"] for worker in record["workers"]] == [None, "answers copied from ann", None]


def test_nothing_is_said_of_exclusions_where_there_are_none(frame: pl.DataFrame) -> None:
    found = analyse(source(frame), SETTINGS)
    record = analysis_record(found)

    assert "exclu" not in found.signature
    assert "simulated" not in found.signature
    assert set(record["counts"]).isdisjoint({"excluded_judgements", "simulated_workers"})
    assert all("excluded" not in worker for worker in record["workers"])


def test_simulated_workers_are_said_in_signature_and_report(frame: pl.DataFrame) -> None:
    found = analyse(source(frame, simulated=frozenset({"ann", "bob"})), SETTINGS)
    everyone = analyse(source(frame, simulated=frozenset(CAREFUL)), SETTINGS)

    assert "|simulated:2/3|" in found.signature
    assert "Warning: 2 of 3 workers are simulated" in analysis_text(found)
    assert "All 3 workers are simulated" in report_html(everyone)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, OpenCampaign]]:
    """Campaigns judged by a simulated crowd in which a person excluded a worker and a HIT of another."""
    folder = tmp_path_factory.mktemp("excluded")
    now = datetime(2026, 5, 4, 12, tzinfo=UTC)
    opened = {}
    for protocol in ("da", "pairwise"):
        text = (protocols()[protocol].folder / "example.toml").read_text("utf-8")
        text = re.sub("hit_size = [0-9]+", "hit_size = 50", text)
        text = re.sub("ratings_per_item = [0-9]+", "ratings_per_item = 1", text)
        (folder / f"{protocol}.toml").write_text(text, "utf-8")
        create(folder / f"{protocol}.toml", str(folder / f"{protocol}.db"), now=now)
        opened[protocol] = open_campaign(str(folder / f"{protocol}.db"))
        simulate(opened[protocol], 6, seed=3)
        exclude(opened[protocol], Decision("W0002", "manager", "a reason, with a comma"), now=now)
        frames = judged_frames(opened[protocol])
        frame = next(each for each in (frames.ratings, frames.preferences) if len(each))
        hit_id = frame.filter(pl.col("worker_id") == "W0003")["hit_id"][0]
        exclude(opened[protocol], Decision("W0003", "manager", 'said "no"', hit_id), now=now)
    yield opened
    for campaign in opened.values():
        campaign.close()


@pytest.mark.parametrize("protocol", ["da", "pairwise"])
@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_an_export_in_pieces_is_the_export_at_once(
    judged: dict[str, OpenCampaign],
    protocol: str,
    ending: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def read(file: Path) -> object:
        return pl.read_parquet(file).to_dict(as_series=False) if ending == "parquet" else file.read_bytes()

    steps: list[int] = []
    at_once = export(judged[protocol], tmp_path / f"one.{ending}")
    expected = [read(file) for file in at_once.files]
    monkeypatch.setattr(stored, "BATCH", 70)
    in_pieces = export(judged[protocol], tmp_path / f"one.{ending}", progress=steps.append)
    found = [read(file) for file in in_pieces.files]

    assert in_pieces == at_once
    assert found == expected
    assert (sum(steps), max(steps)) == (at_once.n_judgements, 70)


@pytest.mark.parametrize("protocol", ["da", "pairwise"])
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_an_exported_file_gives_the_same_analysis_as_the_database(
    judged: dict[str, OpenCampaign], protocol: str, ending: str, tmp_path: Path
) -> None:
    campaign = judged[protocol]
    path = tmp_path / f"{campaign.settings.name}.{ending}"
    export(campaign, path)
    stored, read = from_campaign(campaign), read_source(str(path))

    for exclusions in ("apply", "ignore"):
        asked = settings_from(stored, draws=0, check="none", exclusions=exclusions)
        one, other = analyse(stored, asked), analyse(replace(read, scale=stored.scale), asked)
        assert one.systems.equals(other.systems)
        # A file tells neither the protocol nor the root of the database it came from.
        only_of_database = f"|protocol:{protocol}|root:{(stored.root or '')[:16]}"
        assert one.signature.replace(only_of_database, "") == other.signature
        assert one.workers.select("worker_id", "excluded").equals(
            other.workers.select("worker_id", "excluded")
        )
        assert one.counts == other.counts
        assert one.counts.excluded_judgements > 0
        assert one.warnings[:2] == other.warnings[:2]


def test_an_export_without_exclusions_has_no_such_column(
    campaign_file: Path, tmp_path: Path, noon: datetime
) -> None:
    create(campaign_file, str(tmp_path / "plain.db"), now=noon)
    with open_campaign(str(tmp_path / "plain.db")) as campaign:
        add_workers(campaign, 1, base_url="", now=noon)
        export(campaign, tmp_path / "plain.csv")

    assert not {"excluded", "simulated"}.intersection((tmp_path / "plain.csv").read_text("utf-8").split(","))


def test_the_command_line_applies_and_ignores_exclusions(
    judged: dict[str, OpenCampaign], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "j.csv"
    export(judged["da"], path)
    kept = []
    for more in ((), ("--exclusions", "ignore")):
        assert run(["analyse", str(path), "--check", "none", "--draws", "0", "--json", "-", *more]) == 0
        kept.append(json.loads(capsys.readouterr().out)["counts"])

    applied, ignored = kept
    assert applied["kept_judgements"] == applied["judgements"] - applied["excluded_judgements"]
    assert ignored["kept_judgements"] == ignored["judgements"] == applied["judgements"]


def test_a_simulated_crowd_is_marked_for_ever(judged: dict[str, OpenCampaign]) -> None:
    assert from_campaign(judged["da"]).simulated == {f"W000{n}" for n in range(1, 7)}


def test_nothing_is_simulated_where_people_have_judged(
    campaign: OpenCampaign, one_judgement_of_a_person: str
) -> None:
    with pytest.raises(Conflict, match="People have given 1 judgement in"):
        simulate(campaign, 3, seed=7)

    assert len(judged_frames(campaign).ratings) == 1


def test_simulated_judgements_are_not_those_of_people(judged: dict[str, OpenCampaign]) -> None:
    with judged["da"].store.read() as connection:
        assert n_judgements_of_people(connection) == 0


def test_gold_and_controls_are_excluded_with_their_hit(frame: pl.DataFrame) -> None:
    evidence = weigh(source(frame, BOB), replace(SETTINGS, check="none"))

    kinds = evidence.frame.filter(pl.col("worker_id") == "ann")["item_kind"].unique()
    assert set(kinds) == {str(ItemKind.REGULAR), str(ItemKind.DEGRADED)}
    assert evidence.analysis.counts.kept_judgements == 160

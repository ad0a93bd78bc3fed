"""Studies of metrics from a folder in the toolkit's layout, and from a campaign's database."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.domain.errors import ChoiceError, NotEnoughData, SourceError
from steelyard.domain.exhibit import Cells, Figure
from steelyard.exhibits.studies.meta import (
    full_metrics_table,
    meta_study,
    metrics_figure,
    metrics_table,
)
from steelyard.flows.create import create
from steelyard.flows.meta import ScoresRead, Wanted, judge, meta, read_scored
from steelyard.flows.open import open_campaign
from steelyard.flows.simulate import simulate
from steelyard.meta.settings import USUAL_TESTS, MetaEvaluation, MetaSettings
from steelyard.report.figure_file import write_figure
from steelyard.report.study import study_json, study_text

SYSTEMS = ("online-a", "online-b", "rocket", "snail", "refA", "refB")
N_SEGMENTS = 10


def _write(path: Path, scores: dict[str, list[float | None]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"{system}\t{score}\n" for system, values in scores.items() for score in values]
    path.write_text("".join(lines), "utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toolkit's layout: systems in different orders, some scores None, a metric without one system."""
    made = tmp_path_factory.mktemp("wmt99")
    rng = np.random.default_rng(11)
    quality = {name: rng.normal(3 - place, 1, N_SEGMENTS) for place, name in enumerate(SYSTEMS)}
    people: dict[str, list[float | None]] = {
        name: [round(float(60 + 8 * value)) for value in values] for name, values in quality.items()
    }
    for values in people.values():
        values[3] = None
    people["rocket"][5] = None
    _write(made / "human-scores" / "is-fo.dqm.seg.score", people)
    for name, order, noise in (("sharp-refA", SYSTEMS[:4], 0.2), ("blunt-src", SYSTEMS[::-1], 4.0)):
        scores = {system: (quality[system] + rng.normal(0, noise, N_SEGMENTS)).tolist() for system in order}
        _write(made / "metric-scores" / "is-fo" / f"{name}.seg.score", scores)
        means = {system: [float(np.mean(values))] for system, values in reversed(scores.items())}
        _write(made / "metric-scores" / "is-fo" / f"{name}.sys.score", means)
    lame = {system: (-quality[system]).tolist() for system in ("snail", "rocket", "online-a")}
    _write(made / "metric-scores" / "is-fo" / "lame-refA.seg.score", lame)
    (made / "documents").mkdir()
    (made / "documents" / "is-fo.docs").write_text("news\tn1\n" * 5 + "chat\tc1\n" * 5, "utf-8")
    return made


@pytest.fixture(scope="module")
def read(folder: Path) -> ScoresRead:
    return read_scored(str(folder), Wanted(pair="is-fo", gold="dqm"))


@pytest.fixture(scope="module")
def found(read: ScoresRead) -> MetaEvaluation:
    return judge(read, MetaSettings(draws=100))


def test_the_systems_are_those_that_people_judged_without_references(found: MetaEvaluation) -> None:
    assert found.systems == ("online-a", "online-b", "rocket", "snail")


@pytest.mark.parametrize(
    ("metric", "counts"),
    # Nobody judged segment 4 of anything, nor segment 6 of rocket: 40 - 4 - 1. Lame lacks nine of online-b.
    [("sharp-refA", (4, 10, 35, 0)), ("blunt-src", (4, 10, 35, 0)), ("lame-refA", (3, 10, 26, 9))],
)
def test_what_is_absent_is_left_out_and_counted(
    found: MetaEvaluation, metric: str, counts: tuple[int, ...]
) -> None:
    row = found.rows.filter(pl.col("metric") == metric)

    assert row.select("n_sys", "n_seg_total", "n_gold_seg_pairs", "n_missing").row(0) == counts


def test_numbers_are_those_of_a_plain_loop_over_the_files(found: MetaEvaluation, folder: Path) -> None:
    def scores(path: Path) -> dict[str, list[str]]:
        values: dict[str, list[str]] = {}
        for line in path.read_text("utf-8").splitlines():
            system, score = line.split("\t")
            values.setdefault(system, []).append(score)
        return values

    people = scores(folder / "human-scores" / "is-fo.dqm.seg.score")
    metric = scores(folder / "metric-scores" / "is-fo" / "blunt-src.seg.score")
    pooled, within = [], []
    for segment in range(N_SEGMENTS):
        cells = [
            (float(people[system][segment]), float(metric[system][segment]))
            for system in found.systems
            if people[system][segment] != "None"
        ]
        pooled += cells
        if cells:
            within.append(np.corrcoef(np.array(cells).T)[0, 1])
    row = found.rows.filter(pl.col("metric") == "blunt-src").row(0, named=True)

    assert row["seg_pearson_none"] == pytest.approx(np.corrcoef(np.array(pooled).T)[0, 1], rel=1e-9)
    assert row["seg_pearson_item"] == pytest.approx(np.mean(within), rel=1e-9)


def test_who_is_left_out_what_is_turned_and_what_is_absent_is_told(found: MetaEvaluation) -> None:
    told = " ".join((*found.notes, *found.warnings))

    assert "Left out because metrics compare other systems with them: refA." in told
    assert "they are people's translations (with_references keeps them): refB." in told
    assert "lame-refA has no scores of online-b" in told
    assert (
        "lame-refA runs against people's scores. If lower is better there, flip it: name it as flip." in told
    )
    assert "the means of all their segments are used: dqm, lame-refA." in told


def test_the_signature_tells_every_choice(read: ScoresRead, folder: Path) -> None:
    usual = judge(read, MetaSettings(draws=10)).signature
    rare = judge(
        read,
        MetaSettings(
            exclude=("snail",),
            flip=("lame-refA",),
            with_references=True,
            by="domain",
            pearson_test="permutation",
            accuracy_test="verdicts",
            soft_seed=5,
            seed=3,
            threshold=0.01,
            least_difference=30.0,
            tests=("sys_pearson",),
            draws=10,
        ),
    ).signature

    assert usual == (
        f"steelyard:0.2|scores:{folder.name}|pair:is-fo|gold:dqm|level:segment|systems:4|metrics:3|"
        f"tests:{','.join(USUAL_TESTS)}|draws:10|seed:7"
    )
    assert rare == (
        f"steelyard:0.2|scores:{folder.name}|pair:is-fo|gold:dqm|level:segment|by:domain|systems:4|without:snail|"
        "references:kept|metrics:3|flipped:lame-refA|tests:sys_pearson|pearson:permutation|accuracy:verdicts|"
        "least:30|p:<0.01|draws:10|soft:5|seed:3"
    )


def test_the_same_scores_give_the_same_answer(read: ScoresRead, found: MetaEvaluation) -> None:
    assert study_json([meta_study(judge(read, MetaSettings(draws=100)))]) == study_json([meta_study(found)])


def test_progress_is_told_to_the_end(read: ScoresRead, heard: Any) -> None:
    meta(read.scored, read.gold, MetaSettings(by="domain", draws=10), progress=heard.progress)

    assert sum(heard.steps) == heard.announced[0][1] > 0


def test_the_text_ranks_by_the_first_statistic_tested(found: MetaEvaluation) -> None:
    lines = study_text(meta_study(found)).splitlines()

    assert lines[0] == "How well metrics agree with people: is-fo, dqm"
    assert [line.split()[:2] for line in lines if line.startswith("   ") and line.split()[0].isdigit()] == [
        *(["1", "sharp-refA"], ["2", "blunt-src"], ["3", "lame-refA"]),
    ]
    tested = [
        place for place, line in enumerate(lines) if line.startswith("Metrics by each statistic tested")
    ]
    expected = "seg_pearson_none (jackknife, 2 documents): sharp-refA"
    assert any(line.startswith(expected) for line in lines[tested[0] :])
    assert lines[-1] == found.signature


def test_without_tests_ranks_are_by_pearson_over_systems(read: ScoresRead) -> None:
    table = metrics_table(judge(read, MetaSettings(tests=())))

    assert "cluster" not in table.rows.columns
    assert table.rows["rank"].to_list() == [1, 2, 3]
    assert table.notes[-1] == "Ranks by sys_pearson."


def test_ranks_are_by_the_first_statistic_that_any_metric_has(read: ScoresRead) -> None:
    gold = read.scored.golds[0]
    whole = replace(gold, segments=None, overall=np.arange(6.0)[::-1])

    found = meta(replace(read.scored, golds=(whole,)), "dqm", MetaSettings(tests=("spa", "sys_kendall_b")))

    assert found.significance[0].metrics == ()
    assert metrics_table(found).notes[-1] == "Ranks and clusters by sys_kendall_b."
    assert "spa (" not in study_text(meta_study(found))


def test_groups_stand_below_the_whole_with_ranks_of_their_own(read: ScoresRead) -> None:
    table = metrics_table(judge(read, MetaSettings(by="domain", draws=10)))

    assert table.rows["group"].to_list() == ["all"] * 3 + ["news"] * 3 + ["chat"] * 3
    assert table.rows["rank"].to_list() == [1, 2, 3] * 3
    assert {3, 6} <= set(table.borders)


def test_json_holds_the_contract_and_never_nan(read: ScoresRead) -> None:
    document = json.loads(
        study_json([meta_study(judge(read, MetaSettings(by="domain", draws=10)))]), parse_constant=pytest.fail
    )

    assert {"signature", "metrics", "significance", "warnings", "groups"} <= document.keys()
    assert [row["metric"] for row in document["metrics"]] == ["blunt-src", "lame-refA", "sharp-refA"]
    assert {"n_sys", "sys_pearson", "seg_acc23_opt_item", "spa"} <= document["metrics"][0].keys()
    assert {row["group"] for row in document["groups"]} == {"news", "chat"}
    significance = document["significance"]["seg_acc23_opt_item"]
    assert significance["metrics"][0] == "sharp-refA"
    assert significance["p_values"][0][0] is None
    assert significance["clusters"][0] == 1


def test_numbers_are_not_rounded(found: MetaEvaluation) -> None:
    document = json.loads(study_json([meta_study(found)]))

    assert [row["spa"] for row in document["metrics"]] == found.rows["spa"].to_list()


def test_the_figure_has_a_panel_per_test_with_the_best_metrics_first(found: MetaEvaluation) -> None:
    figure = metrics_figure(found)

    assert [panel.title.partition(",")[0] for panel in figure.panels] == list(USUAL_TESTS)
    assert figure.panels[1].y.categories == found.significance[1].metrics
    cells = figure.panels[1].marks[0]
    assert isinstance(cells, Cells)
    assert cells.values[0][0] is None
    assert cells.values[0][2] == found.significance[1].p_values[0, 2]
    assert len(figure.table.rows) == 4 * 6


def _single(found: MetaEvaluation) -> Figure:
    return metrics_figure(replace(found, significance=found.significance[1:2]))


def test_a_panel_alone_has_room_for_numbers(found: MetaEvaluation) -> None:
    cells = _single(found).panels[0].marks[0]

    assert isinstance(cells, Cells)
    assert any(text.startswith((".", "<")) for row in cells.texts for text in row)


def test_the_figure_becomes_a_file(found: MetaEvaluation, tmp_path: Path) -> None:
    write_figure(metrics_figure(found), tmp_path / "metrics.svg")

    assert (tmp_path / "metrics.svg").read_text("utf-8").count("sharp-refA") >= 8


def test_without_two_metrics_there_is_nothing_to_draw(read: ScoresRead) -> None:
    alone = replace(read.scored, metrics=read.scored.metrics[:1])

    with pytest.raises(NotEnoughData, match="nothing to draw"):
        metrics_figure(meta(alone, "dqm", MetaSettings(draws=10)))


def test_the_table_for_files_has_every_column(found: MetaEvaluation) -> None:
    assert [column.name for column in full_metrics_table(found).columns] == found.rows.columns


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (Wanted(), "give pair=LP and gold=NAME"),
        (Wanted(pair="is-fo"), "give gold=NAME"),
        (Wanted(pair="is-fo", gold="dqm", method="mean-z"), "become scores by a method"),
        (Wanted(pair="is-fo", gold="mqm"), "choose from: dqm"),
        (Wanted(pair="is-da", gold="dqm"), "has no scores for is-da; it has: is-fo"),
        (Wanted(pair="is-fo", gold="dqm", metrics=("dull",)), 'there is no metric "dull"'),
    ],
)
def test_what_a_folder_cannot_give_is_refused(folder: Path, wanted: Wanted, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        read_scored(str(folder), wanted)

    assert message in str(caught.value)


def test_a_file_is_no_folder(folder: Path) -> None:
    with pytest.raises(SourceError, match="is a file: name a folder"):
        read_scored(str(folder / "documents" / "is-fo.docs"), Wanted(pair="is-fo", gold="dqm"))


def test_metrics_of_a_table_go_by_line_numbers(folder: Path, tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    rows = [("own", system, str(k + 1), str(k)) for system in SYSTEMS for k in range(N_SEGMENTS)]
    pl.DataFrame(rows, schema=["metric", "system", "segment", "score"], orient="row").write_csv(table)

    read = read_scored(str(folder), Wanted(pair="is-fo", gold="dqm", metrics=("own", "sharp"), table=table))

    assert [metric.name for metric in read.scored.metrics] == ["sharp-refA", "own"]
    assert read.scored.metrics[1].segments is not None
    assert read.scored.metrics[1].segments[0].tolist() == list(range(N_SEGMENTS))


@pytest.fixture(scope="module")
def database(small_example: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The bundled texts, judged by a simulated crowd."""
    place = tmp_path_factory.mktemp("campaign")
    (place / "campaign.toml").write_text(small_example, "utf-8")
    address = str(place / "eval.db")
    create(place / "campaign.toml", address, now=datetime.fromisoformat("2024-05-01T12:00:00+00:00"))
    with open_campaign(address) as campaign:
        simulate(campaign, 10, seed=3)
    return address


def test_a_campaign_is_held_against_built_in_metrics(database: str) -> None:
    read = read_scored(database, Wanted(metrics=("chrf", "ter")))

    found = judge(read, MetaSettings(draws=10, tests=("seg_pearson_none",)))

    assert read.gold == "adequacy"
    assert found.rows["metric"].to_list() == ["chrf", "ter"]
    # The crowd is simulated from how far texts are from their references, so metrics must do well.
    assert min(found.rows["seg_pearson_none"]) > 0.3
    assert any(note.startswith("Gold: steelyard:") for note in found.notes)
    assert any(note.startswith("chrf: chrF2|") for note in found.notes)


def test_a_gold_of_few_ratings_is_told(database: str) -> None:
    warnings = read_scored(database, Wanted(metrics=("chrf",))).scored.warnings

    assert any("gold rests on 1 rating (median). Below 15" in warning for warning in warnings)


def test_a_campaigns_segments_go_by_their_ids_in_a_table(database: str, tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("metric,system,segment,score\nown,brass,12,1.5\n", "utf-8")

    read = read_scored(database, Wanted(table=tmp_path / "own.csv"))

    # With scores of one's own, nothing else is computed unless it is asked for.
    assert [metric.name for metric in read.scored.metrics] == ["own"]
    assert np.nansum(read.scored.metrics[0].segments) == 1.5


@pytest.mark.parametrize(("gold", "method"), [("adequacy-raw", None), ("da", "mean-rating")])
def test_a_campaigns_gold_may_be_mean_ratings(database: str, gold: str, method: str | None) -> None:
    read = read_scored(database, Wanted(gold=gold, metrics=("chrf",), method=method))

    people = next(found for found in read.scored.golds if found.name == gold)
    assert people.segments is not None
    assert np.nanmax(people.segments) > 25


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (Wanted(gold="mqm"), "no gold 'mqm' in a campaign. Use one of: adequacy, adequacy-raw, da, da-raw."),
        (Wanted(pair="en-de"), "is a campaign of de-en, not of en-de"),
        (Wanted(gold="da-raw", method="mean-rating", metrics=("chrf",)), "there is no gold da-raw"),
        (Wanted(metrics=("comet",)), "no metric 'comet'"),
    ],
)
def test_what_a_campaign_cannot_give_is_refused(database: str, wanted: Wanted, message: str) -> None:
    with pytest.raises((ChoiceError, SourceError)) as caught:
        read_scored(database, wanted)

    assert message in str(caught.value)

"""From sources to a comparison of years: who is kept, what is computed, what is signed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from steelyard.domain.cells import CELLS, CellMetric, FourCells, cell_systems
from steelyard.domain.errors import ChoiceError, NotEnoughData
from steelyard.domain.exhibit import ExhibitOptions, Table
from steelyard.domain.result import AnalysisSettings, MethodSettings
from steelyard.domain.text import Segment, System
from steelyard.exhibits import tables
from steelyard.exhibits.studies.longitudinal import longitudinal_study
from steelyard.flows.analyse import analyse, weigh
from steelyard.flows.campaign_texts import CampaignTexts
from steelyard.flows.create import create
from steelyard.flows.longitudinal import LongitudinalSettings, PairSource, longitudinal, pair_source
from steelyard.flows.source import Source
from steelyard.frames import ratings_frame
from steelyard.longitudinal.study import Longitudinal
from steelyard.report.study import study_json, study_text

ANALYSIS = AnalysisSettings(method_settings=MethodSettings(draws=40))
MEANS = {"CURR-old": 70.0, "CURR-new": 60.0, "BEST-old-a": 45.0, "BEST-old-b": 55.0, "BEST-new": 65.0}
TEXTS = CampaignTexts(
    "de",
    "en",
    tuple(map(System, MEANS)),
    (
        Segment("1", "d", "Eins", "a b c d e"),
        Segment("2", "d", "Zwei", "f g h i j"),
        Segment("3", "d", "Drei", "k l m n o"),
        Segment("4", "d", "Vier", ""),
    ),
    {
        "CURR-old": ("a b c d e", "f g h i j", None, None),
        "CURR-new": (None, None, "k l m n x", "no reference"),
        "BEST-old-a": ("a b c d x", None, None, None),
        "BEST-old-b": ("a b c d e", "f g h i j", None, None),
        "BEST-new": (None, None, "k l m n o", None),
    },
)


def _frame() -> pl.DataFrame:
    """Eight careful workers with levels of their own, and a clicker who rates everything at random."""
    rng = np.random.default_rng(4)
    rows = []
    for w in range(9):
        level = rng.normal(0, 5)
        for system, mean in MEANS.items():
            for s in range(12):
                rating = mean + level + rng.normal(0, 6) if w < 8 else rng.uniform(0, 100)
                base = (f"w{w}", system, f"s{s}")
                rows.append((*base, "regular", rating))
                if s < 3:
                    worse = rating - 20 + rng.normal(0, 3) if w < 8 else rng.uniform(0, 100)
                    rows.append((*base, "degraded", worse))
    names = ["worker_id", "system_id", "segment_id", "item_kind", "rating"]
    table = pl.DataFrame(rows, schema=names, orient="row").with_columns(pl.col("rating").round().clip(0, 100))
    return ratings_frame(table.with_columns(hit_id=pl.lit("h"), attribute=pl.lit("adequacy")))


@pytest.fixture(scope="module")
def source() -> Source:
    return Source(_frame(), title="Toys", campaign="toys", protocol="da", warnings=("Odd columns.",))


@pytest.fixture(scope="module")
def found(source: Source) -> Longitudinal:
    return longitudinal([PairSource("de-en", source, ANALYSIS)], LongitudinalSettings())


def cells_of(found: Longitudinal, scale: str) -> list[float]:
    return list(found.rows.filter(scale=scale).select(CELLS).row(0))


def test_cells_on_z_are_means_of_what_mean_z_scores(source: Source, found: Longitudinal) -> None:
    flat = replace(ANALYSIS, method_settings=replace(ANALYSIS.method_settings, unit="flat"))
    scores = dict(analyse(source, flat).systems.select("system_id", "score").iter_rows())

    tied = (scores["BEST-old-a"] + scores["BEST-old-b"]) / 2
    expected = [scores["CURR-old"], scores["CURR-new"], tied, scores["BEST-new"]]
    assert cells_of(found, "z") == pytest.approx(expected)


def test_cells_on_points_rest_on_workers_who_pass(source: Source, found: Longitudinal) -> None:
    regular = source.frame.filter(pl.col("item_kind") == "regular")
    careful = regular.filter(pl.col("worker_id") != "w8")

    of_curr = careful.filter(system_id="CURR-old")["rating"]
    assert cells_of(found, "points")[0] == pytest.approx(of_curr.mean())
    assert found.rows["n_curr_old"][0] == len(of_curr) == 8 * 12


def test_without_a_check_everyone_counts(source: Source) -> None:
    everyone = replace(ANALYSIS, check="none")

    found = longitudinal([PairSource("de-en", source, everyone)], LongitudinalSettings())

    assert found.rows["n_curr_old"][0] == 9 * 12


def test_warnings_and_signature_name_the_pair(found: Longitudinal) -> None:
    assert found.title == "Change over years: de-en"
    assert "de-en: Odd columns." in found.warnings
    assert found.signature.startswith("steelyard:")
    assert "|campaign:toys|protocol:da|qc:paired-t|kept:600/675|" in found.signature
    assert found.signature.endswith("\nstudy:longitudinal|pairs:de-en|unit:flat|correction:none")


def test_the_table_of_the_same_comparison_has_the_same_signature(source: Source, found: Longitudinal) -> None:
    made = tables()["longitudinal"].make([weigh(replace(source, title="de-en"), ANALYSIS)], ExhibitOptions())

    assert isinstance(made, Table)
    assert made.signature == found.signature


def test_several_pairs_have_a_signature_each(source: Source) -> None:
    cells = cell_systems("curr_old=CURR-old,curr_new=CURR-new,best_old=BEST-old-a,best_new=BEST-new")
    pairs = [PairSource(pair, source, ANALYSIS) for pair in ("de-en", "fr-en")]

    found = longitudinal(pairs, LongitudinalSettings(cells=cells))

    assert found.title == "Change over years"
    *of_sources, line = found.signature.split("\n")
    assert [part.startswith("steelyard:") for part in of_sources] == [True, True]
    assert line.startswith("study:longitudinal|pairs:de-en,fr-en|cells:curr_old=CURR-old,curr_new=CURR-new,")
    assert "fr-en: these systems are in no cell and were left out: BEST-old-b." in found.warnings


def test_the_text_has_table_conclusion_warnings_and_signature_in_this_order(found: Longitudinal) -> None:
    text = " ".join(study_text(longitudinal_study(found)).split())
    parts = ("Change over years: de-en", "CURR", found.conclusion, "Warning: ", found.signature)

    places = [text.index(" ".join(part.split())) for part in parts]
    assert places == sorted(places)
    assert text.count("Odd columns.") == 1


def test_the_json_has_every_number_and_null_for_what_is_unknown(found: Longitudinal) -> None:
    document = json.loads(study_json([longitudinal_study(found)]))

    assert [row["measure"] for row in document["rows"]] == ["adequacy", "adequacy", "F1"]
    assert document["rows"][0]["gain"] == found.rows["gain"][0]
    assert document["rows"][0]["curr_p"] < 0.001
    assert document["rows"][2]["gain"] is None
    assert document["signature"] == found.signature


def test_progress_is_told_source_by_source(source: Source) -> None:
    told: list[tuple[str, int]] = []

    @contextmanager
    def progress(label: str, length: int) -> Iterator[Callable[[int], None]]:
        yield lambda size: told.append((label, size * length))

    longitudinal([PairSource("de-en", source, ANALYSIS)], LongitudinalSettings(), progress=progress)

    assert told == [("Comparing", 2)] * 2


def test_metrics_are_computed_on_the_cells_texts(source: Source) -> None:
    pair = PairSource("de-en", source, ANALYSIS, TEXTS)

    found = longitudinal([pair], LongitudinalSettings(metrics=("bleu", "ter")))

    rows = {row["measure"]: row for row in found.rows.filter(scale="metric").iter_rows(named=True)}
    assert [rows["BLEU"][cell] for cell in ("curr_old", "best_new")] == pytest.approx([100.0, 100.0])
    # Errors per word, turned: one of five in CURR-new; a fifth in one winner and none in the other.
    assert [rows["-TER"][cell] for cell in CELLS] == pytest.approx([0.0, -20.0, -10.0, 0.0])
    # 0 + 20 + 0 + 10.
    assert rows["-TER"]["gain"] == pytest.approx(30.0)
    assert any("metrics see different segments of one test set" in warning for warning in found.warnings)
    assert "|metrics:bleu,ter|" in found.signature
    assert len(found.signature.split("\n")) == 4


def test_metrics_that_are_supplied_stand_beside_those_computed(source: Source) -> None:
    supplied = CellMetric("de-en", "METEOR", FourCells(40.3, 32.7, 33.4, 31.7))
    settings = LongitudinalSettings(metrics=("bleu",), metric_scores=(supplied,))

    found = longitudinal([PairSource("de-en", source, ANALYSIS, TEXTS)], settings)

    assert found.rows.filter(scale="metric")["measure"].to_list() == ["METEOR", "BLEU"]


@pytest.mark.parametrize(
    ("settings", "texts", "error", "said"),
    [
        (LongitudinalSettings(metrics=("bleu",)), None, NotEnoughData, "metric_scores=FILE"),
        (
            LongitudinalSettings(metrics=("blue",)),
            TEXTS,
            ChoiceError,
            "There is no metric 'blue'. Did you mean 'bleu'? Use one of: bleu,",
        ),
        (
            LongitudinalSettings(
                metrics=("bleu",), metric_scores=(CellMetric("de-en", "Bleu", FourCells(1, 1, 1, 1)),)
            ),
            TEXTS,
            ChoiceError,
            "BLEU of de-en are supplied and would be computed too",
        ),
        (
            LongitudinalSettings(metrics=("bleu",)),
            replace(TEXTS, segments=tuple(replace(segment, reference="") for segment in TEXTS.segments)),
            NotEnoughData,
            "Systems found: none",
        ),
    ],
)
def test_metrics_that_cannot_be_had_are_refused(
    settings: LongitudinalSettings,
    texts: CampaignTexts | None,
    error: type[Exception],
    said: str,
    source: Source,
) -> None:
    with pytest.raises(error) as caught:
        longitudinal([PairSource("de-en", source, ANALYSIS, texts)], settings)

    assert said in str(caught.value)


def test_nobody_passing_is_told_with_the_pair(source: Source) -> None:
    clicker = replace(source, frame=source.frame.filter(worker_id="w8"))

    with pytest.raises(NotEnoughData, match=r"^fr-en: paired-t: no worker passed"):
        longitudinal(
            [PairSource("de-en", source, ANALYSIS), PairSource("fr-en", clicker, ANALYSIS)],
            LongitudinalSettings(),
        )


def test_no_judgements_at_all_is_told_with_the_pair(source: Source) -> None:
    empty = replace(source, frame=source.frame.clear())

    with pytest.raises(NotEnoughData, match=r"^de-en: There are no judgements yet"):
        longitudinal([PairSource("de-en", empty, ANALYSIS)], LongitudinalSettings())


def test_a_campaigns_pair_is_its_languages_unless_named(
    campaign_file: Path, tmp_path: Path, noon: datetime, source: Source
) -> None:
    address = str(tmp_path / "toy.db")
    create(campaign_file, address, now=noon)

    plain = pair_source(address, source, ANALYSIS)
    named = pair_source(address, source, ANALYSIS, pair="mine", texts=True)

    assert (plain.pair, plain.texts) == ("de-en", None)
    assert named.pair == "mine"
    assert named.texts is not None
    assert named.texts.pair == "de-en"


def test_a_files_pair_is_its_title_unless_named(source: Source) -> None:
    assert pair_source("toys.csv", source, ANALYSIS).pair == "Toys"
    assert pair_source("toys.csv", source, ANALYSIS, pair="de-en", texts=True).pair == "de-en"

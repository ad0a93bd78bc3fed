"""What every registered table and figure must do, whatever the data."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import (
    Bars,
    Cells,
    Evidence,
    ExhibitOptions,
    Figure,
    Panel,
    Passage,
    Points,
    Rule,
    Table,
)
from steelyard.domain.plugin import Exhibit
from steelyard.exhibits import figures, tables
from steelyard.report.html import SECTIONS

BIBLIOGRAPHY = Path(__file__).parents[2] / "src" / "steelyard" / "report" / "references.bib"
EXHIBITS = [
    *(pytest.param(exhibit, id=f"table {name}") for name, exhibit in tables().items()),
    *(pytest.param(exhibit, id=f"figure {name}") for name, exhibit in figures().items()),
]
every_exhibit = pytest.mark.parametrize("exhibit", EXHIBITS)
Weighed = Callable[..., Evidence]
Learnt = Callable[[Evidence], Evidence]
Marked = Callable[[pl.DataFrame], dict[str, pl.DataFrame]]
Make = Callable[[Exhibit], Table | Figure]
REGULAR_ONLY = pl.col("item_kind") == "regular"
QUALITY = {"alpha": 75.0, "beta": 60.0, "gamma": 45.0}
# Settings under which frames without usable controls can be weighed at all.
UNCHECKED: dict[str, Any] = {"check": "none", "method": "mean-rating"}


def _timeless(frame: pl.DataFrame) -> pl.DataFrame:
    nothing = [pl.lit(None, frame.schema[name]).alias(name) for name in ("seconds", "submitted_at")]
    return frame.with_columns(nothing)


# Data that leave out what some exhibit needs: what becomes of the toy crowd, and how it is weighed.
POOR: dict[str, tuple[Callable[[pl.DataFrame], pl.DataFrame], dict[str, Any]]] = {
    "one worker": (lambda frame: frame.filter(worker_id="ann"), {}),
    "no controls": (lambda frame: frame.filter(REGULAR_ONLY), UNCHECKED),
    "no repeats": (lambda frame: frame.filter(pl.col("item_kind") != "repeat"), {}),
    "one system": (lambda frame: frame.filter(system_id="beta"), {}),
    "constant ratings": (lambda frame: frame.with_columns(rating=pl.lit(50.0)), UNCHECKED),
    "no times": (_timeless, {}),
    "no check": (lambda frame: frame, {"check": "none"}),
    "one rating": (lambda frame: frame.head(1), UNCHECKED),
    "controls of one kind": (lambda frame: frame.filter(pl.col("item_kind") != "reference"), {}),
}


def _assert_sound_table(table: Table, signature: str) -> None:
    assert table.rows.columns == [column.name for column in table.columns]
    assert len(table.rows) > 0
    assert all(column.title for column in table.columns)
    assert table.title
    # A study of its own tells its choices below those of the analysis.
    assert table.signature.startswith(signature)
    assert all(0 < border < len(table.rows) for border in table.borders)
    assert all(note.endswith((".", "!")) for note in table.notes)
    for name, dtype in table.rows.schema.items():
        assert dtype != pl.Null, name
        if dtype.is_float():
            assert table.rows[name].is_finite().all(ignore_nulls=True), f"{name}: unknown is null, not NaN"


def _assert_sound_panel(panel: Panel) -> None:
    assert panel.marks
    for mark in panel.marks:
        if isinstance(mark, Cells):
            assert len(mark.values) == len(mark.texts) == len(panel.y.categories)
            assert {len(row) for row in (*mark.values, *mark.texts)} == {len(panel.x.categories)}
        elif isinstance(mark, Passage):
            assert len(mark.pieces) == len(mark.heat)
            assert all(0 <= heat <= 1 for heat in mark.heat)
        elif not isinstance(mark, Rule):
            numbers = [
                value for name in mark.__slots__ if isinstance(value := getattr(mark, name), tuple) and value
            ]
            lengths = {len(value) for value in numbers}
            assert len(lengths) == 1, mark
            assert all(math.isfinite(x) for value in numbers for x in value if not isinstance(x, str))


def _assert_sound(made: Table | Figure, signature: str) -> None:
    if isinstance(made, Table):
        _assert_sound_table(made, signature)
        return
    _assert_sound_table(made.table, signature)
    assert made.signature == made.table.signature
    assert made.title
    assert made.caption
    assert made.panels
    for panel in made.panels:
        _assert_sound_panel(panel)


def _rows(made: Table | Figure) -> pl.DataFrame:
    return made.rows if isinstance(made, Table) else made.table.rows


@pytest.fixture(scope="module")
def full(two_attributes: pl.DataFrame) -> pl.DataFrame:
    """The toy crowd on two attributes; an expert rated some translations, and all are there as calibration
    texts too."""
    of_system = pl.col("system_id").replace_strict(QUALITY, return_dtype=pl.Float64)
    is_gold = REGULAR_ONLY & pl.col("segment_id").is_in(["s0", "s1", "s2", "s3"])
    texts = two_attributes.filter(REGULAR_ONLY).with_columns(
        item_kind=pl.lit("calibration"),
        system_id=pl.lit("calibration"),
        segment_id=pl.format("calibration:{} {}", "system_id", "segment_id"),
        judgement_id=pl.format("{}-calibration", "judgement_id"),
        known=pl.col("rating").mean().over("system_id", "segment_id"),
        known_sd=pl.lit(2.0),
    )
    return pl.concat([two_attributes.with_columns(known=pl.when(is_gold).then(of_system)), texts])


@pytest.fixture(scope="module")
def attributes(full: pl.DataFrame, weighed: Weighed, learnt: Learnt, marked: Marked) -> Evidence:
    """All that the toy crowd can be given, and a method that learns: what every exhibit can be made from."""
    return learnt(weighed(full, **marked(full)))


@pytest.fixture(scope="module")
def make(attributes: Evidence, options: ExhibitOptions) -> Make:
    """Makes an exhibit from all there is; asked again, it gives the same one."""
    return cache(lambda exhibit: exhibit.make([attributes], options))


@every_exhibit
def test_a_full_campaign_supports_it(exhibit: Exhibit, attributes: Evidence, make: Make) -> None:
    made = make(exhibit)

    _assert_sound(made, attributes.analysis.signature)
    assert made.name == exhibit.name


@pytest.fixture(scope="module", params=POOR)
def poor(request: pytest.FixtureRequest, crowd: pl.DataFrame, weighed: Weighed, marked: Marked) -> Evidence:
    """The toy crowd without something."""
    without, settings = POOR[request.param]
    frame = without(crowd)
    return weighed(frame, **marked(frame), **settings)


@every_exhibit
def test_poor_data_give_a_sound_exhibit_or_one_sentence_on_what_is_missing(
    exhibit: Exhibit, poor: Evidence, options: ExhibitOptions
) -> None:
    made, missing = None, ""
    try:
        made = exhibit.make([poor], options)
    except NotEnoughData as problem:
        missing = str(problem)

    if made is None:
        assert re.fullmatch(r"[A-Z].{20,}\.", missing)
    else:
        _assert_sound(made, poor.analysis.signature)


@pytest.fixture(scope="module")
def shuffled(full: pl.DataFrame, weighed: Weighed, learnt: Learnt, marked: Marked) -> Evidence:
    frame = full.sample(fraction=1.0, shuffle=True, seed=3)
    return learnt(weighed(frame, **marked(frame)))


@every_exhibit
def test_the_order_of_rows_does_not_matter(
    exhibit: Exhibit, make: Make, shuffled: Evidence, options: ExhibitOptions
) -> None:
    rows = _rows(exhibit.make([shuffled], options))

    assert_frame_equal(rows, _rows(make(exhibit)), rel_tol=1e-9)


@dataclass(frozen=True)
class CountedEvidence(Evidence):
    """Evidence that notes how often the ratings kept are filtered out of all."""

    asked: list[int] = field(default_factory=list)

    @property
    def kept(self) -> pl.DataFrame:
        self.asked.append(1)
        return super().kept


@every_exhibit
def test_the_same_seed_gives_the_same_exhibit_with_ratings_filtered_at_most_once_and_the_data_left_alone(
    exhibit: Exhibit, attributes: Evidence, options: ExhibitOptions, make: Make
) -> None:
    before = attributes.frame.clone()
    counted = CountedEvidence(**{part.name: getattr(attributes, part.name) for part in fields(attributes)})

    first, second = make(exhibit), exhibit.make([counted], options)

    assert _rows(first).equals(_rows(second))
    if isinstance(first, Figure) and isinstance(second, Figure):
        assert first.panels == second.panels
    assert attributes.frame.equals(before)
    assert len(counted.asked) <= 1


@pytest.mark.parametrize("name", [name for name, table in tables().items() if table.several])
def test_several_sources_are_all_there_with_their_signatures(
    name: str, attributes: Evidence, options: ExhibitOptions
) -> None:
    other = replace(attributes, title="Another")

    made = tables()[name].make([attributes, other], options)

    # There may be rows of all sources together too; a comparison of the same rows has columns of each.
    rows = _rows(made)
    titles = {
        column.title.partition(",")[0]
        for column in (made.table if isinstance(made, Figure) else made).columns
    }
    named = set(rows["source"]) if "source" in rows.columns else titles
    assert named >= {"Toy", "Another"}
    _assert_sound(made, f"{attributes.analysis.signature}\n{other.analysis.signature}")


@pytest.mark.parametrize("name", figures())
def test_the_table_of_a_figure_holds_what_is_drawn(name: str, make: Make) -> None:
    figure = make(figures()[name])
    assert isinstance(figure, Figure)

    listed = np.concatenate(
        [column.drop_nulls().to_numpy() for column in figure.table.rows if column.dtype.is_numeric()]
    )
    for panel in figure.panels:
        for mark in panel.marks:
            drawn: tuple[float, ...] = ()
            # What is faint is a help for the eye.
            if isinstance(mark, Points) and mark.tone != "faint":
                drawn = (*mark.x, *(() if panel.y.categories else mark.y))
            elif isinstance(mark, Bars):
                # Bars are counts, or shares in per cent.
                are_counts = all(np.isin(mark.height, listed))
                drawn = mark.height if are_counts else tuple(height / 100 for height in mark.height)
            elif isinstance(mark, Cells):
                drawn = tuple(value for row in mark.values for value in row if value is not None)
            assert all(np.isclose(listed, value, rtol=1e-12, atol=0).any() for value in drawn)


@every_exhibit
def test_its_docstring_is_fit_for_the_reference_page(exhibit: Exhibit) -> None:
    text = exhibit.make.__doc__ or ""

    assert 20 < len(text.splitlines()[0]) <= 110
    assert len(text.splitlines()) > 3
    assert exhibit.cite
    for key in exhibit.cite:
        assert f"[{key}" in text
        assert f"{{{key}," in BIBLIOGRAPHY.read_text("utf-8")


def test_no_two_exhibits_claim_the_same_place_in_the_report() -> None:
    places = [made.report for made in (*figures().values(), *tables().values()) if made.report is not None]

    assert len(places) >= 11
    assert len({place.order for place in places}) == len(places)
    assert {place.section for place in places} <= {*SECTIONS, "further"}


def test_everything_of_the_methods_specification_is_there() -> None:
    assert set(tables()) >= {
        *("worker-filter", "agreement", "pass-by-language", "pass-counts", "ranking", "ranking-variants"),
        *("significance", "workers", "campaign-counts", "attributes", "rank-probabilities"),
        *("normalisation", "random-resistance", "longitudinal"),
        *("errors-by-category", "severity-profile", "most-marked", "span-time"),
        *("span-agreement", "span-agreement-pairs"),
    }
    assert set(figures()) >= {
        *("ranking", "significance", "p-against-pace", "worker-differences", "repeat-against-first"),
        *("rating-histograms", "agreement", "worker-accuracy", "worker-parameters", "rank-probabilities"),
        *("score-posterior", "vote-weights", "score-distribution", "longitudinal", "efficiency"),
        *("replication-curve", "replication-scatter"),
        *("errors-by-category", "severity-profile", "most-marked", "marks", "span-time"),
    }


@every_exhibit
def test_columns_of_p_values_are_marked_as_such_and_no_others(exhibit: Exhibit, make: Make) -> None:
    made = make(exhibit)
    table = made.table if isinstance(made, Figure) else made

    named = [column.name for column in table.columns if re.search(r"(^|_)p(_|$)", column.name)]
    assert [column.name for column in table.columns if column.p_value] == named

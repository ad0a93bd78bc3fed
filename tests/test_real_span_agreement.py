"""Agreement on marked errors in published ratings: three raters of every translation."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from steelyard.agreement.spans import SpanAgreement, span_agreement
from steelyard.flows.source import read_source
from steelyard.frames import texts_frame

DATA = Path(__file__).parents[2] / "shared" / "data" / "mqm-sxs-wmt23"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real data is absent")


@pytest.fixture(scope="module")
def spans() -> pl.DataFrame:
    return read_source(str(DATA / "en-de.mqm.tsv.gz")).spans


@pytest.fixture(scope="module")
def found(spans: pl.DataFrame) -> SpanAgreement:
    return span_agreement(spans, texts_frame(), level=0.95, rng=np.random.default_rng(7))


def test_every_two_raters_of_a_translation_are_a_pair(found: SpanAgreement) -> None:
    # 1,040 translations with three raters each.
    assert set(found.overall["n_pairs"]) == {3120}
    assert found.couples["n_translations"].sum() == 3120


def test_characters_agree_as_a_plain_count_has_it(spans: pl.DataFrame, found: SpanAgreement) -> None:
    marked: dict[tuple[str, str], dict[str, set[tuple[str, int]]]] = {}
    columns = ("system_id", "segment_id", "worker_id", "side", "start", "end")
    for system, segment, worker, side, start, end in spans.select(columns).iter_rows():
        characters = marked.setdefault((system, segment), {}).setdefault(worker, set())
        if start is not None:
            characters.update((side, place) for place in range(start, end))
    both = either = 0
    for workers in marked.values():
        for one, other in combinations(workers.values(), 2):
            both += len(one & other)
            either += len(one) + len(other)

    value = found.overall.filter(measure="characters")["value"].item()
    assert value == pytest.approx(2 * both / either, abs=1e-12)


def test_raters_agree_far_beyond_chance(found: SpanAgreement) -> None:
    marks = found.overall.filter(measure="marks").row(0, named=True)

    assert marks["lower"] > 3 * marks["chance_other"]

"""A system that joined a running campaign is scored as if it had been there from the start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.aggregation.mean_z import METHOD
from steelyard.domain.errors import ChoiceError
from steelyard.domain.result import MethodSettings
from steelyard.evaluation.normalisation.settings import NormalisationSettings
from steelyard.evaluation.replication.settings import ReplicationSettings
from steelyard.flows.analyse import analyse
from steelyard.flows.create import create
from steelyard.flows.export import export
from steelyard.flows.extend import extend
from steelyard.flows.normalise import normalise
from steelyard.flows.open import open_campaign
from steelyard.flows.replicate import replicate
from steelyard.flows.settings import settings_from
from steelyard.flows.simulate import simulate
from steelyard.flows.source import Source, from_campaign, read_source
from steelyard.frames import ratings_frame
from steelyard.store.audit import AuditRow, audit_rows

QUALITY = {"alpha": 3.0, "beta": 0.0, "gamma": -3.0, "delta": -20.0}
SEEDS = range(60)


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory: pytest.TempPathFactory, word_texts: Any) -> Callable[[bool], list[AuditRow]]:
    """The items of two campaigns with three rounds: delta is there from the start, or in the last round."""
    texts = replace(
        word_texts(tmp_path_factory.mktemp("joined")), segments=range(1, 66), design={"hit_size": "20"}
    )
    now = datetime(2024, 5, 1, tzinfo=UTC)

    def make(from_the_start: bool) -> list[AuditRow]:
        wider = replace(texts, systems=("alpha", "beta", "gamma", "delta"))
        first = wider if from_the_start else texts
        first = replace(first, design={"ratings_per_item": "3" if from_the_start else "2"})
        address = str(texts.folder / f"{from_the_start}.db")
        create(first.write(), address, now=now)
        with open_campaign(address) as campaign:
            if not from_the_start:
                file = replace(wider, design={"ratings_per_item": "2"}).write("wider.toml")
                extend(campaign, texts=file, by="manager", now=now)
            with campaign.store.read() as connection:
                return audit_rows(connection)

    return make


def judged(rows: list[AuditRow], seed: int) -> pl.DataFrame:
    """Every HIT by another worker, some harsh and some mild, each with a scale of their own."""
    rng = np.random.default_rng(seed)
    of_segment: dict[tuple[str, str], float] = {}
    ratings: list[dict[str, Any]] = []
    worker, harshness, spread = "", 0.0, 1.0
    for number, row in enumerate(rows):
        if row.hit != worker:
            worker, harshness, spread = row.hit, rng.normal(0, 15), float(np.exp(rng.normal(0, 0.3)))
        text = of_segment.setdefault((row.system, row.segment), float(rng.normal(0, 8)))
        lower = 25.0 if row.kind == "degraded" else 0.0
        quality = QUALITY[row.system] + text - lower + rng.normal(0, 12)
        ratings.append(
            {
                "judgement_id": str(number),
                "worker_id": worker,
                "hit_id": row.hit,
                "item_id": row.item_id,
                "item_kind": str(row.kind),
                "segment_id": row.segment,
                "system_id": row.system,
                "attribute": "adequacy",
                "rating": 50 + harshness + spread * quality,
            }
        )
    return ratings_frame(pl.DataFrame(ratings))


def distance_of_delta(frame: pl.DataFrame, without: tuple[str, ...]) -> float:
    """How far delta is below the mean of the others, in deviations."""
    settings = MethodSettings(draws=0, minimum_ratings=2, standardise_without=without)
    fit = METHOD.fit(frame, settings, np.random.default_rng(1))
    score = dict(fit.systems.select("system_id", "score").iter_rows())
    return score.pop("delta") - float(np.mean(list(score.values())))


def test_its_score_has_no_bias_if_workers_are_measured_by_what_all_of_them_saw(laid_out) -> None:
    from_the_start, extended = laid_out(True), laid_out(False)
    frames = [(judged(from_the_start, seed), judged(extended, 1000 + seed)) for seed in SEEDS]
    wanted = np.array([distance_of_delta(one, ("delta",)) for one, _ in frames])
    found = np.array([distance_of_delta(other, ("delta",)) for _, other in frames])
    # What ordinary standardising makes of the same ratings, each on the scale of its own campaign.
    plain_wanted = np.array([distance_of_delta(one, ()) for one, _ in frames])
    plain = np.array([distance_of_delta(other, ()) for _, other in frames])

    def distance(one: Any, other: Any) -> float:
        error = np.sqrt((one.var(ddof=1) + other.var(ddof=1)) / len(one))
        return abs(float(one.mean() - other.mean())) / float(error)

    assert distance(found, wanted) < 3
    assert distance(plain, plain_wanted) > 5


def test_an_analysis_leaves_joined_systems_out_of_workers_means_and_signs_it(
    texts: Any, tmp_path: Path, noon: datetime
) -> None:
    texts = replace(texts, copied=True)
    create(texts.write(), str(tmp_path / "toy.db"), now=noon)
    with open_campaign(str(tmp_path / "toy.db")) as campaign:
        assert from_campaign(campaign).joined == ()
        wider = replace(texts, systems=(*texts.systems, "delta"))
        extend(campaign, texts=wider.write("wider.toml"), by="manager", now=noon)
        assert from_campaign(campaign).joined == ()
        simulate(campaign, 8, seed=1)
        source = from_campaign(campaign)

        export(campaign, tmp_path / "toy.csv")

    assert source.joined == ("delta",)
    from_file = read_source(str(tmp_path / "toy.csv"))
    assert from_file.joined == source.joined
    of_file, of_database = (analyse(each, settings_from(each, draws=0)) for each in (from_file, source))
    assert of_file.systems.equals(of_database.systems)
    signed = analyse(source, settings_from(source, draws=0, check="none")).signature
    assert "|without:delta|" in signed
    plain = analyse(source, settings_from(source, draws=0, check="none", standardise_without=())).signature
    assert "without" not in plain


@pytest.fixture(scope="module")
def rated() -> pl.DataFrame:
    """Ten careful workers; five of them have never seen delta. Beta's ratings are known to an expert."""
    rng = np.random.default_rng(1)
    rows = [
        {
            "worker_id": f"w{w}",
            "hit_id": f"h{w}",
            "segment_id": f"s{s}",
            "system_id": system,
            "item_kind": "gold" if system == "beta" else "regular",
            "attribute": "adequacy",
            "rating": float(np.clip(50 + s + QUALITY[system] + rng.normal(0, 8), 0, 100)),
            "known": 50.0 + s if system == "beta" else None,
        }
        for w in range(10)
        for s in range(12)
        for system in ("alpha", "beta", "gamma", *(["delta"] if w < 5 else []))
    ]
    return ratings_frame(pl.DataFrame(rows, infer_schema_length=None))


@pytest.fixture
def joined(rated: pl.DataFrame) -> Source:
    return Source(rated, title="Toy", campaign="toy", joined=("delta",))


def test_the_published_recipe_knows_of_none(joined: Source) -> None:
    recipe = settings_from(joined, recipe="wmt", draws=0, check="none")

    assert recipe.method_settings.standardise_without == ()
    assert "without" not in analyse(joined, recipe).signature
    chosen = settings_from(joined, recipe="wmt", draws=0, check="none", standardise_without="delta")
    assert "|without:delta|" in analyse(joined, chosen).signature


def test_a_system_that_nobody_rated_cannot_be_left_out(joined: Source) -> None:
    with pytest.raises(ChoiceError, match=r"names detla, which nobody has rated.*alpha, beta, delta, gamma"):
        settings_from(joined, standardise_without="delta,detla")


def test_each_source_of_a_study_has_its_own(joined: Source, rated: pl.DataFrame) -> None:
    other = Source(rated, title="Other", campaign="other")
    asked = settings_from(joined, draws=0, check="none")

    found = replicate(joined, other, ReplicationSettings(draws=20, analysis=asked))
    turned = replicate(
        other, joined, ReplicationSettings(draws=20, analysis=settings_from(other, draws=0, check="none"))
    )

    assert ["without:delta" in line for line in found.signature.splitlines()] == [True, False]
    assert ["without:delta" in line for line in turned.signature.splitlines()] == [False, True]


def test_a_study_of_normalising_signs_it(joined: Source) -> None:
    asked = settings_from(joined, draws=0, check="none")
    found = normalise(
        joined, NormalisationSettings(analysis=asked, methods=("mean-rating",), random_workers=False)
    )

    assert "|without:delta|" in found.signature

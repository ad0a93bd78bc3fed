from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData, NotFound, SourceError
from steelyard.domain.result import Analysis, AnalysisSettings, MethodSettings
from steelyard.flows.analyse import analyse, wmt_settings
from steelyard.frames import ratings_frame

SETTINGS = AnalysisSettings(method_settings=MethodSettings(draws=50))


@pytest.fixture
def frame() -> pl.DataFrame:
    """Two careful workers, one who rates everything 50, one without controls; two systems."""
    rng = np.random.default_rng(3)
    rows = []
    for worker in ("ann", "bob", "dull", "new"):
        for s in range(20):
            for system, quality in (("good", 75.0), ("poor", 50.0)):
                kinds = [("regular", quality)]
                if s < 8 and worker != "new":
                    kinds += [("degraded", quality - 30)]
                for kind, level in kinds:
                    rating = 50.0 if worker == "dull" else float(np.clip(rng.normal(level, 6), 0, 100))
                    rows.append((worker, f"hit of {worker}", kind, f"s{s}", system, rating))
    names = ["worker_id", "hit_id", "item_kind", "segment_id", "system_id", "rating"]
    return ratings_frame(pl.DataFrame(rows, schema=names, orient="row").with_columns(attribute=pl.lit("")))


def _analyse(frame: pl.DataFrame, settings: AnalysisSettings = SETTINGS) -> Analysis:
    return analyse(frame, settings, title="Toy")


def test_only_workers_who_pass_are_scored(frame: pl.DataFrame) -> None:
    analysis = _analyse(frame)

    verdicts = dict(analysis.workers.select("worker_id", "verdict").iter_rows())
    assert verdicts == {"ann": "pass", "bob": "pass", "dull": "fail", "new": "insufficient"}
    kept = frame.filter(pl.col("worker_id").is_in(["ann", "bob"]))
    alone = _analyse(kept, replace(SETTINGS, check="none"))
    assert analysis.systems.equals(alone.systems)


def test_counts_say_how_much_there_was_and_how_much_was_kept(frame: pl.DataFrame) -> None:
    counts = _analyse(frame).counts

    # 40 regular each, and 16 degraded for three of the four.
    assert (counts.judgements, counts.workers, counts.hits, counts.systems) == (208, 4, 4, 2)
    assert (counts.kept_judgements, counts.kept_workers) == (112, 2)


def test_without_a_check_everybody_is_kept_and_nobody_judged(frame: pl.DataFrame) -> None:
    analysis = _analyse(frame, replace(SETTINGS, check="none", method="mean-rating"))

    assert analysis.counts.kept_judgements == analysis.counts.judgements
    assert analysis.workers["verdict"].to_list() == [None] * 4
    assert analysis.workers["n_pairs"].to_list() == [None] * 4


def test_the_ranking_has_ranks_ranges_clusters_and_wins(frame: pl.DataFrame) -> None:
    systems = _analyse(frame).systems

    places = systems.select("system_id", "rank", "rank_low", "rank_high", "cluster", "wins").rows()
    assert places == [("good", 1, 1, 1, 1, 1), ("poor", 2, 2, 2, 2, 0)]


def test_every_ordered_pair_has_its_p_value_and_holms(frame: pl.DataFrame) -> None:
    pairs = _analyse(frame).pairs

    assert pairs.select("better", "worse").rows() == [("good", "poor"), ("poor", "good")]
    small, large = pairs["p_value"]
    assert small < 0.05 < large
    assert pairs["p_holm"].to_list() == [pytest.approx(2 * small), large]


def test_frames_have_the_documented_columns(frame: pl.DataFrame) -> None:
    analysis = _analyse(frame)

    assert analysis.workers.columns == [
        *(
            "worker_id",
            "n_judgements",
            "n_pairs",
            "mean_difference",
            "statistic",
            "p_value",
            "verdict",
            "flags",
        ),
        *("mean", "sd", "offset", "slope", "precision", "weight", "reason"),
    ]
    assert analysis.systems.columns == [
        *("system_id", "rank", "rank_low", "rank_high", "cluster", "score", "lower", "upper"),
        *("mean_rating", "n_segments", "n_judgements", "wins"),
    ]
    assert analysis.pairs.columns == ["better", "worse", "p_value", "p_holm"]
    assert analysis.segments.columns == ["system_id", "segment_id", "score", "sd", "mean_rating", "n"]


def test_every_worker_has_mean_and_deviation_over_all_their_ratings(frame: pl.DataFrame) -> None:
    workers = _analyse(frame).workers

    dull = workers.row(by_predicate=pl.col("worker_id") == "dull", named=True)
    assert (dull["n_judgements"], dull["mean"], dull["sd"], dull["flags"]) == (56, 50.0, 0.0, [])
    bob = frame.filter(pl.col("worker_id") == "bob")["rating"].to_numpy()
    found = workers.row(by_predicate=pl.col("worker_id") == "bob", named=True)
    assert (found["mean"], found["sd"]) == (pytest.approx(bob.mean()), pytest.approx(bob.std(ddof=1)))


def test_the_signature_names_every_choice(frame: pl.DataFrame) -> None:
    analysis = analyse(frame, SETTINGS, title="Toy", campaign="cs-en", protocol="da")

    assert analysis.signature == (
        "steelyard:0.1|campaign:cs-en|protocol:da|qc:paired-t|kept:112/208|method:mean-z|unit:judgement|over:all|"
        "clusters:strict|boot:50|seed:7"
    )


def test_rare_choices_enter_the_signature_only_when_made(frame: pl.DataFrame) -> None:
    signature = _analyse(frame, wmt_settings(SETTINGS)).signature

    assert "|clusters:wmt21|p:<=0.05|least:2|unstandardised:zero|" in signature


def test_the_same_seed_gives_the_same_analysis(frame: pl.DataFrame) -> None:
    first, second = _analyse(frame), _analyse(frame)

    assert first.systems.equals(second.systems)
    assert first.signature == second.signature


def test_another_seed_changes_intervals_only(frame: pl.DataFrame) -> None:
    first, second = _analyse(frame), _analyse(frame, replace(SETTINGS, seed=8))

    assert first.systems["score"].equals(second.systems["score"])
    assert not first.systems["lower"].equals(second.systems["lower"])


def test_the_frame_is_left_untouched(frame: pl.DataFrame) -> None:
    before = frame.clone()

    _analyse(frame)

    assert frame.equals(before)


def test_one_attribute_of_several_must_be_chosen(frame: pl.DataFrame) -> None:
    both = pl.concat([frame.with_columns(attribute=pl.lit(name)) for name in ("fluency", "adequacy")])

    with pytest.raises(SourceError, match=r"'adequacy', 'fluency'.* --attribute"):
        _analyse(both)


def test_a_chosen_attribute_is_analysed_alone(frame: pl.DataFrame) -> None:
    other = frame.with_columns(attribute=pl.lit("fluency"), rating=100 - pl.col("rating"))
    both = pl.concat([frame.with_columns(attribute=pl.lit("adequacy")), other])

    analysis = _analyse(both, replace(SETTINGS, attribute="adequacy"))

    assert analysis.systems.equals(_analyse(frame).systems)
    assert "|attribute:adequacy|" in analysis.signature


def test_an_attribute_that_is_not_there_is_refused(frame: pl.DataFrame) -> None:
    with pytest.raises(SourceError, match="no rating is of attribute 'style'"):
        _analyse(frame, replace(SETTINGS, attribute="style"))


def test_when_nobody_passes_it_says_who_and_what_to_do(frame: pl.DataFrame) -> None:
    rest = frame.filter(pl.col("worker_id").is_in(["dull", "new"]))

    with pytest.raises(NotEnoughData, match=r"1 failed, 1 had too few.*--check none"):
        _analyse(rest)


def test_a_system_that_lost_all_its_judgements_is_mentioned(frame: pl.DataFrame) -> None:
    lost = frame.filter(pl.col("worker_id") == "dull").with_columns(system_id=pl.lit("lost"))

    analysis = _analyse(pl.concat([frame, lost]))

    assert analysis.warnings[0] == (
        "No judgement of these systems was left to score, so they are not ranked: lost."
    )


def test_warnings_of_the_source_come_first(frame: pl.DataFrame) -> None:
    analysis = analyse(frame, SETTINGS, title="Toy", warnings=["Ignored columns: colour."])

    assert analysis.warnings[0] == "Ignored columns: colour."


@pytest.mark.parametrize("change", [{"method": "mode"}, {"check": "mode"}])
def test_unknown_names_are_refused_with_the_known_ones(frame: pl.DataFrame, change: dict[str, str]) -> None:
    with pytest.raises(NotFound, match=r"'mode'\. Use one of: "):
        _analyse(frame, replace(SETTINGS, **change))  # type: ignore[arg-type]


def test_no_judgements_are_not_enough(frame: pl.DataFrame) -> None:
    with pytest.raises(NotEnoughData, match="no judgements yet"):
        _analyse(frame.clear())

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from steelyard.domain.errors import ChoiceError, NotEnoughData, SourceError
from steelyard.domain.result import Analysis, AnalysisSettings, MethodSettings
from steelyard.domain.scale import Scale
from steelyard.flows.analyse import analyse
from steelyard.flows.recipes import wmt_settings
from steelyard.flows.settings import settings_from
from steelyard.flows.source import Source
from steelyard.frames import hit_times_frame, ratings_frame

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
    return analyse(Source(frame, title="Toy", campaign="file"), settings)


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
    # One pair is one test, and says the same in both directions.
    assert pairs["p_two_sided"].to_list() == pytest.approx([2 * small] * 2)
    assert pairs["p_holm"].to_list() == pairs["p_two_sided"].to_list()


def test_frames_have_the_documented_columns(frame: pl.DataFrame) -> None:
    analysis = _analyse(frame)

    assert analysis.workers.columns == [
        *("worker_id", "n_judgements", "n_pairs", "mean_difference", "sd_difference", "statistic", "p_value"),
        *("power", "verdict", "flags", "mean", "sd", "offset", "slope", "precision", "weight"),
        *("offset_sd", "slope_sd", "precision_sd", "n_repeats", "consistency_p", "equivalence_p"),
        *("seconds_per_judgement", "suggestion", "reason", "remarks", "portrait", "excluded"),
    ]
    assert analysis.hits.columns == [
        *("worker_id", "hit_id", "n_judgements", "seconds", "concurrent", "excluded")
    ]
    assert analysis.systems.columns == [
        *("system_id", "rank", "rank_low", "rank_high", "cluster", "score", "lower", "upper"),
        *("mean_rating", "n_segments", "n_judgements", "wins"),
    ]
    assert analysis.pairs.columns == ["better", "worse", "p_value", "p_two_sided", "p_holm"]
    assert analysis.segments.columns == ["system_id", "segment_id", "score", "sd", "mean_rating", "n"]


def test_every_worker_has_mean_and_deviation_over_all_their_ratings(frame: pl.DataFrame) -> None:
    workers = _analyse(frame).workers

    dull = workers.row(by_predicate=pl.col("worker_id") == "dull", named=True)
    assert (dull["n_judgements"], dull["mean"], dull["sd"]) == (56, 50.0, 0.0)
    bob = frame.filter(pl.col("worker_id") == "bob")["rating"].to_numpy()
    found = workers.row(by_predicate=pl.col("worker_id") == "bob", named=True)
    assert (found["mean"], found["sd"]) == (pytest.approx(bob.mean()), pytest.approx(bob.std(ddof=1)))


def test_the_signature_names_every_choice(frame: pl.DataFrame) -> None:
    analysis = analyse(Source(frame, title="Toy", campaign="cs-en", protocol="da"), SETTINGS)

    assert analysis.signature == (
        "steelyard:0.2|campaign:cs-en|protocol:da|qc:paired-t|kept:112/208|method:mean-z|unit:judgement|over:all|"
        "clusters:strict|boot:50|seed:7"
    )


def test_rare_choices_enter_the_signature_only_when_made(frame: pl.DataFrame) -> None:
    signature = _analyse(frame, wmt_settings(SETTINGS)).signature

    assert (
        "|test:rank-sum|correction:none|sides:one|clusters:wmt21|p:<=0.05|pairs:2|least:2|unstandardised:zero|"
        in signature
    )


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


def _of(frame: pl.DataFrame, attribute: str) -> pl.DataFrame:
    return frame.with_columns(attribute=pl.lit(attribute))


def test_several_attributes_weigh_the_same_and_are_given_one_by_one(frame: pl.DataFrame) -> None:
    # Fluency was judged on half of the segments only, and the other way round.
    fluency = _of(frame, "fluency").filter(pl.col("segment_id").str.slice(1).cast(int) < 10)
    fluency = fluency.with_columns(rating=100 - pl.col("rating"))
    settings = replace(SETTINGS, check="none", method="mean-rating")

    analysis = _analyse(pl.concat([_of(frame, "adequacy"), fluency]), settings)

    assert [alone.attribute for alone in analysis.attributes] == ["adequacy", "fluency"]
    scores = [dict(alone.systems.select("system_id", "score").iter_rows()) for alone in analysis.attributes]
    for system_id, score in analysis.systems.select("system_id", "score").iter_rows():
        assert score == pytest.approx((scores[0][system_id] + scores[1][system_id]) / 2)
    assert analysis.attributes[0].systems["system_id"].to_list() == ["good", "poor"]
    assert analysis.attributes[1].systems["system_id"].to_list() == ["poor", "good"]


def test_one_attribute_has_no_rankings_by_attribute(frame: pl.DataFrame) -> None:
    assert _analyse(frame).attributes == ()


def test_one_attribute_written_twice_gives_the_scores_of_one(frame: pl.DataFrame) -> None:
    twice = pl.concat([_of(frame, "fluency"), _of(frame, "adequacy")])
    settings = replace(SETTINGS, check="none", method="mean-rating")

    scores = _analyse(twice, settings).systems["score"]

    np.testing.assert_allclose(scores, _analyse(frame, settings).systems["score"], rtol=1e-12)


def test_a_system_that_lacks_an_attribute_is_mentioned(frame: pl.DataFrame) -> None:
    fluency = _of(frame, "fluency").filter(pl.col("system_id") == "good")
    settings = replace(SETTINGS, check="none", method="mean-rating")

    warnings = _analyse(pl.concat([_of(frame, "adequacy"), fluency]), settings).warnings

    assert any(
        "not judged in every attribute" in warning and "poor (fluency)" in warning for warning in warnings
    )


def test_workers_are_checked_by_the_attributes_named(frame: pl.DataFrame) -> None:
    # Degraded copies are not worse in fluency here.
    fluency = _of(frame, "fluency").with_columns(rating=pl.lit(60.0))
    both = pl.concat([_of(frame, "adequacy"), fluency])

    analysis = _analyse(both, replace(SETTINGS, check_attributes=("adequacy",)))

    alone = _analyse(frame)
    assert analysis.workers["p_value"].equals(alone.workers["p_value"])
    assert "|qc:paired-t(adequacy)|" in analysis.signature


def test_an_attribute_to_check_by_that_is_not_there_is_refused(frame: pl.DataFrame) -> None:
    with pytest.raises(SourceError, match="no rating is of attribute 'style'"):
        _analyse(_of(frame, "fluency"), replace(SETTINGS, check_attributes=("fluency", "style")))


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

    with pytest.raises(NotEnoughData, match=r"1 failed, 1 had too few.*check=.none"):
        _analyse(rest)


def test_a_system_that_lost_all_its_judgements_is_mentioned(frame: pl.DataFrame) -> None:
    lost = frame.filter(pl.col("worker_id") == "dull").with_columns(system_id=pl.lit("lost"))

    analysis = _analyse(pl.concat([frame, lost]))

    assert analysis.warnings[0] == (
        "No judgement of these systems was left to score, so they are not ranked: lost."
    )


def test_warnings_of_the_source_come_first(frame: pl.DataFrame) -> None:
    analysis = analyse(
        Source(frame, title="Toy", campaign="file", warnings=("Ignored columns: colour.",)), SETTINGS
    )

    assert analysis.warnings[0] == "Ignored columns: colour."


@pytest.mark.parametrize("change", [{"method": "mode"}, {"check": "mode"}])
def test_unknown_names_are_refused_with_the_known_ones(frame: pl.DataFrame, change: dict[str, str]) -> None:
    with pytest.raises(ChoiceError, match=r"'mode'\. Use one of: "):
        _analyse(frame, replace(SETTINGS, **change))  # type: ignore[arg-type]


def test_no_judgements_are_not_enough(frame: pl.DataFrame) -> None:
    with pytest.raises(NotEnoughData, match="no judgements yet"):
        _analyse(frame.clear())


def test_a_rejected_hit_is_left_out_and_counted(frame: pl.DataFrame) -> None:
    half = (
        pl.when(pl.col("segment_id").str.slice(1).cast(int) < 10)
        .then(pl.lit("first"))
        .otherwise(pl.lit("second"))
    )
    parted = frame.with_columns(hit_id=pl.concat_str("worker_id", half, separator="-"))
    times = hit_times_frame(
        pl.DataFrame({"worker_id": ["ann"], "hit_id": ["ann-second"], "is_rejected": [True]})
    )
    source = Source(parted, title="Toy", campaign="file", hit_times=times)

    analysis = analyse(source, SETTINGS)

    # Ann and Bob gave 40 regular and 16 degraded ratings each; the second HIT holds 20 regular ones.
    assert analysis.counts.kept_judgements == 112 - 20
    excluded = analysis.hits.filter(pl.col("excluded").is_not_null())
    assert excluded.select("worker_id", "hit_id").rows() == [("ann", "ann-second")]
    assert any("(20 judgements) was left out" in warning for warning in analysis.warnings)


def test_hits_are_kept_if_asked(frame: pl.DataFrame) -> None:
    times = hit_times_frame(
        pl.DataFrame({"worker_id": ["ann"], "hit_id": ["hit of ann"], "is_rejected": [True]})
    )
    source = Source(frame, title="Toy", campaign="file", hit_times=times)

    analysis = analyse(source, settings_from(source, keep_hits=True, draws=0))

    assert analysis.counts.kept_judgements == 112
    assert "|qc:paired-t+keep-hits|" in analysis.signature


def test_consistency_can_be_asked_of_those_who_pass(frame: pl.DataFrame) -> None:
    first = frame.filter((pl.col("item_kind") == "regular") & (pl.col("worker_id") == "bob")).head(10)
    drifted = first.with_columns(item_kind=pl.lit("repeat"), rating=pl.col("rating") - 20)
    drifting = pl.concat([frame, drifted])

    usual, strict = (
        dict(
            _analyse(drifting, replace(SETTINGS, require_consistency=asked))
            .workers.select("worker_id", "verdict")
            .iter_rows()
        )
        for asked in (False, True)
    )

    assert (usual["bob"], strict["bob"]) == ("pass", "fail")
    assert (usual["ann"], strict["ann"]) == ("pass", "pass")


@pytest.mark.parametrize("test", ["rank-sum", "rank-sum-common", "signed-rank", "permutation"])
def test_another_test_changes_p_values_and_the_signature_only(frame: pl.DataFrame, test: str) -> None:
    settings = replace(SETTINGS, method_settings=replace(SETTINGS.method_settings, test=test))

    analysis = _analyse(frame, settings)

    assert f"|test:{test}|" in analysis.signature
    assert analysis.systems["score"].equals(_analyse(frame).systems["score"])
    assert analysis.pairs["p_value"][0] < 0.05 < analysis.pairs["p_value"][1]


def test_systems_without_a_common_segment_cannot_be_paired(frame: pl.DataFrame) -> None:
    apart = frame.with_columns(segment_id=pl.concat_str("system_id", "segment_id"))
    settings = replace(SETTINGS, method_settings=replace(SETTINGS.method_settings, test="signed-rank"))

    analysis = _analyse(apart, settings)

    assert analysis.pairs["p_value"].to_list() == [None, None]
    assert any("1 of 1 pairs of systems could not be tested" in warning for warning in analysis.warnings)


def test_a_worker_whose_only_hit_was_rejected_is_counted_as_left_out(frame: pl.DataFrame) -> None:
    times = hit_times_frame(
        pl.DataFrame({"worker_id": ["ann"], "hit_id": ["hit of ann"], "is_rejected": [True]})
    )

    analysis = analyse(Source(frame, title="Toy", campaign="file", hit_times=times), SETTINGS)

    assert (analysis.counts.kept_workers, analysis.counts.kept_judgements) == (1, 56)
    assert any("(56 judgements) was left out" in w for w in analysis.warnings)


def test_rejected_hits_are_left_out_and_counted_where_nobody_is_checked(frame: pl.DataFrame) -> None:
    times = hit_times_frame(
        pl.DataFrame({"worker_id": ["new"], "hit_id": ["hit of new"], "is_rejected": [True]})
    )
    source = Source(frame, title="Toy", campaign="file", hit_times=times)

    left_out, kept = (
        analyse(source, settings_from(source, check="none", draws=0, keep_hits=keep)) for keep in (None, True)
    )

    assert (left_out.counts.kept_judgements, kept.counts.kept_judgements) == (168, 208)
    assert ("|qc:none|" in left_out.signature, "|qc:none+keep-hits|" in kept.signature) == (True, True)


def test_workers_may_be_checked_by_another_attribute_than_is_ranked(frame: pl.DataFrame) -> None:
    fluency = _of(frame, "fluency").with_columns(rating=pl.lit(60.0) + pl.int_range(pl.len()) % 7)
    both = pl.concat([_of(frame, "adequacy"), fluency])

    analysis = _analyse(both, replace(SETTINGS, attribute="fluency", check_attributes=("adequacy",)))

    assert analysis.workers["verdict"].to_list() == ["pass", "pass", "fail", "insufficient"]
    assert analysis.counts.judgements == len(fluency)


@pytest.mark.parametrize(
    "choice",
    [
        {"test": "signedrank"},
        {"unit": "judgment"},
        {"clusters": "wmt22"},
        {"standardise_over": "systems"},
        {"standardise_per": "attributes"},
        {"recipe": "wmt22"},
    ],
)
def test_a_choice_that_does_not_exist_is_refused(frame: pl.DataFrame, choice: dict[str, str]) -> None:
    source = Source(frame, title="Toy", campaign="file")

    with pytest.raises(ChoiceError, match=r"Use one of: "):
        settings_from(source, **choice)  # type: ignore[typeddict-item]


def test_an_option_beside_the_recipe_wins(frame: pl.DataFrame) -> None:
    source = Source(frame, title="Toy", campaign="file")

    settings = settings_from(source, recipe="wmt", keep_hits=False, clusters="strict")

    assert (settings.exclude_hits, settings.clusters, settings.flag_rules) == (True, "strict", "wmt")


def test_contamination_follows_from_the_power_of_those_who_passed() -> None:
    # Thirty careful workers with repeats, thirty who click at random, fifteen pairs each.
    rng = np.random.default_rng(8)
    rows = []
    for w in range(60):
        for s in range(30):
            for kind in ("regular", "degraded" if s % 2 else "repeat"):
                level = 70 - 20 * (kind == "degraded") + rng.normal(0, 10)
                rating = level if w % 2 else rng.uniform(0, 100)
                rows.append((f"w{w}", f"h{w}", kind, f"s{s}", "a", float(rating)))
    names = ["worker_id", "hit_id", "item_kind", "segment_id", "system_id", "rating"]
    crowd = ratings_frame(pl.DataFrame(rows, schema=names, orient="row").with_columns(attribute=pl.lit("")))

    analysis = _analyse(crowd, replace(SETTINGS, method="mean-rating"))

    # Half of those tested click at random, and one in twenty of these passes: 0.05 / 1.05.
    assert analysis.contamination == pytest.approx(0.05 / 1.05, abs=0.015)


def test_controls_without_a_base_are_counted(frame: pl.DataFrame) -> None:
    orphaned = frame.with_columns(
        segment_id=pl.when(
            (pl.col("item_kind") == "degraded")
            & (pl.col("worker_id") == "bob")
            & (pl.col("system_id") == "good")
        )
        .then(pl.lit("elsewhere"))
        .otherwise("segment_id")
    )

    warnings = _analyse(orphaned).warnings

    # Bob judged eight degraded copies of each system.
    assert any(w.startswith("8 of 48 degraded items match no regular item") for w in warnings)


def test_judgements_of_the_same_item_in_the_same_hit_are_counted(frame: pl.DataFrame) -> None:
    again = pl.concat([frame, frame.head(3)])

    assert any(w.startswith("3 judgements are of items that") for w in _analyse(again).warnings)


def test_times_of_hits_that_nobody_judged_are_mentioned(frame: pl.DataFrame) -> None:
    times = hit_times_frame(
        pl.DataFrame({"worker_id": ["ANN"], "hit_id": ["hit of ann"], "work_seconds": [9.0]})
    )

    analysis = analyse(Source(frame, title="Toy", campaign="file", hit_times=times), SETTINGS)

    assert any(w.startswith("No time of 1 is of a worker") for w in analysis.warnings)


def test_scores_of_few_workers_come_with_a_warning(frame: pl.DataFrame) -> None:
    assert any(w.startswith("The scores rest on 2 workers") for w in _analyse(frame).warnings)


@pytest.mark.parametrize("choice", [{"bogus": 1}, {"draws": 1}, {"draws": -1}])
def test_choices_that_make_no_sense_are_refused(frame: pl.DataFrame, choice: dict[str, int]) -> None:
    with pytest.raises(ChoiceError):
        settings_from(Source(frame, title="Toy", campaign="file"), **choice)  # type: ignore[arg-type]


def test_attributes_to_check_by_may_be_one_string(frame: pl.DataFrame) -> None:
    settings = settings_from(Source(frame, title="Toy", campaign="file"), check_attributes="fun, topic")

    assert settings.check_attributes == ("fun", "topic")


def test_another_scale_is_in_the_signature(frame: pl.DataFrame) -> None:
    wide = Source(frame, title="Toy", campaign="file", scale=Scale(0.0, 200.0))

    assert "|scale:0,200|" in analyse(wide, settings_from(wide, draws=0)).signature


def test_one_system_alone_is_said_to_have_no_rank(frame: pl.DataFrame) -> None:
    alone = frame.filter(pl.col("system_id") == frame["system_id"][0])

    warnings = _analyse(alone, replace(SETTINGS, check="none")).warnings

    assert any(warning.startswith("All judgements are of one system") for warning in warnings)


def test_one_worker_alone_is_said_to_agree_with_nobody(frame: pl.DataFrame) -> None:
    alone = frame.filter(pl.col("worker_id") == frame["worker_id"][0])

    warnings = _analyse(alone, replace(SETTINGS, check="none")).warnings

    assert any("agreement between workers cannot be computed" in warning for warning in warnings)

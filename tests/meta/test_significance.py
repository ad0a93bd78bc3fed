"""Tests between metrics against formulas and full enumeration, and what they make of a ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr
from scipy.stats import t as t_distribution

from steelyard.domain.errors import NotEnoughData
from steelyard.meta.metric_tests import soft_test
from steelyard.meta.scores import ScoredPair
from steelyard.meta.settings import TESTED, MetaSettings, Significance
from steelyard.meta.study import evaluate_metrics
from steelyard.stats.arrays import BoolArray, FloatArray
from steelyard.stats.multiplicity import holm
from steelyard.stats.soft_pairwise import permutation_p_values, soft_pairwise_accuracy
from steelyard.stats.tie_calibration import calibrate, segment_accuracies
from steelyard.stats.williams import williams

MakePair = Callable[..., ScoredPair]


def significance_of(pair: ScoredPair, statistic: str, **choices: object) -> Significance:
    """The significance of one statistic."""
    settings = MetaSettings(tests=(statistic,), draws=200, **choices)  # type: ignore[arg-type]
    return evaluate_metrics(pair, "gold", settings).significance[0]


@pytest.mark.parametrize("statistic", TESTED)
def test_the_good_metric_is_first_and_the_useless_one_last(noisy_pair: ScoredPair, statistic: str) -> None:
    found = significance_of(noisy_pair, statistic)

    assert (found.metrics[0], found.metrics[-1]) == ("good", "poor")
    assert list(found.values) == sorted(found.values, reverse=True)
    assert found.p_values[0, 2] < 0.1 < found.p_values[2, 0]
    assert np.isnan(np.diag(found.p_values)).all()


def by_leaving_out(
    statistic: Callable[[FloatArray, FloatArray], float], scores: Sequence[FloatArray], unit: Sequence[object]
) -> float:
    """The p-value that the second scores agree with the first better than the third do."""
    people, one, two = scores
    columns, units = np.array(unit), list(dict.fromkeys(unit))

    def difference(kept: BoolArray) -> float:
        flat = [values[:, kept].ravel() for values in (people, one, two)]
        return statistic(flat[0], flat[1]) - statistic(flat[0], flat[2])

    whole = difference(np.ones(len(columns), dtype=np.bool_))
    moved = np.array([difference(columns != name) for name in units]) - whole
    n = len(units)
    return float(t_distribution.sf(whole / np.sqrt((n - 1) / n * moved @ moved), n - 1))


def scores_of(pair: ScoredPair, *metrics: int) -> list[FloatArray]:
    """People's scores and some metrics' of all translations."""
    found = [pair.golds[0].segments, *(pair.metrics[number].segments for number in metrics)]
    return [values for values in found if values is not None]


@pytest.mark.parametrize(
    ("statistic", "by_scipy"),
    [
        ("seg_pearson_none", lambda one, two: pearsonr(one, two).statistic),
        ("seg_spearman_none", lambda one, two: spearmanr(one, two).statistic),
        ("seg_kendall_b_none", lambda one, two: kendalltau(one, two).statistic),
    ],
)
def test_correlations_of_all_translations_are_compared_by_leaving_out_documents_or_segments(
    noisy_pair: ScoredPair, statistic: str, by_scipy: Callable[[FloatArray, FloatArray], float]
) -> None:
    scores = scores_of(noisy_pair, 1, 0)
    assert noisy_pair.documents is not None

    documents = significance_of(noisy_pair, statistic)
    segments = significance_of(replace(noisy_pair, documents=None), statistic)

    assert (documents.test, documents.unit, documents.n_units) == ("jackknife", "documents", 4)
    assert documents.p_values[0, 1] == pytest.approx(by_leaving_out(by_scipy, scores, noisy_pair.documents))
    assert (segments.test, segments.unit, segments.n_units) == ("jackknife", "segments", 40)
    assert segments.p_values[0, 1] == pytest.approx(by_leaving_out(by_scipy, scores, range(40)))


def test_the_unit_can_be_chosen_and_one_document_is_no_unit(noisy_pair: ScoredPair) -> None:
    chosen = significance_of(noisy_pair, "seg_pearson_none", unit="segment")
    single = significance_of(replace(noisy_pair, documents=("d",) * 40), "seg_pearson_none")

    assert chosen.unit == single.unit == "segments"
    np.testing.assert_array_equal(chosen.p_values, single.p_values)
    with pytest.raises(NotEnoughData, match="which segment is of which document is not known"):
        significance_of(replace(noisy_pair, documents=None), "seg_pearson_none", unit="document")


def test_segments_without_the_name_of_a_document_are_documents_of_their_own(noisy_pair: ScoredPair) -> None:
    documents = ("d0",) * 10 + ("",) * 30

    found = significance_of(replace(noisy_pair, documents=documents), "seg_pearson_none")

    assert (found.unit, found.n_units) == ("documents", 31)


def test_few_documents_are_a_warning_with_the_degrees_of_freedom(noisy_pair: ScoredPair) -> None:
    settings = MetaSettings(tests=("seg_pearson_none", "sys_pearson"))

    few = evaluate_metrics(noisy_pair, "gold", settings).warnings
    many = evaluate_metrics(replace(noisy_pair, documents=None), "gold", settings).warnings

    assert [line for line in few if "4 documents (3 degrees of freedom)" in line and "unit segment" in line]
    assert not [line for line in many if "degrees of freedom" in line]


def test_means_over_segments_exchange_whole_documents(noisy_pair: ScoredPair) -> None:
    people, good, fair = scores_of(noisy_pair, 1, 0)
    r = [[pearsonr(people[:, k], values[:, k]).statistic for k in range(40)] for values in (good, fair)]
    of_documents = (np.array(r[0]) - np.array(r[1])).reshape(4, 10).sum(axis=1)

    found = significance_of(noisy_pair, "seg_pearson_item")

    sums = [np.dot(signs, of_documents) for signs in product((1, -1), repeat=4)]
    assert (found.test, found.unit, found.n_units) == ("permutation", "documents", 4)
    assert found.p_values[0, 1] == pytest.approx(np.mean(np.array(sums) >= of_documents.sum() - 1e-12))


def test_williams_is_the_test_over_systems_and_on_request_over_translations(noisy_pair: ScoredPair) -> None:
    people, good, poor = scores_of(noisy_pair, 1, 2)
    pooled = np.corrcoef([values.ravel() for values in (people, good, poor)])
    systems = np.corrcoef([values.mean(axis=1) for values in (people, good, poor)])

    for statistic, r, n in (("seg_pearson_none", pooled, 320), ("sys_pearson", systems, 8)):
        found = significance_of(noisy_pair, statistic, pearson_test="williams")
        expected = williams(r[0, 1], r[0, 2], r[1, 2], n).p_value

        assert (found.test, found.n_units) == ("Williams", n)
        assert found.p_values[0, 2] == pytest.approx(float(expected), rel=1e-9)
    assert significance_of(noisy_pair, "sys_pearson").test == "Williams"


def test_two_metrics_are_compared_where_both_have_scores(noisy_pair: ScoredPair) -> None:
    people, fair, good = (
        scores.segments
        for scores in (noisy_pair.golds[0], *noisy_pair.metrics[:2])
        if scores.segments is not None
    )
    holed = fair.copy()
    holed[:, 30:] = np.nan
    holed[3] = np.nan
    gaps = replace(
        noisy_pair, metrics=(replace(noisy_pair.metrics[0], segments=holed), *noisy_pair.metrics[1:])
    )
    kept = [row for row in range(8) if row != 3]
    cells = [values[kept, :30].ravel() for values in (people, good, fair)]
    r = np.corrcoef(cells)

    found = significance_of(gaps, "seg_pearson_none", pearson_test="williams")
    places = found.metrics.index("good"), found.metrics.index("fair")

    expected = williams(r[0, 1], r[0, 2], r[1, 2], 210).p_value
    assert found.p_values[places] == pytest.approx(float(expected), rel=1e-9)
    assert found.p_values[found.metrics.index("good"), found.metrics.index("poor")] == pytest.approx(
        significance_of(noisy_pair, "seg_pearson_none", pearson_test="williams").p_values[0, 2], rel=1e-9
    )
    cells = [values[kept, :30] for values in (people, good, fair)]
    expected = by_leaving_out(lambda one, two: pearsonr(one, two).statistic, cells, range(30))
    left_out = significance_of(gaps, "seg_pearson_none", unit="segment")
    assert left_out.p_values[places] == pytest.approx(float(expected), rel=1e-9)


def test_the_test_of_accuracy_exchanges_whole_segments(make_pair: MakePair) -> None:
    rng = np.random.default_rng(8)
    people = rng.integers(0, 4, (4, 6)).astype(np.float64)
    metrics = {"one": people + rng.normal(0, 0.5, (4, 6)), "two": people + rng.normal(0, 2, (4, 6))}
    of_segments = {
        name: segment_accuracies(people, values, calibrate(people, values).epsilon)
        for name, values in metrics.items()
    }

    found = significance_of(make_pair(people, metrics), "seg_acc23_opt_item")

    difference = of_segments[found.metrics[0]] - of_segments[found.metrics[1]]
    sums = [np.dot(signs, difference) for signs in product((1, -1), repeat=6)]
    assert found.p_values[0, 1] == pytest.approx(np.mean(np.array(sums) >= difference.sum() - 1e-12))
    assert found.unit == "segments"


def test_accuracy_and_its_tau_are_equally_sure(noisy_pair: ScoredPair) -> None:
    accuracy, tau = (significance_of(noisy_pair, f"seg_{kind}_opt_item") for kind in ("acc23", "tau23"))

    np.testing.assert_array_equal(accuracy.p_values, tau.p_values)


def test_verdicts_on_pairs_can_be_exchanged_instead(make_pair: MakePair) -> None:
    people = np.arange(5.0)[:, None]
    # Right on all ten pairs, and wrong on A and B, and on D and E: two right alone, so p is 1 / 4.
    metrics = {"right": people, "wrong": np.array([[1.0], [0.0], [2.0], [4.0], [3.0]])}

    found = significance_of(make_pair(people, metrics), "sys_pairwise_accuracy", accuracy_test="verdicts")

    assert (found.test, found.unit) == ("permutation of verdicts", "pairs of systems")
    assert found.p_values[0, 1] == pytest.approx(1 / 4)


def test_pearson_can_be_tested_by_permutation(make_pair: MakePair) -> None:
    people = np.array([[1.0], [2.0], [4.0], [8.0]])
    one, two = people + np.array([[0.1], [-0.2], [0.1], [0.0]]), np.array([[3.0], [1.0], [8.0], [5.0]])

    found = significance_of(
        make_pair(people, {"one": one, "two": two}), "sys_pearson", pearson_test="permutation"
    )

    standard = [((values - values.mean()) / values.std()).ravel() for values in (one, two)]
    differences = []
    for exchanged in product((False, True), repeat=4):
        first, second = np.where(exchanged, standard[::-1], standard)
        r = [np.corrcoef(people.ravel(), values)[0, 1] for values in (first, second)]
        differences.append(r[0] - r[1])
    assert found.test == "permutation"
    assert found.p_values[0, 1] == pytest.approx(np.mean(np.array(differences) >= differences[0] - 1e-12))


def test_the_test_of_soft_accuracy_is_that_of_systems_exchanged_in_full() -> None:
    rng = np.random.default_rng(2)
    people = rng.normal(0, 1, (3, 9)) + np.array([[0.6], [0.0], [-0.3]])
    metrics = np.stack([people + rng.normal(0, 0.5, (3, 9)), rng.normal(0, 1, (3, 9))])

    found = soft_test(people, metrics, draws=50, soft_seed=4, rng=np.random.default_rng(7))

    standard = [(values - values.mean()) / values.std() for values in metrics]

    def accuracy(values: FloatArray) -> float:
        p_values = [permutation_p_values(scores, rng=np.random.default_rng(4)) for scores in (people, values)]
        return soft_pairwise_accuracy(*p_values)

    differences = []
    for exchanged in product((False, True), repeat=3):
        chosen = np.array(exchanged)[:, None]
        one, two = np.where(chosen, standard[1], standard[0]), np.where(chosen, standard[0], standard[1])
        differences.append(accuracy(one) - accuracy(two))
    assert found[0, 1] == pytest.approx(np.mean(np.array(differences) >= differences[0] - 1e-9))
    assert found[1, 0] == pytest.approx(np.mean(np.array(differences) <= differences[0] + 1e-9))


def test_with_many_systems_the_test_of_soft_accuracy_draws_and_counts_the_data_as_one() -> None:
    people = np.random.default_rng(1).normal(0, 1, (13, 6)) + np.arange(13)[:, None]
    metrics = np.stack([people, np.random.default_rng(2).normal(0, 1, (13, 6))])

    found = soft_test(people, metrics, draws=99, soft_seed=4, rng=np.random.default_rng(7))

    assert found[0, 1] == pytest.approx(1 / 100)


def test_clusters_and_correction_are_those_of_rankings(noisy_pair: ScoredPair) -> None:
    found = significance_of(noisy_pair, "seg_pearson_none", unit="segment")

    np.testing.assert_array_equal(found.holm, holm(found.p_values))
    assert found.clusters.tolist() == [1, 2, 3]


def test_metrics_without_the_statistic_are_left_out_of_its_test(noisy_pair: ScoredPair) -> None:
    whole = replace(noisy_pair.metrics[0], name="whole", segments=None, overall=np.arange(8.0))

    found = significance_of(replace(noisy_pair, metrics=(*noisy_pair.metrics, whole)), "seg_pearson_item")

    assert set(found.metrics) == {"good", "fair", "poor"}


def test_one_metric_has_nobody_to_be_better_than(noisy_pair: ScoredPair) -> None:
    found = significance_of(replace(noisy_pair, metrics=noisy_pair.metrics[:1]), "spa")

    assert (found.metrics, found.clusters.tolist(), found.p_values.shape) == (("fair",), [1], (1, 1))


def test_the_same_seed_gives_the_same_answer_and_another_a_similar_one(noisy_pair: ScoredPair) -> None:
    one, same, other = (significance_of(noisy_pair, "seg_acc23_opt_item", seed=seed) for seed in (1, 1, 2))

    np.testing.assert_array_equal(one.p_values, same.p_values)
    assert np.nanmax(np.abs(one.p_values - other.p_values)) < 0.15

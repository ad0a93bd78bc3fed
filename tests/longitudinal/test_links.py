"""Systems of several campaigns on one scale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.longitudinal.link_draws import CampaignScores, ItemScores, item_errors, score_draws
from steelyard.longitudinal.links import CommonItems, Linked, join
from steelyard.stats.arrays import FloatArray
from steelyard.stats.bootstrap import CrossedRatings, system_scores

SYSTEMS = ("a", "b", "c")
# What systems truly are on the scale of the campaign, and the true line to the earlier scale.
TRUTH = np.array([-0.3, 0.0, 0.3])
INTERCEPT, SLOPE = 0.4, 0.7
N_SEGMENTS = 60


class Crowd(NamedTuple):
    """How many judged, what and how well."""

    items: int = 20
    workers: int = 24
    per_worker: int = 10
    known_sd: float = 0.1
    scatter: float = 0.0
    draws: int = 200


USUAL = Crowd()


def _campaign(seed: int, crowd: Crowd = USUAL) -> tuple[CampaignScores, CommonItems]:
    """Workers with offsets, slopes and noise of their own judge three systems and the items in turn."""
    rng = np.random.default_rng(seed)
    offset, steepness = rng.normal(0, 0.2, crowd.workers), 1 + rng.normal(0, 0.15, crowd.workers)

    def rated(quality: FloatArray, worker: np.ndarray) -> FloatArray:
        value: FloatArray = offset[worker] + steepness[worker] * quality + rng.normal(0, 0.8, len(worker))
        return value

    worker = np.repeat(np.arange(crowd.workers), 36)
    system, segment = np.arange(len(worker)) % 3, rng.integers(N_SEGMENTS, size=len(worker))
    quality = TRUTH[system] + rng.normal(0, 0.4, N_SEGMENTS)[segment]
    quality += rng.normal(0, 0.4, (3, N_SEGMENTS))[system, segment]
    systems = CrossedRatings(rated(quality, worker), np.ones(len(worker)), worker, segment, system)
    level = rng.normal(0, 0.6, crowd.items)
    judge = np.repeat(np.arange(crowd.workers), crowd.per_worker)
    item = np.arange(len(judge)) % crowd.items
    items = CrossedRatings(rated(level[item], judge), np.ones(len(judge)), judge, item, item)
    system_draws, item_draws = score_draws(systems, items, draws=crowd.draws, rng=rng)
    names = tuple(f"i{number}" for number in range(crowd.items))
    earlier_sd = np.full(crowd.items, crowd.known_sd)
    earlier = INTERCEPT + SLOPE * level + rng.normal(0, np.hypot(crowd.known_sd, crowd.scatter), crowd.items)
    earlier_draws = earlier + rng.normal(0, crowd.known_sd, (crowd.draws, crowd.items))
    common = CommonItems(
        "known",
        later=ItemScores(names, system_scores(items), item_errors(items), item_draws),
        earlier=ItemScores(names, earlier, earlier_sd, earlier_draws),
    )
    return CampaignScores("new", SYSTEMS, system_scores(systems), system_draws), common


def _joined(seed: int, crowd: Crowd = USUAL) -> Linked:
    campaign, common = _campaign(seed, crowd)
    return join([campaign], [common], rng=np.random.default_rng(seed))


def _exact(x: list[float], y: list[float], *, draws: int = 50) -> CommonItems:
    """Items known as good as exactly in both campaigns."""
    names = tuple(f"i{number}" for number in range(len(x)))
    tiny = np.full(len(x), 1e-9)
    sides = [ItemScores(names, np.array(v), tiny, np.tile(v, (draws, 1))) for v in (x, y)]
    return CommonItems("calibration", later=sides[0], earlier=sides[1])


def _scores(title: str, score: list[float], *, spread: float = 0.0, draws: int = 50) -> CampaignScores:
    """Systems whose draws lie evenly within the spread."""
    names = tuple("abcdef"[: len(score)])
    off = np.linspace(-spread, spread, draws)
    return CampaignScores(title, names, np.array(score), np.array(score) + off[:, None])


RNG = np.random.default_rng


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    found = [_joined(seed).systems.sort("system_id") for seed in range(40)]

    linked, lower, upper, sd = (
        np.stack([systems[name].to_numpy() for systems in found])
        for name in ("linked", "lower", "upper", "sd_total")
    )
    truth = INTERCEPT + SLOPE * TRUTH
    covered = np.mean((lower <= truth) & (truth <= upper))
    error = (linked - truth) / sd
    # 120 intervals, the three of a campaign alike: an error of some 3 %.
    assert 0.87 <= covered <= 0.99
    assert np.sqrt((error**2).mean()) == pytest.approx(1.0, abs=0.2)


def test_the_line_is_the_true_one_within_its_errors() -> None:
    links = pl.concat([_joined(seed, Crowd(items=60, workers=60)).links for seed in range(12)])

    for name, truth in (("intercept", INTERCEPT), ("slope", SLOPE)):
        error = (links[name] - truth) / links[f"{name}_sd"]
        assert abs(float(error.mean() or 0.0)) < 1.0
        assert float(error.std() or 0.0) < 2.0


def test_the_fewer_items_the_more_of_the_uncertainty_is_the_links() -> None:
    crowds = (Crowd(items=5), Crowd(items=20), Crowd(items=80, per_worker=40))

    shares = [
        np.mean([_joined(seed, crowd).links["share_of_link"].item() for seed in range(4)]) for crowd in crowds
    ]

    assert shares[0] > 0.55
    assert shares[0] > shares[1] > shares[2]


def test_all_of_it_is_the_links_where_systems_are_known_exactly() -> None:
    campaign, common = _campaign(1, Crowd(items=5))
    exact = replace(campaign, draws=np.tile(campaign.score, (200, 1)))

    found = join([exact], [common], rng=RNG(1))

    assert found.systems["share_of_link"].to_list() == pytest.approx([1.0, 1.0, 1.0])
    assert found.systems["sd_total"].to_list() == pytest.approx(found.systems["sd_link"].to_list())


def test_many_items_judged_often_leave_nearly_none_to_it() -> None:
    few, many = Crowd(items=200, workers=24), Crowd(items=200, workers=24, per_worker=2000, known_sd=0.02)

    share = _joined(2, many).links["share_of_link"].item()

    # Not 0: the same few workers judge items and systems.
    assert share < 0.2
    assert share < _joined(2, few).links["share_of_link"].item()


def test_exact_items_leave_none_at_all() -> None:
    common = _exact([0.0, 1.0, 2.0, 5.0], [1.0, 3.0, 5.0, 11.0])

    found = join([_scores("old", [3.0]), _scores("new", [1.5], spread=0.3)], [common], rng=RNG(0))

    row = found.systems.filter(campaign="new").row(0, named=True)
    assert row["linked"] == pytest.approx(1 + 2 * 1.5)
    assert row["share_of_link"] == pytest.approx(0.0, abs=1e-6)
    # Draws lie evenly between -0.6 and 0.6: the middle 95 % reach 0.57, the middle 68.27 % 0.4096.
    assert (row["lower"], row["upper"]) == pytest.approx((4 - 0.57, 4 + 0.57), abs=1e-6)
    assert row["sd_own"] == pytest.approx(0.6 * 0.6826894921, abs=1e-6)


def test_shifted_and_stretched_earlier_scores_move_everything_with_them() -> None:
    campaign, common = _campaign(3, Crowd(scatter=0.2))
    old = common.earlier
    moved = ItemScores(old.names, 5 + 10 * old.score, 10 * old.sd, 5 + 10 * old.draws)

    before = join([campaign], [common], rng=RNG(1))
    after = join([campaign], [replace(common, earlier=moved)], rng=RNG(1))

    for name in ("linked", "lower", "upper", "own_lower", "own_upper"):
        expected = 5 + 10 * before.systems[name].to_numpy()
        assert after.systems[name].to_numpy() == pytest.approx(expected, rel=1e-6)
    assert after.systems["sd_link"].to_numpy() == pytest.approx(
        10 * before.systems["sd_link"].to_numpy(), rel=1e-6
    )
    assert after.systems["share_of_link"].to_numpy() == pytest.approx(
        before.systems["share_of_link"].to_numpy(), rel=1e-6
    )


def test_units_of_the_new_campaign_change_nothing() -> None:
    campaign, common = _campaign(4)
    new = common.later
    other_items = ItemScores(new.names, 50 + 20 * new.score, 20 * new.sd, 50 + 20 * new.draws)
    other = replace(campaign, score=50 + 20 * campaign.score, draws=50 + 20 * campaign.draws)

    before = join([campaign], [common], rng=RNG(1)).systems
    after = join([other], [replace(common, later=other_items)], rng=RNG(1)).systems

    for name in ("linked", "lower", "upper", "sd_total", "sd_own", "sd_link", "share_of_link"):
        assert after[name].to_numpy() == pytest.approx(before[name].to_numpy(), rel=1e-6)


def test_lines_of_a_chain_are_put_one_into_another() -> None:
    first = _exact([0.0, 1.0, 2.0], [1.0, 3.0, 5.0])  # old = 1 + 2 new
    second = _exact([0.0, 10.0, 20.0], [-1.0, 4.0, 9.0])  # new = -1 + 0.5 newer
    campaigns = [_scores("old", [3.0]), _scores("new", [1.0]), _scores("newer", [12.0])]

    found = join(campaigns, [first, second], rng=RNG(0))

    # 12 becomes -1 + 6 = 5, then 1 + 10 = 11.
    assert found.systems["linked"].to_list() == pytest.approx([3.0, 3.0, 11.0])
    assert found.links.select("campaign", "to").rows() == [("new", "old"), ("newer", "new")]
    assert found.scale == "old"


def test_a_second_link_adds_its_uncertainty_to_the_first() -> None:
    campaign, common = _campaign(5)
    base = _scores("oldest", [0.0], draws=200)
    again = replace(campaign, title="newer")

    found = join([base, campaign, again], [common, _campaign(6)[1]], rng=RNG(2)).systems

    direct = found.filter(campaign="new")["sd_link"].to_numpy()
    chained = found.filter(campaign="newer")["sd_link"].to_numpy()
    assert (chained > 1.1 * SLOPE * direct).all()


def test_pairs_name_the_better_first_and_are_of_different_campaigns() -> None:
    common = _exact([0.0, 1.0, 2.0, 5.0], [1.0, 3.0, 5.0, 11.0])
    old, new = _scores("old", [3.0, 7.0], spread=0.5), _scores("new", [2.0], spread=0.1)

    found = join([old, new], [common], rng=RNG(0)).pairs

    # The new system is 1 + 4 = 5: 2 above the old a, 2 below the old b.
    names = found.select("better_campaign", "better", "worse_campaign", "worse").rows()
    assert names == [("new", "a", "old", "a"), ("old", "b", "new", "a")]
    assert found["difference"].to_list() == pytest.approx([2.0, 2.0])
    assert found["p_value"].to_list() == pytest.approx([1 / 51, 1 / 51])
    # Two-sided, and Holm takes both as one family of two.
    assert found["p_two_sided"].to_list() == pytest.approx([2 / 51, 2 / 51])
    assert found["p_holm"].to_list() == pytest.approx([4 / 51, 4 / 51])


def test_too_few_draws_for_the_number_of_pairs_are_a_warning() -> None:
    common = _exact([0.0, 1.0, 2.0, 5.0], [1.0, 3.0, 5.0, 11.0])
    old, new = _scores("old", [3.0, 7.0], spread=0.5), _scores("new", [2.0], spread=0.1)

    *_, warning = join([old, new], [common], rng=RNG(0)).warnings

    # The least p of 50 draws is 2 / 51, of 80 it is 2 / 81; twice that is below 0.05.
    assert warning == (
        "50 draws are too few for 2 pairs of systems: with Holm's correction no difference between campaigns "
        "can be significant. Ask for 80 draws or more."
    )


def test_p_is_the_share_of_draws_in_which_the_better_is_not_better() -> None:
    common = _exact([0.0, 1.0, 2.0], [0.0, 1.0, 2.0], draws=9)
    off = np.array([-2.0, -1.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    old = CampaignScores("old", ("a",), np.array([0.0]), np.zeros((9, 1)))
    new = CampaignScores("new", ("a",), np.array([1.0]), 1 + off[:, None])

    found = join([old, new], [common], rng=RNG(0)).pairs

    assert found["p_value"].item() == pytest.approx((1 + 2) / (1 + 9))


def test_one_campaign_alone_goes_to_its_earlier_scores() -> None:
    found = _joined(1)

    assert found.scale == "the earlier scores"
    assert found.links["to"].to_list() == ["the earlier scores"]
    assert found.pairs.is_empty()


def test_a_slope_of_one_takes_only_the_level() -> None:
    common = _exact([0.0, 1.0, 2.0, 3.0], [4.0, 5.5, 5.5, 7.0])

    found = join([_scores("old", [0.0]), _scores("new", [1.0])], [common], slope="one", rng=RNG(0))

    # Differences 4, 4.5, 3.5, 4.
    assert found.systems["linked"].to_list() == pytest.approx([0.0, 5.0])
    assert found.links.select("slope", "slope_sd", "correlation").row(0) == (1.0, 0.0, None)


def test_intercept_and_slope_err_against_each_other_where_items_lie_above_zero() -> None:
    campaign, common = _campaign(7)
    new = common.later
    above = ItemScores(new.names, new.score + 5, new.sd, new.draws + 5)

    found = join([campaign], [replace(common, later=above)], rng=RNG(1))

    assert found.links["correlation"].item() < -0.9


@pytest.mark.parametrize(
    ("common", "said"),
    [
        pytest.param(_exact([0.0, 1.0], [0.0, 1.0]), r"2 items in common .* needs 3", id="too few"),
        pytest.param(
            _exact([0.0, 1.0, 2.0, 3.0], [3.0, 2.0, 1.0, 0.0]), r"do not surely score higher", id="falling"
        ),
        pytest.param(
            _exact([0.0, 1.0, 2.0, 3.0], [1.0, 0.0, 1.2, 0.4]), r"\(p = 0\.\d+\)", id="not surely rising"
        ),
    ],
)
def test_a_line_that_carries_nothing_is_refused(common: CommonItems, said: str) -> None:
    with pytest.raises(NotEnoughData, match=said):
        join([_scores("old", [0.0]), _scores("new", [1.0])], [common], rng=RNG(0))


def _warned(change: Callable[[CommonItems], CommonItems] = lambda common: common, **crowd: float) -> str:
    campaign, common = _campaign(8, USUAL._replace(**crowd))
    return "\n".join(join([campaign], [change(common)], rng=RNG(1)).warnings)


def test_fewer_than_twenty_items_are_warned_of() -> None:
    assert "rests on 12 items" in _warned(items=12)
    assert "rests on" not in _warned(items=20)


def test_items_far_from_the_line_are_named() -> None:
    def spoilt(common: CommonItems) -> CommonItems:
        score = common.earlier.score.copy()
        score[3] += 5
        return replace(common, earlier=replace(common.earlier, score=score))

    assert "Look at the furthest: i3," in _warned(spoilt)
    assert "furthest" not in _warned()


def test_systems_beyond_the_items_are_named() -> None:
    common = _exact([0.0, 1.0, 2.0], [0.0, 1.0, 2.0])

    found = join([_scores("old", [0.0]), _scores("new", [1.0, 3.0])], [common], rng=RNG(0))

    assert any("where nothing supports the line: b." in warning for warning in found.warnings)

"""The published worker model and the extensions of it, as methods."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.aggregation import methods
from steelyard.domain.errors import ChoiceError
from steelyard.domain.result import Fit
from steelyard.frames import ratings_frame

both = pytest.mark.parametrize("name", ["worker-model-ep", "worker-model-gibbs"])
HABITS = (-9, -6, -3, 0, 0, 3, 6, 9)
QUALITY = {"good": 65.0, "fair": 55.0, "poor": 45.0}


def _fit(name: str, rows: list[dict[str, Any]], **choices: Any) -> Fit:
    frame = ratings_frame(pl.DataFrame(rows, infer_schema_length=None).with_columns(attribute=pl.lit("")))
    method = methods()[name]
    return method.fit(frame, method.settings(draws=50, **choices), np.random.default_rng(7))


def _crowd(*, shift: float = 0.0, seed: int = 3) -> list[dict[str, Any]]:
    """Eight workers with two HITs each of 30 translations; ratings differ from quality by `shift`."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(0, 8, 20)
    rows = []
    for w in range(8):
        for k, system in enumerate(QUALITY):
            for s in range(20):
                level = QUALITY[system] + hard[s] + shift + HABITS[w]
                rating = float(np.clip(round(rng.normal(level, 8)), 0, 100))
                named = {"worker_id": f"W{w}", "hit_id": f"h{w}{(s + k) % 2}", "item_kind": "regular"}
                rows.append({**named, "system_id": system, "segment_id": f"s{s}", "rating": rating})
    return rows


@both
def test_items_of_known_quality_put_scores_on_the_scale_they_come_from(name: str) -> None:
    # Everybody rates 15 points too high; forty calibration items, of known quality, say so.
    rows = [{**row, "known": None, "known_sd": None} for row in _crowd(shift=15.0)]
    rng = np.random.default_rng(5)
    for k in range(40):
        known = float(rng.uniform(30, 70))
        for w in range(8):
            rating = float(np.clip(round(rng.normal(known + 15 + HABITS[w], 8)), 0, 100))
            named = {"worker_id": f"W{w}", "hit_id": f"h{w}0", "item_kind": "calibration"}
            about = {"system_id": "old", "segment_id": f"c{k}", "known": known, "known_sd": 2.0}
            rows.append({**named, **about, "rating": rating})

    fit = _fit(name, rows)

    scores = dict(fit.systems.select("system_id", "score").iter_rows())
    plain = dict(fit.systems.select("system_id", "mean_rating").iter_rows())
    hard = float(np.random.default_rng(3).normal(0, 8, 20).mean())
    for system, quality in QUALITY.items():
        assert abs(scores[system] - (quality + hard)) < 5
        assert plain[system] - (quality + hard) > 8


def test_a_worker_of_all_0_and_then_all_100_loses_weight_where_clicks_may_be_random() -> None:
    rows = [
        {**row, "rating": 0.0 if row["hit_id"] == "h00" else 100.0} if row["worker_id"] == "W0" else row
        for row in _crowd()
    ]

    workers = _fit("worker-model-ep", rows, random_clicks=True).workers

    weight = dict(workers.select("worker_id", "weight").iter_rows())
    assert weight["W0"] < np.quantile(list(weight.values()), 0.1)


@both
def test_ratings_at_the_ends_may_stand_for_more(name: str) -> None:
    rows = [{**row, "rating": min(row["rating"] + 40, 100.0)} for row in _crowd()]

    plain, censored = (_fit(name, rows, ends=ends) for ends in ("open", "censored"))

    def spread(fit: Fit) -> float:
        scores = fit.systems["score"].to_list()
        return float((scores[0] - scores[1]) / (scores[1] - scores[2]))

    # Where the best are cut off at 100, they are further ahead than their ratings say.
    assert spread(censored) > spread(plain)


def test_the_published_model_takes_an_offset_for_each_hit() -> None:
    # Half of the workers are harsher in their second HIT, half in their first.
    drifting = [
        {**row, "rating": row["rating"] + (8 if sum(map(int, row["hit_id"][1:])) % 2 else -8)}
        for row in _crowd()
    ]

    steady, per_hit = (
        _fit("worker-model-ep", drifting, offset_per=per).workers["precision"].mean()
        for per in ("worker", "hit")
    )

    assert per_hit > 1.5 * steady  # type: ignore[operator]


def test_sampling_knows_no_truncated_ends() -> None:
    with pytest.raises(ChoiceError, match=r"ends cannot be 'truncated'\. Use one of: open, censored\."):
        _fit("worker-model-gibbs", _crowd(), ends="truncated")


def test_order_of_a_degraded_copy_and_its_base_reaches_the_published_model() -> None:
    rows = [{**row, "item_kind": "regular"} for row in _crowd()]
    copies = [
        {**row, "item_kind": "degraded", "rating": max(row["rating"] - 30, 0.0)}
        for row in rows
        if row["segment_id"] == "s0"
    ]

    fit = _fit("worker-model-ep", rows + copies)

    assert fit.diagnostics is not None
    assert fit.diagnostics.converged
    assert fit.systems["system_id"].to_list() == list(QUALITY)


def test_what_an_expert_says_of_regular_items_does_not_reach_the_published_model() -> None:
    rows = _crowd()
    known = [{**row, "known": 50.0 if row["item_kind"] == "regular" else None} for row in rows]

    assert _fit("worker-model-ep", known).segments.equals(_fit("worker-model-ep", rows).segments)

"""Scores of calibration items by a worker model, beside those of systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from steelyard.aggregation import methods
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence
from steelyard.domain.result import Fit
from steelyard.domain.text import CALIBRATION_SYSTEM
from steelyard.domain.work import ItemKind
from steelyard.evaluation.linking.rows import LinkRows
from steelyard.longitudinal.link_draws import CampaignScores, ItemScores
from steelyard.stats.arrays import FloatArray
from steelyard.stats.line_link import unshrunken

_CELL = ["system_id", "segment_id"]


def modelled_scores(
    rows: LinkRows, names: Sequence[str], *, draws: int, rng: np.random.Generator
) -> tuple[CampaignScores, ItemScores | None]:
    """Scores of systems, as the analysis has them, and of these items, and draws of both together.

    A second fit takes the calibration items for the translations of one more system. Its scores of them
    are drawn towards their mean, as is right for one translation; for a line they are stretched again.
    Draws of systems and of the items' mean are the model's own; single items err about it alone.
    """
    analysis = rows.evidence.analysis
    score = dict(analysis.systems.select("system_id", "score").iter_rows())
    fit = _with_calibration(rows.evidence, draws=draws, rng=rng)
    if fit.draws is None:
        raise NotEnoughData(
            f"{rows.title}: a link needs errors, and two workers and two documents at least show them. "
            "Wait for judgements."
        )
    centre, stretch = _to_analysis(fit, rows.evidence)
    known = fit.systems["system_id"].to_list()
    off = stretch * (fit.draws - fit.systems["score"].to_numpy())
    systems = tuple(name for name in known if name != CALIBRATION_SYSTEM)
    at = [known.index(name) for name in systems]
    of_systems = np.array([score[name] for name in systems])
    campaign = CampaignScores(rows.title, systems, of_systems, of_systems + off[:, at])
    if not names:
        return campaign, None
    found = pl.DataFrame({"segment_id": list(names)}).join(
        fit.segments.filter(pl.col("system_id") == CALIBRATION_SYSTEM),
        on="segment_id",
        how="left",
        maintain_order="left",
    )
    raw, sd = unshrunken(found["score"].to_numpy(), found["sd"].to_numpy())
    if np.isnan(raw).any():
        raise NotEnoughData(
            f"{rows.title}: the model learnt nothing of how its calibration items differ, so no line can be "
            "drawn through them. Let each be judged by more workers."
        )
    item, item_sd = centre + stretch * raw, stretch * sd
    level = off[:, known.index(CALIBRATION_SYSTEM)]
    return campaign, ItemScores(tuple(names), item, item_sd, _items(item, item_sd, level, rng))


def _items(score: FloatArray, sd: FloatArray, level: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draws of items (draws, items) whose mean is off by `level` (draws,)."""
    alone = rng.standard_normal((len(level), len(score))) * sd
    drawn: FloatArray = score + alone - alone.mean(axis=1, keepdims=True) + level[:, None]
    return drawn


def _with_calibration(evidence: Evidence, *, draws: int, rng: np.random.Generator) -> Fit:
    """The method's fit with the calibration items as one more system, nothing known of them beforehand."""
    settings = evidence.analysis.settings
    is_calibration = pl.col("item_kind") == str(ItemKind.CALIBRATION)
    nothing = pl.lit(None, pl.Float64)
    frame = evidence.kept.with_columns(
        item_kind=pl.when(is_calibration)
        .then(pl.lit(str(ItemKind.REGULAR)))
        .otherwise(pl.col("item_kind").cast(pl.String)),
        system_id=pl.when(is_calibration)
        .then(pl.lit(CALIBRATION_SYSTEM))
        .otherwise(pl.col("system_id").cast(pl.String)),
        known=nothing,
        known_sd=nothing,
    )
    method = methods()[settings.method]
    return method.fit(frame, replace(method.own_settings(settings.method_settings), draws=draws), rng)


def _to_analysis(fit: Fit, evidence: Evidence) -> tuple[float, float]:
    """The line from the second fit's scores to the analysis's, through the translations that both have."""
    both = fit.segments.join(evidence.analysis.segments, on=_CELL, how="inner", suffix="_first")
    second, first = both["score"].to_numpy(), both["score_first"].to_numpy()
    off = second - second.mean()
    spread = float(off @ off)
    stretch = float(off @ (first - first.mean())) / spread if spread else 1.0
    return float(first.mean() - stretch * second.mean()), stretch

"""A campaign's ratings as a link needs them: the values that scores are means of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.aggregation import methods
from steelyard.aggregation._units import unit_weights, units_of
from steelyard.documents import documents_of
from steelyard.domain.errors import ChoiceError, SourceError
from steelyard.domain.exhibit import Evidence
from steelyard.domain.result import MethodSettings
from steelyard.domain.work import ItemKind
from steelyard.frames import index_of, scored, standardise_ratings
from steelyard.longitudinal.link_draws import CampaignScores, ItemScores, item_errors, score_draws
from steelyard.longitudinal.links import Via
from steelyard.stats.arrays import IntArray
from steelyard.stats.bootstrap import CrossedRatings, system_scores

_CELL = ("system_id", "segment_id", "attribute")


@dataclass(frozen=True)
class LinkRows:
    """One campaign's ratings, each with the `value` that scores are means of.

    `systems`, scored rows: worker_id, document_id, system_id, segment_id, attribute, value, rating.
    `calibration`: worker_id, item, attribute, value, rating, known, known_sd. The categories of worker_id are
    the same in both: their numbers are the workers'.
    """

    evidence: Evidence
    title: str
    systems: pl.DataFrame
    calibration: pl.DataFrame

    def items(self, via: Via) -> pl.DataFrame:
        """The rows of what may be common to two campaigns, under the name `item`."""
        if via != "translations":
            return self.calibration
        return self.systems.with_columns(
            item=pl.concat_str([pl.col(name).cast(pl.String) for name in _CELL[:2]], separator=" / ")
        )


def link_rows(evidence: Evidence, *, title: str) -> LinkRows:
    """The ratings that the scores of a campaign rest on; ChoiceError for methods that a link cannot use.

    A worker model takes ratings as they are: their values say only who judged what.
    """
    settings = evidence.analysis.settings
    if not methods()[settings.method].links_items:
        raise ChoiceError(
            f"Campaigns cannot be linked by {settings.method}: its scores of single items are relative to "
            "others, or lean on what is known of calibration items already. Use one of: "
            f"{', '.join(name for name, known in methods().items() if known.links_items)}."
        )
    valued = _valued(evidence.kept, settings.method, settings.method_settings)
    is_calibration = pl.col("item_kind") == str(ItemKind.CALIBRATION)
    systems = scored(valued)
    if settings.method_settings.unstandardised_as_zero:
        nobody = pl.col("value").is_null().all().over(_CELL)
        systems = systems.with_columns(pl.when(nobody).then(0.0).otherwise(pl.col("value")).alias("value"))
    return LinkRows(
        evidence=evidence,
        title=title,
        systems=systems.drop_nulls("value").select("worker_id", "document_id", *_CELL, "value", "rating"),
        calibration=valued.filter(is_calibration)
        .drop_nulls("value")
        .select(
            *("worker_id", "attribute", "value", "rating", "known", "known_sd"),
            item=pl.col("segment_id").cast(pl.String),
        ),
    )


def known_scores(rows: LinkRows) -> pl.DataFrame:
    """The earlier score of every calibration item that has one: item, known, known_sd (null: not given)."""
    found = (
        rows.calibration.drop_nulls("known")
        .group_by("item")
        .agg(
            pl.col("known", "known_sd").first(),
            several=(pl.col("known").n_unique() > 1) | (pl.col("known_sd").n_unique() > 1),
        )
        .sort("item")
    )
    problems = [
        f'calibration item "{item}" has more than one earlier score. Give each text one score and one '
        "standard deviation."
        for item in found.filter("several")["item"]
    ]
    if problems:
        raise SourceError(rows.title, problems)
    return found.drop("several")


def drawn_scores(
    rows: LinkRows, names: Sequence[str], *, via: Via, draws: int, rng: np.random.Generator
) -> tuple[CampaignScores, ItemScores | None]:
    """Scores of systems, as the analysis has them, and of these items, and draws of both together."""
    settings = rows.evidence.analysis.settings.method_settings
    documents = pl.Series("document", documents_of(rows.systems).number)
    systems = units_of(rows.systems.with_columns(documents), per_worker=settings.unit == "worker")
    system_names, system = index_of(systems["system_id"])
    of_systems = CrossedRatings(
        value=systems["value"].to_numpy(),
        weight=unit_weights(systems, flat=settings.unit == "flat"),
        worker=_workers(systems),
        segment=systems["document"].to_numpy(),
        system=system,
    )
    of_items = None
    if names:
        wanted = pl.DataFrame({"item": list(names)}).with_row_index("place")
        items = rows.items(via).join(wanted, on="item", how="inner", maintain_order="left")
        # An item's score is that of a system with one segment.
        items = items.with_columns(system_id="place", segment_id="place")
        items = units_of(items, per_worker=settings.unit == "worker")
        place = items["system_id"].to_numpy().astype(np.int64)
        of_items = CrossedRatings(
            value=items["value"].to_numpy(),
            weight=unit_weights(items, flat=False),
            worker=_workers(items),
            segment=place,
            system=place,
        )
    system_draws, item_draws = score_draws(of_systems, of_items, draws=draws, rng=rng)
    of_analysis = dict(rows.evidence.analysis.systems.select("system_id", "score").iter_rows())
    campaign = CampaignScores(
        title=rows.title,
        systems=tuple(system_names),
        score=np.array([of_analysis[name] for name in system_names]),
        draws=system_draws,
    )
    if of_items is None:
        return campaign, None
    return campaign, ItemScores(tuple(names), system_scores(of_items), item_errors(of_items), item_draws)


def _valued(frame: pl.DataFrame, method: str, settings: MethodSettings) -> pl.DataFrame:
    """The frame with numbered workers and the value of each rating; null where there is none."""
    names, _ = index_of(frame["worker_id"])
    numbered = frame.with_columns(pl.col("worker_id").cast(pl.Enum(names)))
    if methods()[method].mean_of != "z":
        return numbered.with_columns(value=pl.col("rating"))
    return numbered.with_columns(pl.Series("value", standardise_ratings(frame, settings).z).fill_nan(None))


def _workers(rows: pl.DataFrame) -> IntArray:
    """The number of each row's worker."""
    return rows["worker_id"].to_physical().to_numpy().astype(np.int64)

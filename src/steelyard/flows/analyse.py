"""From ratings to an Analysis: quality control, scores, ranking, agreement."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from steelyard.aggregation import methods
from steelyard.agreement.summary import AgreementOptions, agreement
from steelyard.domain.errors import NotEnoughData, NotFound, SourceError
from steelyard.domain.exhibit import Evidence
from steelyard.domain.plugin import Method
from steelyard.domain.result import (
    Analysis,
    AnalysisSettings,
    AttributeRanking,
    Counts,
    Fit,
    MethodSettings,
)
from steelyard.flows.quality import control_quality
from steelyard.flows.ranking import ranked_systems, system_pairs, untested_pairs
from steelyard.flows.signature import signature
from steelyard.flows.source import Source
from steelyard.frames import scored, with_categories

_WORKER_COLUMNS = (
    *("worker_id", "n_judgements", "n_pairs", "mean_difference", "sd_difference", "statistic", "p_value"),
    *("power", "verdict", "flags", "mean", "sd", "offset", "slope", "precision", "weight", "n_repeats"),
    *("consistency_p", "equivalence_p", "seconds_per_judgement", "suggestion", "reason", "remarks"),
)


def analyse(source: Source, settings: AnalysisSettings) -> Analysis:
    """Everything a report shows, from a source alone; the same input gives the same answer.

    Workers who do not pass the check are left out of the scores; nothing is deleted, and every
    worker is listed with the verdict. Verdicts concern people: read them before acting on them.
    """
    return weigh(source, settings).analysis


def weigh(source: Source, settings: AnalysisSettings) -> Evidence:
    """The analysis together with the ratings it rests on, as tables and figures need them."""
    source = replace(source, frame=_of_attribute(source.frame, settings.attribute))
    method = _method(settings.method)
    coded, coded_times = with_categories(source.frame, source.hit_times)
    quality = control_quality(replace(source, frame=coded, hit_times=coded_times), settings)
    rng = np.random.default_rng(settings.seed)
    fit = method.fit(quality.kept, settings.method_settings, rng)
    counts = Counts(
        judgements=len(source.frame),
        workers=source.frame["worker_id"].n_unique(),
        hits=source.frame["hit_id"].n_unique(),
        systems=len(_systems_of(coded)),
        kept_judgements=len(quality.kept),
        kept_workers=quality.kept["worker_id"].n_unique(),
    )
    learnt = fit.workers.select("worker_id", "offset", "slope", "precision", "weight")
    analysis = Analysis(
        title=source.title,
        signature=signature(settings, counts, campaign=source.campaign, protocol=source.protocol),
        settings=settings,
        counts=counts,
        workers=quality.workers.join(learnt, on="worker_id", how="left", maintain_order="left").select(
            _WORKER_COLUMNS
        ),
        hits=quality.hits,
        systems=ranked_systems(fit, settings),
        pairs=system_pairs(fit),
        segments=fit.segments,
        agreement=agreement(quality.kept, AgreementOptions(scale=settings.scale, draws=0)),
        attributes=_by_attribute(fit, method, quality.kept, settings),
        contamination=quality.contamination,
        warnings=(
            *source.warnings,
            *_missing_systems(coded, fit),
            *quality.warnings,
            *fit.warnings,
            *_ignored_test(method, settings),
            *untested_pairs(fit),
        ),
    )
    return Evidence(
        title=source.title,
        frame=source.frame,
        keeps=quality.keeps,
        hit_times=source.hit_times,
        analysis=analysis,
        analyse=lambda other: analyse(source, other),
    )


def _of_attribute(frame: pl.DataFrame, attribute: str | None) -> pl.DataFrame:
    if frame.is_empty():
        raise NotEnoughData("There are no judgements yet, so there is nothing to analyse.")
    if attribute is None:
        return frame
    found = frame["attribute"].unique().sort().to_list()
    if attribute not in found:
        listed = ", ".join(repr(name) for name in found if name) or "none"
        raise SourceError(
            "judgements", [f"no rating is of attribute {attribute!r}. Attributes found: {listed}."]
        )
    return frame.filter(pl.col("attribute") == attribute)


def _method(name: str) -> Method:
    found = methods()
    if name not in found:
        raise NotFound(f"There is no method {name!r}. Use one of: {', '.join(found)}.")
    return found[name]


def _by_attribute(
    fit: Fit, method: Method, kept: pl.DataFrame, settings: AnalysisSettings
) -> tuple[AttributeRanking, ...]:
    """The rankings by each attribute, where there are several."""
    fits = fit.attributes
    names = kept["attribute"].unique().sort().cast(pl.String).to_list()
    if len(names) > 1 and not fits:
        fits = tuple(
            (
                name,
                method.fit(
                    kept.filter(pl.col("attribute") == name),
                    settings.method_settings,
                    np.random.default_rng(settings.seed),
                ),
            )
            for name in names
        )
    return tuple(
        AttributeRanking(name, ranked_systems(alone, settings), system_pairs(alone)) for name, alone in fits
    )


def _systems_of(frame: pl.DataFrame) -> set[str]:
    """The systems that have any rating that could count for them."""
    return set(scored(frame.select("item_kind", "system_id", "credited").unique())["system_id"])


def _ignored_test(method: Method, settings: AnalysisSettings) -> tuple[str, ...]:
    test = settings.method_settings.test
    if not method.own_test or test == MethodSettings().test:
        return ()
    return (f"{method.name} tells systems apart by its own draws, so the test {test} was not used.",)


def _missing_systems(frame: pl.DataFrame, fit: Fit) -> list[str]:
    missing = sorted(_systems_of(frame) - set(fit.systems["system_id"]))
    if not missing:
        return []
    return [f"No judgement of these systems was left to score, so they are not ranked: {', '.join(missing)}."]

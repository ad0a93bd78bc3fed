"""From judgements to an Analysis: quality control, scores, ranking, agreement."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from time import perf_counter

import numpy as np
import polars as pl

from steelyard.agreement.summary import AgreementOptions, agreement
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
from steelyard.domain.wording import Note, counted
from steelyard.flows.excluded import outside_hits, without_hits
from steelyard.flows.inference_units import few_clusters, hidden_documents
from steelyard.flows.kept import frame_read, keep_good
from steelyard.flows.own_ranking import with_own_ranking
from steelyard.flows.quality import of_attributes
from steelyard.flows.ranking import (
    coarse_draws,
    contrary_pairs,
    pair_test,
    ranked_systems,
    system_pairs,
    untested_pairs,
)
from steelyard.flows.settings import named_method
from steelyard.flows.signature import signature
from steelyard.flows.source import Source
from steelyard.frames import ENOUGH_WORKERS, index_of
from steelyard.review.portrait import portraits

# Agreement of more ratings than this is estimated from a sample of workers: its error is small by then.
MOST_FOR_AGREEMENT = 2_000_000
_WORKER_COLUMNS = (
    *("worker_id", "n_judgements", "n_pairs", "mean_difference", "sd_difference", "statistic", "p_value"),
    *("power", "verdict", "flags", "mean", "sd", "offset", "slope", "precision", "weight"),
    *("offset_sd", "slope_sd", "precision_sd", "n_repeats", "consistency_p", "equivalence_p"),
    *("seconds_per_judgement", "suggestion", "reason", "remarks", "portrait", "excluded"),
)
_LEARNT_COLUMNS = ("offset", "slope", "precision", "weight", "offset_sd", "slope_sd", "precision_sd")


def analyse(source: Source, settings: AnalysisSettings) -> Analysis:
    """Everything a report shows, from a source alone; the same input gives the same answer.

    Workers who do not pass the check are left out of the scores; nothing is deleted, and every
    worker is listed with the verdict. Verdicts concern people: read them before acting on them.
    """
    return weigh(source, settings).analysis


def _missing_domains(source: Source, settings: AnalysisSettings) -> tuple[str, ...]:
    """A warning where scores are to be means over domains, and judgements have none."""
    if settings.method_settings.average != "domains":
        return ()
    unknown = source.frame["domain"].null_count()
    if not unknown:
        return ()
    return (
        f"{counted(unknown, 'judgement')} of {len(source.frame):,} have no domain and count as one domain of "
        "their own. A file with the domain of each document (`domains`) tells them apart.",
    )


def weigh(source: Source, settings: AnalysisSettings) -> Evidence:
    """The analysis together with the judgements it rests on, as tables and figures need them."""
    method = named_method(settings.method)
    settings = replace(settings, method_settings=method.own_settings(settings.method_settings))
    reads = frame_read(source, method) if source.gives else method.reads[0]
    found = keep_good(source, settings, reads=reads)
    judged = of_attributes(source.of(reads), None if settings.attribute is None else (settings.attribute,))
    quality, systems, counts = found.quality, found.systems, found.counts
    started = perf_counter()
    fit = method.fit(quality.kept, settings.method_settings, np.random.default_rng(settings.seed))
    diagnostics = fit.diagnostics and replace(fit.diagnostics, seconds=perf_counter() - started)
    test = pair_test(fit, method, settings)
    sample, sampled = _for_agreement(quality.kept, settings)
    analysis = Analysis(
        title=source.title,
        signature=signature(
            settings,
            counts,
            campaign=source.campaign,
            protocol=source.protocol,
            reads=reads,
            root=source.root,
            weights=source.weights,
        ),
        settings=settings,
        counts=counts,
        workers=_workers(quality.workers, fit, settings),
        hits=quality.hits,
        systems=ranked_systems(fit, settings),
        pairs=system_pairs(fit),
        test=test,
        segments=fit.segments,
        agreement=agreement(sample, AgreementOptions(settings.method_settings)),
        attributes=_by_attribute(fit, method, quality.kept, settings),
        contamination=quality.contamination,
        draws=fit.draws,
        diagnostics=diagnostics,
        notes=fit.notes,
        warnings=(
            *source.warnings,
            *_missing_domains(source, settings),
            *_missing_systems(systems, fit),
            *_one_system(systems),
            *quality.warnings,
            *fit.warnings,
            *_ignored_test(method, settings),
            *untested_pairs(fit),
            *contrary_pairs(fit, settings),
            *coarse_draws(fit, test, settings),
            *hidden_documents(test.rests_on, quality.kept),
            *(
                few_clusters(
                    test.rests_on if len(fit.systems) > 1 else None,
                    too_narrow=_is_narrow(counts, settings) and not method.own_test,
                )
                or _few_workers(counts, settings)
            ),
            *sampled,
        ),
    )
    analysis = with_own_ranking(analysis, source, analyse)
    keeps, spans = quality.keeps, source.spans
    if found.excluded.n_judgements and settings.exclusions == "apply":
        is_left = outside_hits(judged, found.excluded.hits)
        judged, keeps = judged.filter(is_left), keeps.filter(is_left)
        spans = without_hits(spans, found.excluded.hits)
    return Evidence(
        title=source.title,
        judged=judged,
        keeps=keeps,
        hit_times=source.hit_times,
        analysis=analysis,
        analyse=partial(analyse, source),
        language=source.language,
        spans=spans if len(spans) else None,
        texts=source.texts,
    )


def _workers(checked: pl.DataFrame, fit: Fit, settings: AnalysisSettings) -> pl.DataFrame:
    """What was found about each worker, beside what the method learned of them, in numbers and words."""
    learnt = fit.workers.select(
        "worker_id",
        *(
            pl.col(name) if name in fit.workers.columns else pl.lit(None, pl.Float64).alias(name)
            for name in _LEARNT_COLUMNS
        ),
    )
    workers = checked.join(learnt, on="worker_id", how="left", maintain_order="left")
    # In words a weight is relative to the average worker's; some methods' are shares of agreement.
    method = named_method(settings.method)
    relative = (
        workers if method.own_test else workers.with_columns(pl.col("weight") / pl.col("weight").mean())
    )
    words = portraits(relative, scale=settings.scale, compares="preferences" in method.reads)
    return workers.with_columns(words).select(_WORKER_COLUMNS)


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


def _is_narrow(counts: Counts, settings: AnalysisSettings) -> bool:
    """Whether intervals by resampling would come from too few workers."""
    return counts.kept_workers < ENOUGH_WORKERS and settings.method_settings.draws > 0


def _few_workers(counts: Counts, settings: AnalysisSettings) -> tuple[str, ...]:
    """A warning where intervals by resampling come from few workers."""
    if not _is_narrow(counts, settings):
        return ()
    alone = "agreement between workers cannot be computed, and " if counts.kept_workers == 1 else ""
    return (
        f"The scores rest on {counted(counts.kept_workers, 'worker')}: {alone}what others would have said "
        "cannot be estimated from so few, so the intervals are too narrow.",
    )


def _one_system(systems: frozenset[str]) -> tuple[str, ...]:
    """What a reader of a ranking of one should know."""
    if len(systems) != 1:
        return ()
    return (
        Note(
            "All judgements are of one system, so there is nothing to rank it against, and no difference to "
            "test. Its segments have scores of their own."
        ),
    )


def _for_agreement(frame: pl.DataFrame, settings: AnalysisSettings) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The ratings that agreement is computed from: all, or those of enough workers, and a warning."""
    if len(frame) <= MOST_FOR_AGREEMENT:
        return frame, ()
    workers, index = index_of(frame["worker_id"])
    order = np.random.default_rng(settings.seed).permutation(len(workers))
    so_far = np.cumsum(np.bincount(index)[order])
    drawn = order[: max(2, int(np.searchsorted(so_far, MOST_FOR_AGREEMENT)))]
    taken = np.zeros(len(workers), dtype=np.bool_)
    taken[drawn] = True
    warning = (
        f"Agreement is that of {len(drawn):,} of {len(workers):,} workers, drawn at random: there are more "
        f"than {MOST_FOR_AGREEMENT:,} ratings. Everything else rests on all of them."
    )
    return frame.filter(pl.Series(taken[index])), (Note(warning),)


def _ignored_test(method: Method, settings: AnalysisSettings) -> tuple[str, ...]:
    test = settings.method_settings.test
    if not method.own_test or test == MethodSettings().test:
        return ()
    own = method.test_name(settings.method_settings)
    return (Note(f"{method.name} tells systems apart by its own {own}, so the test {test} was not used."),)


def _missing_systems(systems: frozenset[str], fit: Fit) -> list[str]:
    missing = sorted(systems - set(fit.systems["system_id"]))
    if not missing:
        return []
    return [f"No judgement of these systems was left to score, so they are not ranked: {', '.join(missing)}."]

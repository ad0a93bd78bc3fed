"""Quality control: what is found about each worker, and which ratings are kept for the scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from steelyard.domain.errors import NotEnoughData, NotFound, SourceError
from steelyard.domain.result import AnalysisSettings, CheckSettings, Verdict
from steelyard.flows.signature import NO_CHECK
from steelyard.flows.source import Source
from steelyard.qc import checks
from steelyard.review.consistency import consistency, holds
from steelyard.review.contamination import contamination
from steelyard.review.flags import worker_flags
from steelyard.review.hit_changes import changed_hits
from steelyard.review.hit_times import corrected_times
from steelyard.review.payment import suggestion

_VERDICT_COLUMNS: dict[str, pl.DataType] = {
    "worker_id": pl.String(),
    "n_pairs": pl.Int64(),
    "mean_difference": pl.Float64(),
    "sd_difference": pl.Float64(),
    "statistic": pl.Float64(),
    "p_value": pl.Float64(),
    "power": pl.Float64(),
    "verdict": pl.String(),
    "reason": pl.String(),
}
_OF_A_HIT = ["worker_id", "hit_id"]


@dataclass(frozen=True)
class Quality:
    """What quality control found. `keeps` says which rows of the frame the scores rest on: those of `kept`.

    `workers`: worker_id, n_judgements, the columns of a verdict, flags, remarks, mean, sd, n_repeats,
    consistency_p, equivalence_p, seconds_per_judgement, suggestion. `hits`: see `Analysis`.
    """

    keeps: pl.Series
    kept: pl.DataFrame
    workers: pl.DataFrame
    hits: pl.DataFrame
    contamination: float | None
    warnings: tuple[str, ...]


def control_quality(source: Source, settings: AnalysisSettings) -> Quality:
    """Verdicts, flags, times and advice for every worker, and the rows that are kept.

    Verdicts choose rows; they delete nothing. Kept are those of workers who passed, but for single
    HITs that were rejected on the platform or in which the worker turned careless.
    """
    frame = source.frame
    consistent = consistency(frame, scale=settings.scale)
    verdicts = _verdicts(frame, consistent, settings)
    hits = corrected_times(frame, source.hit_times)
    excluded = _excluded_hits(source, verdicts, settings)
    keeps = _keeps(frame, verdicts, excluded, check=settings.check)
    kept = frame.filter(keeps)
    if kept.is_empty():
        raise NotEnoughData(
            "Every HIT of those who passed was left out as rejected or careless, so no judgement is left "
            "to score. Use --check none --keep-hits to score all of them."
        )
    flags = worker_flags(frame, hits, source.hit_times, rules=settings.flag_rules, scale=settings.scale)
    return Quality(
        keeps=keeps,
        kept=kept,
        workers=_workers(frame, verdicts, consistent, flags, hits, excluded),
        hits=hits.join(excluded, on=_OF_A_HIT, how="left", maintain_order="left").cast(
            {"worker_id": pl.String, "hit_id": pl.String}
        ),
        contamination=_contamination(verdicts, settings),
        warnings=_warnings(excluded, kept, frame),
    )


def _verdicts(frame: pl.DataFrame, consistent: pl.DataFrame, settings: AnalysisSettings) -> list[Verdict]:
    """One verdict per worker of the frame, in order; none at all without a check."""
    if settings.check == NO_CHECK:
        return []
    found = checks()
    if settings.check not in found:
        raise NotFound(f"There is no check {settings.check!r}. Use one of: {', '.join(found)}.")
    about = CheckSettings(
        settings.threshold, settings.threshold_included, settings.scale, settings.least_pairs
    )
    verdicts = {
        verdict.worker_id: verdict for verdict in found[settings.check].run(_checked(frame, settings), about)
    }
    for worker_id in frame["worker_id"].unique().sort().cast(pl.String):
        if worker_id not in verdicts:
            reason = "None of the attributes that the check is about was judged."
            verdicts[worker_id] = Verdict(worker_id, "insufficient", 0, None, None, None, None, reason)
    if settings.require_consistency:
        p_values = dict(consistent.select(pl.col("worker_id").cast(pl.String), "consistency_p").iter_rows())
        verdicts = {
            worker_id: _if_consistent(verdict, p_values.get(worker_id))
            for worker_id, verdict in verdicts.items()
        }
    return [verdicts[worker_id] for worker_id in sorted(verdicts)]


def _if_consistent(verdict: Verdict, consistency_p: float | None) -> Verdict:
    """The verdict, failed if repeats differ from first ratings."""
    if verdict.verdict != "pass" or holds(consistency_p):
        return verdict
    return replace(
        verdict,
        verdict="fail",
        reason=f"{verdict.reason} But repeats were rated differently from first ratings "
        f"(p = {consistency_p:.2g}), and consistency was asked for.",
    )


def _checked(frame: pl.DataFrame, settings: AnalysisSettings) -> pl.DataFrame:
    """The ratings of the attributes that degraded copies are worse in."""
    if settings.check_attributes is None:
        return frame
    found = frame["attribute"].unique().sort().cast(pl.String).to_list()
    unknown = [name for name in settings.check_attributes if name not in found]
    if unknown:
        listed = ", ".join(repr(name) for name in found if name) or "none"
        raise SourceError(
            "judgements",
            [f"no rating is of attribute {name!r}. Attributes found: {listed}." for name in unknown],
        )
    return frame.filter(pl.col("attribute").is_in(list(settings.check_attributes)))


def _excluded_hits(source: Source, verdicts: Sequence[Verdict], settings: AnalysisSettings) -> pl.DataFrame:
    """HITs left out though their worker passed, with the reason: worker_id, hit_id, excluded."""
    frame = source.frame
    schema: dict[str, pl.DataType] = {name: frame[name].dtype for name in _OF_A_HIT}
    schema["excluded"] = pl.String()
    if not settings.exclude_hits:
        return pl.DataFrame(schema=schema)
    rejected = source.hit_times.filter(pl.col("is_rejected")).select(
        *_OF_A_HIT, excluded=pl.lit("It was rejected on the platform.")
    )
    passed = [verdict.worker_id for verdict in verdicts if verdict.verdict == "pass"]
    changed = changed_hits(_checked(frame, settings), passed)
    careless = pl.DataFrame(
        [(found.worker_id, found.hit_id, found.reason) for found in changed], schema=schema, orient="row"
    )
    of_frame = frame.select(_OF_A_HIT).unique()
    return (
        pl.concat([rejected, careless])
        .unique(_OF_A_HIT, keep="first", maintain_order=True)
        .join(of_frame, on=_OF_A_HIT, how="semi", maintain_order="left")
    )


def _keeps(
    frame: pl.DataFrame, verdicts: Sequence[Verdict], excluded: pl.DataFrame, *, check: str
) -> pl.Series:
    """Which rows are of workers who passed, or of anybody if nobody was checked, and not of HITs left out."""
    keeps = pl.lit(True)
    if check != NO_CHECK:
        passed = [verdict.worker_id for verdict in verdicts if verdict.verdict == "pass"]
        if not passed:
            failed = sum(verdict.verdict == "fail" for verdict in verdicts)
            raise NotEnoughData(
                f"{check}: no worker passed ({failed} failed, {len(verdicts) - failed} had too few degraded "
                "pairs to tell), so no judgement is left to score. Use --check none to score all of them, "
                "or wait for more judgements."
            )
        keeps = pl.col("worker_id").is_in(pl.Series(passed, dtype=frame["worker_id"].dtype).implode())
    rows = frame.select(*_OF_A_HIT, keeps=keeps)
    if len(excluded):
        left_out = excluded.select(*_OF_A_HIT, left_out=pl.lit(True))
        rows = rows.join(left_out, on=_OF_A_HIT, how="left", maintain_order="left").with_columns(
            pl.col("keeps") & pl.col("left_out").is_null()
        )
    return rows["keeps"]


def _workers(
    frame: pl.DataFrame,
    verdicts: Sequence[Verdict],
    consistent: pl.DataFrame,
    flags: pl.DataFrame,
    hits: pl.DataFrame,
    excluded: pl.DataFrame,
) -> pl.DataFrame:
    """Every worker with all that was found, in order of worker_id."""
    moments = frame.group_by("worker_id").agg(
        n_judgements=pl.len().cast(pl.Int64),
        mean=pl.col("rating").mean(),
        sd=pl.col("rating").std(ddof=1),
    )
    found = pl.DataFrame(
        [[getattr(verdict, name) for name in _VERDICT_COLUMNS] for verdict in verdicts],
        schema=_VERDICT_COLUMNS,
        orient="row",
    )
    timed = hits.filter(pl.col("seconds").is_not_null())
    pace = timed.group_by("worker_id").agg(
        seconds_per_judgement=pl.col("seconds").sum() / pl.col("n_judgements").sum()
    )
    workers = moments.cast({"worker_id": pl.String}).sort("worker_id")
    for table in (found, consistent, flags.rename({"details": "remarks"}), pace):
        named = table.cast({"worker_id": pl.String})
        workers = workers.join(named, on="worker_id", how="left", maintain_order="left")
    lost = set(excluded["worker_id"])
    advice = [
        suggestion(verdict, flags, has_excluded_hit=worker_id in lost)
        for worker_id, verdict, flags in workers.select("worker_id", "verdict", "flags").iter_rows()
    ]
    return workers.with_columns(pl.Series("suggestion", advice, pl.String))


def _contamination(verdicts: Sequence[Verdict], settings: AnalysisSettings) -> float | None:
    tested = [verdict for verdict in verdicts if verdict.verdict != "insufficient"]
    powers = [verdict.power for verdict in tested if verdict.power is not None]
    if not powers:
        return None
    return contamination(
        n_pass=sum(verdict.verdict == "pass" for verdict in tested),
        n_tested=len(tested),
        power=sum(powers) / len(powers),
        threshold=settings.threshold,
    )


def _warnings(excluded: pl.DataFrame, kept: pl.DataFrame, frame: pl.DataFrame) -> tuple[str, ...]:
    if excluded.is_empty():
        return ()
    of_kept_workers = excluded.join(kept.select("worker_id").unique(), on="worker_id", how="semi")
    lost = frame.join(of_kept_workers, on=_OF_A_HIT, how="semi")
    if lost.is_empty():
        return ()
    one = len(of_kept_workers) == 1
    return (
        f"{len(of_kept_workers)} {'HIT' if one else 'HITs'} of workers who passed "
        f"({len(lost)} judgements) {'was' if one else 'were'} left out as rejected or careless.",
    )

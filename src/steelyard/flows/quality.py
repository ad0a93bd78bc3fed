"""Quality control: what is found about each worker, and which judgements are kept for the scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from steelyard.domain.errors import ChoiceError, NotEnoughData, SourceError
from steelyard.domain.nearest import no_such
from steelyard.domain.result import NO_CHECK, AnalysisSettings, HitVerdict, Verdict
from steelyard.domain.wording import Note, counted
from steelyard.flows.excluded import Excluded, without_hits
from steelyard.flows.nobody_passed import nobody_passed
from steelyard.flows.oddities import leaning_sides, strange_hits, unpaired_controls
from steelyard.preferences import is_of_preferences
from steelyard.qc import checks
from steelyard.review.consistency import consistency, holds
from steelyard.review.contamination import contamination
from steelyard.review.flags import worker_flags
from steelyard.review.hit_changes import changed_hits
from steelyard.review.hit_times import corrected_times
from steelyard.review.payment import suggestion
from steelyard.span_ratings import is_of_spans

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
_BY_A_PERSON = pl.format("A person excluded it: {}", "excluded").alias("excluded")


@dataclass(frozen=True)
class Quality:
    """What quality control found. `keeps` says which rows of the frame the scores rest on: those of `kept`.

    `workers`: worker_id, n_judgements, the columns of a verdict, flags, remarks, mean, sd, n_repeats,
    consistency_p, equivalence_p, seconds_per_judgement, suggestion, excluded. `hits`: see `Analysis`.
    """

    keeps: pl.Series
    kept: pl.DataFrame
    workers: pl.DataFrame
    hits: pl.DataFrame
    contamination: float | None
    warnings: tuple[str, ...]


def control_quality(
    frame: pl.DataFrame,
    settings: AnalysisSettings,
    *,
    checked: pl.DataFrame,
    hit_times: pl.DataFrame,
    excluded: Excluded,
    is_campaign: bool = False,
) -> Quality:
    """Verdicts, flags, times and advice for every worker, and the rows that are kept.

    `checked` are the judgements by which workers are checked, which may be of other attributes. Verdicts
    choose rows; they delete nothing. Rows of workers who passed are kept, except single HITs that were
    rejected on the platform or in which the worker turned careless; with `keep_everyone` all rows
    are kept but the rejected ones.

    What a person `excluded` is never kept, unless settings ask to ignore that. The check then says nothing
    about single HITs that were excluded; a worker who was excluded gets a verdict all the same.
    `is_campaign`: whether more judgements may come, which matters to what is said if nobody passed.
    """
    ignored = settings.exclusions == "ignore"
    by_people = Excluded({}, _no_hits(frame), 0) if ignored else excluded
    checked = without_hits(checked, by_people.single)
    considered = without_hits(frame, by_people.single)
    consistent = consistency(considered, scale=settings.scale)
    verdicts = _verdicts(frame, consistent, settings, checked=checked)
    passed = _passed(frame, verdicts, settings, by_people)
    if not passed:
        raise nobody_passed(checked, verdicts, settings, is_campaign=is_campaign)
    left_out = _no_hits(frame)
    if settings.exclude_hits:
        # Without a check nobody is tested, and neither are single HITs.
        tested = bool(verdicts) and not settings.keep_everyone
        tested = tested and not is_of_preferences(checked) and not is_of_spans(checked)
        careless = changed_hits(checked, passed, scale=settings.scale) if tested else []
        left_out = without_hits(_excluded_hits(frame, careless, hit_times=hit_times), by_people.hits)
    every = pl.concat([left_out, by_people.single.with_columns(_BY_A_PERSON)])
    keeps = _keeps(frame, passed, every)
    hits = corrected_times(frame, hit_times)
    flags = worker_flags(
        frame,
        hits,
        hit_times,
        rules=settings.flag_rules,
        scale=settings.scale,
        passed=[verdict.worker_id for verdict in verdicts if verdict.verdict == "pass"],
    )
    return Quality(
        keeps=keeps,
        kept=frame.filter(keeps),
        workers=_workers(frame, verdicts, consistent, flags, hits, left_out).with_columns(
            excluded=pl.col("worker_id").replace_strict(
                dict(by_people.workers), default=None, return_dtype=pl.String
            )
        ),
        hits=hits.join(every, on=_OF_A_HIT, how="left", maintain_order="left").cast(
            {"worker_id": pl.String, "hit_id": pl.String}
        ),
        contamination=_contamination(
            [verdict for verdict in verdicts if verdict.worker_id not in by_people.workers], settings
        ),
        warnings=(
            *excluded.sentences(ignored=ignored),
            *_left_out(frame, passed, left_out),
            # Marked errors are not all of degraded copies whose ratings have a base.
            *unpaired_controls(considered, () if is_of_spans(checked) else verdicts, consistent),
            *strange_hits(frame, hit_times),
            *leaning_sides(frame),
        ),
    )


def of_attributes(frame: pl.DataFrame, names: Sequence[str] | None) -> pl.DataFrame:
    """The ratings of these attributes, all without names; SourceError if there is none of one of them."""
    if names is None:
        return frame
    found = frame["attribute"].unique().cast(pl.String).sort().to_list()
    unknown = [name for name in names if name not in found]
    if unknown:
        listed = ", ".join(repr(name) for name in found if name) or "none"
        raise SourceError(
            "judgements",
            [f"no rating is of attribute {name!r}. Attributes found: {listed}." for name in unknown],
        )
    return frame.filter(pl.col("attribute").is_in(list(names)))


def _verdicts(
    frame: pl.DataFrame, consistent: pl.DataFrame, settings: AnalysisSettings, *, checked: pl.DataFrame
) -> list[Verdict]:
    """One verdict per worker of the frame, in order; none at all without a check."""
    if settings.check == NO_CHECK:
        return []
    known = checks()
    if settings.check not in known:
        raise ChoiceError(no_such("check", settings.check, known))
    check = known[settings.check]
    verdicts_found = check.run(checked, check.own_settings(settings.check_settings))
    found = {verdict.worker_id: verdict for verdict in verdicts_found}
    p_values = dict(consistent.select(pl.col("worker_id").cast(pl.String), "consistency_p").iter_rows())
    verdicts = []
    for worker_id in frame["worker_id"].unique().sort().cast(pl.String):
        verdict = found.get(worker_id) or _unchecked(worker_id)
        verdicts.append(
            _if_consistent(verdict, p_values[worker_id]) if settings.require_consistency else verdict
        )
    return verdicts


def _unchecked(worker_id: str) -> Verdict:
    reason = "None of the attributes that the check is about was judged."
    return Verdict(worker_id, "insufficient", 0, None, None, None, None, reason)


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


def _passed(
    frame: pl.DataFrame, verdicts: Sequence[Verdict], settings: AnalysisSettings, by_people: Excluded
) -> list[str]:
    """The workers whose ratings count: those who passed, or everybody if nobody was checked or all are kept.

    Whom people excluded never counts. Raises NotEnoughData if they excluded everybody who would.
    """
    if settings.check == NO_CHECK or settings.keep_everyone:
        passed = frame["worker_id"].unique().cast(pl.String).to_list()
    else:
        passed = [verdict.worker_id for verdict in verdicts if verdict.verdict == "pass"]
    left = [worker for worker in passed if worker not in by_people.workers]
    if passed and not left:
        raise NotEnoughData(
            "A person excluded every worker whose judgements would count, so none is left to score. Use "
            "{exclusions=ignore} to score them all the same."
        )
    return left


def _excluded_hits(
    frame: pl.DataFrame, careless: Sequence[HitVerdict], *, hit_times: pl.DataFrame
) -> pl.DataFrame:
    """Single HITs left out, with the reason: worker_id, hit_id, excluded."""
    nothing = _no_hits(frame)
    rejected = hit_times.filter(pl.col("is_rejected")).select(
        *_OF_A_HIT, excluded=pl.lit("It was rejected on the platform.")
    )
    changed = pl.DataFrame(
        [(found.worker_id, found.hit_id, found.reason) for found in careless],
        schema=nothing.schema,
        orient="row",
    )
    return (
        pl.concat([rejected, changed])
        .unique(_OF_A_HIT, keep="first", maintain_order=True)
        .join(frame.select(_OF_A_HIT).unique(), on=_OF_A_HIT, how="semi", maintain_order="left")
    )


def _no_hits(frame: pl.DataFrame) -> pl.DataFrame:
    return pl.DataFrame(schema={**{name: frame[name].dtype for name in _OF_A_HIT}, "excluded": pl.String()})


def _keeps(frame: pl.DataFrame, passed: Sequence[str], excluded: pl.DataFrame) -> pl.Series:
    """Which rows are of workers who passed and not of HITs left out."""
    ids = pl.Series(passed, dtype=frame["worker_id"].dtype)
    rows = frame.select(*_OF_A_HIT, keeps=pl.col("worker_id").is_in(ids.implode()))
    if len(excluded):
        left_out = excluded.select(*_OF_A_HIT, left_out=pl.lit(True))
        rows = rows.join(left_out, on=_OF_A_HIT, how="left", maintain_order="left").with_columns(
            pl.col("keeps") & pl.col("left_out").is_null()
        )
    if not rows["keeps"].any():
        raise NotEnoughData(
            "Every HIT of those who passed was left out as excluded, rejected or careless, so no judgement "
            "is left to score. Use {keep_hits=True} to score rejected and careless ones all the same."
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
    rating = pl.lit(None, pl.Float64) if is_of_preferences(frame) else pl.col("rating")
    moments = frame.group_by("worker_id").agg(
        n_judgements=pl.len().cast(pl.Int64), mean=rating.mean(), sd=rating.std(ddof=1)
    )
    found = pl.DataFrame(
        [[getattr(verdict, name) for name in _VERDICT_COLUMNS] for verdict in verdicts],
        schema=_VERDICT_COLUMNS,
        orient="row",
    )
    timed = hits.filter(pl.col("seconds").is_not_null())
    # In order, so that sums come out the same to the last bit wherever they are made.
    pace = timed.group_by("worker_id", maintain_order=True).agg(
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
    """What `contamination` says, with the power of those who passed: the others may click at random."""
    n_tested = sum(verdict.verdict != "insufficient" for verdict in verdicts)
    passed = [verdict for verdict in verdicts if verdict.verdict == "pass"]
    powers = [verdict.power for verdict in passed if verdict.power is not None]
    if not powers:
        return None
    return contamination(
        n_pass=len(passed),
        n_tested=n_tested,
        power=sum(powers) / len(powers),
        threshold=settings.threshold,
    )


def _left_out(frame: pl.DataFrame, passed: Sequence[str], excluded: pl.DataFrame) -> tuple[str, ...]:
    """How much was left out of workers whose other judgements are kept."""
    of_passed = excluded.filter(pl.col("worker_id").cast(pl.String).is_in(list(passed)))
    if of_passed.is_empty():
        return ()
    n_lost = len(frame.join(of_passed, on=_OF_A_HIT, how="semi"))
    one = len(of_passed) == 1
    return (
        Note(
            f"{counted(len(of_passed), 'HIT')} of workers who were not left out "
            f"({counted(n_lost, 'judgement')}) {'was' if one else 'were'} left out as rejected or careless."
        ),
    )

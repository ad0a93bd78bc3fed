"""Signs that a person should look at a worker's ratings; by themselves they remove nobody."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import polars as pl

from steelyard.domain.result import FlagRules
from steelyard.domain.scale import Scale
from steelyard.preferences import is_of_preferences
from steelyard.review import _preference_flags as preference_flags
from steelyard.review import _rating_flags as rating_flags
from steelyard.review.hit_times import one_row_per_judgement

# Faster than this nobody reads a text and judges it [our choice].
LEAST_SECONDS_PER_ITEM = 3.0
LEAST_ITEMS = 5
# WMT21, and the public code of 2016 before it, looked at HITs that took less than five minutes.
LEAST_SECONDS_PER_HIT_IN_WMT = 300.0
# Many good workers queue up HITs and do one after the other [our choice].
MANY_AT_ONCE = 10
# Several machines' clocks differ a little; more than this is a program that invents times [our choices].
OVERCLAIMED_SECONDS, OVERCLAIMED_SHARE = 10.0, 0.05
# A few answers faster than reading are of texts that were seen before, or a slip [our choices].
UNREAD_SHARE, LEAST_ANSWERS = 0.5, 10
# Flags in a few words, for managers; the details of each say what it is in numbers.
FLAGS: Mapping[str, str] = {
    "scores": "degraded copies not rated lower",
    "time": "very fast",
    "clock": "claims more time than passed",
    "reading": "answers faster than anyone reads",
    "sequence": "the same rating over and over",
    "rejected": "had a HIT rejected",
    "concurrency": "many HITs at once",
    "automation": "a browser controlled by a program",
    "endpoints": "little but the ends of the scale",
    "shift": "one HIT rated on another level",
    "side": "nearly always the same side",
    "ties": "hardly ever a preference",
}
# Of somebody who passed the check these say only how they use the scale: they have shown that they read.
_TELLS_NOTHING_OF_PASSED = frozenset({"scores", "endpoints", "ties"})


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What flags are raised from."""

    frame: pl.DataFrame
    hits: pl.DataFrame
    hit_times: pl.DataFrame
    scale: Scale


def worker_flags(
    frame: pl.DataFrame,
    hits: pl.DataFrame,
    hit_times: pl.DataFrame,
    *,
    rules: FlagRules,
    scale: Scale,
    passed: Collection[str] = (),
) -> pl.DataFrame:
    """Every worker of the frame, sorted: worker_id, flags, and details, one sentence per flag.

    `hits` is what `corrected_times` makes of the frame and `hit_times`; `passed` are the workers who passed
    the check. The rules "usual" are
    ours; "wmt" are those behind the published flags of WMT21 and WMT22 [Akhbardeh2021], which know
    scores, time and sequence only. Flags come in this order:

    scores: degraded copies rated no worse than translations. time: a HIT done in less than 3 seconds per
    item. clock: the browser claims to have shown the items of a HIT for longer than passed by our own clock.
    reading: more than half of ten or more answers came faster than anyone reads; clock and reading are known
    of campaigns of our own only. sequence: 9 or more equal ratings in a row within a HIT, and not by chance.
    rejected: a HIT was rejected. concurrency: 10 or more HITs open at once. automation: the browser said that
    a program controls it, where that was recorded. endpoints: hardly anything but
    the ends of the scale, or hardly any variety. shift: the mean of one HIT, of 5 ratings or more, far from
    that of the others. Of workers who passed, scores, endpoints and ties are not raised by our rules. The
    time is that between taking a HIT and handing it in, however many were open: with several, nobody knows
    how it was shared, and the whole of it is the most that one HIT can have got.

    Of preferences, time, clock, reading, rejected, concurrency and automation are flagged in the same way,
    whatever the rules, and two more. side: nearly always the translation shown first, or nearly always the
    other. ties: hardly ever a preference for either.

    They were chosen so that few honest workers have one, measured on published crowds, all but automation, of
    which nobody has measured it: see
    docs/explanation/quality-control.md. An honest worker can still earn any of them; see `payment` for what
    follows from which.
    """
    raised = _OF_PREFERENCES if is_of_preferences(frame) else _RULES[rules]
    evidence = _Evidence(frame, hits, hit_times, scale)
    flagged = pl.concat(
        found(evidence).select(
            "worker_id",
            pl.lit(name).alias("flags"),
            pl.col("detail").cast(pl.String).alias("details"),
            pl.lit(number).alias("number"),
        )
        for number, (name, found) in enumerate(raised.items())
    )
    if rules == "usual" and passed:
        of_passed = pl.col("worker_id").cast(pl.String).is_in(list(passed))
        flagged = flagged.filter(~(of_passed & pl.col("flags").is_in(list(_TELLS_NOTHING_OF_PASSED))))
    gathered = flagged.sort("worker_id", "number").group_by("worker_id").agg("flags", "details")
    nothing = pl.lit([], pl.List(pl.String))
    return (
        frame.select(pl.col("worker_id").unique().sort())
        .join(gathered, on="worker_id", how="left", maintain_order="left")
        .with_columns(pl.col("flags", "details").fill_null(nothing))
    )


def _time(evidence: _Evidence) -> pl.DataFrame:
    # The seconds are divided by the number of HITs open at once.
    pace = pl.col("seconds") * pl.col("concurrent").fill_null(1) / pl.col("n_judgements")
    # The first few items of a HIT under way say nothing yet.
    enough = evidence.hits.filter(pl.col("n_judgements") >= LEAST_ITEMS).with_columns(pace=pace)
    fastest = _least(enough, "pace", below=LEAST_SECONDS_PER_ITEM)
    found = pl.format("HIT {} took {} seconds per item.", "hit_id", pl.col("pace").round(2))
    return fastest.select("worker_id", found.alias("detail"))


def _time_in_wmt(evidence: _Evidence) -> pl.DataFrame:
    fastest = _least(evidence.hits, "seconds", below=LEAST_SECONDS_PER_HIT_IN_WMT)
    found = pl.format("HIT {} took {} seconds.", "hit_id", pl.col("seconds").round(1))
    return fastest.select("worker_id", found.alias("detail"))


def _least(hits: pl.DataFrame, measure: str, *, below: float) -> pl.DataFrame:
    """Of each worker the HIT with the least of the measure, if that is below the limit."""
    return (
        hits.filter(pl.col(measure) < below)
        .sort("worker_id", measure, "hit_id")
        .unique("worker_id", keep="first", maintain_order=True)
    )


def _clock(evidence: _Evidence) -> pl.DataFrame:
    tolerated = OVERCLAIMED_SECONDS + OVERCLAIMED_SHARE * pl.col("work_seconds").fill_null(0)
    most = (
        evidence.hit_times.filter(pl.col("overclaimed_seconds") > tolerated)
        .sort("worker_id", "overclaimed_seconds", "hit_id", descending=[False, True, False])
        .unique("worker_id", keep="first", maintain_order=True)
    )
    found = pl.format(
        "In HIT {} the browser claims at least {} seconds more than passed by the server's clock.",
        "hit_id",
        pl.col("overclaimed_seconds").round(1),
    )
    return most.select("worker_id", found.alias("detail"))


def _reading(evidence: _Evidence) -> pl.DataFrame:
    counts = (
        evidence.hit_times.group_by("worker_id", maintain_order=True)
        .agg(pl.col("n_answers", "n_unread").sum())
        .filter(
            pl.col("n_answers") >= LEAST_ANSWERS,
            pl.col("n_unread") > UNREAD_SHARE * pl.col("n_answers"),
        )
    )
    found = pl.format("{} of {} answers came faster than anyone can read.", "n_unread", "n_answers")
    return counts.select("worker_id", found.alias("detail"))


def _rejected(evidence: _Evidence) -> pl.DataFrame:
    counts = (
        evidence.hit_times.group_by("worker_id", "hit_id")
        .agg(pl.col("is_rejected").fill_null(False).any())
        .group_by("worker_id")
        .agg(rejected=pl.col("is_rejected").sum(), n=pl.len())
        .filter(pl.col("rejected") > 0)
    )
    return counts.select("worker_id", pl.format("Rejected: {} of {} HITs.", "rejected", "n").alias("detail"))


def _concurrency(evidence: _Evidence) -> pl.DataFrame:
    most = (
        evidence.hits.group_by("worker_id")
        .agg(pl.col("concurrent").max())
        .filter(pl.col("concurrent") >= MANY_AT_ONCE)
    )
    return most.select("worker_id", pl.format("{} HITs were open at once.", "concurrent").alias("detail"))


def _automation(evidence: _Evidence) -> pl.DataFrame:
    said = one_row_per_judgement(evidence.frame.filter(pl.col("is_automated").is_not_null()))
    counts = (
        said.group_by("worker_id")
        .agg(n=pl.len(), automated=pl.col("is_automated").sum())
        .filter(pl.col("automated") > 0)
    )
    share = (100 * pl.col("automated") / pl.col("n")).round(0).cast(pl.Int64)
    found = pl.format(
        "In {} of {} judgements ({} %) the browser said that a program controls it. How often that is a "
        "false alarm is not known, and a browser that hides it is not found.",
        "automated",
        "n",
        share,
    )
    return counts.select("worker_id", found.alias("detail"))


# Each function gives worker_id and detail for the workers it concerns; flags come in this order.
_RULES: Mapping[FlagRules, Mapping[str, Callable[[_Evidence], pl.DataFrame]]] = {
    "usual": {
        "scores": lambda evidence: rating_flags.scores(evidence.frame),
        "time": _time,
        "clock": _clock,
        "reading": _reading,
        "sequence": lambda evidence: rating_flags.sequence(evidence.frame, evidence.scale),
        "rejected": _rejected,
        "concurrency": _concurrency,
        "automation": _automation,
        "endpoints": lambda evidence: rating_flags.endpoints(evidence.frame, evidence.scale),
        "shift": lambda evidence: rating_flags.shift(evidence.frame, evidence.scale),
    },
    "wmt": {
        "scores": lambda evidence: rating_flags.scores_in_wmt(evidence.frame),
        "time": _time_in_wmt,
        "sequence": lambda evidence: rating_flags.sequence_in_wmt(evidence.frame),
    },
}
_OF_PREFERENCES: Mapping[str, Callable[[_Evidence], pl.DataFrame]] = {
    "time": _time,
    "clock": _clock,
    "reading": _reading,
    "rejected": _rejected,
    "concurrency": _concurrency,
    "automation": _automation,
    "side": lambda evidence: preference_flags.side(evidence.frame),
    "ties": lambda evidence: preference_flags.ties(evidence.frame),
}

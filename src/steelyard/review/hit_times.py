"""How long each worker spent on each HIT, allowing for HITs open at the same time."""

from __future__ import annotations

import polars as pl

from steelyard.frames import with_occurrence

_HIT = ("worker_id", "hit_id")
# What the rows of one judgement have in common where no judgement_id says so, beside the systems.
_ITEM = (*_HIT, "segment_id", "item_kind", "position")


def corrected_times(frame: pl.DataFrame, hit_times: pl.DataFrame) -> pl.DataFrame:
    """Every worker's HITs, sorted, with the seconds they took, corrected for overlaps.

    Columns: worker_id, hit_id, n_judgements, seconds, concurrent. Someone who has several HITs open
    shares the clock between them, so the work seconds of a HIT are divided by `concurrent`, the
    larger of the numbers of HITs that the worker had open when this one was accepted and when it was
    submitted, itself included: the correction behind the published times of WMT21 [Akhbardeh2021].
    HITs of `hit_times` count as open also where `frame` has nothing of them.

    Work seconds are the platform's; else the time from acceptance to submission; else the sum over
    the judgements in `frame`, each counted once however many attributes it has. Rows without a
    judgement_id are one judgement if they are of the same item at the same position, each of another
    attribute. Times that `hit_times` lacks are taken from the judgements too: the first one's arrival
    less its seconds, and the last one's arrival. Where they stay unknown `concurrent` is null and the
    seconds are not corrected; where no seconds are known they are null.
    """
    known = _one_row_per_hit(hit_times)
    elapsed = (pl.col("submitted_at") - pl.col("accepted_at")).dt.total_microseconds() / 1e6
    every = (
        _from_judgements(frame)
        .join(known, on=_HIT, how="full", coalesce=True)
        .select(
            *_HIT,
            "n_judgements",
            pl.coalesce("work_seconds", pl.when(elapsed >= 0).then(elapsed), "judged_seconds"),
            pl.coalesce("accepted_at", "first_shown_at").alias("accepted_at"),
            pl.coalesce("submitted_at", "last_judged_at").alias("submitted_at"),
        )
    )
    return (
        every.join(_open_at_once(every), on=_HIT, how="left")
        .filter(pl.col("n_judgements").is_not_null())
        .select(
            *_HIT,
            "n_judgements",
            (pl.col("work_seconds") / pl.col("concurrent").fill_null(1)).alias("seconds"),
            "concurrent",
        )
        .sort(_HIT)
    )


def total_seconds() -> pl.Expr:
    """The sum of the column `seconds`, to the last bit the same however threads share the work."""
    microseconds = (pl.col("seconds") * 1e6).round().cast(pl.Int64, strict=False)
    return microseconds.sum() / 1e6


def _from_judgements(frame: pl.DataFrame) -> pl.DataFrame:
    """What the judgements alone say about each worker's HIT."""
    first = pl.col("submitted_at") == pl.col("submitted_at").min()
    shown_for = pl.duration(microseconds=(pl.col("seconds").filter(first).max() * 1e6).round())
    return (
        one_row_per_judgement(frame)
        .group_by(_HIT)
        .agg(
            n_judgements=pl.len().cast(pl.Int64),
            # With one judgement's seconds missing, the sum would make the HIT look hurried.
            judged_seconds=pl.when(pl.col("seconds").null_count() == 0).then(total_seconds()),
            first_shown_at=pl.col("submitted_at").min() - shown_for,
            last_judged_at=pl.col("submitted_at").max(),
        )
    )


def one_row_per_judgement(frame: pl.DataFrame) -> pl.DataFrame:
    """The first row of each judgement: one of several attributes has a row for each."""
    has_id = pl.col("judgement_id").is_not_null()
    named, nameless = frame.filter(has_id), frame.filter(~has_id)
    if nameless["attribute"].n_unique() > 1:
        item = (*_ITEM, *(name for name in frame.columns if name.startswith("system_")))
        # Of a HIT that was judged twice, the k-th rows of all attributes belong together.
        counted = with_occurrence(nameless, (*item, "attribute"))
        nameless = counted.filter(pl.struct(*item, "occurrence").is_first_distinct()).drop("occurrence")
    return pl.concat([named.filter(pl.struct(*_HIT, "judgement_id").is_first_distinct()), nameless])


def _one_row_per_hit(hit_times: pl.DataFrame) -> pl.DataFrame:
    """The known times, added up where a worker came back to a HIT; equal rows count once."""
    work = pl.col("work_seconds")
    return (
        hit_times.unique()
        .group_by(_HIT)
        .agg(
            work_seconds=pl.when(work.count() > 0).then(work.sum()),
            accepted_at=pl.col("accepted_at").min(),
            submitted_at=pl.col("submitted_at").max(),
        )
    )


def _open_at_once(hits: pl.DataFrame) -> pl.DataFrame:
    """How many HITs were open at once with each HIT of which both times are known.

    At any moment all acceptances are added before the count is read, and all submissions taken off
    after it: HITs accepted in the same second see each other. The published times of WMT21 and WMT22
    go through such a second again for each of them, which leaves the worker's later counts wrong.
    """
    timed = hits.filter(pl.col("accepted_at") <= pl.col("submitted_at"))
    moments = (
        pl.concat(
            [
                timed.select("worker_id", pl.col("accepted_at").alias("at"), opened=1, closed=0),
                timed.select("worker_id", pl.col("submitted_at").alias("at"), opened=0, closed=1),
            ]
        )
        .group_by("worker_id", "at")
        .agg(pl.col("opened", "closed").sum())
        .sort("worker_id", "at")
        .select(
            "worker_id",
            "at",
            (pl.col("opened").cum_sum() - pl.col("closed").cum_sum().shift(1, fill_value=0))
            .over("worker_id")
            .alias("open"),
        )
    )
    return (
        timed.join(moments, left_on=["worker_id", "accepted_at"], right_on=["worker_id", "at"])
        .join(moments, left_on=["worker_id", "submitted_at"], right_on=["worker_id", "at"], suffix="_at_end")
        .select(*_HIT, pl.max_horizontal("open", "open_at_end").cast(pl.Int64).alias("concurrent"))
    )

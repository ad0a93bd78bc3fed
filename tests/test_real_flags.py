"""Published times and flags of workers from their judgements and hours of work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from steelyard.domain.scale import VAS
from steelyard.flows.kept import keep_good
from steelyard.flows.settings import settings_from
from steelyard.flows.source import read_source
from steelyard.formats.judgements_file import read_judgements
from steelyard.frames import hit_times_frame, ratings_frame
from steelyard.review.flags import worker_flags
from steelyard.review.hit_times import corrected_times

DATA = Path(__file__).parents[2] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real data is absent")

every_campaign = pytest.mark.parametrize("campaign", ["wmt21-toen", "wmt22-toen"])
ByCampaign = Callable[[str], pl.DataFrame]
# The official flags by our names for them.
OFFICIAL = {"scores": "scores_flag", "time": "time_flag", "sequence": "seq_flag"}


def _published(campaign: str) -> pl.DataFrame:
    """The published times of all pairs together, for a worker's HITs may be of several.

    Rows are as published. Where k HITs of a worker were accepted in one second, the file lists each
    of them k times.
    """
    files = sorted((DATA / campaign / "expected").glob("*.hit_times.csv.gz"))
    times = pl.col("accept_time", "submit_time").str.to_datetime(time_zone="UTC")
    return pl.concat(pl.read_csv(file, infer_schema_length=None).with_columns(times) for file in files)


def _hit_times(published: pl.DataFrame) -> pl.DataFrame:
    return hit_times_frame(
        published.select(
            worker_id="worker",
            hit_id="hit",
            work_seconds="work_seconds",
            accepted_at="accept_time",
            submitted_at="submit_time",
            is_rejected=pl.col("approval") == "Rejected",
        )
    )


@pytest.fixture(scope="module")
def published() -> ByCampaign:
    """Every HIT once, with its official times, the worker's number of HITs, and what we make of it.

    `is_complete`: all HITs of its worker are here; some are of language pairs that are not.
    `is_tied`: two acceptances or two submissions of its worker, or one of each, fall into one second.
    """

    @cache
    def read(campaign: str) -> pl.DataFrame:
        rows = _published(campaign)
        stats = pl.read_csv(DATA / campaign / "expected" / "worker_stats.csv", infer_schema_length=None)
        listed = rows.group_by("worker").agg(n_rows=pl.len())
        hits = rows.unique(maintain_order=True)
        moments = pl.concat(
            hits.select("worker", pl.col(name).alias("at")) for name in ("accept_time", "submit_time")
        )
        tied = moments.group_by("worker").agg(is_tied=pl.col("at").is_duplicated().any())
        frame = ratings_frame(
            hits.select(
                pl.lit("regular").alias("item_kind"),
                *(pl.lit("").alias(name) for name in ("segment_id", "system_id", "attribute")),
                worker_id="worker",
                hit_id="hit",
                rating=pl.lit(0.0),
            )
        )
        found = corrected_times(frame, _hit_times(rows))
        return (
            hits.join(stats.select("worker", "hit_count"), on="worker")
            .join(listed, on="worker")
            .join(tied, on="worker")
            .join(found, left_on=["worker", "hit"], right_on=["worker_id", "hit_id"])
            .with_columns(is_complete=pl.col("hit_count") == pl.col("n_rows"))
        )

    return read


@pytest.mark.parametrize(("campaign", "n"), [("wmt21-toen", 4822), ("wmt22-toen", 3867)])
def test_every_published_hit_gets_a_time(published: ByCampaign, campaign: str, n: int) -> None:
    found = published(campaign)

    assert len(found) == n
    assert found.select(pl.col("seconds", "concurrent").null_count()).row(0) == (0, 0)


@pytest.mark.parametrize(
    ("campaign", "n_workers", "n_hits"), [("wmt21-toen", 1233, 2538), ("wmt22-toen", 779, 1253)]
)
def test_corrected_times_are_the_published_ones_of_workers_with_all_hits_here(
    published: ByCampaign, campaign: str, n_workers: int, n_hits: int
) -> None:
    found = published(campaign).filter("is_complete", ~pl.col("is_tied"))

    assert (found["worker"].n_unique(), len(found)) == (n_workers, n_hits)
    assert found["concurrent"].equals(found["concurrent_hits"], check_names=False)
    np.testing.assert_allclose(found["seconds"], found["corrected_work_seconds"], rtol=1e-12)


def _counted_again(accepted: list[datetime], submitted: list[datetime]) -> list[int]:
    """HITs open at once if a second that k moments share is gone through k times.

    Every time all k are added or taken off again, so that the count never comes back to what it
    should be; two submissions in one second can leave it below nothing.
    """
    opening, closing = Counter(accepted), Counter(submitted)
    count, at = 0, {}
    for moment in sorted([*accepted, *submitted]):
        count += opening[moment]
        at[moment] = count
        count -= closing[moment]
    return [max(at[start], at[end]) for start, end in zip(accepted, submitted, strict=True)]


@every_campaign
def test_the_published_counts_go_through_shared_seconds_again_and_again(
    published: ByCampaign, campaign: str
) -> None:
    found = published(campaign).filter("is_complete")

    counts = found.group_by("worker", maintain_order=True).agg(
        "accept_time", "submit_time", "concurrent_hits"
    )
    again = [_counted_again(accepted, submitted) for _, accepted, submitted, _ in counts.iter_rows()]
    assert again == counts["concurrent_hits"].to_list()


@pytest.fixture(scope="module")
def flagged() -> ByCampaign:
    """Our flags by the rules of those years beside the official ones, for workers all of whose work is here.

    A worker's work is all here if every degraded pair is (`complete_in_shared`), if the published
    times have as many rows as the official count of HITs, and if each HIT among them has judgements.
    """

    @cache
    def run(campaign: str) -> pl.DataFrame:
        files = sorted((DATA / campaign).glob("*.judgements.csv.gz"))
        frame = pl.concat(read_judgements(file).frame for file in files)
        rows = _published(campaign)
        times = _hit_times(rows)
        hits = corrected_times(frame, times)
        found = worker_flags(frame, hits, times, rules="wmt", scale=VAS)
        expected = DATA / campaign / "expected"
        stats = pl.read_csv(expected / "worker_stats.csv", infer_schema_length=None)
        pairs = pl.read_csv(expected / "worker_qc.csv", infer_schema_length=None)
        listed = rows.group_by("worker").agg(n_rows=pl.len(), n_hits=pl.col("hit").n_unique())
        judged = hits.group_by(worker="worker_id").agg(n_judged=pl.len())
        return (
            found.rename({"worker_id": "worker"})
            .join(stats, on="worker")
            .join(pairs.select("worker", "complete_in_shared"), on="worker")
            .join(listed, on="worker")
            .join(judged, on="worker")
            .filter(
                pl.col("complete_in_shared") == 1,
                pl.col("n_rows") == pl.col("hit_count"),
                pl.col("n_judged") == pl.col("n_hits"),
            )
        )

    return run


def _disagreeing(flagged: pl.DataFrame, name: str) -> list[str]:
    is_official = pl.col(OFFICIAL[name]) != "-"
    return flagged.filter(pl.col("flags").list.contains(name) != is_official)["worker"].to_list()


@pytest.mark.parametrize(("campaign", "n"), [("wmt21-toen", 230), ("wmt22-toen", 192)])
def test_everyone_with_all_pairs_here_has_all_judgements_here(
    flagged: ByCampaign, campaign: str, n: int
) -> None:
    assert len(flagged(campaign)) == n


@pytest.mark.parametrize(
    ("campaign", "name", "n_flagged"),
    [
        ("wmt21-toen", "scores", 1),
        ("wmt21-toen", "time", 10),
        ("wmt21-toen", "sequence", 14),
        ("wmt22-toen", "scores", 6),
        ("wmt22-toen", "time", 3),
        ("wmt22-toen", "sequence", 7),
    ],
)
def test_there_are_official_flags_to_compare_with(
    flagged: ByCampaign, campaign: str, name: str, n_flagged: int
) -> None:
    assert (flagged(campaign)[OFFICIAL[name]] != "-").sum() == n_flagged


@every_campaign
@pytest.mark.parametrize("name", ["scores", "sequence"])
def test_flags_are_the_official_ones(flagged: ByCampaign, campaign: str, name: str) -> None:
    assert _disagreeing(flagged(campaign), name) == []


@pytest.mark.parametrize(
    ("campaign", "counted_again"), [("wmt21-toen", ["M1402"]), ("wmt22-toen", ["M0605"])]
)
def test_time_flags_are_the_official_ones_but_for_counts_gone_wrong(
    flagged: ByCampaign, campaign: str, counted_again: list[str]
) -> None:
    disagreeing = flagged(campaign).filter(pl.col("worker").is_in(_disagreeing(flagged(campaign), "time")))

    assert disagreeing["worker"].to_list() == counted_again
    # Both accepted two HITs in one second, which the published file lists twice each.
    assert (disagreeing["n_rows"] > disagreeing["n_hits"]).all()


@every_campaign
def test_nobody_has_a_flag_that_those_years_did_not_know(flagged: ByCampaign, campaign: str) -> None:
    assert set(flagged(campaign)["flags"].explode().drop_nulls()) <= set(OFFICIAL)


def test_official_rows_of_equal_ratings_run_over_the_borders_of_hits_in_order_of_rows() -> None:
    campaign, worker = "wmt22-toen", "M0083"
    files = sorted((DATA / campaign).glob("*.judgements.csv.gz"))
    frame = pl.concat(read_judgements(file).frame for file in files).filter(pl.col("worker_id") == worker)
    stats = pl.read_csv(DATA / campaign / "expected" / "worker_stats.csv", infer_schema_length=None)
    longest = stats.filter(pl.col("worker") == worker)["max_const_seq_len"].item()
    times = hit_times_frame()

    found = worker_flags(frame, corrected_times(frame, times), times, rules="wmt", scale=VAS)

    # No HIT has more than 98 items. In order of HIT names it would be 649, by acceptance 1,644.
    assert longest == 369
    assert "369 ratings in a row are 0." in found["details"].item()


@pytest.mark.parametrize("pair", ["cs-en", "lv-en"])
def test_few_published_workers_who_pass_are_flagged(pair: str) -> None:
    source = read_source(str(DATA / "wmt22-toen" / f"{pair}.judgements.csv.gz"))
    workers = keep_good(source, settings_from(source)).quality.workers

    passed = workers.filter(pl.col("verdict") == "pass")
    flagged = passed.filter(pl.col("flags").list.len() > 0)
    assert len(flagged) <= max(1, 0.06 * len(passed))
    assert not (passed["suggestion"] == "refuse").any()


def test_many_published_workers_who_fail_are_flagged() -> None:
    source = read_source(str(DATA / "dialogue-da" / "icebreaker.judgements.csv.gz"))
    workers = keep_good(source, settings_from(source, check="rank-sum")).quality.workers

    by_verdict = workers.group_by("verdict").agg(flagged=(pl.col("flags").list.len() > 0).mean())
    flagged = dict(by_verdict.iter_rows())
    assert flagged["fail"] > 0.3
    assert flagged["pass"] < 0.02

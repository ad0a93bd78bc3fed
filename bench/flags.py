"""How many workers are flagged for a person to look at, by our rules and by our earlier ones.

Limits were set by WMT21; that of HITs open at once by WMT22 too, which was looked at beside it. The numbers
to trust are the others: the dialogues, the experts of ESA, and the simulated crowds. Verdicts
are those of the organisers where they published them, else those of the check. Prints Markdown; most of it
needs the folder of real data beside the project.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl

from steelyard.domain.result import AnalysisSettings
from steelyard.domain.scale import VAS
from steelyard.flows.create import create
from steelyard.flows.kept import keep_good
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.settings import settings_from
from steelyard.flows.simulate import Hand, make_hands
from steelyard.flows.source import Source, read_source
from steelyard.frames import in_order_of, ratings_frame
from steelyard.protocols import protocols
from steelyard.review.flags import LEAST_ANSWERS, UNREAD_SHARE
from steelyard.review.haste import MOST_LETTERS_PER_SECOND
from steelyard.store.audit import AuditRow, audit_rows

DATA = Path(__file__).parents[2] / "shared" / "data"
# One HIT each, as in the demo.
N_WORKERS, N_CROWDS = 30, 40
START = datetime(2026, 5, 4, 12, tzinfo=UTC)
_IN_HIT = ["hit_id", "worker_id", "attribute"]


def main() -> None:
    print("## Workers of WMT21 and WMT22, by their published means and times\n")
    _print(_published(), "rule")
    print("\n## Workers with more than half of their answers faster than a sentence of 120 letters is read\n")
    _print(_hasty_workers(), "set")
    print("\n## Any flag, by the earlier rules and by those now\n")
    _print(pl.concat([*_real_crowds(), *_simulated_crowds()]), "workers")


def _print(rows: pl.DataFrame, first: str) -> None:
    print("| " + " | ".join(rows.columns) + " |\n|" + "---|" * len(rows.columns))
    for row in rows.iter_rows(named=True):
        cells = [str(row[first]), *(str(row[name]) for name in rows.columns if name != first)]
        print("| " + " | ".join(cells) + " |")


def _published() -> pl.DataFrame:
    """Shares of workers with each sign, of those who passed and failed by the organisers' verdict."""
    if not DATA.is_dir():
        return pl.DataFrame({"rule": ["the folder of real data is absent"]})
    degraded, regular, reference = (pl.col(f"mean_{kind}") for kind in ("bad_ref", "sys_out", "ref"))
    signs = {
        "degraded >= translations": degraded >= regular,
        "translations >= references": regular >= reference,
        "references < 90": reference < 90,
        "9 equal ratings in a row": pl.col("max_const_seq_len") >= 9,
        "3 HITs open at once": pl.col("max_concurrent") >= 3,
        "10 HITs open at once": pl.col("max_concurrent") >= 10,
        "HIT below 270 s, corrected for overlap": pl.col("corrected") < 270,
        "HIT below 270 s, as the clock has it": pl.col("seconds") < 270,
    }
    shares: dict[str, list[str]] = {"rule": list(signs)}
    for year in ("wmt21-toen", "wmt22-toen"):
        expected = DATA / year / "expected"
        files = sorted(expected.glob("*.hit_times.csv.gz"))
        times = pl.concat(
            pl.read_csv(file, infer_schema_length=None).select(
                "worker", "work_seconds", "corrected_work_seconds"
            )
            for file in files
        )
        least = times.group_by("worker").agg(
            seconds=pl.col("work_seconds").min(), corrected=pl.col("corrected_work_seconds").min()
        )
        workers = (
            pl.read_csv(expected / "worker_stats.csv", infer_schema_length=None)
            .join(pl.read_csv(expected / "worker_qc.csv", infer_schema_length=None), on="worker")
            .join(least, on="worker", how="left")
        )
        for status in ("pass", "fail"):
            some = workers.filter(pl.col("status") == status)
            name = f"{year.partition('-')[0].upper()} {status}ed".replace("faileded", "failed")
            shares[f"{name} ({len(some)})"] = [
                f"{100 * some.select(sign.mean()).item():.1f} %" for sign in signs.values()
            ]
    return pl.DataFrame(shares)


def _hasty_workers() -> pl.DataFrame:
    """Of sets with a time for each answer, workers who gave most answers faster than a sentence is read."""
    rows = []
    for folder in ("wmt22-calibration", "wmt22-livonian", "esa-wmt23-en-de"):
        n_workers = n_hasty = 0
        for path in sorted((DATA / folder).glob("*.judgements.csv.gz")):
            shares = (
                read_source(str(path))
                .frame.filter(pl.col("seconds").is_not_null())
                .group_by("worker_id")
                .agg(n=pl.len(), share=(pl.col("seconds") < 120 / MOST_LETTERS_PER_SECOND).mean())
                .filter(pl.col("n") >= LEAST_ANSWERS)["share"]
            )
            n_workers += len(shares)
            n_hasty += int((shares > UNREAD_SHARE).sum())
        rows.append((folder, n_workers, n_hasty))
    return pl.DataFrame(rows, schema=["set", "workers", "hasty"], orient="row")


def _real_crowds() -> Iterator[pl.DataFrame]:
    if not DATA.is_dir():
        return
    for year in ("wmt21-toen", "wmt22-toen"):
        found = [
            _flagged(read_source(str(path))) for path in sorted((DATA / year).glob("*.judgements.csv.gz"))
        ]
        yield _counted(year.partition("-")[0].upper(), pl.concat(found), by="verdict")
    dialogues = read_source(str(DATA / "dialogue-da" / "icebreaker.judgements.csv.gz"))
    yield _counted("dialogues", _flagged(dialogues, check="rank-sum"), by="verdict")
    paths = sorted((DATA / "esa-wmt23-en-de").glob("ESA*.judgements.csv.gz"))
    yield _counted("ESA", pl.concat(_flagged(read_source(str(path))) for path in paths), by="verdict")


def _simulated_crowds() -> Iterator[pl.DataFrame]:
    """Crowds of which we know who cheats."""
    found: dict[int, list[pl.DataFrame]] = {0: [], 1: []}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "campaign.toml"
        path.write_bytes((protocols()["da"].folder / "example.toml").read_bytes())
        create(path, f"{folder}/demo.db", now=START)
        with open_campaign(f"{folder}/demo.db") as campaign:
            for seed in range(N_CROWDS):
                source, profiles = _judged(campaign, seed)
                named = _flagged(source).with_columns(
                    profile=pl.col("worker_id").replace_strict(profiles, return_dtype=pl.String)
                )
                found[seed % 2].append(named)
    for remainder, name in enumerate(("even seeds", "odd seeds")):
        yield _counted(f"simulated, {name}", pl.concat(found[remainder]).drop("verdict"), by="profile")


def _judged(campaign: OpenCampaign, seed: int) -> tuple[Source, Mapping[str, str]]:
    """What a crowd says that does one HIT each, and who is what."""
    with campaign.store.read() as connection:
        rows = audit_rows(connection)
    hits: dict[str, list[AuditRow]] = {}
    for row in rows:
        hits.setdefault(row.hit, []).append(row)
    names = list(hits)
    hands = make_hands(campaign, N_WORKERS, seed=seed)
    judged = [
        row
        for number, hand in enumerate(hands)
        for row in _hit_judged(f"W{number:04d}", hand, hits[names[number % len(names)]])
    ]
    frame = ratings_frame(pl.DataFrame(judged, infer_schema_length=None))
    profiles = {f"W{number:04d}": str(hand.worker.profile) for number, hand in enumerate(hands)}
    return Source(frame, title="Crowd", campaign="crowd"), profiles


def _hit_judged(worker_id: str, hand: Hand, items: list[AuditRow]) -> Iterator[dict[str, object]]:
    now = START
    for item in items:
        answer, milliseconds = hand.judge(worker_id, item.item_id)
        now += timedelta(milliseconds=milliseconds)
        yield {
            "judgement_id": f"{worker_id} {item.position}",
            "worker_id": worker_id,
            "hit_id": item.hit,
            "item_kind": str(item.kind),
            "segment_id": item.segment,
            "system_id": item.system,
            "attribute": "adequacy",
            "position": item.position,
            "rating": float(answer["rating"]),
            "seconds": milliseconds / 1000,
            "submitted_at": now,
        }


def _flagged(source: Source, **choices: str) -> pl.DataFrame:
    """Each worker with the verdict and whether there is any flag: by the earlier rules, and now."""
    settings: AnalysisSettings = settings_from(source, draws=0, keep="everyone", **choices)
    quality = keep_good(source, settings).quality
    before = _flagged_earlier(source.frame, quality.hits)
    return quality.workers.select(
        "worker_id",
        "verdict",
        failed=(pl.col("verdict") == "fail").fill_null(False),
        before=pl.col("worker_id").is_in(list(before)),
        ours=pl.col("flags").list.len() > 0,
        refused=pl.col("suggestion") == "refuse",
    )


def _flagged_earlier(frame: pl.DataFrame, hits: pl.DataFrame) -> set[str]:
    """Who has any flag by our earlier rules, most of which are those of the public code of 2016."""
    kind, rating = pl.col("item_kind"), pl.col("rating")
    degraded, regular, reference = (
        rating.filter(kind == name).mean() for name in ("degraded", "regular", "reference")
    )
    of_adequacy = rating.filter(kind == "reference", pl.col("attribute") == "adequacy").mean()
    at_ends = ((rating == VAS.minimum) | (rating == VAS.maximum)).mean()
    by_ratings = frame.group_by("worker_id").agg(
        scores=(degraded >= regular) | (regular >= reference) | (of_adequacy < 90),
        endpoints=(pl.len() >= 10) & ((at_ends > 0.8) | (rating.n_unique() < 5)),
    )
    by_hits = hits.group_by("worker_id").agg(
        time=(pl.col("seconds") / pl.col("n_judgements") < 3).any(),
        concurrency=(pl.col("concurrent") >= 3).any(),
    )
    signs = by_ratings.join(by_hits, on="worker_id", how="left")
    flagged = signs.filter(pl.any_horizontal(pl.exclude("worker_id").fill_null(False)))["worker_id"]
    return {*flagged, *_with_long_runs(frame), *_with_shifts(frame)}


def _with_long_runs(frame: pl.DataFrame) -> set[str]:
    ordered = in_order_of(frame.select(*_IN_HIT, "position", "rating"), *_IN_HIT, then=["position"])
    starts = ordered.select(
        pl.any_horizontal(pl.col(name) != pl.col(name).shift(1) for name in (*_IN_HIT, "rating")).fill_null(
            True
        )
    ).to_series()
    first = starts.arg_true().to_numpy()
    length = np.diff(np.append(first, len(ordered)))
    return set(ordered["worker_id"].gather(first[length >= 9]))


def _with_shifts(frame: pl.DataFrame) -> set[str]:
    """Workers with a HIT a quarter of the scale from the others, and three standard errors."""
    found = set()
    for (worker,), rows in frame.group_by(["worker_id"]):
        ratings = [hit["rating"].to_numpy() for _, hit in rows.group_by("hit_id")]
        for place, here in enumerate(ratings):
            others = [each for number, each in enumerate(ratings) if number != place]
            if not others or len(here) + sum(map(len, others)) < 3:
                continue
            there = np.concatenate(others)
            squares = ((here - here.mean()) ** 2).sum() + ((there - there.mean()) ** 2).sum()
            variance = squares / (len(here) + len(there) - 2) * (1 / len(here) + 1 / len(there))
            distance = abs(here.mean() - there.mean())
            if distance > 0.25 * VAS.width and distance > 3 * np.sqrt(variance):
                found.add(str(worker))
    return found


def _counted(name: str, workers: pl.DataFrame, *, by: str) -> pl.DataFrame:
    titles = {
        "failed": "failed the check",
        "before": "earlier rules",
        "ours": "rules now",
        "refused": "refusal suggested",
    }
    shares = (
        pl.format("{} ({} %)", pl.col(sign).sum(), (100 * pl.col(sign).mean()).round(1)).alias(title)
        for sign, title in titles.items()
    )
    counts = workers.group_by(by).agg(pl.len().alias("number"), *shares).sort(by)
    return counts.select(
        pl.format("{}: {}", pl.lit(name), by).alias("workers"), pl.exclude(by).cast(pl.String)
    )


if __name__ == "__main__":
    main()

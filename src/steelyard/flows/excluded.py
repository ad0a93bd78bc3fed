"""What people excluded of a frame: whole workers and single HITs, each with the reason given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from steelyard.domain.result import AnalysisSettings
from steelyard.domain.running import Exclusion
from steelyard.domain.wording import Note, counted, joined, listed
from steelyard.flows.source import Source

_OF_A_HIT = ["worker_id", "hit_id"]
# Whom a sentence names before it only counts [our choice].
_MOST_NAMED = 5


@dataclass(frozen=True)
class Excluded:
    """What people's decisions concern in a frame.

    `workers`: those of whom nothing is left, with the reason. `hits`: every HIT concerned, as worker_id,
    hit_id, excluded (the reason); `single`: those of workers of whom something is left.
    """

    workers: Mapping[str, str]
    hits: pl.DataFrame
    n_judgements: int

    @property
    def single(self) -> pl.DataFrame:
        """The HITs of workers who are not excluded as a whole."""
        return self.hits.filter(~pl.col("worker_id").cast(pl.String).is_in(list(self.workers)))

    def sentences(self, *, ignored: bool) -> tuple[str, ...]:
        """What was excluded, by whom and why; nothing if nothing was."""
        if not self.n_judgements:
            return ()
        single = self.single.cast({"worker_id": pl.String, "hit_id": pl.String}).rows()
        counts = [
            counted(len(found), noun) for found, noun in ((self.workers, "worker"), (single, "HIT")) if found
        ]
        named = [f"{worker} ({reason})" for worker, reason in self.workers.items()]
        named += [f"HIT {hit} of {worker} ({reason})" for worker, hit, reason in single]
        fate = "they count here all the same, as asked" if ignored else listed(named, most=_MOST_NAMED)
        judgements = counted(self.n_judgements, "judgement")
        said = f"A person excluded {joined(counts)} ({judgements}): {fate}."
        return (said if ignored else Note(said),)


def excluded_of(frame: pl.DataFrame, exclusions: Iterable[Exclusion]) -> Excluded:
    """What of a frame is excluded. A worker whose every HIT is excluded is excluded as a whole."""
    by_hit = {(each.worker_id, each.hit_id): each.reason for each in exclusions}
    found: list[tuple[str, str, str]] = []
    reasons: dict[str, list[str | None]] = {}
    if by_hit:
        for worker, hit in frame.select(pl.col(_OF_A_HIT).cast(pl.String)).unique(maintain_order=True).rows():
            reason = by_hit.get((worker, None)) or by_hit.get((worker, hit))
            reasons.setdefault(worker, []).append(reason)
            if reason is not None:
                found.append((worker, hit, reason))
    columns: dict[str, pl.DataType] = {name: frame[name].dtype for name in _OF_A_HIT}
    hits = pl.DataFrame(found, schema={**columns, "excluded": pl.String()}, orient="row")
    whole = {worker: _together(given) for worker, given in sorted(reasons.items()) if None not in given}
    n_judgements = len(frame.join(hits, on=_OF_A_HIT, how="semi")) if found else 0
    return Excluded(whole, hits, n_judgements)


def _together(reasons: Sequence[str | None]) -> str:
    return "; ".join(dict.fromkeys(reason for reason in reasons if reason))


def without_hits(frame: pl.DataFrame, hits: pl.DataFrame) -> pl.DataFrame:
    """The rows of a frame that are of none of these workers' HITs."""
    return frame if hits.is_empty() else frame.filter(outside_hits(frame, hits))


def outside_hits(frame: pl.DataFrame, hits: pl.DataFrame) -> pl.Series:
    """Which rows of a frame are of none of these workers' HITs."""
    dtypes = {name: frame[name].dtype for name in _OF_A_HIT}
    known = hits.select(
        *(pl.col(name).cast(pl.String).cast(dtypes[name], strict=False) for name in _OF_A_HIT),
        within=pl.lit(True),
    )
    joined_rows = frame.select(_OF_A_HIT).join(known, on=_OF_A_HIT, how="left", maintain_order="left")
    return joined_rows["within"].is_null()


def simulated_of(frame: pl.DataFrame, simulated: Iterable[str]) -> int:
    """How many workers of a frame are simulated."""
    known = set(simulated)
    if not known:
        return 0
    return sum(worker in known for worker in frame["worker_id"].unique().cast(pl.String))


def simulated_sentences(n: int, n_workers: int) -> tuple[str, ...]:
    """A sentence if any worker is simulated: what was made up must not be taken for people's judgements."""
    if not n:
        return ()
    if n == n_workers:
        whose = f"All {n:,} workers are" if n > 1 else "The only worker is"
        return (f"{whose} simulated, so these numbers are made up.",)
    are = "is" if n == 1 else "are"
    return (f"{n:,} of {n_workers:,} workers {are} simulated, so these numbers are partly made up.",)


@dataclass(frozen=True)
class Counted:
    """The ratings that a study of everybody's is about, and what to say beside it."""

    frame: pl.DataFrame
    signed: Mapping[str, str | None]
    warnings: tuple[str, ...]


def counted_ratings(frame: pl.DataFrame, source: Source, settings: AnalysisSettings) -> Counted:
    """The rows of a source's ratings that people let count, for studies in which nobody is checked."""
    excluded = excluded_of(frame, source.exclusions)
    ignored = settings.exclusions == "ignore"
    left = frame if ignored else without_hits(frame, excluded.hits)
    n_workers, n_simulated = left["worker_id"].n_unique(), simulated_of(left, source.simulated)
    return Counted(
        left,
        signed=signed_marks(excluded.n_judgements, n_simulated, n_workers, ignored=ignored),
        warnings=(
            *simulated_sentences(n_simulated, n_workers),
            *excluded.sentences(ignored=ignored),
        ),
    )


def signed_marks(
    n_excluded: int, n_simulated: int, n_workers: int, *, ignored: bool
) -> dict[str, str | None]:
    """The parts of a signature that say what people excluded and who is simulated; None without any."""
    return {
        "excluded": str(n_excluded) if n_excluded and not ignored else None,
        "exclusions": "ignored" if n_excluded and ignored else None,
        "simulated": f"{n_simulated}/{n_workers}" if n_simulated else None,
    }

"""Ratings from the standardised scores that WMT published, z = (rating - mean) / sd for each worker.

The scripts print each worker's mean and standard deviation into ad-csen-trk-mean-sd.txt and standardise
with the printed numbers, so that the ratings come back exactly. The file of the same name with -no-refs
leaves controls out and was not used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.domain.scale import Scale
from steelyard.formats._judgement_columns import named, shown
from steelyard.formats.text_file import read_text

# A recovered rating is whole except for the rounding of z, some 1e-13; a worker's numbers of another
# campaign leave remainders up to a half.
LARGEST_REMAINDER = 0.02
# The printed mean and deviation have seven digits.
RELATIVE_ERROR = 1e-5
_NAME = re.compile(r"(.*?)(-good)?-stnd.*")
_PRINTED_NAME = re.compile(r'\[1\] "(.*)"')
_PRINTED_NUMBER = re.compile(r"\[1\] +(\S+)")


@dataclass(frozen=True, slots=True)
class Moments:
    """Each worker's mean and standard deviation, and the file that says so."""

    name: str
    workers: pl.DataFrame
    """Columns worker, mean, sd (null where it is undefined)."""


def is_standardised(name: str, score: pl.Series, scale: Scale) -> bool:
    """Whether a file of this name, with these scores, holds z rather than ratings."""
    if _NAME.fullmatch(name) is None:
        return False
    number = score.cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
    whole = (number % 1 == 0) & number.is_between(scale.minimum, scale.maximum)
    return not whole.fill_null(False).all()


def group_of(name: str) -> str:
    """What was standardised together, by the name of the file that holds the scores.

    >>> group_of("ad-csen-good-stnd-redup.csv")
    'ad-csen'
    """
    match = _NAME.fullmatch(name)
    return match[1] if match else ""


def moments_for(path: Path, groups: Sequence[str]) -> Mapping[str, Moments]:
    """What each group of rows, named as ad-csen, was standardised with; SourceError if a file is missing.

    A file that goes by the name of the scores' own serves all groups.
    """
    own = _beside(path, group_of(path.name))
    if own is not None:
        read = _read_moments(own)
        return dict.fromkeys(groups, read)
    found = {group: _beside(path, group) for group in groups}
    missing = [group for group, file in found.items() if file is None]
    if missing:
        wanted = named([f"{group}-trk-mean-sd.txt" for group in missing])
        raise SourceError(
            str(path),
            [
                f"holds standardised scores, but raw ratings are needed. They can be recovered if {wanted} "
                "(each worker's mean and standard deviation, of the same release) lies beside it; "
                "or take a file of raw ratings, such as ad-latest.csv or ad-good-raw.csv."
            ],
        )
    return {group: _read_moments(file) for group, file in found.items() if file is not None}


def _beside(path: Path, group: str) -> Path | None:
    names = (f"{group}-trk-mean-sd.txt", f"{group}-trk-mean-sd.txt.gz")
    return next((path.with_name(name) for name in names if path.with_name(name).is_file()), None)


def _read_moments(path: Path) -> Moments:
    """The numbers of a file as R prints them: a line for the name, one for the mean, one for the sd."""
    lines = read_text(path).rstrip("\n").split("\n")
    rows: list[tuple[str, float, float | None]] = []
    problems = []
    for start in range(0, len(lines), 3):
        row = _printed(lines[start : start + 3])
        if row is None:
            problems.append(
                f'line {start + 1}: three lines like [1] "M1", [1] 70.5 and [1] 20.25 were expected, '
                f"not {shown(lines[start])!r}."
            )
            break
        rows.append(row)
    repeated = pl.Series([name for name, *_ in rows], dtype=pl.String)
    problems += [
        f"the worker {shown(name)} appears twice."
        for name in repeated.filter(repeated.is_duplicated()).unique()
    ]
    if problems:
        raise SourceError(str(path), problems)
    schema = {"worker": pl.String, "mean": pl.Float64, "sd": pl.Float64}
    return Moments(path.name, pl.DataFrame(rows, schema=schema, orient="row"))


def _printed(lines: Sequence[str]) -> tuple[str, float, float | None] | None:
    """A worker's name, mean and sd from three lines; None if they say something else."""
    if len(lines) != 3:
        return None
    name = _PRINTED_NAME.fullmatch(lines[0].strip())
    numbers = [_PRINTED_NUMBER.fullmatch(line.strip()) for line in lines[1:]]
    try:
        mean, sd = (float(number[1].replace("NA", "nan")) for number in numbers if number)
    except ValueError:
        return None
    if name is None or mean != mean:
        return None
    return name[1], mean, sd if sd == sd else None


def ratings_from(cells: pl.DataFrame, moments: Moments) -> tuple[pl.Series, list[tuple[int, str]]]:
    """The ratings of scores `rating` by `worker`, and which rows (from 0) have none, and why.

    A worker whose ratings are all the same has no z; each of the ratings is the mean.
    """
    z = pl.col("rating").cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
    rows = (
        cells.select("worker", pl.col("rating").cast(pl.String).alias("written"), z.fill_nan(None).alias("z"))
        .join(moments.workers, on="worker", how="left", maintain_order="left")
        .with_row_index("row")
    )
    constant = pl.col("sd").fill_null(0.0) == 0
    exact = pl.when(constant).then("mean").otherwise(pl.col("z") * pl.col("sd") + pl.col("mean"))
    rows = rows.with_columns(exact.alias("exact"), exact.round().alias("whole"))
    remainder = (pl.col("exact") - pl.col("whole")).abs()
    wrong = rows.filter(pl.col("exact").is_null() | (remainder >= LARGEST_REMAINDER))
    # One row of a worker stands for all: they were standardised alike.
    problems = [
        (row["row"], _problem(row, moments.name))
        for row in wrong.unique("worker", keep="first", maintain_order=True).iter_rows(named=True)
    ]
    # Adding nothing takes the sign off a zero.
    return (rows["whole"] + 0.0).alias("rating"), problems


def _problem(row: Mapping[str, object], name: str) -> str:
    worker, score = shown(str(row["worker"])), shown(str(row["written"]))
    if row["mean"] is None:
        return f"the worker {worker} is not in {name}, so the raw ratings cannot be recovered"
    if row["z"] is None:
        return f"score {score} of worker {worker} is not a number"
    rating = shown(str(row["exact"]))
    return (
        f"score {score} of worker {worker} gives the rating {rating} with the mean and deviation in {name}, "
        "not a whole number: that file belongs to other scores"
    )


def unlike(cells: pl.DataFrame, moments: Moments) -> list[str]:
    """The workers whose ratings have another mean or deviation than those they were standardised with."""
    found = cells.group_by("worker", maintain_order=True).agg(
        pl.col("rating").mean().alias("own_mean"), pl.col("rating").std().alias("own_sd")
    )
    both = found.join(moments.workers, on="worker", maintain_order="left")
    off = [
        (pl.col(f"own_{name}") - pl.col(name)).abs() > RELATIVE_ERROR * pl.col(name).abs()
        for name in ("mean", "sd")
    ]
    return both.filter(pl.any_horizontal(off))["worker"].to_list()

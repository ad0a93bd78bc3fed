"""Moments as files write them: ISO 8601, Unix seconds, or as Mechanical Turk does."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

import polars as pl

MOMENT = pl.Datetime("us", "UTC")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# Mechanical Turk writes Fri May 29 10:18:25 PDT 2015; WMT took the zone off. Hours from Greenwich, by zone.
_HOURS = {"GMT": 0, "UTC": 0, "EDT": -4, "EST": -5, "CDT": -5, "CST": -6, "MDT": -6, "MST": -7}
_HOURS |= {"PDT": -7, "PST": -8}
_TURK = re.compile(r"\w{3} (\w{3}) +(\d+) (\d+):(\d+):(\d+)(?: (\w+))? (\d{4})")
# The years that a calendar has, 1 to 9999, in Unix seconds.
_FIRST, _LAST = -62_135_596_800, 253_402_300_799


def moment(text: str) -> datetime | None:
    """The moment a cell means, in UTC; None if it cannot be read. Without a zone, UTC is taken.

    >>> moment("Tue Mar 03 09:30:05 PDT 2020").isoformat()
    '2020-03-03T16:30:05+00:00'
    >>> moment("Tue Mar 03 09:30:05 2020").isoformat()
    '2020-03-03T09:30:05+00:00'
    """
    text = text.strip()
    try:
        if match := _TURK.fullmatch(text):
            month, day, hour, minute, second, zone, year = match.groups()
            date = (int(year), _MONTHS.index(month) + 1, int(day))
            here = timezone(timedelta(hours=_HOURS[zone or "UTC"]))
            return datetime(*date, int(hour), int(minute), int(second), tzinfo=here).astimezone(UTC)
        found = datetime.fromisoformat(text)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, KeyError, OverflowError):
        return None


def moments(column: pl.Series) -> pl.Series:
    """A column of times, numbers or texts as moments; null where a cell is empty or cannot be read."""
    if isinstance(column.dtype, pl.Datetime):
        zoned = column.dt.replace_time_zone("UTC") if column.dtype.time_zone is None else column
        return zoned.dt.convert_time_zone("UTC").cast(MOMENT)
    if column.dtype == pl.Date:
        return column.cast(pl.Datetime("us")).dt.replace_time_zone("UTC")
    if column.dtype.is_numeric():
        return _from_unix(column.cast(pl.Float64))
    text = column.cast(pl.String).str.strip_chars()
    found = _from_unix(text.cast(pl.Float64, strict=False))
    plain = text.str.replace(" ", "T", literal=True)
    # The two ways most files have; others are read one by one below.
    for written in ("%Y-%m-%dT%H:%M:%S%.fZ", "%Y-%m-%dT%H:%M:%S%.f"):
        if found.null_count() > text.null_count():
            read = plain.str.to_datetime(written, strict=False, time_unit="us").dt.replace_time_zone("UTC")
            found = found.zip_with(found.is_not_null(), read)
    rest = text.filter(found.is_null()).drop_nulls().unique()
    if rest.is_empty():
        return found
    known = {cell: moment(cell) for cell in rest}
    read = text.replace_strict(
        pl.Series(list(known), dtype=pl.String), pl.Series(list(known.values()), dtype=MOMENT), default=None
    )
    return found.zip_with(found.is_not_null(), read)


def _from_unix(seconds: pl.Series) -> pl.Series:
    """Unix seconds as moments; null where they are none that a calendar has."""
    known = seconds.is_between(_FIRST, _LAST).fill_null(False) & seconds.is_finite().fill_null(False)
    within = pl.select(pl.when(known).then(seconds)).to_series()
    return (within * 1e6).round().cast(pl.Int64).cast(pl.Datetime("us")).dt.replace_time_zone("UTC")

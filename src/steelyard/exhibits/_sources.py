"""What every exhibit takes from its sources: title, signature, shares, and which ratings it looks at."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Column, Evidence, Table
from steelyard.domain.plugin import Exhibit
from steelyard.domain.result import NO_CHECK, Analysis


def title_of(exhibit: Exhibit, evidence: Sequence[Evidence]) -> str:
    """The exhibit's title with its source's, or alone where there are several: rows name them then."""
    if len(evidence) > 1:
        return exhibit.title
    return f"{exhibit.title}: {evidence[0].title}"


def signature_of(evidence: Sequence[Evidence], *, study: str = "") -> str:
    """The signature of every source, one a line, and that of a study made of them on a line of its own."""
    return "\n".join([*(source.analysis.signature for source in evidence), *([study] if study else [])])


def study_line(exhibit: Exhibit, **choices: object) -> str:
    """The choices behind an exhibit that is a study of its own, as a line of a signature.

    Those that are None or empty were not made.
    """
    parts = {"exhibit": exhibit.name, **choices}
    return "|".join(f"{name}:{value}" for name, value in parts.items() if value not in (None, ""))


def table_of(
    exhibit: Exhibit,
    evidence: Sequence[Evidence],
    columns: Sequence[Column],
    rows: pl.DataFrame,
    *,
    notes: Sequence[str] = (),
    borders: tuple[int, ...] = (),
) -> Table:
    """The table of an exhibit, with the title and signature that its sources give it."""
    return Table(
        name=exhibit.name,
        title=title_of(exhibit, evidence),
        columns=tuple(columns),
        rows=in_columns(rows, columns),
        notes=tuple(notes),
        signature=signature_of(evidence),
        borders=borders,
    )


def in_columns(rows: pl.DataFrame, columns: Sequence[Column]) -> pl.DataFrame:
    """The rows with the columns that are shown, in their order."""
    return rows.select(column.name for column in columns)


def group_borders(rows: pl.DataFrame, *names: str) -> tuple[int, ...]:
    """The rows, from 0, at which any of the columns takes a new value; the first row of all is none."""
    changes = rows.select(pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift(1)) for name in names))
    return tuple(place for place in changes.to_series().arg_true().to_list() if place)


def share(part: int | None, whole: int) -> float | None:
    """Part of the whole; unknown where the part is, or where there is no whole.

    >>> share(321, 557), share(0, 0)
    (0.5763016157989228, None)
    """
    return None if part is None or not whole else part / whole


def checked_ratings(evidence: Evidence) -> pl.DataFrame:
    """Everyone's ratings of the attributes that the checks are about."""
    about = evidence.analysis.settings.check_attributes
    if about is None:
        return evidence.frame
    return evidence.frame.filter(pl.col("attribute").is_in(list(about)))


def ratings_left_out(evidence: Evidence) -> pl.DataFrame:
    """The ratings that the scores do not rest on: of workers who did not pass, and of excluded HITs."""
    return evidence.frame.filter(~evidence.keeps)


def require_checked(evidence: Sequence[Evidence]) -> None:
    """Refuse where nobody was checked in any source."""
    if not any(was_checked(source.analysis) for source in evidence):
        raise NotEnoughData(
            "No worker was checked (the check is none), so nobody passed or failed: choose a check."
        )


def was_checked(analysis: Analysis) -> bool:
    """Whether workers were checked at all."""
    return analysis.settings.check != NO_CHECK


def passed(analysis: Analysis) -> list[str]:
    """The workers who passed the check."""
    found: list[str] = analysis.workers.filter(verdict="pass")["worker_id"].to_list()
    return found

"""Linked campaigns: their tables, their figure, and the result that every renderer takes."""

from __future__ import annotations

from itertools import cycle

import polars as pl

from steelyard.domain.exhibit import Axis, Column, Figure, Intervals, Mark, Panel, Points, Rule, Table, Tone
from steelyard.domain.study import StudyResult
from steelyard.exhibits._sources import group_borders, in_columns
from steelyard.longitudinal.links import Linked

_VIA = {
    "known": "earlier scores of calibration items",
    "calibration": "calibration items judged in both",
    "translations": "translations judged in both",
}
# More pairs than this are left to the JSON document.
_MOST_PAIRS = 30
_TONES: tuple[Tone, ...] = ("main", "second", "third", "good", "bad")
# The two intervals of a system lie side by side, this far from its place.
_APART = 0.16


def linked_study(found: Linked) -> StudyResult:
    """Systems on one scale, the lines between campaigns, pairs, and what the link costs in certainty."""
    tables = [_systems_table(found), _links_table(found)]
    if 0 < len(found.pairs) <= _MOST_PAIRS:
        tables.append(_pairs_table(found))
    conclusion = [
        f"{100 * share:.0f} % of the uncertainty of {title}'s systems comes from the link."
        for title, share in found.links.select("campaign", "share_of_link").iter_rows()
    ]
    return StudyResult(
        name="link",
        title=tables[0].title,
        settings={"scale": found.scale, "level": found.level},
        tables=tuple(tables),
        figures=(linked_figure(found, tables[0]),),
        conclusion=tuple(conclusion),
        warnings=found.warnings,
        signature=found.signature,
        record={
            "signature": found.signature,
            "scale": found.scale,
            "level": found.level,
            "links": found.links,
            "systems": found.systems,
            "pairs": found.pairs,
            "conclusion": conclusion,
            "warnings": list(found.warnings),
        },
    )


def linked_figure(found: Linked, table: Table) -> Figure:
    """Every system's linked score with two intervals: the link known, and the link as it is."""
    level = f"{100 * found.level:g} %"
    return Figure.of(
        table,
        caption=f"Linked score of each system with two {level} intervals: above as if the lines between the "
        "campaigns were known exactly, below (grey) with their uncertainty included. Scale: "
        f"{found.scale}.",
        panels=[_panel(found, level)],
    )


def _panel(found: Linked, level: str) -> Panel:
    systems = found.systems.with_row_index("place")
    marks: list[Mark] = [
        Intervals(
            low=tuple(systems["lower"]),
            high=tuple(systems["upper"]),
            at=tuple(place + _APART for place in systems["place"].to_list()),
            series=f"{level} with the link",
            tone="faint",
        )
    ]
    for (title, rows), tone in zip(
        systems.group_by("campaign", maintain_order=True), cycle(_TONES), strict=False
    ):
        at = tuple(float(place) for place in rows["place"])
        low, high = tuple(rows["own_lower"]), tuple(rows["own_upper"])
        marks += [
            Intervals(low=low, high=high, at=tuple(place - _APART for place in at), tone=tone),
            Points(x=tuple(rows["linked"]), y=at, series=str(title[0]), tone=tone),
        ]
    marks += [Rule(of="y", at=place - 0.5) for place in group_borders(systems, "campaign")]
    return Panel(
        x=Axis(f"Score on the scale of {found.scale}"),
        y=Axis("", categories=tuple(systems["system_id"])),
        marks=tuple(marks),
    )


def _systems_table(found: Linked) -> Table:
    """All systems, campaign by campaign, on their own scale and on the common one."""
    columns = (
        Column("campaign", "campaign"),
        Column("system_id", "system"),
        Column("score", "own score", 3),
        Column("linked", "linked", 3),
        Column("lower", f"{100 * found.level:g} % from", 3),
        Column("upper", "to", 3),
        Column("sd_own", "± own", 3),
        Column("sd_link", "± link", 3),
        Column("share_of_link", "link, %", 0, per_cent=True),
    )
    return Table(
        name="linked-systems",
        title=f"Systems of all campaigns on the scale of {found.scale}",
        columns=columns,
        rows=in_columns(found.systems, columns),
        notes=(
            "± own: as if the line between the scales were known; ± link: as if the scores were. link, %: "
            "the link's share of the two variances together.",
        ),
        borders=group_borders(found.systems, "campaign"),
    )


def _links_table(found: Linked) -> Table:
    """The line of every link: earlier score = intercept + slope * own score."""
    columns = (
        Column("campaign", "campaign"),
        Column("to", "brought to"),
        Column("through", "through"),
        Column("n_items", "items"),
        Column("intercept", "intercept", 3),
        Column("intercept_sd", "±", 3),
        Column("slope", "slope", 3),
        Column("slope_sd", "±", 3),
        Column("chi2_per_df", "chi2/df", 2),
        Column("residual_sd", "scatter", 3),
    )
    rows = found.links.with_columns(through=pl.col("via").replace_strict(_VIA))
    return Table(
        name="links",
        title="Lines between the scales",
        columns=columns,
        rows=in_columns(rows, columns),
        notes=(
            "chi2/df: 1 where items lie as far from the line as their errors explain; scatter: what goes "
            "beyond that, as a standard deviation of earlier scores.",
        ),
    )


def _pairs_table(found: Linked) -> Table:
    """Pairs of systems of different campaigns."""
    columns = (
        Column("better", "better"),
        Column("better_campaign", "of"),
        Column("worse", "worse"),
        Column("worse_campaign", "of"),
        Column("difference", "difference", 3),
        Column("lower", f"{100 * found.level:g} % from", 3),
        Column("upper", "to", 3),
        Column("p_two_sided", "p", 3, p_value=True),
        Column("p_holm", "p, Holm", 3, p_value=True),
    )
    return Table(
        name="linked-pairs",
        title="Systems of different campaigns",
        columns=columns,
        rows=in_columns(found.pairs, columns),
        notes=(
            "p: two-sided, from the draws. p, Holm: corrected for the number of pairs; a difference is "
            "significant if that is below 0.05.",
        ),
    )

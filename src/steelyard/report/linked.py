"""Linked campaigns for the terminal and for scripts."""

from __future__ import annotations

import json

import polars as pl

from steelyard.domain.exhibit import Column, Table
from steelyard.longitudinal.links import Linked
from steelyard.report import tables
from steelyard.report.characters import printable
from steelyard.report.plain import records

_VIA = {
    "known": "earlier scores of calibration items",
    "calibration": "calibration items judged in both",
    "translations": "translations judged in both",
}
# More pairs than this are left to the JSON document.
_MOST_PAIRS = 30


def to_text(linked: Linked) -> str:
    """Systems on one scale, the lines between campaigns, pairs, and what the link costs in certainty."""
    parts = [systems_table(linked), links_table(linked)]
    if 0 < len(linked.pairs) <= _MOST_PAIRS:
        parts.append(pairs_table(linked))
    blocks = [tables.to_text(table) for table in parts]
    blocks.append("\n".join(conclusion(linked)))
    if linked.warnings:
        blocks.append("\n".join(f"Warning: {printable(warning)}" for warning in linked.warnings))
    blocks.append("\n".join(map(printable, linked.signature.split("\n"))))
    return "\n\n".join(blocks)


def to_json(linked: Linked) -> str:
    """The linked campaigns as an indented JSON document: null for what is unknown, nothing rounded."""
    document = {
        "signature": linked.signature,
        "scale": linked.scale,
        "level": linked.level,
        "links": records(linked.links),
        "systems": records(linked.systems),
        "pairs": records(linked.pairs),
        "conclusion": conclusion(linked),
        "warnings": list(linked.warnings),
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def conclusion(linked: Linked) -> list[str]:
    """A sentence for every link on how much of the uncertainty it brings."""
    return [
        f"{100 * share:.0f} % of the uncertainty of {printable(title)}'s systems comes from the link."
        for title, share in linked.links.select("campaign", "share_of_link").iter_rows()
    ]


def systems_table(linked: Linked) -> Table:
    """All systems, campaign by campaign, on their own scale and on the common one."""
    level = f"{100 * linked.level:g} %"
    columns = (
        Column("campaign", "campaign"),
        Column("system_id", "system"),
        Column("score", "own score", 3),
        Column("linked", "linked", 3),
        Column("lower", f"{level} from", 3),
        Column("upper", "to", 3),
        Column("sd_own", "± own", 3),
        Column("sd_link", "± link", 3),
        Column("share_of_link", "link, %", 0, per_cent=True),
    )
    changes = linked.systems["campaign"].ne_missing(linked.systems["campaign"].shift(1))
    return Table(
        name="linked-systems",
        title=f"Systems of all campaigns on the scale of {linked.scale}",
        columns=columns,
        rows=linked.systems.select(column.name for column in columns),
        notes=(
            "± own: as if the line between the scales were known; ± link: as if the scores were. link, %: "
            "the link's share of both variances together.",
        ),
        borders=tuple(place for place in changes.arg_true().to_list() if place),
    )


def links_table(linked: Linked) -> Table:
    """The line of every link: earlier score = intercept + slope * own score."""
    columns = (
        Column("campaign", "campaign"),
        Column("to", "brought to"),
        Column("told", "through"),
        Column("n_items", "items"),
        Column("intercept", "intercept", 3),
        Column("intercept_sd", "±", 3),
        Column("slope", "slope", 3),
        Column("slope_sd", "±", 3),
        Column("chi2_per_df", "chi2/df", 2),
        Column("residual_sd", "scatter", 3),
    )
    rows = linked.links.with_columns(told=pl.col("via").replace_strict(_VIA))
    return Table(
        name="links",
        title="Lines between the scales",
        columns=columns,
        rows=rows.select(column.name for column in columns),
        notes=(
            "chi2/df: 1 where items lie as far from the line as their errors explain; scatter: what goes "
            "beyond, as a deviation of earlier scores.",
        ),
    )


def pairs_table(linked: Linked) -> Table:
    """Systems of different campaigns beside each other."""
    columns = (
        Column("better", "better"),
        Column("better_campaign", "of"),
        Column("worse", "worse"),
        Column("worse_campaign", "of"),
        Column("difference", "difference", 3),
        Column("lower", f"{100 * linked.level:g} % from", 3),
        Column("upper", "to", 3),
        Column("p_value", "p", 3, p_value=True),
    )
    return Table(
        name="linked-pairs",
        title="Systems of different campaigns",
        columns=columns,
        rows=linked.pairs.select(column.name for column in columns),
        notes=("p: one-sided, that the better is not better; not corrected for the number of pairs.",),
    )

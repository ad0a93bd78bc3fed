"""Systems of several campaigns on one scale, as a table and as a figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from steelyard.domain.draws import LEAST_DRAWS
from steelyard.domain.exhibit import Column, Evidence, ExhibitOptions, Figure, Table
from steelyard.domain.plugin import Exhibit
from steelyard.domain.wording import in_digits
from steelyard.evaluation.linking.settings import LinkOptions
from steelyard.evaluation.linking.study import linked
from steelyard.exhibits._sources import group_borders, signature_of, study_line, table_of
from steelyard.exhibits.studies.linked import linked_figure
from steelyard.longitudinal.links import Linked

_VIA = {
    "known": "calibration items and their earlier scores",
    "calibration": "calibration items judged in both",
    "translations": "translations judged in both",
}


def _table(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Systems of all sources on the scale of the first, with intervals, and the link's share of them.

    Sources are given oldest first; each is brought to the one before by a line through calibration items, for
    standardised scores of different campaigns have no common level [Mathur2018]. A source alone is
    brought to the earlier scores that its calibration items carry. The deviation "own" takes the lines as
    known, "link" the scores; the share is that of the link in both variances together.
    """
    return _table_of(_linked(evidence, options), evidence, options)


def _figure(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """Systems of all sources on one axis, each with two intervals: the link known, and the link as it is.

    Sources are given oldest first, and share the scale of the first through calibration items
    [Mathur2018]. Where the lower interval, in grey, is much the wider, more judgements of systems would not
    help; more calibration items, or more judgements of them, would.
    """
    found = _linked(evidence, options)
    return linked_figure(found, _table_of(found, evidence, options))


def _linked(evidence: Sequence[Evidence], options: ExhibitOptions) -> Linked:
    """The sources linked as a reader of exhibits asks for it."""
    return linked(evidence, LinkOptions(draws=_draws(options), seed=options.seed))


def _table_of(found: Linked, evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """The table of linked sources."""
    level = f"{100 * found.level:g} %"
    via = ",".join(found.links["via"])
    study = study_line(TABLE, via=via, draws=_draws(options), seed=options.seed)
    columns = (
        Column("source", "Campaign"),
        Column("system_id", "System"),
        Column("score", "Own score", 3),
        Column("linked", "Linked score", 3),
        Column("lower", f"{level} from", 3),
        Column("upper", f"{level} to", 3),
        Column("own_lower", "Link known: from", 3),
        Column("own_upper", "Link known: to", 3),
        Column("sd_own", "± own", 3),
        Column("sd_link", "± link", 3),
        Column("share_of_link", "Share of link, %", 0, per_cent=True),
    )
    rows = found.systems.rename({"campaign": "source"})
    return replace(
        table_of(
            TABLE,
            evidence,
            columns,
            rows,
            notes=(f"Linked scores are on the scale of {found.scale}.", *_lines(found), *found.warnings),
            borders=group_borders(rows, "source"),
        ),
        signature=signature_of(evidence, study=study),
    )


def _draws(options: ExhibitOptions) -> int:
    return max(options.draws, LEAST_DRAWS)


def _lines(found: Linked) -> list[str]:
    return [
        f"{row['campaign']} is brought to {row['to']} through {row['n_items']} {_VIA[row['via']]}: "
        f"{in_digits(row['intercept'], 3)} + {row['slope']:.3f} times its own score "
        f"(± {row['intercept_sd']:.3f} and {row['slope_sd']:.3f}); {100 * row['share_of_link']:.0f} % of the "
        "uncertainty of its systems comes from links."
        for row in found.links.iter_rows(named=True)
    ]


TABLE = Exhibit(
    name="linked-systems",
    title="Systems of several campaigns on one scale",
    cite=("Mathur2018",),
    make=_table,
    several=True,
)
FIGURE = Exhibit(
    name="linked-systems",
    title="Systems of several campaigns on one scale",
    cite=("Mathur2018",),
    make=_figure,
    several=True,
)

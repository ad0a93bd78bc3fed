"""An analysis as one self-contained page: no script, no request, light and dark, printable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from steelyard.aggregation import methods
from steelyard.domain.differences import differences
from steelyard.domain.exhibit import Column, Figure, Table
from steelyard.domain.result import Analysis
from steelyard.domain.wording import alarms_of, counted, notes_of
from steelyard.exhibits import figures, tables
from steelyard.exhibits.agreement import report_agreement_table
from steelyard.exhibits.rank_probabilities import expected_ranks_table
from steelyard.exhibits.ranking import ranking_figure, short_ranking_table
from steelyard.exhibits.significance import pairs_table
from steelyard.exhibits.workers import (
    NOT_CHECKED,
    PAYMENT_LABELS,
    VERDICTS,
    excluded_hits,
    excluded_table,
    flags_in_words,
    is_learnt,
    short_workers_table,
    urgent_first,
)
from steelyard.qc import checks
from steelyard.report import tables_html
from steelyard.report.characters import printable
from steelyard.report.drawing.palette import DARK, LIGHT, style_sheet
from steelyard.report.numbers import DASH, number, p_value, percent
from steelyard.report.table_cells import cell
from steelyard.report.text import agreement_line
from steelyard.report.words import brief_title, intervals, settled
from steelyard.review.payment import WORDS as ADVICE

# Sections that exhibits name as their place; all others follow after these.
SECTIONS = ("ranking", "sure", "significance", "errors", "workers", "agreement")
# Fewer workers than this are listed openly, and at most this many that need a look beside the folded list.
FEW_WORKERS, MOST_URGENT = 30, 10
# The numbers in the list of all workers; those that are unknown of everyone are left out.
_NUMBERS = (
    Column("n_judgements", "Judgements"),
    Column("n_pairs", "Control pairs"),
    Column("mean_difference", "Mean drop", 1),
    Column("p_value", "p", 4, p_value=True),
    Column("power", "Power", 2),
    Column("seconds_per_judgement", "Seconds each", 1),
    Column("mean", "Mean rating", 1),
    Column("sd", "Deviation", 1),
)
# What a method may have learnt of workers: the column, its heading, digits, and whether it has a sign.
_MANNERS = (
    ("offset", "Offset", 1, True),
    ("slope", "Slope", 2, False),
    ("weight", "Weight", 2, False),
)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page that the contents at its top lead to."""

    anchor: str
    title: str


def report_html(
    analysis: Analysis, exhibits: Sequence[Table | Figure] = (), missing: Sequence[str] = ()
) -> str:
    """The whole report page. Exhibits are shown in the order given, each in the section it belongs to.

    Without exhibits it still has the ranking, the workers and how the numbers were made. `missing` are
    sentences on what could not be shown, and why.
    """
    placed, sure = _placed(analysis, exhibits), _sure(analysis)
    return (
        templates()
        .get_template("report.html")
        .render(
            analysis=analysis,
            alarms=alarms_of(analysis.warnings),
            notes=[*analysis.notes, *notes_of(analysis.warnings)],
            counts=analysis.counts,
            colours={"light": style_sheet(LIGHT), "dark": style_sheet(DARK)},
            placed=placed,
            missing=missing,
            sections=_sections(analysis, placed, has_draws=bool(sure)),
            best=analysis.systems.filter(pl.col("cluster") == 1)["system_id"].to_list(),
            is_tested=analysis.pairs["p_value"].count() > 0,
            tables=_tables(analysis),
            crew=_crew(analysis),
            sure=sure,
            manners=_manners(analysis.workers),
            method=methods()[analysis.settings.method],
            check=checks().get(analysis.settings.check),
            differences=differences(analysis),
            intervals=intervals(analysis),
            of_preferences="preference" in analysis.agreement["scale"].to_list(),
            settled=settled(analysis.diagnostics),
            agreement=agreement_line(analysis).removeprefix("agreement "),
        )
    )


@cache
def templates() -> Environment:
    """The environment of all pages: whatever a template shows is escaped and printable."""
    environment = Environment(
        loader=PackageLoader("steelyard.report"),
        autoescape=True,
        undefined=StrictUndefined,
        # Whatever a template shows, so that no name can be forgotten.
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": number,
        "p_value": p_value,
        "percent": percent,
        "counted": counted,
        "cell": cell,
    }
    return environment


def _printable(value: Any) -> Any:
    """Text fit for the page; pieces of the page itself were made so where they were written."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _placed(analysis: Analysis, exhibits: Sequence[Table | Figure]) -> dict[str, list[Markup]]:
    """The exhibits as pieces of the page, by section."""
    placed: dict[str, list[Markup]] = {section: [] for section in (*SECTIONS, "further")}
    shown = list(exhibits)
    if not any(isinstance(exhibit, Figure) and exhibit.name == "ranking" for exhibit in shown):
        shown.insert(0, ranking_figure(analysis, short_ranking_table(analysis)))
    for exhibit in shown:
        # The page has its ranking table anyway.
        if isinstance(exhibit, Table) and exhibit.name == "ranking":
            continue
        placed[_section(exhibit)].append(piece(exhibit, analysis.signature, source=analysis.title))
    return placed


def _section(exhibit: Table | Figure) -> str:
    """The section that an exhibit belongs to; one without a place in reports goes with the further ones."""
    known = (figures() if isinstance(exhibit, Figure) else tables()).get(exhibit.name)
    return known.report.section if known is not None and known.report is not None else "further"


def piece(exhibit: Table | Figure, signature: str, *, source: str = "") -> Markup:
    """A table or figure as a piece of a page that bears this signature, and its source's title, itself."""
    if isinstance(exhibit, Figure):
        written = tables_html.figure_html(exhibit, page_signature=signature, source=source)
    else:
        brief = replace(exhibit, title=brief_title(exhibit.title, source))
        written = tables_html.table_html(brief, page_signature=signature)
    # Both writers escape every word.
    return Markup(written)  # noqa: S704


def _tables(analysis: Analysis) -> dict[str, Any]:
    """The tables that every page has, made from the analysis itself."""
    by_attribute = [
        (found.attribute, short_ranking_table(analysis, found.systems, attribute=found.attribute))
        for found in analysis.attributes
    ]
    return {
        "ranking": _open_table(short_ranking_table(analysis)),
        "pairs": _open_table(pairs_table(analysis)),
        "agreement": _noted_table(report_agreement_table(analysis)),
        "excluded": _open_table(excluded_table(analysis)),
        "workers_file": tables_html.csv_link(short_workers_table(analysis)),
        "attributes": [(name, _open_table(table)) for name, table in by_attribute],
    }


def _open_table(table: Table) -> Markup:
    return tables_html.table_grid(table) + Markup('<p class="links">Download: {}</p>').format(
        tables_html.csv_link(table)
    )


def _noted_table(table: Table) -> Markup:
    return _open_table(table) + Markup("").join(
        Markup('<p class="note">{}</p>').format(note) for note in table.notes
    )


def _sure(analysis: Analysis) -> dict[str, Any]:
    """What the section on how sure the order is says; nothing where the method has drawn no scores."""
    table = expected_ranks_table(analysis)
    if table is None:
        return {}
    best = table.rows.sort("p_best", descending=True, maintain_order=True).row(0, named=True)
    return {"best": best["system_id"], "p_best": best["p_best"], "table": _open_table(table)}


def _manners(workers: pl.DataFrame) -> dict[str, Any]:
    """How each worker rates, those of least weight first; nothing where the method has not learnt it."""
    known = [manner for manner in _MANNERS if is_learnt(workers, manner[0])]
    if not known:
        return {}
    return {
        "titles": [title for _, title, _, _ in known],
        "workers": [
            {
                "worker_id": row["worker_id"],
                "numbers": [
                    (title, _with_deviation(row, name, digits=digits, is_signed=is_signed))
                    for name, title, digits, is_signed in known
                ],
                "portrait": row.get("portrait") or DASH,
            }
            for row in workers.sort("weight", "worker_id", nulls_last=True).iter_rows(named=True)
        ],
    }


def _with_deviation(row: dict[str, Any], name: str, *, digits: int, is_signed: bool) -> str:
    """A number with its deviation as far as that is known: +9.2 ± 1.1."""
    value, deviation = row[name], row.get(f"{name}_sd")
    if value is None:
        return DASH
    sign = "+" if is_signed and float(f"{value:.{digits}f}") > 0 else ""
    spread = f" ± {number(deviation, digits)}" if deviation else ""
    return f"{sign}{number(value, digits)}{spread}"


def _sections(analysis: Analysis, placed: dict[str, list[Markup]], *, has_draws: bool) -> list[Section]:
    sections = [Section("ranking", "Ranking")]
    if has_draws:
        sections.append(Section("sure", "How sure"))
    if len(analysis.systems) > 1:
        sections.append(Section("significance", "Significance"))
    if placed["errors"]:
        sections.append(Section("errors", "Marked errors"))
    sections.append(Section("workers", "Workers"))
    if agreement_line(analysis) or placed["agreement"]:
        sections.append(Section("agreement", "Agreement"))
    if placed["further"]:
        sections.append(Section("further", "Further tables and figures"))
    return [*sections, Section("method", "How these numbers were made")]


def _crew(analysis: Analysis) -> dict[str, Any]:
    """What the section on workers says."""
    workers = [_worker(row) for row in urgent_first(analysis.workers).iter_rows(named=True)]
    urgent = [worker for worker in workers if worker["suggestion"] in ("refuse", "look")]
    return {
        "all": workers,
        "urgent": urgent[:MOST_URGENT],
        "n_urgent": len(urgent),
        "is_open": len(workers) <= FEW_WORKERS,
        "verdicts": _counted(analysis.workers["verdict"], VERDICTS.items()),
        "flags": _flag_counts(analysis.workers),
        "advice": _counted(analysis.workers["suggestion"], ADVICE.items()),
        "legend": _legend(analysis.workers),
        "columns": [column for column in _NUMBERS if is_learnt(analysis.workers, column.name)],
        "n_excluded": len(excluded_hits(analysis)),
        "n_by_people": sum(bool(worker.get("excluded")) for worker in workers),
    }


def _worker(row: dict[str, Any]) -> dict[str, Any]:
    excluded = row.get("excluded")
    reasons = [
        excluded and f"Excluded by a person: {excluded}.",
        row["reason"],
        *(row.get("remarks") or ()),
    ]
    return row | {
        "verdict_words": VERDICTS.get(row["verdict"], NOT_CHECKED),
        "excluded": excluded,
        "flag_words": flags_in_words(row["flags"]),
        "advice_label": PAYMENT_LABELS.get(row["suggestion"], ""),
        "why": " ".join(reason for reason in reasons if reason),
    }


def _legend(workers: pl.DataFrame) -> list[tuple[str, str]]:
    """The labels of suggestions that stand in the list, and what they mean where that is more."""
    found = set(workers["suggestion"].drop_nulls())
    return [
        (label, ADVICE[name].rstrip("."))
        for name, label in PAYMENT_LABELS.items()
        if name in found and name != "pay"
    ]


def _counted(column: pl.Series, words: Iterable[tuple[str, str]]) -> list[tuple[int, str]]:
    """How often each of the known words occurs, in their order."""
    counts = dict(column.drop_nulls().value_counts().iter_rows())
    return [(counts[name], said) for name, said in words if counts.get(name)]


def _flag_counts(workers: pl.DataFrame) -> list[tuple[int, str]]:
    counts = (
        workers["flags"]
        .explode()
        .drop_nulls()
        .value_counts()
        .sort("count", "flags", descending=[True, False])
    )
    return [(count, flags_in_words([flag])) for flag, count in counts.iter_rows()]

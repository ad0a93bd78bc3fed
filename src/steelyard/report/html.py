"""An analysis as one self-contained page: no script, no request, light and dark, printable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from steelyard.aggregation import methods
from steelyard.domain.exhibit import Figure, Table
from steelyard.domain.result import Analysis
from steelyard.domain.wording import counted
from steelyard.qc import checks
from steelyard.report import analysis_tables, figures_html, tables_html
from steelyard.report.characters import printable
from steelyard.report.drawing.palette import DARK, LIGHT, style_sheet
from steelyard.report.numbers import DASH, number, p_value, percent
from steelyard.report.words import NOT_CHECKED, VERDICTS, differences, flags_in_words, intervals, settled
from steelyard.review.payment import WORDS as ADVICE

Exhibit = Table | Figure
# Exhibits of these names have a section of their own; the others follow after all of these.
PLACES = {
    "ranking": "ranking",
    "rank-probabilities": "sure",
    "score-posterior": "sure",
    "significance": "significance",
    "worker-parameters": "workers",
    "agreement": "agreement",
}
# Fewer workers than this are listed openly, and at most so many that need a look beside the folded list.
FEW_WORKERS, MOST_URGENT = 30, 10
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


def to_html(analysis: Analysis, exhibits: Sequence[Exhibit] = (), missing: Sequence[str] = ()) -> str:
    """The whole report page. Exhibits are shown in the order given, each in the section it belongs to.

    Without exhibits it still has the ranking, the workers and how the numbers were made. `missing` are
    sentences on what could not be shown, and why.
    """
    placed, sure = _placed(analysis, exhibits), _sure(analysis)
    return (
        _templates()
        .get_template("report.html")
        .render(
            analysis=analysis,
            counts=analysis.counts,
            colours={"light": style_sheet(LIGHT), "dark": style_sheet(DARK)},
            placed=placed,
            missing=missing,
            sections=_sections(analysis, placed, has_draws=bool(sure)),
            best=analysis.systems.filter(pl.col("cluster") == 1)["system_id"].to_list(),
            tables=_tables(analysis),
            crew=_crew(analysis),
            sure=sure,
            manners=_manners(analysis.workers),
            method=methods()[analysis.settings.method],
            check=checks().get(analysis.settings.check),
            differences=differences(analysis.settings),
            intervals=intervals(analysis),
            settled=settled(analysis.diagnostics),
        )
    )


@cache
def _templates() -> Environment:
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
    }
    return environment


def _printable(value: Any) -> Any:
    """Text fit for the page; pieces of the page itself were made so where they were written."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _placed(analysis: Analysis, exhibits: Sequence[Exhibit]) -> dict[str, list[Markup]]:
    """The exhibits as pieces of the page, by section."""
    placed: dict[str, list[Markup]] = {section: [] for section in (*PLACES.values(), "further")}
    shown = list(exhibits)
    if not any(isinstance(exhibit, Figure) and exhibit.name == "ranking" for exhibit in shown):
        score = methods()[analysis.settings.method].title
        shown.insert(0, analysis_tables.ranking_figure(analysis, score))
    for exhibit in shown:
        # The page has its ranking table anyway.
        if isinstance(exhibit, Table) and exhibit.name == "ranking":
            continue
        section = PLACES.get(exhibit.name, "further")
        placed[section].append(_piece(exhibit, analysis.signature))
    return placed


def _piece(exhibit: Exhibit, signature: str) -> Markup:
    if isinstance(exhibit, Figure):
        piece = figures_html.to_html(exhibit, page_signature=signature)
    else:
        piece = tables_html.to_html(exhibit, page_signature=signature)
    # Both writers escape every word.
    return Markup(piece)  # noqa: S704


def _tables(analysis: Analysis) -> dict[str, Any]:
    """The tables that every page has, made from the analysis itself."""

    return {
        "ranking": _open_table(analysis_tables.ranking_table(analysis)),
        "pairs": _open_table(analysis_tables.pairs_table(analysis)),
        "agreement": _open_table(analysis_tables.agreement_table(analysis)),
        "excluded": _open_table(analysis_tables.excluded_table(analysis)),
        "workers_file": tables_html.csv_link(analysis_tables.workers_table(analysis)),
        "attributes": [
            (
                ranking.attribute,
                _open_table(
                    analysis_tables.ranking_table(analysis, ranking.systems, attribute=ranking.attribute)
                ),
            )
            for ranking in analysis.attributes
        ],
    }


def _open_table(table: Table) -> Markup:
    return tables_html.table_grid(table) + Markup('<p class="links">Download: {}</p>').format(
        tables_html.csv_link(table)
    )


def _sure(analysis: Analysis) -> dict[str, Any]:
    """What the section on how sure the order is says; nothing where the method has drawn no scores."""
    table = analysis_tables.ranks_table(analysis)
    if table is None or len(table.rows) < 2:
        return {}
    best = table.rows.sort("p_best", descending=True, maintain_order=True).row(0, named=True)
    return {"best": best["system_id"], "p_best": best["p_best"], "table": _open_table(table)}


def _manners(workers: pl.DataFrame) -> dict[str, Any]:
    """How each worker rates, those of least weight first; nothing where the method has not learnt it."""
    known = [manner for manner in _MANNERS if analysis_tables.is_known(workers, manner[0])]
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
    sections.append(Section("workers", "Workers"))
    if len(analysis.agreement) or placed["agreement"]:
        sections.append(Section("agreement", "Agreement"))
    if placed["further"]:
        sections.append(Section("further", "Further tables and figures"))
    return [*sections, Section("method", "How these numbers were made")]


def _crew(analysis: Analysis) -> dict[str, Any]:
    """What the section on workers says."""
    workers = [_worker(row) for row in analysis_tables.urgent_first(analysis.workers).iter_rows(named=True)]
    urgent = [worker for worker in workers if worker["suggestion"] in ("refuse", "look")]
    return {
        "all": workers,
        "urgent": urgent[:MOST_URGENT],
        "n_urgent": len(urgent),
        "is_open": len(workers) <= FEW_WORKERS,
        "verdicts": _counted(analysis.workers["verdict"], VERDICTS.items()),
        "flags": _flag_counts(analysis.workers),
        "advice": _counted(analysis.workers["suggestion"], ADVICE.items()),
        "n_excluded": len(analysis_tables.excluded_hits(analysis)),
    }


def _worker(row: dict[str, Any]) -> dict[str, Any]:
    reasons = [row["reason"], *(row.get("remarks") or ())]
    return row | {
        "verdict_words": VERDICTS.get(row["verdict"], NOT_CHECKED),
        "flag_words": flags_in_words(row["flags"]),
        "advice_words": ADVICE.get(row["suggestion"], ""),
        "why": " ".join(reason for reason in reasons if reason),
    }


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

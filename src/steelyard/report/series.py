"""A series of campaigns: as JSON for scripts, and as a page that leads to the reports of its campaigns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.domain.series import AnalysedCampaign
from steelyard.domain.wording import alarms_of
from steelyard.exhibits.ranking import short_ranking_table
from steelyard.exhibits.studies.series import series_table
from steelyard.report import tables_html
from steelyard.report.drawing.palette import DARK, LIGHT, style_sheet
from steelyard.report.html import piece, templates


def series_json(name: str, records: Sequence[Mapping[str, Any]]) -> str:
    """The records of a series, one line for each campaign."""
    lines = [f"    {json.dumps(record, ensure_ascii=False, allow_nan=False)}" for record in records]
    listed = "[\n" + ",\n".join(lines) + "\n  ]"
    return f'{{\n  "series": {json.dumps(name, ensure_ascii=False)},\n  "campaigns": {listed}\n}}\n'


def series_html(name: str, campaigns: Sequence[AnalysedCampaign], pages: Mapping[str, str]) -> str:
    """The page of a series: an overview, each ranking in short, and links to the full reports.

    `pages`: by name of the campaign, where its own report lies, seen from this page.
    """
    return (
        templates()
        .get_template("series.html")
        .render(
            name=name,
            overview=piece(series_table(name, campaigns), ""),
            campaigns=[
                {
                    "name": one.name,
                    "anchor": f"campaign-{number}",
                    "title": one.name if one.analysis is None else one.analysis.title,
                    "page": pages.get(one.name),
                    "problem": one.problem,
                    "ranking": one.analysis and tables_html.table_grid(short_ranking_table(one.analysis)),
                    "signature": one.analysis and one.analysis.signature,
                    "warnings": () if one.analysis is None else alarms_of(one.analysis.warnings),
                }
                for number, one in enumerate(campaigns, start=1)
            ],
            colours={"light": style_sheet(LIGHT), "dark": style_sheet(DARK)},
        )
    )

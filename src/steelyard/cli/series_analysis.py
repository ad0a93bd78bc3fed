"""`steelyard analyse` and `report` over all campaigns of a series."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.analysis_options import evidence_from
from steelyard.cli.options import keep_sources, write_text
from steelyard.cli.over_series import campaign_records, ended, file_of_campaign, say_each, spelt
from steelyard.cli.report_files import report_files

if TYPE_CHECKING:
    from steelyard.domain.result import Analysis
    from steelyard.domain.running import CampaignState
    from steelyard.domain.series import AnalysedCampaign
    from steelyard.flows.series import CampaignPlace, Outcome, Series

# Options that say how a file is read.
OF_FILES = ("scale", "gold_scale", "columns", "hit_times", "domains")


@dataclass(frozen=True)
class Targets:
    """Files and folders to write besides what is printed; each campaign gets its own."""

    segments_file: Path | None = None
    metric_folder: Path | None = None
    gold_name: str | None = None
    html_file: str | None = None
    latex_folder: Path | None = None


def analyse_series(series: Series, targets: Targets, json_file: str | None, choices: dict[str, Any]) -> int:
    """Analyse each campaign; prints each under its name, and an overview of all."""
    from steelyard.report.json import analysis_record
    from steelyard.report.series import series_json
    from steelyard.report.tables import table_text
    from steelyard.report.text import analysis_text

    keep_sources([place.address for place in series.places], targets.segments_file, json_file)
    states: dict[str, CampaignState] = {}
    outcomes = _outcomes(series, targets, choices, states)
    if json_file:
        found = campaign_records(outcomes, analysis_record)
        write_text(series_json(series.name, found), json_file)
    if json_file != "-":
        from steelyard.exhibits.studies.series import series_table

        say_each(outcomes, analysis_text)
        click.echo(table_text(series_table(series.name, _analysed(outcomes, states))))
    return ended(outcomes)


def report_series(series: Series, targets: Targets, choices: dict[str, Any]) -> int:
    """Write a page of the whole series, and the report of each campaign into a folder beside it."""
    from steelyard.report.series import series_html

    html_file = targets.html_file
    if html_file == "-":
        raise click.UsageError("The report of a series is several files: name the first with --html FILE.")
    if html_file is not None and not Path(html_file).suffix:
        raise click.UsageError(
            f"The reports of the campaigns go into a folder {html_file}: write {html_file}.html."
        )
    keep_sources([place.address for place in series.places], html_file)
    states: dict[str, CampaignState] = {}
    outcomes = _outcomes(series, targets, choices, states)
    if html_file is not None:
        pages = {one.name: f"{Path(html_file).stem}/{one.name}.html" for one in outcomes if one.result}
        write_text(series_html(series.name, _analysed(outcomes, states), pages), html_file)
        click.echo(
            f"Report of {len(pages)} campaigns in {html_file} and the folder {_pages_folder(html_file)}"
        )
    if targets.latex_folder is not None:
        click.echo(f"Reports for LaTeX in the folders of {targets.latex_folder}")
    return ended(outcomes)


def _outcomes(
    series: Series, targets: Targets, choices: dict[str, Any], states: dict[str, CampaignState]
) -> list[Outcome[Analysis]]:
    """Analyse each campaign, and write down the state of each into `states`."""
    from steelyard.flows.open import open_campaign
    from steelyard.flows.series import for_each
    from steelyard.flows.state import campaign_state

    given = [name for name in OF_FILES if choices.get(name) is not None]
    if given:
        option = f"--{given[0].replace('_', '-')}"
        raise click.UsageError(f"{option} says how a file is read, and this is a series of campaigns.")

    def act(place: CampaignPlace) -> Analysis:
        with open_campaign(place.address) as campaign:
            states[place.name] = campaign_state(campaign)
        return _analysed_place(place, targets, choices)

    return for_each(series, act)


def _analysed_place(place: CampaignPlace, targets: Targets, choices: dict[str, Any]) -> Analysis:
    [evidence] = evidence_from([place.address], choices)
    analysis = evidence.analysis
    if targets.segments_file:
        from steelyard.formats.table_file import write_table

        write_table(analysis.segments, file_of_campaign(targets.segments_file, place.name))
    if targets.metric_folder:
        from steelyard.flows.metric_folder import write_metric_folder

        write_metric_folder(place.address, evidence, targets.metric_folder, gold_name=targets.gold_name)
    if targets.html_file or targets.latex_folder:
        from steelyard.report.whole_files import made_folder

        made = report_files(evidence)
        if targets.html_file:
            folder = made_folder(_pages_folder(targets.html_file))
            made.write_html(str(folder / f"{place.name}.html"))
        if targets.latex_folder:
            made.write_latex(made_folder(targets.latex_folder) / place.name)
    return analysis


def _pages_folder(html_file: str) -> Path:
    return Path(html_file).with_suffix("")


def _analysed(outcomes: list[Outcome[Analysis]], states: dict[str, CampaignState]) -> list[AnalysedCampaign]:
    from steelyard.domain.series import AnalysedCampaign

    return [
        AnalysedCampaign(one.name, states.get(one.name), one.result, spelt(one.error)) for one in outcomes
    ]

"""An analysis, and what it can do: print, draw and save itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.api.choices import StudyChoices
from steelyard.api.display import Exhibiting
from steelyard.api.reading import source_of
from steelyard.api.waiting import shown_progress
from steelyard.domain.exhibit import Evidence, ExhibitOptions
from steelyard.domain.options import require_known_names
from steelyard.domain.result import Analysis as AnalysisRecord
from steelyard.flows.analyse import weigh
from steelyard.flows.settings import settings_from

if TYPE_CHECKING:
    from steelyard.domain.exhibit import Figure as FigureRecord
    from steelyard.domain.exhibit import Table
    from steelyard.domain.study import StudyResult

# The exhibit that is meant where none is named.
_FIRST = "ranking"


@dataclass(frozen=True, repr=False)
class Analysis(Exhibiting, AnalysisRecord):
    """Quality control, scores and a ranking. A notebook shows the ranking as a table and a figure.

    `systems`, `workers`, `pairs`, `segments` and `hits` are data frames; `warnings` and `signature` belong
    beside every number that is published.

    >>> analysis = sy.analyse(judgements, method="mean-z", check="none", seed=7)
    >>> analysis.systems.select("system_id", "rank").rows()[:2]
    [('brass', 1), ('copper', 2)]
    >>> analysis.systems.to_pandas()["system_id"].tolist()[:2]
    ['brass', 'copper']
    """

    evidence: Evidence | None = field(default=None, repr=False, compare=False)

    @property
    def ranking(self) -> str:
        """The systems in order, clusters apart, for the terminal.

        >>> print(analysis.ranking.splitlines()[0])
        rank  system   score   95 % interval  mean  segments    n
        """
        from steelyard.report.text import ranking_text

        return ranking_text(self)

    def to_html(self, path: str | PathLike[str]) -> None:
        """Write the report as one self-contained page.

        >>> analysis.to_html("report.html")
        """
        from steelyard.flows.exhibit import report_exhibits
        from steelyard.report.html import report_html
        from steelyard.report.whole_files import write_whole

        exhibits, missing = report_exhibits(self._known(), self._options({}))
        write_whole(Path(path), report_html(self, exhibits, missing).encode())

    def to_latex(self, folder: str | PathLike[str]) -> None:
        """Write the report for LaTeX: tables, figures and a document that holds them.

        >>> analysis.to_latex("paper")
        """
        from steelyard.flows.exhibit import report_exhibits
        from steelyard.report.latex import write_latex

        write_latex(Path(folder), self, *report_exhibits(self._known(), self._options({})))

    def to_json(self) -> str:
        """The analysis as the JSON that `steelyard analyse --json` gives.

        >>> import json
        >>> json.loads(analysis.to_json())["signature"] == analysis.signature
        True
        """
        from steelyard.report.json import analysis_json

        return analysis_json(self)

    def _result(self) -> StudyResult:
        from steelyard.exhibits.studies.overviews import analysis_overview

        return analysis_overview(self)

    def _make_table(self, name: str | None, options: Mapping[str, Any]) -> Table:
        from steelyard.flows.exhibit import make_table

        return make_table(name or _FIRST, [self._known()], self._options(options))

    def _make_figure(self, name: str | None, options: Mapping[str, Any]) -> FigureRecord:
        from steelyard.flows.exhibit import make_figure

        return make_figure(name or _FIRST, [self._known()], self._options(options))

    def _known(self) -> Evidence:
        assert self.evidence is not None
        return self.evidence

    def _options(self, options: Mapping[str, Any]) -> ExhibitOptions:
        usual = {"seed": self.settings.seed, "draws": self.settings.method_settings.draws}
        known = [field.name for field in fields(ExhibitOptions)]
        require_known_names(options, known, within="exhibits")
        return ExhibitOptions(**(usual | dict(options)))


def analyse(judgements: Any, **options: Any) -> Analysis:
    """Quality control, scores and ranking of judgements, or of anything that `read` takes.

    Which ratings count: `check` ("none" keeps everyone; else the campaign's own, or "paired-t"),
    `check_attributes`, `require_consistency`, `keep`, `keep_hits`, `exclusions`, `attribute`.
    How they become scores: `method`, `unit`, `standardise_over`, `standardise_per`, `standardise_without`,
    `draws`, `seed`; and a ranking: `test`, `correction`, `clusters`. `recipe` makes these choices as the
    organisers of a WMT did. Single methods and checks have more, such as `gold_form`; where `judgements` are
    yet to be read, so has `read`. They are the options of `steelyard analyse`, with underscores; a name or
    value that does not exist is answered with those that do.

    >>> analysis = sy.analyse("judgements.csv", method="mean-rating", check="none")
    >>> analysis.counts.workers
    10
    """
    source = source_of(judgements, options)
    settings = settings_from(source, **StudyChoices("an analysis", options).of_analysis())
    with shown_progress("Analysing"):
        evidence = weigh(source, settings)
    return Analysis._of(evidence.analysis, evidence=evidence)

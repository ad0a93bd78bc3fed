"""Exhibits by name: a table or figure made from one or more sources, and those of the full report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from steelyard.domain.errors import ChoiceError, NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Figure, Table
from steelyard.domain.plugin import Exhibit
from steelyard.domain.result import Analysis
from steelyard.exhibits.figures import figures
from steelyard.exhibits.figures.worker_parameters import has_parameters
from steelyard.exhibits.tables import tables

# What a reader wants first, in that order.
REPORT_FIGURES = (
    *("ranking", "significance", "p-against-pace", "repeat-against-first", "rating-histograms", "agreement"),
)
# Shown where the method has drawn scores, and where it has learnt something of workers: under other methods
# nobody misses them.
DRAWN_FIGURES = ("rank-probabilities", "score-posterior")
LEARNT_FIGURES = ("worker-parameters",)
REPORT_TABLES = ("pass-counts", "agreement")
N_IN_REPORT = len((*REPORT_FIGURES, *DRAWN_FIGURES, *LEARNT_FIGURES, *REPORT_TABLES))


def make_table(name: str, evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """The table of that name."""
    made = _named(tables(), name, "table", evidence).make(evidence, options)
    assert isinstance(made, Table)
    return made


def make_figure(name: str, evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """The figure of that name."""
    made = _named(figures(), name, "figure", evidence).make(evidence, options)
    assert isinstance(made, Figure)
    return made


def report_exhibits(
    evidence: Evidence, options: ExhibitOptions, *, step: Callable[[int], None] = lambda _: None
) -> tuple[list[Table | Figure], list[str]]:
    """The exhibits of the full report, and a sentence on each that the data cannot support.

    `step` is told how many more of the `N_IN_REPORT` are done with.
    """
    shown = [*REPORT_FIGURES, *_further_figures(evidence.analysis)]
    wanted = [figures()[name] for name in shown] + [tables()[name] for name in REPORT_TABLES]
    made: list[Table | Figure] = []
    missing: list[str] = []
    for exhibit in wanted:
        try:
            made.append(exhibit.make([evidence], options))
        except NotEnoughData as problem:
            missing.append(f"{exhibit.title} is not shown: {_continued(str(problem))}")
        step(1)
    step(N_IN_REPORT - len(wanted))
    return made, missing


def _further_figures(analysis: Analysis) -> list[str]:
    """Figures of what only some methods find, as far as this one has."""
    # The draws of a single system have no order.
    drawn = DRAWN_FIGURES if analysis.draws is not None and len(analysis.systems) > 1 else ()
    learnt = LEARNT_FIGURES if has_parameters(analysis) else ()
    return [*drawn, *learnt]


def _continued(sentence: str) -> str:
    """A sentence as it goes on after a colon; one that begins with an abbreviation stays as it is."""
    is_word = sentence[1:2].islower() or sentence[1:2] == " "
    return sentence[:1].lower() + sentence[1:] if is_word else sentence


def _named(found: Mapping[str, Exhibit], name: str, noun: str, evidence: Sequence[Evidence]) -> Exhibit:
    if name not in found:
        raise ChoiceError(f"There is no {noun} {name!r}. Use one of: {', '.join(found)}.")
    exhibit = found[name]
    if len(evidence) > 1 and not exhibit.several:
        raise ChoiceError(f"The {noun} {name!r} is made from one source, not from {len(evidence)}.")
    return exhibit

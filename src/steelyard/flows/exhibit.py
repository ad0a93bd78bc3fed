"""Exhibits by name: a table or figure made from one or more sources, and those of the full report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from steelyard.domain.errors import ChoiceError, NotEnoughData, as_command_line
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Figure, Table
from steelyard.domain.nearest import no_such
from steelyard.domain.plugin import Exhibit, ReportPlace
from steelyard.exhibits import figures, tables


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


def n_in_report() -> int:
    """How many exhibits a full report may have."""
    return len(_of_report())


def report_exhibits(
    evidence: Evidence, options: ExhibitOptions, *, step: Callable[[int], None] = lambda _: None
) -> tuple[list[Table | Figure], list[str]]:
    """The exhibits of the full report, and a sentence on each that the data cannot support.

    `step` is called with 1 for each of the `n_in_report` when it is done with.
    """
    made: list[Table | Figure] = []
    missing: list[str] = []
    for place, exhibit in _of_report():
        if place.wanted(evidence.analysis) and not (exhibit.of_spans and evidence.spans is None):
            try:
                made.append(exhibit.make([evidence], options))
            except NotEnoughData as problem:
                reason = _continued(problem.spelt(as_command_line))
                missing.append(f"{exhibit.title} is not shown: {reason}")
        step(1)
    return made, missing


def _of_report() -> list[tuple[ReportPlace, Exhibit]]:
    """The exhibits that have a place in the full report, in their order."""
    known = [*figures().values(), *tables().values()]
    placed = [(exhibit.report, exhibit) for exhibit in known if exhibit.report is not None]
    return sorted(placed, key=lambda found: found[0].order)


def _continued(sentence: str) -> str:
    """A sentence as it goes on after a colon; one that begins with an abbreviation stays as it is."""
    is_word = sentence[1:2].islower() or sentence[1:2] == " "
    return sentence[:1].lower() + sentence[1:] if is_word else sentence


def _named(found: Mapping[str, Exhibit], name: str, noun: str, evidence: Sequence[Evidence]) -> Exhibit:
    if name not in found:
        raise ChoiceError(no_such(noun, name, found))
    exhibit = found[name]
    if len(evidence) > 1 and not exhibit.several:
        raise ChoiceError(f"The {noun} {name!r} is made from one source, not from {len(evidence)}.")
    return exhibit

"""How far each two workers agree about errors."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.domain.exhibit import Column, Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit
from steelyard.exhibits._sources import table_of
from steelyard.exhibits.span_agreement import found_agreement


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Agreement of every two workers who judged translations in common, those with most of them first.

    Precision: how much of the first worker's marks the second's confirm; recall: the reverse
    [Perrella2026]. Neither is right: a low precision beside a high recall says that the first marks more.
    Correlations need ten translations.
    """
    found = found_agreement(evidence[0], options)
    marks, how_much = "Marks", "Correlation"
    columns = (
        Column("worker_a", "Worker"),
        Column("worker_b", "and worker"),
        Column("n_translations", "Translations"),
        Column("n_marks_a", "by the first", group="Errors marked"),
        Column("n_marks_b", "by the second", group="Errors marked"),
        Column("precision", "precision", 3, group=marks),
        Column("recall", "recall", 3, group=marks),
        Column("f", "F", 3, group=marks),
        Column("characters_f", "Characters, F", 3),
        Column("severity", "Same severity, %", 1, per_cent=True),
        Column("count_pearson", "numbers, Pearson", 3, group=how_much),
        Column("count_kendall", "numbers, Kendall", 3, group=how_much),
        Column("score_pearson", "scores, Pearson", 3, group=how_much),
    )
    notes = ("Scores are minus the usual weights of the errors marked (mtme).",)
    return table_of(TABLE, evidence, columns, found.couples, notes=notes)


TABLE = Exhibit(
    name="span-agreement-pairs",
    title="Agreement on marked errors, worker by worker",
    cite=("Perrella2026",),
    make=make,
    of_spans=True,
)

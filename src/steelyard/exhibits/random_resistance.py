"""What normalisation makes of workers who click at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from steelyard.domain.exhibit import Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit
from steelyard.evaluation.normalisation.study import fit_all, random_resistance, ready_normalisation
from steelyard.exhibits._gold import gold_signature, settings_for
from steelyard.exhibits._sources import title_of
from steelyard.exhibits.normalisation import EVERYBODY
from steelyard.exhibits.studies.normalisation import resistance_table


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Five workers who click at random: their weights, and how far they move the scores of each method.

    As [Denkowski2010, table 2]: two click anywhere on the scale; three about a third, a half and two thirds
    of it, with a deviation of a third. Each judges every translation once. Δ is their mean distance from
    the expert and K_Δ what that is beyond chance, both of ratings as they were given, before any shift. A
    method resists if they get little weight, if scores with and without them correlate highly, and if it
    comes as close to the expert as before. Who clicks where most of the expert's ratings are gets some
    weight.
    """
    source = evidence[0]
    study = ready_normalisation(source.frame, settings_for(source, options, methods=options.methods))
    workers, methods = random_resistance(study, fit_all(study))
    made = resistance_table(workers, methods)
    return replace(
        made,
        title=title_of(TABLE, evidence),
        notes=(*made.notes, f"{EVERYBODY} Random numbers from seed {options.seed}."),
        signature=gold_signature(TABLE, evidence, study.settings),
    )


TABLE = Exhibit(
    name="random-resistance",
    title="Resistance to random workers",
    cite=("Denkowski2010",),
    make=make,
    of_everyone=True,
    runs_methods=True,
)

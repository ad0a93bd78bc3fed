"""Ways of normalising ratings side by side, compared with an expert's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from steelyard.domain.exhibit import Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit
from steelyard.evaluation.normalisation.study import normalise_frame
from steelyard.exhibits._gold import gold_signature, settings_for
from steelyard.exhibits._sources import title_of
from steelyard.exhibits.studies.normalisation import normalisation_table

# The signature below an exhibit is the analysis', which may leave workers out.
EVERYBODY = "From everybody's judgements, whatever the check found."


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Six normalisations of everybody's ratings, and mean z and the worker model, beside an expert's.

    As [Denkowski2010, table 1]: judgements retained; Pearson's correlation of final scores with the expert's
    ratings, and their mean distance Δ; agreement P(A) and K = (P(A) - P(E)) / (1 - P(E)) with a chance of 1
    over the number of categories, after rounding; the same among workers, over all pairs of judgements of a
    translation that were retained. There, weights come from the gold that they are then tested on. So the
    second half of the table has the same figures for scores whose gold was hidden while they were made:
    believe these. Nobody is left out by a check, and judgements of gold items count as any others of
    their translation. Intervals of the difference to the straight average come from drawing gold translations
    again, and each holds for itself; the best of several methods looks better than it is, which the
    conclusion below the table allows for.
    """
    source = evidence[0]
    settings = settings_for(source, options, methods=options.methods, random_workers=False)
    found = normalise_frame(source.frame, settings)
    made = normalisation_table(found)
    return replace(
        made,
        title=title_of(TABLE, evidence),
        notes=(*made.notes, EVERYBODY, found.conclusion, *found.warnings),
        signature=gold_signature(TABLE, evidence, found.settings, held_out=True),
    )


TABLE = Exhibit(
    name="normalisation",
    title="Normalisation against an expert",
    cite=("Denkowski2010",),
    make=make,
    of_everyone=True,
    runs_methods=True,
)

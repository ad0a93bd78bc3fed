"""Shared by the table and the figure of change over years."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.domain.exhibit import Evidence, ExhibitOptions
from steelyard.domain.plugin import Exhibit
from steelyard.exhibits._sources import signature_of, study_line
from steelyard.longitudinal.study import Longitudinal, PairRatings, StudySettings, compare_years


def years_signature(exhibit: Exhibit, evidence: Sequence[Evidence], options: ExhibitOptions) -> str:
    """The signatures of the sources, and of how their cells were made up and intervals drawn."""
    cells = ",".join(f"{cell}={'+'.join(systems)}" for cell, systems in options.cells)
    study = study_line(exhibit, cells=cells, draws=options.draws, seed=options.seed)
    return signature_of(evidence, study=study)


def compared(evidence: Sequence[Evidence], options: ExhibitOptions) -> Longitudinal:
    """The comparison of years that the sources support; each source's title names its language pair."""
    sources = [
        PairRatings(source.title, source.kept, source.analysis.settings.method_settings)
        for source in evidence
    ]
    settings = StudySettings(
        cells=options.cells,
        metrics=options.cell_metrics,
        draws=options.draws,
        level=evidence[0].analysis.settings.method_settings.level,
    )
    return compare_years(sources, settings, np.random.default_rng(options.seed))

"""Shared by the exhibits that compare scores with an expert's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from steelyard.domain.exhibit import Evidence, ExhibitOptions
from steelyard.domain.plugin import Exhibit
from steelyard.evaluation.normalisation.settings import NormalisationSettings
from steelyard.exhibits._sources import signature_of, study_line


def settings_for(
    source: Evidence, options: ExhibitOptions, *, methods: tuple[str, ...], random_workers: bool = True
) -> NormalisationSettings:
    """How methods are compared with the gold of a source, with its own analysis and the exhibit's seed."""
    analysis = replace(source.analysis.settings, seed=options.seed)
    return NormalisationSettings(methods=methods, random_workers=random_workers, analysis=analysis)


def gold_signature(
    exhibit: Exhibit, evidence: Sequence[Evidence], settings: NormalisationSettings, *, held_out: bool = False
) -> str:
    """The signatures of the sources, and of which methods were fitted to everybody's ratings.

    `held_out`: parts of the gold were hidden in turn, so their number matters.
    """
    study = study_line(
        exhibit,
        qc="none",
        methods=",".join(settings.methods),
        folds=settings.folds if held_out else None,
        seed=settings.analysis.seed,
    )
    return signature_of(evidence, study=study)

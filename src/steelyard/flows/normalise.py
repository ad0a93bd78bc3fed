"""From ratings and an expert's to a Normalisation: which way of weighing workers comes closest?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from steelyard.domain.result import MethodSettings
from steelyard.domain.scale import VAS, Scale
from steelyard.evaluation.normalisation.settings import Normalisation, NormalisationSettings
from steelyard.evaluation.normalisation.study import ready_normalisation, run_normalisation
from steelyard.flows.excluded import counted_ratings
from steelyard.flows.kept import require_frame
from steelyard.flows.quality import of_attributes
from steelyard.flows.signature import signed_method_options
from steelyard.flows.source import Source
from steelyard.flows.watching import Progress, unseen
from steelyard.version import __version__

# Choices that are named only where they differ from the usual.
_RARE = {
    "unit": "unit",
    "over": "standardise_over",
    "per": "standardise_per",
    "least": "minimum_ratings",
}


def normalise(
    source: Source, settings: NormalisationSettings, *, progress: Progress = unseen
) -> Normalisation:
    """How close the scores of each method come to an expert's, on everybody's ratings of a source.

    Nobody is checked and nobody left out beforehand. The same input gives the same answer.
    """
    require_frame(source, "ratings")
    attribute = settings.analysis.attribute
    frame = of_attributes(source.frame, None if attribute is None else (attribute,))
    counted = counted_ratings(frame, source, settings.analysis)
    study = ready_normalisation(counted.frame, settings)
    with progress("Normalising", study.n_fits) as step:
        found = run_normalisation(study, step=step)
    return replace(
        found,
        title=source.title,
        signature=_signature(found, source, counted.signed),
        warnings=(*source.warnings, *counted.warnings, *found.warnings),
    )


def _signature(found: Normalisation, source: Source, signed: Mapping[str, str | None]) -> str:
    """Every choice that was made; rare ones only where they differ from the usual."""
    settings = found.settings
    method, usual = settings.analysis.method_settings, MethodSettings()
    rare = {
        name: getattr(method, field)
        for name, field in _RARE.items()
        if getattr(method, field) != getattr(usual, field)
    }
    parts = {
        "steelyard": ".".join(__version__.split(".")[:2]),
        "campaign": source.campaign,
        "protocol": source.protocol,
        "weights": source.weights,
        "attribute": settings.analysis.attribute,
        "qc": "none",
        **signed,
        "gold": found.n_gold,
        "folds": found.n_folds,
        "methods": ",".join(settings.methods),
        **rare,
        "without": ",".join(method.standardise_without) or None,
        **signed_method_options(method),
        "scale": _ends(method.scale) if method.scale != VAS else None,
        "gold-scale": None if method.gold_scale is None else _ends(method.gold_scale),
        "random": "5" if settings.random_workers else None,
        "seed": settings.analysis.seed,
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items() if value is not None)


def _ends(scale: Scale) -> str:
    return f"{scale.minimum:g},{scale.maximum:g}"

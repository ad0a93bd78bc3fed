"""From ratings to an Evaluation: which method comes closest to what others said of the same items?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from steelyard.domain.result import AnalysisSettings, MethodSettings
from steelyard.domain.scale import VAS
from steelyard.evaluation.comparison import ready_trials, run_trials
from steelyard.evaluation.settings import PASSING, Evaluation, EvaluationSettings
from steelyard.flows.excluded import counted_ratings
from steelyard.flows.kept import require_frame
from steelyard.flows.quality import of_attributes
from steelyard.flows.signature import signed_method_options
from steelyard.flows.source import Source
from steelyard.flows.watching import Progress, unseen
from steelyard.version import __version__


def evaluate(source: Source, settings: EvaluationSettings, *, progress: Progress = unseen) -> Evaluation:
    """How close methods come to a truth they have not seen, on the ratings of a source.

    Nobody is left out beforehand: workers are checked only for methods that end in -passing, and for
    truths that ask for it. The same input gives the same answer.
    """
    require_frame(source, "ratings")
    asked = settings.analysis
    frame = of_attributes(source.frame, None if asked.attribute is None else (asked.attribute,))
    counted = counted_ratings(frame, source, asked)
    # For its refusal only: which ratings a check is about is up to the trials.
    of_attributes(counted.frame, asked.check_attributes)
    trials = ready_trials(counted.frame, settings)
    with progress("Trying methods", trials.n_fits) as step:
        found = run_trials(trials, step=step)
    return replace(
        found,
        title=source.title,
        signature=_signature(found.settings, source, counted.signed),
        warnings=(*source.warnings, *counted.warnings, *found.warnings),
    )


def _signature(settings: EvaluationSettings, source: Source, signed: Mapping[str, str | None]) -> str:
    """Every choice that was made; rare ones only where they differ from the usual."""
    method, usual = settings.analysis.method_settings, MethodSettings()
    by_part = settings.level == "segments"
    parts = {
        "steelyard": ".".join(__version__.split(".")[:2]),
        "campaign": source.campaign,
        "protocol": source.protocol,
        "weights": source.weights,
        "attribute": settings.analysis.attribute,
        **signed,
        "level": settings.level,
        "truth": settings.truth,
        "share": f"{settings.share:g}" if settings.splits_workers else None,
        "least": settings.least if by_part and settings.truth != "gold" else None,
        "ratings": ",".join(map(str, settings.ratings)) if by_part else None,
        "spam": ",".join(f"{share:g}" for share in settings.spam),
        "methods": ",".join(settings.methods),
        "qc": _check(settings.analysis) if _uses_check(settings) else None,
        "over": method.standardise_over if method.standardise_over != usual.standardise_over else None,
        "without": ",".join(method.standardise_without) or None,
        "per": method.standardise_per if method.standardise_per != usual.standardise_per else None,
        **signed_method_options(method),
        "scale": f"{method.scale.minimum:g},{method.scale.maximum:g}" if method.scale != VAS else None,
        "draws": settings.draws,
        "seed": settings.analysis.seed,
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items() if value is not None)


def _uses_check(settings: EvaluationSettings) -> bool:
    return settings.truth in ("passing", "all") or any(name.endswith(PASSING) for name in settings.methods)


def _check(settings: AnalysisSettings) -> str:
    about = f"({','.join(settings.check_attributes)})" if settings.check_attributes else ""
    return settings.check + about

"""The signature: one line from which a stranger can recompute an analysis."""

from __future__ import annotations

from steelyard.aggregation import methods
from steelyard.domain.result import LEAST_PAIRS, NO_CHECK, AnalysisSettings, Counts, MethodSettings
from steelyard.domain.scale import VAS, Scale
from steelyard.version import __version__


def signature(settings: AnalysisSettings, counts: Counts, *, campaign: str, protocol: str | None) -> str:
    """Every choice that was made; rare ones only where they differ from the usual."""
    method, usual = settings.method_settings, MethodSettings()
    parts = {
        "steelyard": ".".join(__version__.split(".")[:2]),
        "campaign": campaign,
        "protocol": protocol,
        "attribute": settings.attribute,
        "qc": _quality(settings),
        "kept": f"{counts.kept_judgements}/{counts.judgements}",
        "method": settings.method,
        "unit": method.unit,
        "over": method.standardise_over,
        "per": method.standardise_per if method.standardise_per != usual.standardise_per else None,
        "test": _test(settings),
        "clusters": settings.clusters,
        "offset": method.offset_per if method.offset_per != usual.offset_per else None,
        "ends": method.ends if method.ends != usual.ends else None,
        "clicks": "random" if method.random_clicks else None,
        "gold-form": method.gold_form if method.gold_form != usual.gold_form else None,
        "gold-expected": method.gold_expected if method.gold_expected != usual.gold_expected else None,
        "vote-by": method.vote_by if method.vote_by != usual.vote_by else None,
        "without-gold": method.without_gold if method.without_gold != usual.without_gold else None,
        "p": _limit(settings) if _limit(settings) != _limit(AnalysisSettings()) else None,
        "pairs": settings.least_pairs if settings.least_pairs != LEAST_PAIRS else None,
        "least": method.minimum_ratings if method.minimum_ratings != usual.minimum_ratings else None,
        "unstandardised": "zero" if method.unstandardised_as_zero else None,
        "level": method.level if method.level != usual.level else None,
        "scale": _range(method.scale) if method.scale != VAS else None,
        "gold-scale": _range(method.gold_scale) if method.gold_scale is not None else None,
        "boot": method.draws,
        "seed": settings.seed,
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items() if value is not None)


def _test(settings: AnalysisSettings) -> str | None:
    """How differences between systems were tested, if not by the usual test."""
    if methods()[settings.method].own_test:
        return "draws"
    test = settings.method_settings.test
    return test if test != MethodSettings().test else None


def _quality(settings: AnalysisSettings) -> str:
    """The check and what it was about, and the rules applied beside it."""
    kept = [] if settings.exclude_hits else ["keep-hits"]
    if settings.keep_everyone:
        kept.append("everyone")
    if settings.check == NO_CHECK:
        return "+".join([NO_CHECK, *(part for part in kept if part != "everyone")])
    about = f"({','.join(settings.check_attributes)})" if settings.check_attributes else ""
    consistent = ["consistency"] if settings.require_consistency else []
    return "+".join([settings.check + about, *consistent, *kept])


def _range(scale: Scale) -> str:
    return f"{scale.minimum:g},{scale.maximum:g}"


def _limit(settings: AnalysisSettings) -> str:
    return f"{'<=' if settings.threshold_included else '<'}{settings.threshold:g}"

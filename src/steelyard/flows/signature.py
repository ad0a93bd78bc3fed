"""The signature: one line from which a stranger can recompute an analysis."""

from __future__ import annotations

from steelyard.aggregation import chosen_options, method_options, methods
from steelyard.domain.chain import short_root
from steelyard.domain.judgement import FrameName
from steelyard.domain.options import options_of, signed_options
from steelyard.domain.plugin import Method
from steelyard.domain.result import LEAST_PAIRS, NO_CHECK, AnalysisSettings, Counts, MethodSettings
from steelyard.domain.scale import VAS, Scale
from steelyard.flows.excluded import signed_marks
from steelyard.qc import check_options
from steelyard.version import __version__


def signature(  # noqa: PLR0913 (what is known beside the settings)
    settings: AnalysisSettings,
    counts: Counts,
    *,
    campaign: str,
    protocol: str | None,
    reads: FrameName = "ratings",
    root: str | None = None,
    weights: str | None = None,
) -> str:
    """Every choice that was made; rare ones only where they differ from the usual.

    The `root` of a database's judgements tells which these were: `steelyard verify` compares it.

    Choices about ratings are left out where the method `reads` something else.
    """
    method, usual = settings.method_settings, MethodSettings()
    used = methods()[settings.method]
    shared = signed_options(method, options_of(MethodSettings))
    marks = signed_marks(
        counts.excluded_judgements,
        counts.simulated_workers,
        counts.workers,
        ignored=settings.exclusions == "ignore",
    )
    parts = {
        "steelyard": ".".join(__version__.split(".")[:2]),
        "campaign": campaign,
        "protocol": protocol,
        "root": None if root is None else short_root(root),
        "weights": weights,
        "recipe": settings.recipe,
        "attribute": settings.attribute,
        "qc": _quality(settings),
        "kept": f"{counts.kept_judgements}/{counts.judgements}",
        **marks,
        "method": settings.method,
        **{name: shared.get(name) for name in _averaged(used, reads)},
        "test": used.test_name(method) if used.own_test else shared.get("test"),
        "correction": settings.correction if settings.correction != AnalysisSettings().correction else None,
        "sides": "one" if settings.one_sided else None,
        "clusters": settings.clusters,
        **signed_method_options(method),
        **_signed_check_options(settings),
        "p": _limit(settings) if _limit(settings) != _limit(AnalysisSettings()) else None,
        "pairs": settings.least_pairs if settings.least_pairs != LEAST_PAIRS else None,
        "least": method.minimum_ratings if method.minimum_ratings != usual.minimum_ratings else None,
        "unstandardised": "zero" if method.unstandardised_as_zero else None,
        "level": method.level if method.level != usual.level else None,
        "scale": _range(method.scale) if method.scale != VAS else None,
        "gold-scale": _range(method.gold_scale) if method.gold_scale is not None else None,
        # Without draws there are no intervals, also where those come from standard errors.
        "boot": shared["boot"] if method.draws == 0 or not used.draws_nothing else None,
        "seed": settings.seed,
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items() if value is not None)


def signed_method_options(settings: MethodSettings) -> dict[str, str]:
    """The options that not every method has, where they differ from the usual, by their keys."""
    chosen = chosen_options(settings)
    signed = (found.signed(chosen[found.name]) for found in method_options())
    return dict(part for part in signed if part is not None)


def _signed_check_options(settings: AnalysisSettings) -> dict[str, str]:
    chosen = dict(settings.check_options)
    signed = (found.signed(chosen[found.name]) for found in check_options() if found.name in chosen)
    return dict(part for part in signed if part is not None)


def _averaged(method: Method, reads: FrameName) -> tuple[str, ...]:
    """The keys that say how ratings were averaged and standardised."""
    if reads != "ratings":
        return ()
    # A method of standard errors averages no segment score.
    return ("over", "without", "per") if method.draws_nothing else ("unit", "over", "without", "per")


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

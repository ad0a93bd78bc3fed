"""What a caller chose, as complete settings; recipes fill in what was left open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from steelyard.aggregation import method_options, methods, methods_with, usual_method
from steelyard.domain.analysis_options import AnalysisOptions
from steelyard.domain.draws import LEAST_DRAWS
from steelyard.domain.errors import ChoiceError
from steelyard.domain.nearest import no_such
from steelyard.domain.options import given_options, options_of, require_known_names
from steelyard.domain.plugin import Method
from steelyard.domain.result import AnalysisSettings, MethodSettings
from steelyard.domain.wording import counted, joined
from steelyard.flows.recipes import RECIPES
from steelyard.frames import spread_credit
from steelyard.qc import check_options, checks, checks_with, usual_check

if TYPE_CHECKING:
    from steelyard.flows.source import Source


@dataclass(frozen=True, slots=True)
class ChosenOptions:
    """Options as given, read: of the analysis, of all methods, of this method, of others, of checks."""

    analysis: AnalysisOptions
    method: Method
    shared: dict[str, Any]
    own: dict[str, Any]
    for_others: tuple[tuple[str, Any], ...]
    for_check: tuple[tuple[str, Any], ...]


def read_choices(
    given: Mapping[str, Any], *, compared: Iterable[str] = (), usual: str | None = None
) -> ChosenOptions:
    """The options given, read; None was not given. Without a method or recipe it is the `usual` one.

    ChoiceError for an option that does not exist, that neither the method nor those `compared` have, or whose
    value does not fit.
    """
    given = {name: value for name, value in given.items() if value is not None}
    require_known_names(given, known_names(), within="an analysis")
    analysis = AnalysisOptions(**given_options(AnalysisOptions, given))
    recipe = RECIPES[analysis.recipe] if analysis.recipe is not None else None
    if recipe is not None:
        usual = recipe.choose(AnalysisSettings()).method
    method = named_method(analysis.method or usual or AnalysisSettings().method)
    _require_takers(given, list(dict.fromkeys([method.name, *compared])))
    own = _own_options(method, given)
    for_others = tuple(
        (found.name, found.read(given[found.name]))
        for found in method_options(compared)
        if found.name in given and found.name not in own
    )
    for_check = tuple(
        (found.name, found.read(given[found.name])) for found in check_options() if found.name in given
    )
    return ChosenOptions(analysis, method, _shared_options(given), own, for_others, for_check)


def settings_from(source: Source, *, compared: Iterable[str] = (), **choices: Any) -> AnalysisSettings:
    """Settings for a source from the options given; one given beside a recipe wins over it.

    Options are those of `AnalysisOptions`, of the method, and of the methods `compared` in a study, each of
    which takes those that it has. Unless the caller says otherwise, the campaign's own check is used, and
    nobody is left out of a method that weighs workers by itself. ChoiceError as for `read_choices`.
    """
    chosen = read_choices(choices, compared=compared, usual=usual_method(source.gives))
    asked, method = chosen.analysis, chosen.method
    settings = AnalysisSettings(
        seed=asked.seed,
        attribute=asked.attribute,
        method_settings=MethodSettings(
            scale=source.scale, gold_scale=source.gold_scale, standardise_without=source.joined
        ),
    )
    recipe = RECIPES[asked.recipe] if asked.recipe is not None else None
    if recipe is not None:
        settings = recipe.choose(settings)
    check = asked.check or (recipe and recipe.check) or _check_of(source)
    _require_check_with(chosen.for_check, check)
    _require_systems(chosen.shared.get("standardise_without") or (), source)
    keep = asked.keep or ("everyone" if method.weighs_workers else "passing")
    shared = replace(settings.method_settings, **chosen.shared, for_others=chosen.for_others)
    return replace(
        settings,
        method=method.name,
        check=check,
        check_options=chosen.for_check,
        check_attributes=asked.check_attributes or None,
        require_consistency=asked.require_consistency,
        exclude_hits=settings.exclude_hits if asked.keep_hits is None else not asked.keep_hits,
        keep_everyone=keep == "everyone",
        exclusions=asked.exclusions,
        clusters=asked.clusters or settings.clusters,
        correction=asked.correction or settings.correction,
        one_sided=settings.one_sided and asked.correction != "holm",
        method_settings=replace(method.own_settings(shared), **chosen.own),
    )


def settings_of_another(settings: AnalysisSettings, source: Source, *, first: Source) -> AnalysisSettings:
    """Settings made for the `first` of several sources, for one of them.

    Each has its own scale, and its own systems that joined unless the caller chose which do not count.
    """
    asked = settings.method_settings
    is_usual = asked.standardise_without == first.joined
    without = source.joined if is_usual else asked.standardise_without
    return replace(settings, method_settings=replace(asked, scale=source.scale, standardise_without=without))


def _check_of(source: Source) -> str:
    """The campaign's own check, or the usual one where it has none or that cannot read the source."""
    if source.check is None:
        return usual_check(source.gives)
    own = checks().get(source.check)
    fits = own is None or own.reads in source.gives or not source.gives
    return source.check if fits else usual_check(source.gives)


def named_method(name: str) -> Method:
    """The method of this name; ChoiceError if there is none."""
    found = methods()
    if name not in found:
        raise ChoiceError(no_such("method", name, found))
    return found[name]


def known_names() -> list[str]:
    """The names of all options that an analysis may have, whatever its method and check."""
    known = [found.name for cls in (AnalysisOptions, MethodSettings) for found in options_of(cls)]
    return [*known, *(found.name for found in (*method_options(), *check_options()))]


def _shared_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given of the options that every method has."""
    shared = given_options(MethodSettings, given)
    draws = shared.get("draws")
    if draws is not None and 0 < draws < LEAST_DRAWS:
        raise ChoiceError(
            f"{counted(draws, 'draw')} cannot give an interval. Use at least {LEAST_DRAWS}, or 0 for no "
            "intervals."
        )
    return shared


def _require_takers(given: Mapping[str, Any], names: Sequence[str]) -> None:
    """ChoiceError for an option that only other methods have."""
    here = {found.name for found in method_options(names)}
    for found in method_options():
        if found.name in given and found.name not in here:
            takers = joined(methods_with(found.name))
            raise ChoiceError(f"{{{found.name}}} is an option of {takers}, not of {joined(names)}.")


def _require_check_with(options: Iterable[tuple[str, Any]], check: str) -> None:
    """ChoiceError for an option that only other checks have."""
    for name, _ in options:
        takers = checks_with(name)
        if check not in takers:
            raise ChoiceError(f"{{{name}}} is an option of the check {joined(takers)}, not of {check}.")


def _require_systems(names: Iterable[str], source: Source) -> None:
    """ChoiceError for systems to leave out of workers' means that nobody has rated."""
    wanted = set(names)
    if not wanted or source.frame.is_empty():
        return
    found = set(spread_credit(source.frame.select("system_id", "credited").unique())["system_id"])
    unknown = sorted(wanted - found)
    if unknown:
        raise ChoiceError(
            f"{{standardise_without}} names {joined(unknown)}, which nobody has rated. Systems found: "
            f"{', '.join(sorted(found))}."
        )


def _own_options(method: Method, given: Mapping[str, Any]) -> dict[str, Any]:
    """The method's own options, as given; ChoiceError says which other methods know a value."""
    own = {}
    for found in method.options:
        if found.name not in given:
            continue
        value = given[found.name]
        others = [name for name in methods_with(found.name, value) if name != method.name]
        if found.choices and value not in found.choices and others:
            raise ChoiceError(
                f"{method.name} has no {{{found.name}}} {value!r}: {joined(others)} has. "
                f"Use one of: {', '.join(found.choices)}."
            )
        own[found.name] = found.read(value)
    return own

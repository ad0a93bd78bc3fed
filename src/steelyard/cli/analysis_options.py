"""The options that decide what an analysis says, and how they are used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.options import (
    SectionedCommand,
    SectionedOption,
    click_options,
    made_option,
    progress_bar,
    seed_option,
    with_options,
)
from steelyard.domain.analysis_options import AnalysisOptions
from steelyard.domain.nearest import no_such
from steelyard.domain.options import merged
from steelyard.domain.result import MethodSettings
from steelyard.domain.span_weights import USUAL_WEIGHTS
from steelyard.domain.span_weights import WEIGHTS as SPAN_WEIGHTS
from steelyard.domain.wording import joined

if TYPE_CHECKING:
    from steelyard.domain.exhibit import Evidence
    from steelyard.domain.plugin import Check, Method
    from steelyard.domain.scale import Scale
    from steelyard.flows.source import Source

# Options of an analysis that say which ratings count and how they are standardised.
OF_RATINGS = (
    *("check", "check_attributes", "require_consistency", "keep_hits", "keep", "exclusions"),
    *("standardise_over", "standardise_without", "standardise_per", "attribute", "seed"),
)
# Options that say how a source is read; all others are those of the analysis.
_READING = ("columns", "scale", "gold_scale", "hit_times", "domains", "weights")
# Sections of the help.
_SCORES, _FILES = "Scores and ranking", "Reading a file"

METHOD, ATTRIBUTE, RECIPE = click_options(AnalysisOptions, "method", "attribute", "recipe")
EXCLUSIONS = click_options(AnalysisOptions, "exclusions")[0]
# Which ratings count.
KEEPING = click_options(
    AnalysisOptions,
    *("check", "check_attributes", "require_consistency", "keep_hits", "keep", "exclusions"),
    section="Which ratings count",
)
CHECK, CHECK_ATTRIBUTES = click_options(AnalysisOptions, "check", "check_attributes")
STANDARDISING = click_options(
    MethodSettings, "standardise_over", "standardise_without", "standardise_per", section=_SCORES
)
BOOTSTRAP_DRAWS = click_options(MethodSettings, "draws", section=_SCORES)[0]
_UNIT, PAIR_TEST = click_options(MethodSettings, "unit", "test", section=_SCORES)
_RANKING = (
    _UNIT,
    PAIR_TEST,
    *click_options(AnalysisOptions, "correction", "clusters", section=_SCORES),
    BOOTSTRAP_DRAWS,
)
_WEIGHTS = click.option(
    "--weights",
    cls=SectionedOption,
    section=_FILES,
    metavar="NAME",
    help="Rate translations by the errors marked in them, with these weights: "
    f"{', '.join(SPAN_WEIGHTS)}.  [default: {USUAL_WEIGHTS}, where there are no ratings]",
)
# How a file is read.
READING = (
    _WEIGHTS,
    click.option(
        "--scale",
        cls=SectionedOption,
        section=_FILES,
        metavar="MIN,MAX",
        help="Range of the ratings.  [default: 0,100]",
    ),
    click.option(
        "--columns",
        cls=SectionedOption,
        section=_FILES,
        metavar="OURS=THEIRS,…",
        help="Names of columns, e.g. worker=login,rating=points.",
    ),
)
DOMAINS = click.option(
    "--domains",
    cls=SectionedOption,
    section=_FILES,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Domains of documents: a domain, a tab and a document in each line.",
)
GOLD_SCALE = click.option(
    "--gold-scale",
    cls=SectionedOption,
    section=_FILES,
    metavar="MIN,MAX",
    help="Range of an expert's ratings.  [default: that of the ratings]",
)
HIT_TIMES = click.option(
    "--hit-times",
    cls=SectionedOption,
    section=_FILES,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A table of when each HIT was taken and handed in.",
)
# The options of every command that analyses judgements.
analysis_options = with_options(
    METHOD,
    RECIPE,
    ATTRIBUTE,
    seed_option,
    *KEEPING,
    *STANDARDISING,
    *_RANKING,
    *READING,
    DOMAINS,
    GOLD_SCALE,
    HIT_TIMES,
)


class MethodsCommand(SectionedCommand):
    """A command that also takes the options of methods; its help has them under their methods' names.

    They are looked up when the command is used, so that listing commands stays fast.
    """

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own parameters, then those of methods, then --help."""
        if self._key not in ctx.meta:
            ctx.meta[self._key] = _method_params()
        *own, about_help = super().get_params(ctx)
        return [*own, *ctx.meta[self._key], about_help]

    @property
    def _key(self) -> str:
        """Where a call keeps the options of methods, which must be the same objects throughout."""
        return f"steelyard {self.name}: options of methods"


class BriefMethodsCommand(MethodsCommand):
    """The same for commands with many options: the help only says where those of methods are listed."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; a call for help need not look for methods."""
        if any(name in args for name in ctx.help_option_names):
            ctx.meta[self._key] = []
            ctx.ignore_unknown_options = True
        return super().parse_args(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        """The help text, without the options of methods."""
        ctx.meta[self._key] = []
        return super().get_help(ctx)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Say where the options of methods are listed."""
        formatter.write_paragraph()
        formatter.write_text("Options of individual methods: see `steelyard analyse --help`.")


def of_methods(choices: dict[str, Any]) -> dict[str, Any]:
    """Those of the options given that only some methods or checks have."""
    from steelyard.aggregation import method_options
    from steelyard.qc import check_options

    return {found.name: choices[found.name] for found in (*method_options(), *check_options())}


def _method_params() -> list[click.Option]:
    """The options that not every method or check has, each in the section of those that have it."""
    from steelyard.aggregation import methods
    from steelyard.qc import checks

    owners: dict[str, list[str]] = {}
    plugins: list[Method | Check] = [*methods().values(), *checks().values()]
    for plugin in plugins:
        for found in plugin.options:
            owners.setdefault(found.name, []).append(plugin.name)
    # Where methods know different values, the command takes all; the method refuses those it has not.
    made = [
        made_option(found, section=f"Options of {joined(owners[found.name])}")
        for found in merged([plugin.options for plugin in plugins])
    ]
    return sorted(made, key=lambda one: owners[str(one.name)])


def evidence_from(
    sources: Sequence[str], choices: dict[str, Any], *, compared: Iterable[str] = ()
) -> list[Evidence]:
    """Each source read and analysed as the options say; `compared` may have options too."""
    from steelyard.flows.analyse import weigh
    from steelyard.flows.settings import read_choices, settings_from

    given, _ = reading_options(choices)
    require_known_check(choices["check"])
    if given["method"] is not None:
        # Wrong options are refused before anything takes time. The usual method is up to the source.
        read_choices(given, compared=compared)
    found = []
    with progress_bar("Analysing", 2 * len(sources)) as step:
        for address in sources:
            source = read_from(address, choices)
            step(1)
            found.append(weigh(source, settings_from(source, compared=compared, **given)))
            step(1)
    return found


def read_from(address: str, choices: dict[str, Any]) -> Source:
    """A source read as the options say, as far as the command has them."""
    from steelyard.flows.source import read_source
    from steelyard.flows.span_source import read_further

    source = read_source(
        address,
        columns=columns_given(choices["columns"]),
        scale=scale_of(choices["scale"]),
        gold_scale=scale_of(choices.get("gold_scale"), name="gold_scale"),
        hit_times=choices.get("hit_times"),
    )
    return read_further(source, domains=choices.get("domains"), weights=choices.get("weights"))


def reading_options(choices: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options of the analysis, and those that say how a source is read."""
    reading = {name: choices.get(name) for name in _READING}
    return {name: value for name, value in choices.items() if name not in _READING}, reading


def require_known_check(name: str | None) -> None:
    """Refuse a check that does not exist."""
    from steelyard.qc import checks

    require_known("check", name, [*checks(), "none"])


def require_known(option: str, name: str | None, known: list[str]) -> None:
    """Refuse a name that is not among those known; None was not given."""
    if name is not None and name not in known:
        raise click.BadParameter(no_such(option, name, known), param_hint=f"--{option}")


def columns_given(text: str | None) -> dict[str, str] | None:
    """Our columns and theirs, from `--columns`."""
    if text is None:
        return None
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(ours.strip() and equals and theirs.strip() for ours, equals, theirs in pairs):
        raise click.BadParameter("write it as worker=login,rating=points", param_hint="--columns")
    return {ours.strip(): theirs.strip() for ours, _, theirs in pairs}


def scale_of(text: str | None, *, name: str = "scale") -> Scale | None:
    """The scale of the ratings, from `--scale`, or another from the option of that name."""
    from steelyard.domain.scale import scale_between

    return None if text is None else scale_between(text.split(","), name)

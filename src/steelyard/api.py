"""The Python interface: plan, create and open campaigns, read and analyse judgements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from os import PathLike, fspath
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Unpack

from steelyard.domain.errors import ChoiceError
from steelyard.domain.exhibit import Evidence, ExhibitOptions
from steelyard.domain.layouts import OURS, SPAN_LAYOUTS
from steelyard.domain.nearest import no_such
from steelyard.domain.result import Analysis as AnalysisRecord
from steelyard.domain.scale import VAS, Scale
from steelyard.flows.analyse import weigh
from steelyard.flows.settings import settings_from
from steelyard.flows.source import Source, from_campaign, read_source
from steelyard.flows.span_source import FurtherReading, read_further, with_ratings
from steelyard.frames import gather_credit

if TYPE_CHECKING:
    import polars as pl

    from steelyard.design.layout_report import LayoutReport
    from steelyard.evaluation.linking.settings import Common
    from steelyard.evaluation.normalisation.settings import Normalisation, NormalisationSettings
    from steelyard.evaluation.replication.settings import Replication, ReplicationSettings
    from steelyard.evaluation.settings import Evaluation, EvaluationSettings
    from steelyard.flows.export import HitsLayout
    from steelyard.flows.longitudinal import LongitudinalSettings
    from steelyard.flows.open import OpenCampaign
    from steelyard.flows.plan_choices import Choices as PlanChoices
    from steelyard.flows.publication import PublicationPack
    from steelyard.flows.replicate import Prices
    from steelyard.flows.verify import Verification
    from steelyard.longitudinal.links import Linked
    from steelyard.longitudinal.study import Longitudinal
    from steelyard.meta.settings import MetaEvaluation, MetaSettings
    from steelyard.planning.plan import Plan
    from steelyard.stats.line_link import Slope


@dataclass(frozen=True)
class Analysis(AnalysisRecord):
    """An analysis that can print, draw and save itself."""

    evidence: Evidence | None = field(default=None, repr=False, compare=False)

    @property
    def ranking(self) -> str:
        """The systems in order, clusters apart, for the terminal."""
        from steelyard.report.text import ranking_text

        return ranking_text(self)

    def table(self, name: str, **options: Any) -> pl.DataFrame:
        """One of the tables that `steelyard exhibits` lists, as a data frame in full precision.

        Options are those of `steelyard table`: categories, chance, weight, worker.
        """
        from steelyard.flows.exhibit import make_table

        return make_table(name, [self._known()], self._options(options)).rows

    def plot(self, name: str, path: str | PathLike[str], **options: Any) -> None:
        """Draw one of the figures that `steelyard exhibits` lists to a .svg, .png or .pdf file."""
        from steelyard.flows.exhibit import make_figure
        from steelyard.report.figure_file import write_figure

        write_figure(make_figure(name, [self._known()], self._options(options)), Path(path))

    def to_html(self, path: str | PathLike[str]) -> None:
        """Write the report as one self-contained page."""
        from steelyard.flows.exhibit import report_exhibits
        from steelyard.report.html import report_html

        exhibits, missing = report_exhibits(self._known(), self._options({}))
        Path(path).write_text(report_html(self, exhibits, missing), encoding="utf-8")

    def to_latex(self, folder: str | PathLike[str]) -> None:
        """Write the report for LaTeX: tables, figures and a document that holds them."""
        from steelyard.flows.exhibit import report_exhibits
        from steelyard.report.latex import write_latex

        write_latex(Path(folder), self, *report_exhibits(self._known(), self._options({})))

    def to_json(self) -> str:
        """The analysis as the JSON that `steelyard analyse --json` gives."""
        from steelyard.report.json import analysis_json

        return analysis_json(self)

    def _known(self) -> Evidence:
        assert self.evidence is not None
        return self.evidence

    def _options(self, options: dict[str, Any]) -> ExhibitOptions:
        usual = {"seed": self.settings.seed, "draws": self.settings.method_settings.draws}
        known = [field.name for field in fields(ExhibitOptions)]
        for name in options:
            if name not in known:
                raise ChoiceError(f"There is no option {name!r} of exhibits. Use any of: {', '.join(known)}.")
        return ExhibitOptions(**(usual | options))


@dataclass(frozen=True)
class Judgements:
    """Judgements read and checked, ready for analysis. `frame` is the ratings frame."""

    source: Source

    @property
    def frame(self) -> pl.DataFrame:
        """One row per judgement."""
        return self.source.frame

    def to_publication(self, folder: str | PathLike[str], **options: Any) -> PublicationPack:
        """Write all that a paper needs; the options are those of `steelyard publication`."""
        from steelyard.flows.publication import pack_options, publish_source

        wanted, choices = pack_options(options)
        return publish_source(self.source, Path(folder), wanted, **choices)


class Campaign:
    """A campaign in a database. Use it in a `with` block, or `close` it."""

    def __init__(self, opened: OpenCampaign) -> None:
        self._opened = opened

    def judgements(self) -> Judgements:
        """All judgements given so far."""
        return Judgements(from_campaign(self._opened))

    def analyse(self, **options: Any) -> Analysis:
        """Check workers, score and rank systems; the options are those of `steelyard.analyse`."""
        return analyse(self.judgements(), **options)

    # As people in America spell it.
    analyze = analyse

    def export(self, path: str | PathLike[str], *, layout: str = OURS) -> int:
        """Write all judgements to a file that `read` takes; returns their number.

        `layout` may be one of `steelyard export --as`, which hold marked errors for other programs.
        """
        from steelyard.flows.export import export
        from steelyard.flows.export_marks import export_marks

        if layout == OURS:
            return export(self._opened, Path(path)).n_judgements
        if layout not in SPAN_LAYOUTS:
            raise ChoiceError(no_such("layout", layout, [OURS, *SPAN_LAYOUTS]))
        return export_marks(self._opened, Path(path), layout).n_judgements

    def to_publication(self, folder: str | PathLike[str], **options: Any) -> PublicationPack:
        """Write all that a paper needs; the options are those of `steelyard publication`."""
        from steelyard.flows.publication import pack_options, publish_campaign

        wanted, choices = pack_options(options)
        return publish_campaign(self._opened, Path(folder), wanted, **choices)

    def export_hits(self, path: str | PathLike[str], *, layout: HitsLayout = "audit") -> int:
        """Write every HIT, for audit or for another system to run; returns the number of items."""
        from steelyard.flows.export import export_hits

        return export_hits(self._opened, Path(path), layout=layout)

    def verify(self, *, root: str | None = None) -> Verification:
        """Recompute the hashes of all judgements; `root` is one that was published before."""
        from steelyard.flows.verify import verify

        return verify(self._opened, root=root)

    def close(self) -> None:
        """Let go of the database."""
        self._opened.close()

    def __enter__(self) -> Campaign:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def plan(**choices: Unpack[PlanChoices]) -> Plan:
    """HITs, hours and cost for a target precision, or what a budget buys; the options of `steelyard plan`.

    >>> plan(systems=5, ratings_per_system=1500).expected.outlay.hits
    154
    """
    from steelyard.flows.plan import plan as make_plan

    return make_plan(**choices)


def explain_layout(campaign_file: str | PathLike[str]) -> LayoutReport:
    """How the campaign's HITs would be laid out: groups, kinds, pairs, separations. Writes nothing."""
    from steelyard.flows import create as creation

    return creation.explain_layout(creation.design(Path(campaign_file)))


def create(campaign_file: str | PathLike[str], address: str | PathLike[str]) -> Campaign:
    """Make a campaign from its file, in a new SQLite file or an empty PostgreSQL database, and open it."""
    from steelyard.flows.create import create as create_campaign

    create_campaign(Path(campaign_file), fspath(address), now=datetime.now(UTC))
    return open(address)


def open(address: str | PathLike[str]) -> Campaign:  # noqa: A001 (the name users know from the README)
    """The campaign in a SQLite file or at a postgresql:// address."""
    from steelyard.flows.open import open_campaign

    return Campaign(open_campaign(fspath(address)))


def read(
    source: Any,
    *,
    columns: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    gold_scale: tuple[float, float] | None = None,
    hit_times: str | PathLike[str] | None = None,
    **further: Unpack[FurtherReading],
) -> Judgements:
    """Judgements from a file or a pandas, polars or pyarrow table; SourceError lists all problems.

    `gold_scale` is the range of an expert's known ratings where it is another than that of the ratings;
    `hit_times` is a file that says when each HIT was taken and handed in, `domains` one that gives each
    document a domain. `weights` names those by which errors that were marked become ratings.
    """
    wanted = Scale(*scale) if scale else None
    gold = Scale(*gold_scale) if gold_scale else None
    times = Path(hit_times) if hit_times is not None else None
    if isinstance(source, str | PathLike):
        found = read_source(fspath(source), columns=columns, scale=wanted, gold_scale=gold, hit_times=times)
        return Judgements(read_further(found, **further))
    from steelyard.formats.hit_times_file import read_hit_times
    from steelyard.formats.judgements_file import from_table

    table = from_table(source, columns=columns, scale=wanted, gold_scale=gold)
    given = Source(
        gather_credit(table.frame),
        title="table",
        campaign="table",
        warnings=table.warnings,
        hit_times=read_hit_times(times) if times else table.hit_times,
        scale=wanted or VAS,
        gold_scale=gold,
        preferences=table.preferences,
        spans=table.spans,
        exclusions=table.exclusions,
        simulated=table.simulated,
        joined=table.joined,
    )
    return Judgements(read_further(with_ratings(given), **further))


def analyse(judgements: Any, **options: Any) -> Analysis:
    """Quality control, scores and ranking of judgements, or of anything that `read` takes.

    Options are those of `steelyard analyse --help`, with underscores: `method="two-stage"`,
    `gold_form="printed"`. `check` is the campaign's own, or paired-t, unless given; "none" keeps everyone.
    ChoiceError names the options and values that exist.
    """
    source = _source_of(judgements)
    evidence = weigh(source, settings_from(source, **options))
    record = evidence.analysis
    known = {field.name: getattr(record, field.name) for field in fields(record)}
    return Analysis(**known, evidence=evidence)


def evaluate(judgements: Any, *, settings: EvaluationSettings | None = None, **options: Any) -> Evaluation:
    """Which method comes closest to ratings it has not seen, by trials, as `steelyard evaluate`.

    `settings` says what is tried (`steelyard.evaluation.settings.EvaluationSettings`); the options are those
    of `analyse`: how workers are checked, and options of the methods compared. `rows` of what is returned has
    a row for each method.
    """
    from steelyard.evaluation.entries import compared_methods
    from steelyard.evaluation.settings import EvaluationSettings as Settings
    from steelyard.flows.evaluate import evaluate as try_methods

    source, chosen = _source_of(judgements), settings or Settings()
    analysis = settings_from(source, compared=compared_methods(chosen), **options)
    return try_methods(source, replace(chosen, analysis=analysis))


def normalise(
    judgements: Any, *, settings: NormalisationSettings | None = None, **options: Any
) -> Normalisation:
    """How close each way of weighing workers comes to an expert's ratings, as `steelyard normalise`.

    Judgements of translations that the expert rated have that rating in the column `known`. `settings`:
    `steelyard.evaluation.normalisation.settings.NormalisationSettings`; the options are those of `analyse`,
    each taken by the methods that have it. `rows` of what is returned has a row for each method.
    """
    from steelyard.evaluation.normalisation.settings import USUAL_METHODS
    from steelyard.evaluation.normalisation.settings import NormalisationSettings as Settings
    from steelyard.flows.normalise import normalise as compare

    source, chosen = _source_of(judgements), settings or Settings()
    analysis = settings_from(source, compared=chosen.methods or USUAL_METHODS, **options)
    return compare(source, replace(chosen, analysis=analysis))


def replicate(
    judgements: Any,
    second: Any = None,
    *,
    settings: ReplicationSettings | None = None,
    prices: Prices | None = None,
    **options: Any,
) -> Replication:
    """How well mean ratings are replicated, and how many ratings that takes, as `steelyard replicate`.

    `second` is another collection of the same items; without it the workers are split in two halves.
    `settings`: `steelyard.evaluation.replication.settings.ReplicationSettings`; `prices`:
    `steelyard.flows.replicate.Prices`; the options are those of `analyse`.
    """
    from steelyard.evaluation.replication.settings import ReplicationSettings as Settings
    from steelyard.flows.replicate import replicate as study

    first = _source_of(judgements)
    other = None if second is None else _source_of(second)
    chosen = replace(settings or Settings(), analysis=settings_from(first, **options))
    return study(first, other, chosen, prices=prices)


def compare_years(
    judgements: Mapping[str, Any] | Sequence[tuple[str, Any]],
    *,
    settings: LongitudinalSettings | None = None,
    **options: Any,
) -> Longitudinal:
    """How much translation gained between two years, as `steelyard longitudinal`.

    `judgements`: those of each language pair by its name, such as {"de-en": "years.db"}; or a list of names
    and judgements, where a pair has a source for each attribute. `settings`:
    `steelyard.flows.longitudinal.LongitudinalSettings`; the options are those of `analyse`.
    """
    from steelyard.flows.longitudinal import LongitudinalSettings as Settings
    from steelyard.flows.longitudinal import longitudinal as compare
    from steelyard.flows.longitudinal import pair_source

    chosen = settings or Settings()
    if isinstance(judgements, str | PathLike) or not judgements:
        raise ChoiceError('Name the language pair of the judgements, such as {"de-en": "years.db"}.')
    named = list(judgements.items()) if isinstance(judgements, Mapping) else list(judgements)
    sources = []
    for pair, given in named:
        source = _source_of(given)
        address = fspath(given) if isinstance(given, str | PathLike) else ""
        analysis = settings_from(source, **options)
        sources.append(pair_source(address, source, analysis, pair=pair, texts=bool(chosen.metrics)))
    return compare(sources, chosen)


def link(
    judgements: Sequence[Any],
    *,
    slope: Slope = "free",
    common: Common = "auto",
    **options: Any,
) -> Linked:
    """The systems of several campaigns, oldest first, on one scale, as `steelyard longitudinal --link`.

    What links campaigns are items they have in common, usually the calibration items of the later ones.
    The options are those of `analyse`.
    """
    from steelyard.flows.link_campaigns import link as study

    if isinstance(judgements, str | PathLike) or not judgements:
        raise ChoiceError('Give the campaigns as a list, the oldest first, such as ["2019.db", "2024.db"].')
    sources = [_source_of(given) for given in judgements]
    return study(sources, settings_from(sources[-1], **options), slope=slope, common=common)


def judge_metrics(
    scores: str | PathLike[str],
    *,
    pair: str | None = None,
    gold: str | None = None,
    metrics: str | Sequence[str] | None = None,
    settings: MetaSettings | None = None,
) -> MetaEvaluation:
    """How well metrics agree with people, as `steelyard meta`.

    `scores`: a folder in the layout of mt-metrics-eval, or a campaign's database. `settings`:
    `steelyard.meta.settings.MetaSettings`. `rows` of what is returned has a row for each metric.
    """
    from steelyard.flows.meta import Wanted, judge, read_scored
    from steelyard.meta.settings import MetaSettings as Settings

    chosen = settings or Settings()
    named = None if metrics is None else (metrics,) if isinstance(metrics, str) else tuple(metrics)
    wanted = Wanted(pair=pair, gold=gold, metrics=named, seed=chosen.seed)
    return judge(read_scored(fspath(scores), wanted), chosen)


def _source_of(judgements: Any) -> Source:
    """The source of judgements that were read, or of anything that `read` takes."""
    found = judgements if isinstance(judgements, Judgements) else read(judgements)
    return found.source

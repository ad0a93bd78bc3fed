"""Studies: every one answers in the same way, with tables, figures and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from steelyard.api.choices import StudyChoices
from steelyard.api.display import Exhibiting
from steelyard.api.reading import source_of
from steelyard.api.waiting import shown_progress
from steelyard.domain.cells import CELLS, HOW_TO_NAME_CELLS, CellSystems
from steelyard.domain.errors import ChoiceError
from steelyard.domain.nearest import no_such
from steelyard.domain.wording import joined
from steelyard.evaluation.normalisation.settings import Normalisation as NormalisationRecord
from steelyard.evaluation.replication.settings import Replication as ReplicationRecord
from steelyard.evaluation.settings import Evaluation as EvaluationRecord
from steelyard.flows.settings import settings_from
from steelyard.longitudinal.links import Linked as LinkedRecord
from steelyard.longitudinal.study import Longitudinal as LongitudinalRecord
from steelyard.meta.settings import MetaEvaluation as MetaEvaluationRecord

if TYPE_CHECKING:
    from steelyard.domain.exhibit import Figure as FigureRecord
    from steelyard.domain.exhibit import Table
    from steelyard.domain.study import StudyResult
    from steelyard.evaluation.linking.settings import Common
    from steelyard.evaluation.normalisation.settings import NormalisationSettings
    from steelyard.evaluation.replication.settings import ReplicationSettings
    from steelyard.evaluation.settings import EvaluationSettings
    from steelyard.flows.longitudinal import LongitudinalSettings
    from steelyard.flows.replicate import Prices
    from steelyard.meta.settings import MetaSettings
    from steelyard.stats.line_link import Slope

Made = TypeVar("Made", "Table", "FigureRecord")


class Study(Exhibiting):
    """What a study found, or a plan. A notebook shows its conclusion, tables and figures.

    >>> study = sy.replicate("years.csv", check="none", draws=50)
    >>> isinstance(study, sy.Study)
    True
    >>> study.plot("replication-curve").save("curve.svg")
    """

    def to_html(self, path: str | PathLike[str]) -> None:
        """Write it as one self-contained page.

        >>> sy.plan(systems=5, budget=2000).to_html("plan.html")
        """
        from steelyard.report.study_page import study_html
        from steelyard.report.whole_files import write_whole

        write_whole(Path(path), study_html([self._result()]).encode())

    def to_latex(self, folder: str | PathLike[str]) -> None:
        """Write it for LaTeX: tables, figures and a document that holds them.

        >>> sy.plan(systems=5, budget=2000).to_latex("plan")
        """
        from steelyard.report.study_page import write_study_latex

        write_study_latex(Path(folder), [self._result()])

    def to_json(self) -> str:
        """It as the JSON that the command of the same name gives with --json.

        >>> import json
        >>> json.loads(sy.plan(systems=5, budget=2000).to_json())["goal"]["name"]
        'budget'
        """
        from steelyard.report.study import study_json

        return study_json([self._result()])

    def _make_table(self, name: str | None, options: Mapping[str, Any]) -> Table:
        return _named(self._result().tables, name, "table", options)

    def _make_figure(self, name: str | None, options: Mapping[str, Any]) -> FigureRecord:
        return _named(self._result().figures, name, "figure", options)


def _named(exhibits: Sequence[Made], name: str | None, noun: str, options: Mapping[str, Any]) -> Made:
    """The exhibit of this name, or the first."""
    if options:
        raise ChoiceError(f"A {noun} of a study has no options: leave out {', '.join(options)}.")
    by_name = {exhibit.name: exhibit for exhibit in exhibits}
    if not by_name:
        raise ChoiceError(f"There is no {noun} here.")
    if name is None:
        return exhibits[0]
    if name not in by_name:
        raise ChoiceError(no_such(noun, name, by_name))
    return by_name[name]


class Evaluation(Study, EvaluationRecord):
    """How close each method comes to a truth it has not seen; see `evaluate`.

    >>> study = sy.evaluate("years.csv", methods=["mean-rating", "mean-z"], draws=5, check="none")
    >>> study.rows["method"].unique().sort().to_list()
    ['mean-rating', 'mean-z']
    """

    def _result(self) -> StudyResult:
        from steelyard.exhibits.studies.evaluation import evaluation_study

        return evaluation_study(self)


class Normalisation(Study, NormalisationRecord):
    """How close the scores of each method come to an expert's; see `normalise`.

    >>> study = sy.normalise("gold.csv", methods=["mean-rating", "scaling"], folds=2)
    >>> study.rows["method"].to_list()
    ['mean-rating', 'scaling']
    """

    def _result(self) -> StudyResult:
        from steelyard.exhibits.studies.normalisation import normalisation_study

        return normalisation_study(self)


class Replication(Study, ReplicationRecord):
    """How well mean ratings are replicated, and how many that takes; see `replicate`.

    >>> sy.replicate("years.csv", check="none", draws=50).is_split
    True
    """

    def _result(self) -> StudyResult:
        from steelyard.exhibits.studies.replication import replication_study

        return replication_study(self)


class Longitudinal(Study, LongitudinalRecord):
    """How much translation gained between two years; see `compare_years`.

    >>> sy.compare_years({"de-en": "years.csv"}, check="none").rows["pair"][0]
    'de-en'
    """

    def _result(self) -> StudyResult:
        from steelyard.exhibits.studies.longitudinal import longitudinal_study

        return longitudinal_study(self)


class Linked(Study, LinkedRecord):
    """Systems of several campaigns on one scale; see `link`.

    >>> sy.link(["years.csv", "years.csv"], check="none").systems.columns[:3]
    ['campaign', 'system_id', 'score']
    """

    def _result(self) -> StudyResult:
        from steelyard.exhibits.studies.linked import linked_study

        return linked_study(self)


class MetaEvaluation(Study, MetaEvaluationRecord):
    """How well each metric agrees with people; see `judge_metrics`.

    >>> sy.judge_metrics("metric-scores", pair="de-en", gold="da").rows["metric"].to_list()
    ['echo-src']
    """

    def _result(self) -> StudyResult:
        from steelyard.exhibits.studies.meta import meta_study

        return meta_study(self)


def evaluate(judgements: Any, *, settings: EvaluationSettings | None = None, **options: Any) -> Evaluation:
    """Which method comes closest to ratings it has not seen, by trials, as `steelyard evaluate`.

    Options are those of `steelyard evaluate --help`, with underscores: of the trials (`methods`, `ratings`,
    `spam`, `draws`, `level`, `truth`, `share`, `least_truth`), of the check, and of the methods compared.
    `settings` may hold those of the trials instead. `rows` of what is returned has a row for each method.

    >>> study = sy.evaluate("years.csv", methods=["mean-rating", "mean-z"], draws=5, check="none")
    >>> study.settings.draws
    5
    """
    from steelyard.evaluation.entries import compared_methods
    from steelyard.evaluation.settings import EvaluationSettings as Settings
    from steelyard.flows.evaluate import evaluate as try_methods

    chosen = StudyChoices("evaluate", options)
    source, asked = source_of(judgements, options), chosen.settings(Settings, settings)
    analysis = settings_from(source, compared=compared_methods(asked), **chosen.of_analysis())
    return Evaluation._of(try_methods(source, replace(asked, analysis=analysis), progress=shown_progress))


def normalise(
    judgements: Any, *, settings: NormalisationSettings | None = None, **options: Any
) -> Normalisation:
    """How close each way of weighing workers comes to an expert's ratings, as `steelyard normalise`.

    Judgements of translations that the expert rated have that rating in the column `known`. Options are those
    of `steelyard normalise --help`, with underscores: `methods`, `folds`, `random_workers`, and those of the
    methods compared, each taken by the methods that have it. `rows` of what is returned has a row for each
    method.

    >>> sy.normalise("gold.csv", methods=["mean-rating", "scaling"], folds=2).n_folds
    2
    """
    from steelyard.evaluation.normalisation.settings import USUAL_METHODS
    from steelyard.evaluation.normalisation.settings import NormalisationSettings as Settings
    from steelyard.flows.normalise import normalise as compare

    chosen = StudyChoices("normalise", options)
    source, asked = source_of(judgements, options), chosen.settings(Settings, settings)
    analysis = settings_from(source, compared=asked.methods or USUAL_METHODS, **chosen.of_analysis())
    return Normalisation._of(compare(source, replace(asked, analysis=analysis), progress=shown_progress))


def replicate(
    judgements: Any,
    second: Any = None,
    *,
    settings: ReplicationSettings | None = None,
    prices: Prices | None = None,
    **options: Any,
) -> Replication:
    """How well mean ratings are replicated, and how many ratings that takes, as `steelyard replicate`.

    `second` is another collection of the same items; without it the workers are split in two halves. Options
    are those of `steelyard replicate --help`, with underscores: `reliability`, `draws`; the prices `wage`,
    `fee`, `pass_rate` and `seconds`; and those of `analyse`.

    >>> study = sy.replicate("years.csv", check="none", draws=50, reliability=0.8, wage=15)
    >>> [needed.reliability for needed in study.needed]
    [0.8]
    """
    from steelyard.evaluation.replication.settings import ReplicationSettings as Settings
    from steelyard.flows.replicate import Prices as Known
    from steelyard.flows.replicate import replicate as study

    chosen = StudyChoices("replicate", options)
    asked, known = chosen.settings(Settings, settings), chosen.settings(Known, prices)
    first = source_of(judgements, options)
    other = None if second is None else source_of(second, options)
    asked = replace(asked, analysis=settings_from(first, **chosen.of_analysis()))
    return Replication._of(study(first, other, asked, prices=known, progress=shown_progress))


def compare_years(
    judgements: Mapping[str, Any] | Sequence[tuple[str, Any]],
    *,
    settings: LongitudinalSettings | None = None,
    **options: Any,
) -> Longitudinal:
    """How much translation gained between two years, as `steelyard longitudinal`.

    `judgements`: those of each language pair by its name, such as {"de-en": "years.db"}; or a list of names
    and judgements, where a pair has a source for each attribute. Options: `cells`, the systems of each cell
    where their names do not say, as in {"curr_old": "A", "curr_new": "B", "best_old": ["C", "D"],
    "best_new": "E"}; `metrics`, those to compute from a campaign's texts; and those of `analyse`.

    >>> sy.compare_years({"de-en": "years.csv"}, check="none").rows["scale"].unique().sort().to_list()
    ['points', 'z']
    """
    from steelyard.flows.longitudinal import LongitudinalSettings as Settings
    from steelyard.flows.longitudinal import longitudinal as compare
    from steelyard.flows.longitudinal import pair_source

    named = list(judgements.items()) if isinstance(judgements, Mapping) else judgements
    if not (isinstance(named, list | tuple) and named and all(map(_is_named, named))):
        raise ChoiceError('Name the language pair of the judgements, such as {"de-en": "years.db"}.')
    if options.get("cells") is not None:
        options["cells"] = _cells(options["cells"])
    chosen = StudyChoices("compare_years", options)
    asked = chosen.settings(Settings, settings)
    sources = []
    for pair, given in named:
        source = source_of(given, options)
        address = fspath(given) if isinstance(given, str | PathLike) else ""
        analysis = settings_from(source, **chosen.of_analysis())
        sources.append(pair_source(address, source, analysis, pair=pair, texts=bool(asked.metrics)))
    return Longitudinal._of(compare(sources, asked, progress=shown_progress))


def _is_named(given: Any) -> bool:
    return isinstance(given, tuple | list) and len(given) == 2 and isinstance(given[0], str)


def _cells(given: Any) -> CellSystems:
    """The systems of each cell; several of one in a list, or with a plus between, as on the command line."""
    if not isinstance(given, Mapping):
        return tuple(given)
    for name in given:
        if name not in CELLS:
            raise ChoiceError(no_such("cell", name, CELLS))
    missing = [name for name in CELLS if name not in given]
    if missing:
        raise ChoiceError(f"{{cells}} must name {joined(missing)} too: {{cells={HOW_TO_NAME_CELLS}}}.")
    return tuple(
        (name, tuple(each if isinstance(each, list | tuple) else str(each).split("+")))
        for name in CELLS
        for each in [given[name]]
    )


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

    >>> sy.link(["years.csv", "years.csv"], check="none", slope="one").links["n_items"].to_list()
    [5]
    """
    from steelyard.flows.link_campaigns import link as study

    if not (isinstance(judgements, list | tuple) and judgements):
        raise ChoiceError('Give the campaigns as a list, the oldest first, such as ["2019.db", "2024.db"].')
    chosen = StudyChoices("link", options)
    sources = [source_of(given, options) for given in judgements]
    settings = settings_from(sources[-1], **chosen.of_analysis("slope", "common"))
    return Linked._of(study(sources, settings, slope=slope, common=common, progress=shown_progress))


def judge_metrics(
    scores: str | PathLike[str],
    *,
    pair: str | None = None,
    gold: str | None = None,
    metrics: str | Sequence[str] | None = None,
    settings: MetaSettings | None = None,
    **options: Any,
) -> MetaEvaluation:
    """How well metrics agree with people, as `steelyard meta`.

    `scores`: a folder in the layout of mt-metrics-eval, or a campaign's database. Options are those of
    `steelyard meta --help`, with underscores: `exclude`, `with_references`, `flip`, `level`, `by`, `tests`,
    `unit`, `draws`, `seed` and so on; `table` is a file of further metrics' scores, and `method` says how a
    campaign's ratings become the gold. `rows` of what is returned has a row for each metric.

    >>> study = sy.judge_metrics("metric-scores", pair="de-en", gold="da", draws=100)
    >>> study.table("meta")["metric"].to_list()
    ['echo-src']
    """
    from steelyard.flows.meta import Wanted, judge, read_scored
    from steelyard.meta.settings import MetaSettings as Settings

    chosen = StudyChoices("judge_metrics", options)
    asked = chosen.settings(Settings, settings)
    named = None if metrics is None else (metrics,) if isinstance(metrics, str) else tuple(metrics)
    usual = Wanted(pair=pair, gold=gold, metrics=named, seed=asked.seed)
    wanted = chosen.settings(Wanted, usual, "table", "method")
    chosen.require_all_used()
    read = read_scored(fspath(scores), wanted, progress=shown_progress)
    return MetaEvaluation._of(judge(read, asked, progress=shown_progress))

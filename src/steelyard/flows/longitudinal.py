"""From the ratings of several language pairs to a comparison of years."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from steelyard.domain.cells import Cell, CellMetric, CellSystems, FourCells
from steelyard.domain.errors import ChoiceError, NotEnoughData
from steelyard.domain.nearest import no_such
from steelyard.domain.plugin import Metric
from steelyard.domain.result import AnalysisSettings, Counts
from steelyard.domain.wording import told_of
from steelyard.flows.kept import Kept, keep_good
from steelyard.flows.signature import signature
from steelyard.flows.source import Source, is_database
from steelyard.flows.watching import Progress, unseen
from steelyard.longitudinal.naming import name_cells
from steelyard.longitudinal.signing import years_line
from steelyard.longitudinal.study import Longitudinal, PairRatings, StudySettings, compare_cells
from steelyard.metrics import metrics

if TYPE_CHECKING:
    from steelyard.flows.campaign_texts import CampaignTexts

# The cells of each test set.
_TEST_SETS: tuple[tuple[Cell, Cell], ...] = (("curr_old", "best_old"), ("curr_new", "best_new"))


@dataclass(frozen=True)
class PairSource:
    """A source of one language pair, and how its workers are checked and ratings standardised.

    `texts` are needed for computing metrics only.
    """

    pair: str
    source: Source
    analysis: AnalysisSettings
    texts: CampaignTexts | None = None


@dataclass(frozen=True, slots=True)
class LongitudinalSettings:
    """What a comparison of years leaves to its caller.

    `cells`: the systems of each cell; empty if their names say. `metrics`: names of built-in metrics to
    compute from the texts. `metric_scores`: scores of metrics that are known already.
    """

    cells: CellSystems = ()
    metrics: tuple[str, ...] = ()
    metric_scores: tuple[CellMetric, ...] = ()


def pair_source(
    address: str, source: Source, analysis: AnalysisSettings, *, pair: str | None = None, texts: bool = False
) -> PairSource:
    """A source with its language pair: as given, else the languages of its campaign, else its title.

    `texts` says that the translations of a campaign's database are wanted too.
    """
    if not is_database(address) or (pair and not texts):
        return PairSource(pair or source.title, source, analysis)
    from steelyard.flows.campaign_texts import translations_of
    from steelyard.flows.open import open_campaign

    with open_campaign(address) as campaign:
        languages = f"{campaign.settings.source_language}-{campaign.settings.target_language}"
        found = translations_of(campaign) if texts else None
    return PairSource(pair or languages, source, analysis, found)


def longitudinal(
    sources: Sequence[PairSource], settings: LongitudinalSettings, *, progress: Progress = unseen
) -> Longitudinal:
    """How much harder the new test sets are, and how much translation gained [Graham2014].

    Workers who do not pass the check are left out, source by source. The level of intervals is
    that of the first source.
    """
    first = sources[0].analysis
    computed, uneven = _cell_metrics(sources, settings)
    with progress("Comparing", len(sources) + 1) as step:
        kept, signatures, warnings = [], [], []
        for source in sources:
            found = _kept(source)
            _require_systems(source.pair, found, settings)
            ratings, found_of = found.quality.kept, (*source.source.warnings, *found.quality.warnings)
            kept.append(PairRatings(source.pair, ratings, source.analysis.method_settings))
            signatures.append(_signature(source, found.counts))
            warnings += [told_of(source.pair, warning) for warning in found_of]
            step(1)
        chosen = StudySettings(
            cells=settings.cells,
            metrics=(*settings.metric_scores, *computed),
            level=first.method_settings.level,
        )
        study = compare_cells(kept, chosen)
        step(1)
    pairs = list(dict.fromkeys(source.pair for source in sources))
    line = years_line(pairs, settings.cells, metrics=settings.metrics)
    return replace(
        study,
        title="Change over years" + (f": {pairs[0]}" if len(pairs) == 1 else ""),
        signature="\n".join([*signatures, line, *_metric_signatures(sources, settings)]),
        warnings=(*warnings, *study.warnings, *uneven),
    )


def _kept(source: PairSource) -> Kept:
    """What quality control keeps; NotEnoughData names the pair."""
    try:
        return keep_good(source.source, source.analysis)
    except NotEnoughData as problem:
        raise NotEnoughData(f"{source.pair}: {problem.sentence}") from None


def _require_systems(pair: str, found: Kept, settings: LongitudinalSettings) -> None:
    """Refuse cells of systems that nobody judged, whether good or not."""
    named = {name for _, systems in settings.cells for name in systems}
    unknown = sorted(named - found.systems)
    if unknown:
        raise ChoiceError(
            f"{pair}: the cells name {', '.join(unknown)}, which nobody judged. "
            f"Systems found: {', '.join(sorted(found.systems))}."
        )


def _signature(source: PairSource, counts: Counts) -> str:
    judged = source.source
    return signature(
        source.analysis,
        counts,
        campaign=judged.campaign,
        protocol=judged.protocol,
        root=judged.root,
        weights=judged.weights,
    )


def _metric_signatures(sources: Sequence[PairSource], settings: LongitudinalSettings) -> list[str]:
    """The metrics' own signatures, each once."""
    languages = dict.fromkeys(source.texts.target_language for source in sources if source.texts is not None)
    return list(
        dict.fromkeys(
            _metric(name).signature(language) for language in languages for name in settings.metrics
        )
    )


def _metric(name: str) -> Metric:
    found = metrics()
    if name not in found:
        others = "Scores of others can be supplied: {metric_scores=FILE}."
        raise ChoiceError(f"{no_such('metric', name, found)} {others}")
    return found[name]


def _cell_metrics(
    sources: Sequence[PairSource], settings: LongitudinalSettings
) -> tuple[list[CellMetric], list[str]]:
    """The metrics asked for, of every pair whose texts are known, and a warning of texts that differ."""
    wanted = [_metric(name) for name in settings.metrics]
    texts: dict[str, CampaignTexts] = {}
    for source in sources:
        if source.texts is not None:
            # Two attributes of a pair have the same texts.
            texts.setdefault(source.pair, source.texts)
    if wanted and not texts:
        raise NotEnoughData(
            f"To compute {', '.join(settings.metrics)} the texts are needed, which only a campaign's "
            "database has. Supply the scores of the four cells in a file: {metric_scores=FILE}."
        )
    supplied = {(metric.pair, metric.metric.lower()) for metric in settings.metric_scores}
    computed: list[CellMetric] = []
    warnings: list[str] = []
    for pair, of_pair in texts.items():
        having = [system.system_id for system in of_pair.systems if of_pair.comparable(system.system_id)]
        cells = name_cells(having, settings.cells, where=pair).systems
        computed += [_scored(metric, pair, of_pair, cells) for metric in wanted]
        warnings += _uneven(pair, of_pair, cells) if wanted else []
    twice = [found for found in computed if (found.pair, found.metric.lower()) in supplied]
    if twice:
        named = ", ".join(f"{found.metric} of {found.pair}" for found in twice)
        raise ChoiceError(
            f"Scores of {named} are supplied and would be computed too: leave one of the two out."
        )
    return computed, warnings


def _scored(metric: Metric, pair: str, texts: CampaignTexts, cells: CellSystems) -> CellMetric:
    """A metric's corpus scores of the cells; of winners that tied the mean of theirs.

    Scores of a metric that counts errors are turned, and named with a minus: higher is better throughout.
    """
    values = []
    for _, names in cells:
        scores = [_corpus_score(metric, texts, name) for name in names]
        values.append(metric.sign * sum(scores) / len(scores))
    return CellMetric(pair, f"{'-' if metric.sign < 0 else ''}{metric.title}", FourCells(*values))


def _uneven(pair: str, texts: CampaignTexts, cells: CellSystems) -> list[str]:
    """A warning if systems are compared on different segments of one test set."""
    systems = dict(cells)
    for one, other in _TEST_SETS:
        segments = {tuple(texts.comparable(name)) for name in (*systems[one], *systems[other])}
        if len(segments) > 1:
            return [
                f"{pair}: metrics see different segments of one test set under {one} and {other}: a database "
                "keeps only translations drawn to be judged. Scores of whole test sets can be supplied."
            ]
    return []


def _corpus_score(metric: Metric, texts: CampaignTexts, name: str) -> float:
    places = texts.comparable(name)
    lines = [texts.translations[name][place] or "" for place in places]
    references = [texts.segments[place].reference for place in places]
    return metric.corpus(lines, references, texts.target_language)

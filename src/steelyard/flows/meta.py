"""From scores by people and metrics to a study: how well does each metric agree with people?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.domain.errors import ChoiceError, SourceError
from steelyard.domain.nearest import no_such
from steelyard.flows.source import is_database
from steelyard.flows.watching import Progress, unseen
from steelyard.meta.metric_table import MetricTable, add_metrics, metric_table
from steelyard.meta.scores import ScoredPair
from steelyard.meta.settings import MetaEvaluation, MetaSettings
from steelyard.meta.study import ready_metrics, run_metrics
from steelyard.version import __version__

if TYPE_CHECKING:
    from steelyard.domain.result import Analysis
    from steelyard.flows.campaign_texts import CampaignTexts

# Ratings that a score of a single translation must rest on to be compared with a metric's [Graham2015].
ENOUGH_RATINGS = 15


@dataclass(frozen=True)
class ScoresRead:
    """Scores ready for a study: the gold to use, where they are from, and what a reader should know."""

    scored: ScoredPair
    gold: str
    source: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which scores to read: of a language pair, which people's, which metrics' (None: all there are).

    `table`: a file of further metrics' scores. `method`: how a campaign's ratings become its gold.
    """

    pair: str | None = None
    gold: str | None = None
    metrics: tuple[str, ...] | None = None
    table: Path | None = None
    method: str | None = None
    seed: int = 7


def read_scored(source: str, wanted: Wanted, *, progress: Progress = unseen) -> ScoresRead:
    """The scores of a folder in the layout of mt-metrics-eval, or of a campaign's database.

    A campaign's gold is what its workers' ratings come to; its metrics are those built in, computed from
    its texts. SourceError with everything that cannot be read or is not there.
    """
    if is_database(source):
        return _of_campaign(source, wanted, progress)
    return _of_folder(Path(source), wanted)


def meta(
    scored: ScoredPair,
    gold: str,
    settings: MetaSettings | None = None,
    *,
    source: str = "",
    progress: Progress = unseen,
) -> MetaEvaluation:
    """How well each metric agrees with the scores that people gave under the name `gold`.

    The same scores and settings give the same answer.
    """
    study = ready_metrics(scored, gold, settings or MetaSettings())
    with progress("Judging metrics", study.n_steps) as step:
        found = run_metrics(study, step=step)
    return replace(
        found,
        title=f"How well metrics agree with people: {scored.pair}, {gold}",
        signature=_signature(found, source),
    )


def judge(read: ScoresRead, settings: MetaSettings, *, progress: Progress = unseen) -> MetaEvaluation:
    """The study of scores that were read, with what is to be said of where they are from."""
    found = meta(read.scored, read.gold, settings, source=read.source, progress=progress)
    return replace(found, notes=(*read.notes, *found.notes))


def _of_folder(folder: Path, wanted: Wanted) -> ScoresRead:
    from steelyard.formats.metric_folder import read_metric_folder

    if folder.is_file():
        problem = "is a file: name a folder in the layout of mt-metrics-eval, or a campaign's database."
        raise SourceError(str(folder), [problem])
    if wanted.pair is None or wanted.gold is None:
        given = (("{pair=LP}", wanted.pair), ("{gold=NAME}", wanted.gold))
        missing = " and ".join(option for option, value in given if value is None)
        problem = (
            f"give {missing}: a folder may have several language pairs, and people's scores of several kinds."
        )
        raise SourceError(str(folder), [problem])
    if wanted.method is not None:
        raise SourceError(
            str(folder),
            ["has people's scores already: only ratings of a database become scores by a method."],
        )
    table = _table(wanted)
    names = _others(wanted, table)
    scored = read_metric_folder(folder, wanted.pair, golds=[wanted.gold], metrics=names)
    if table:
        scored = add_metrics(scored, table, _line_names(folder, scored))
    return ScoresRead(scored, wanted.gold, folder.resolve().name)


def _line_names(folder: Path, scored: ScoredPair) -> list[str]:
    """What the segments of a folder are called: as a file names them, else their line numbers."""
    from steelyard.formats.text_file import read_lines

    path = folder / f"{scored.pair}.segments.txt"
    names = read_lines(path) if path.is_file() else []
    return names if len(names) == scored.n_segments else [str(k + 1) for k in range(scored.n_segments)]


def _of_campaign(address: str, wanted: Wanted, progress: Progress) -> ScoresRead:
    # Folders are read without the parts that databases need.
    from steelyard.flows.analyse import analyse
    from steelyard.flows.campaign_texts import RAW, require_metrics, translations_of
    from steelyard.flows.open import open_campaign
    from steelyard.flows.settings import settings_from
    from steelyard.flows.source import from_campaign
    from steelyard.metrics import metrics

    with open_campaign(address) as campaign:
        source, texts = from_campaign(campaign), translations_of(campaign)
        attribute = campaign.settings.attribute
    if wanted.pair not in (None, texts.pair):
        raise SourceError(address, [f"is a campaign of {texts.pair}, not of {wanted.pair}."])
    gold = _campaign_gold(wanted.gold, attribute)
    table = _table(wanted)
    names = _others(wanted, table)
    if names is None:
        # Users with their own scores may not have what the built-in metrics need.
        names = () if table else tuple(metrics())
    require_metrics(names)
    with progress("Scoring texts", 1 + len(names)) as step:
        # Nothing here looks at intervals, so none are drawn.
        analysis = analyse(source, settings_from(source, method=wanted.method, seed=wanted.seed, draws=0))
        step(1)
        scored = _scored_texts(texts, analysis, names, gold.removesuffix(RAW), step)
    if gold not in [found.name for found in scored.golds]:
        raise ChoiceError(f"{wanted.method} scores ratings as they are, so there is no gold {gold}.")
    if table:
        scored = add_metrics(scored, table, [segment.segment_id for segment in texts.segments])
    scored = replace(scored, warnings=(*analysis.warnings, *scored.warnings, *_few_ratings(analysis)))
    return ScoresRead(scored, gold, source.campaign, _campaign_notes(analysis, texts, names))


def _scored_texts(
    texts: CampaignTexts, analysis: Analysis, names: Sequence[str], gold: str, step: Callable[[int], None]
) -> ScoredPair:
    """People's scores and the built-in metrics', one metric after another, for some take their time."""
    from steelyard.flows.campaign_texts import campaign_scores

    scored = campaign_scores(texts, analysis, (), gold_name=gold)
    for name in names:
        one = campaign_scores(texts, analysis, (name,), gold_name=gold)
        scored = replace(one, metrics=(*scored.metrics, *one.metrics))
        step(1)
    return scored


def _campaign_gold(chosen: str | None, attribute: str) -> str:
    """The name of a campaign's gold: its attribute or da, either with -raw for the mean ratings."""
    from steelyard.flows.campaign_texts import RAW
    from steelyard.flows.metric_folder import USUAL_GOLD_NAME

    usual = attribute or USUAL_GOLD_NAME
    known = [f"{name}{ending}" for name in dict.fromkeys((usual, USUAL_GOLD_NAME)) for ending in ("", RAW)]
    if chosen is not None and chosen not in known:
        raise ChoiceError(no_such("gold", chosen, known, within="a campaign"))
    return chosen or usual


def _campaign_notes(analysis: Analysis, texts: CampaignTexts, names: Sequence[str]) -> tuple[str, ...]:
    """How the gold came about, and by which settings of each metric its scores."""
    from steelyard.metrics import metrics

    known = metrics()
    return (
        f"Gold: {analysis.signature}",
        *(f"{name}: {known[name].signature(texts.target_language)}" for name in names),
    )


def _few_ratings(analysis: Analysis) -> tuple[str, ...]:
    """A warning where scores of single translations rest on too few ratings to be a gold."""
    median = analysis.segments["n"].median()
    if not isinstance(median, float) or median >= ENOUGH_RATINGS:
        return ()
    ratings = "1 rating" if median == 1 else f"{median:g} ratings"
    return (
        f"A translation's gold rests on {ratings} (median). Below {ENOUGH_RATINGS} it is so uncertain that "
        "every metric looks worse than it is over segments; numbers over systems suffer less.",
    )


def _table(wanted: Wanted) -> MetricTable | None:
    """The metrics of the file that were asked for; None without a file."""
    if wanted.table is None:
        return None
    from steelyard.formats.table_file import read_table

    read = read_table(wanted.table)
    read.refuse_unclear({"score"} & read.columns.keys(), str(wanted.table))
    scores = {"score": [cell and read.numeral(cell) for cell in read.columns.get("score", ())]}
    columns = {**read.columns, **(scores if "score" in read.columns else {})}
    return metric_table(columns, read.place, where=str(wanted.table)).only(wanted.metrics)


def _others(wanted: Wanted, table: MetricTable | None) -> tuple[str, ...] | None:
    """The metrics asked for that the table does not have; None: none were named."""
    if wanted.metrics is None:
        return None
    there = table.metrics if table else []
    return tuple(name for name in wanted.metrics if name not in there)


def _signature(found: MetaEvaluation, source: str) -> str:
    """Every choice that was made; rare ones only where they differ from the usual."""
    settings, usual = found.settings, MetaSettings()
    n_metrics = found.rows["metric"].n_unique()
    parts = {
        "steelyard": ".".join(__version__.split(".")[:2]),
        "scores": source or None,
        "pair": found.pair,
        "gold": found.gold,
        "level": settings.level,
        "by": settings.by,
        "systems": len(found.systems),
        "without": ",".join(sorted(settings.exclude)) or None,
        "references": "kept" if settings.with_references else None,
        "metrics": n_metrics,
        "flipped": ",".join(settings.flip) or None,
        "tests": ",".join(settings.tests) or "none",
        "unit": settings.unit,
        "pearson": settings.pearson_test,
        "accuracy": settings.accuracy_test if settings.accuracy_test != usual.accuracy_test else None,
        "least": _unless(settings.least_difference, usual.least_difference),
        "p": f"<{settings.threshold:g}" if settings.threshold != usual.threshold else None,
        "draws": settings.draws,
        "soft": settings.soft_seed if settings.soft_seed != usual.soft_seed else None,
        "seed": settings.seed,
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items() if value is not None)


def _unless(value: float, usual: float) -> str | None:
    return None if value == usual else f"{value:g}"

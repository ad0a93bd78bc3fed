"""The texts of a campaign, system by system, and what built-in metrics say of them beside people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

import numpy as np
import polars as pl

from steelyard.aggregation import methods
from steelyard.domain.errors import ChoiceError, NotEnoughData
from steelyard.domain.nearest import no_such
from steelyard.domain.plugin import Metric
from steelyard.domain.result import Analysis
from steelyard.domain.text import Segment, System
from steelyard.flows.open import OpenCampaign
from steelyard.meta.scores import ScoredPair, ScoreSet
from steelyard.metrics import metrics
from steelyard.stats.arrays import FloatArray
from steelyard.store import campaigns

# What is added to a gold's name for the mean ratings behind the scores.
RAW = "-raw"


@dataclass(frozen=True, slots=True)
class CampaignTexts:
    """What a campaign's systems made of its segments.

    `translations` holds, by system_id, the system's text of each segment in the order of `segments`; None
    where it has none, or where none was drawn to be judged: a database keeps only what is judged.
    """

    source_language: str
    target_language: str
    systems: tuple[System, ...]
    segments: tuple[Segment, ...]
    translations: Mapping[str, tuple[str | None, ...]]

    @property
    def pair(self) -> str:
        """The language pair, such as de-en."""
        return f"{self.source_language}-{self.target_language}"

    @property
    def reference_name(self) -> str | None:
        """What to call the segments' references among the systems; None if no segment has one.

        refA, unless that is another system: then refB, and so on. A system whose every text is the
        reference is the reference.
        """
        references = tuple(segment.reference for segment in self.segments)
        if not any(references):
            return None
        candidates = [f"ref{letter}" for letter in ascii_uppercase]
        same = (name for name in candidates if self.translations.get(name) == references)
        free = (name for name in candidates if name not in self.translations)
        return next(same, None) or next(free, "reference")

    def comparable(self, system_id: str) -> list[int]:
        """The places of the segments that the system has translated and that have a reference."""
        texts = zip(self.translations[system_id], self.segments, strict=True)
        return [
            place
            for place, (text, segment) in enumerate(texts)
            if text is not None and segment.reference.strip()
        ]


def translations_of(campaign: OpenCampaign) -> CampaignTexts:
    """The texts of an open campaign; a text that several systems gave stands for each of them."""
    with campaign.store.snapshot() as connection:
        systems = campaigns.systems(connection)
        segments = campaigns.segments(connection)
        rows = campaigns.translations(connection)
    place = {segment.segment_id: number for number, segment in enumerate(segments)}
    texts: dict[str, list[str | None]] = {system.system_id: [None] * len(segments) for system in systems}
    for row in rows:
        texts[row.system_id][place[row.segment_id]] = row.text
    return CampaignTexts(
        campaign.settings.source_language,
        campaign.settings.target_language,
        tuple(systems),
        tuple(segments),
        {system_id: tuple(lines) for system_id, lines in texts.items()},
    )


def require_metrics(names: Sequence[str]) -> None:
    """ChoiceError for a name that no built-in metric has."""
    known = metrics()
    for name in names:
        if name not in known:
            raise ChoiceError(no_such("metric", name, known, use="Built in are"))


def campaign_scores(
    texts: CampaignTexts, analysis: Analysis, metric_names: Sequence[str], *, gold_name: str = "da"
) -> ScoredPair:
    """People's scores of a campaign as gold, beside what built-in metrics make of the same texts.

    The scores of the analysis are the gold; their mean ratings are a second one, named with -raw at the
    end. Metrics are under the names people type (bleu, chrf, ter), higher being better. ChoiceError names
    metrics there are not; NotEnoughData if no translation has a reference.
    """
    known = metrics()
    require_metrics(metric_names)
    systems = [system.system_id for system in texts.systems]
    chosen = [known[name] for name in dict.fromkeys(metric_names)]
    reference = texts.reference_name
    if chosen and reference is None:
        raise NotEnoughData(
            f"The campaign has no references for {', '.join(metric_names)} to compare translations with. "
            "Use scores of metrics that need none."
        )
    humans = {system.system_id for system in texts.systems if system.is_human}
    return ScoredPair(
        pair=texts.pair,
        n_segments=len(texts.segments),
        golds=human_scores(analysis, systems, [segment.segment_id for segment in texts.segments], gold_name),
        metrics=tuple(_scored_by(metric, texts, reference) for metric in chosen),
        documents=tuple(segment.document_id for segment in texts.segments),
        references=tuple(sorted(humans | ({reference} if reference else set()))),
        warnings=_unscored(texts) if chosen else (),
    )


def human_scores(
    analysis: Analysis, systems: Sequence[str], segments: Sequence[str], name: str
) -> tuple[ScoreSet, ...]:
    """The scores of an analysis and, named with -raw, the mean ratings behind them.

    Systems that the analysis does not rank are left out, the others in the order given.
    """
    ranked = analysis.systems.with_columns(pl.col("system_id").cast(pl.String))
    rows = analysis.segments.with_columns(pl.col("system_id", "segment_id").cast(pl.String))
    scored = set(ranked["system_id"])
    order = [system_id for system_id in systems if system_id in scored]
    found = (
        ScoreSet(name, tuple(order), *_arrays(rows, ranked, order, segments, "score")),
        ScoreSet(f"{name}{RAW}", tuple(order), *_arrays(rows, ranked, order, segments, "mean_rating")),
    )
    # Where ratings are scored as they are, the second would say the same again.
    return found[:1] if methods()[analysis.settings.method].mean_of == "rating" else found


def _arrays(
    rows: pl.DataFrame, ranked: pl.DataFrame, systems: Sequence[str], segments: Sequence[str], column: str
) -> tuple[FloatArray, FloatArray]:
    """A column's values of single translations (systems, segments) and of systems; NaN is none."""
    places = [
        pl.DataFrame({key: pl.Series(names, dtype=pl.String), f"{key}_place": np.arange(len(names))})
        for key, names in (("system_id", systems), ("segment_id", segments))
    ]
    placed = rows.join(places[0], on="system_id").join(places[1], on="segment_id", how="left")
    if placed["segment_id_place"].null_count():
        raise ValueError("the analysis scores segments that are not among those given")
    block = np.full((len(systems), len(segments)), np.nan)
    block[placed["system_id_place"].to_numpy(), placed["segment_id_place"].to_numpy()] = _floats(
        placed[column]
    )
    return block, _floats(places[0].join(ranked, on="system_id", how="left", maintain_order="left")[column])


def _floats(column: pl.Series) -> FloatArray:
    return column.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def _scored_by(metric: Metric, texts: CampaignTexts, reference: str | None) -> ScoreSet:
    """A metric's scores of every system: of each translation, and of all that a system has together."""
    systems = tuple(system.system_id for system in texts.systems if system.system_id != reference)
    block = np.full((len(systems), len(texts.segments)), np.nan)
    overall = np.full(len(systems), np.nan)
    for row, system_id in enumerate(systems):
        places = texts.comparable(system_id)
        if not places:
            continue
        lines = [texts.translations[system_id][place] or "" for place in places]
        references = [texts.segments[place].reference for place in places]
        block[row, places] = metric.segments(lines, references, texts.target_language)
        overall[row] = metric.corpus(lines, references, texts.target_language)
    return ScoreSet(metric.name, systems, metric.sign * block, metric.sign * overall, reference)


def _unscored(texts: CampaignTexts) -> tuple[str, ...]:
    """Warnings of what metrics could not score."""
    n_bare = sum(not segment.reference.strip() for segment in texts.segments)
    sets = {tuple(texts.comparable(system.system_id)) for system in texts.systems}
    warnings = []
    if n_bare:
        warnings.append(
            f"{n_bare:,} of {len(texts.segments):,} segments have no reference: metrics leave them out."
        )
    if len(sets) > 1:
        warnings.append(
            "Systems have translations of different segments (a database keeps those drawn to be judged), so "
            "the metrics' scores of whole systems are over different texts."
        )
    return tuple(warnings)

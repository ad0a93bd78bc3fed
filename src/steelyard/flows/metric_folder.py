"""Write the scores of an analysis as a folder that toolkits for judging metrics read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.domain.exhibit import Evidence
from steelyard.domain.text import Segment
from steelyard.flows.campaign_texts import CampaignTexts, campaign_scores, human_scores, translations_of
from steelyard.flows.source import is_database
from steelyard.formats.metric_writing import fit_names, write_scored_pair
from steelyard.formats.texts import Texts
from steelyard.frames import scored as scored_rows
from steelyard.meta.scores import ScoredPair, ScoreSet

USUAL_GOLD_NAME = "da"


@dataclass(frozen=True, slots=True)
class WrittenFolder:
    """What a folder got, and what a reader should know about it."""

    pair: str
    golds: tuple[str, ...]
    n_systems: int
    n_segments: int
    has_texts: bool
    warnings: tuple[str, ...]


def write_metric_folder(
    source: str, evidence: Evidence, folder: Path, *, pair: str | None = None, gold_name: str | None = None
) -> WrittenFolder:
    """Write the segment and system scores of an analysed source in the layout of mt-metrics-eval.

    A database gives its texts, documents and language pair too; for a file `pair` must be given, and
    segments are in the natural order of their ids. The gold is named after the attribute if there is one,
    else "da"; the mean ratings behind it are a second gold, NAME-raw. Which segment a line is about stands
    in `PAIR.segments.txt`. Files that are there already with other content are never written over.
    """
    attributes = evidence.frame["attribute"].cast(pl.String).unique().to_list()
    name = gold_name or (attributes[0] if len(attributes) == 1 and attributes[0] else USUAL_GOLD_NAME)
    (name,) = fit_names([name]).values()
    if is_database(source):
        from steelyard.flows.open import open_campaign

        with open_campaign(source) as campaign:
            campaign_texts = translations_of(campaign)
        scored = campaign_scores(campaign_texts, evidence.analysis, (), gold_name=name)
        reference, texts = campaign_texts.reference_name or "refA", _as_texts(campaign_texts)
    elif pair is None:
        raise SourceError(source, ["does not name its languages: give the pair, such as {pair=de-en}."])
    else:
        scored, texts = _from_frame(evidence, name)
        reference = "refA"
    scored, texts, renamed = _with_fit_names(replace(scored, pair=pair or scored.pair), texts)
    warnings = write_scored_pair(folder, scored, texts=texts, reference=reference)
    return WrittenFolder(
        scored.pair,
        tuple(gold.name for gold in scored.golds),
        len(scored.golds[0].systems),
        scored.n_segments,
        bool(texts.translations),
        (*scored.warnings, *renamed, *warnings),
    )


def _as_texts(campaign_texts: CampaignTexts) -> Texts:
    humans = frozenset(system.system_id for system in campaign_texts.systems if system.is_human)
    return Texts(campaign_texts.segments, campaign_texts.translations, humans)


def _from_frame(evidence: Evidence, gold_name: str) -> tuple[ScoredPair, Texts]:
    """The scores of a judgements file, and its segments without their texts, which no such file has."""
    rows = scored_rows(evidence.frame).select(pl.col("segment_id", "document_id").cast(pl.String)).unique()
    by_segment = rows.group_by("segment_id").agg(pl.col("document_id").drop_nulls().unique().sort())
    documents = dict(by_segment.iter_rows())
    order = sorted(documents, key=_natural)
    names = [documents[segment_id] for segment_id in order]
    known = all(len(some) == 1 for some in names)
    warnings: tuple[str, ...] = ()
    if any(len(some) > 1 for some in names):
        warnings = ("Some segments are in several documents, so no documents were written.",)
    systems = sorted(evidence.analysis.systems["system_id"].cast(pl.String).to_list(), key=_natural)
    scored = ScoredPair(
        pair="",
        n_segments=len(order),
        golds=human_scores(evidence.analysis, systems, order, gold_name),
        metrics=(),
        documents=tuple(some[0] for some in names) if known else None,
        warnings=warnings,
    )
    return scored, Texts(tuple(Segment(segment_id, "", "", "") for segment_id in order), {})


def _natural(name: str) -> list[tuple[int, int, str]]:
    """A key that puts numbers within names in order of their size.

    >>> sorted(["news-10", "news-9", "chat", "2", "12"], key=_natural)
    ['2', '12', 'chat', 'news-9', 'news-10']
    """
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts]


def _with_fit_names(scored: ScoredPair, texts: Texts) -> tuple[ScoredPair, Texts, tuple[str, ...]]:
    """The same with names of systems that the layout can hold, and a warning of those that changed."""
    systems = dict.fromkeys([*texts.translations, *(name for gold in scored.golds for name in gold.systems)])
    fit = fit_names(systems)
    changed = {name: new for name, new in fit.items() if name != new}
    if not changed:
        return scored, texts, ()
    if len(set(fit.values())) < len(fit):
        listed = ", ".join(f'"{name}"' for name in changed)
        problem = (
            f"the systems {listed} would have the same names as others once spaces and slashes are gone."
        )
        raise SourceError("the folder", [problem])
    renamings = ", ".join(f'"{name}" is {new}' for name, new in changed.items())
    warning = f"Names of systems may hold neither spaces nor slashes there: {renamings}."
    renamed = replace(scored, golds=tuple(_renamed(gold, fit) for gold in scored.golds))
    translations = {fit[name]: lines for name, lines in texts.translations.items()}
    humans = frozenset(fit[name] for name in texts.humans)
    return renamed, replace(texts, translations=translations, humans=humans), (warning,)


def _renamed(scores: ScoreSet, names: Mapping[str, str]) -> ScoreSet:
    return replace(scores, systems=tuple(names[name] for name in scores.systems))

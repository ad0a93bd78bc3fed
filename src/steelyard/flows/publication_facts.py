"""What is known of how judgements were collected: from a campaign's database, and from judgements alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from steelyard.domain.entry import entry_in
from steelyard.domain.judgement import FRAME_NAMES, FrameName
from steelyard.domain.languages import NAMES, base_language
from steelyard.domain.publication import AskedWords, CampaignFacts, CollectionFacts
from steelyard.domain.work import SCORED_KINDS, ItemKind
from steelyard.flows.background import Backgrounds, backgrounds
from steelyard.flows.open import OpenCampaign
from steelyard.flows.platform import identification
from steelyard.flows.source import Source
from steelyard.flows.state import campaign_now
from steelyard.frames import spread_credit
from steelyard.preferences import scored_preferences
from steelyard.protocols import protocols, roles_shown, span_settings_of, translations_shown, words_in
from steelyard.store import work


def campaign_facts(campaign: OpenCampaign, source: Source) -> CampaignFacts:
    """What the database of a campaign says beside its judgements, which are in `source`."""
    with campaign.store.read() as connection:
        n_hits = work.n_hits_laid_out(connection)
    settings = campaign_now(campaign).settings
    protocol, words = protocols()[settings.protocol], settings.presentation["words"]
    entry, begun = entry_in(settings.presentation), backgrounds(campaign)
    marks = span_settings_of(protocol, settings.presentation)
    is_rated = protocol.scale is not None and (marks is None or marks.score)
    has_statement = is_rated or marks is None
    language, english = words["language"], words_in(protocol, "en")
    is_ours = base_language(language) != "en" and words == words_in(protocol, language)
    platform, rules = identification(settings.rules), settings.rules
    return CampaignFacts(
        protocol=settings.protocol,
        attribute=settings.attribute,
        source_language=settings.source_language,
        target_language=settings.target_language,
        asked=_asked(words, settings.attribute, is_rated=is_rated, has_statement=has_statement),
        in_english=_english(
            _asked(english, settings.attribute, is_rated=is_rated, has_statement=has_statement), language
        )
        if is_ours and english is not None
        else None,
        instructions="\n\n".join([*_paragraphs(words, settings.attribute), *words["answering"]]),
        words_language=language,
        shows=roles_shown(settings),
        hit_size=settings.design.hit_size,
        n_hits=n_hits,
        whole_documents=settings.design.order == "documents",
        n_translations=translations_shown(settings),
        is_rated=is_rated,
        severities=() if marks is None else tuple(marks.severities),
        categories=() if marks is None else tuple(marks.categories or ()),
        degradation=settings.design.degradation,
        platform=None if platform is None else platform.platform.title,
        wage=rules.wage,
        pay_per_hit=rules.pay_per_hit,
        currency=rules.currency,
        lease_minutes=rules.lease_minutes,
        has_consent=entry is not None and entry.consent is not None,
        questions=tuple(question.text for question in begun.questions),
        admitted=tuple((each.text, each.accept) for each in begun.questions if each.accept),
        background=_answers(begun, {name for each in FRAME_NAMES for name in source.of(each)["worker_id"]}),
        n_training=begun.n_training,
    )


def _asked(words: Mapping[str, Any], attribute: str, *, is_rated: bool, has_statement: bool) -> AskedWords:
    anchors: Mapping[str, str] = words.get("anchors", {}) if is_rated else {}
    choices: Mapping[str, str] = words.get("choices", {})
    return AskedWords(
        f"{words['lead_in']} {words['statements'][attribute]}" if has_statement else words["answering"][0],
        (anchors["low"], anchors["high"]) if "low" in anchors and not choices else None,
        # Beside words at the ends, those of marks are for screen readers alone.
        tuple(words.get("marks", {}).values()) if is_rated and not anchors else (),
        tuple(choices.values()),
    )


def _english(asked: AskedWords, language: str) -> AskedWords:
    """Our English words, which speak of fluent English, as those in another language speak of that one."""
    name = NAMES.get(base_language(language), "that language")
    return replace(asked, question=re.sub(r"\bEnglish\b", name, asked.question))


def _paragraphs(words: Mapping[str, Any], attribute: str) -> Sequence[str]:
    found = words["instructions"][attribute]
    return [found] if isinstance(found, str) else list(found)


def _answers(begun: Backgrounds, judged: Collection[str]) -> dict[str, dict[str, int]]:
    """By question to choose answers from, how many of those who judged gave each.

    Those who were turned away or left again are nobody's business, nor is what people wrote themselves.
    """
    counted: dict[str, dict[str, int]] = {}
    for question in begun.questions:
        if question.kind not in ("choice", "choices"):
            continue
        given = [worker.answers.get(question.name) for worker in begun.workers if worker.worker_id in judged]
        each = [
            part for answer in given if answer for part in (answer if isinstance(answer, list) else [answer])
        ]
        if each:
            counted[question.text] = dict(Counter(each).most_common())
    return counted


def collection_facts(
    source: Source, read: FrameName, campaign: CampaignFacts | None, *, attribute: str | None = None
) -> CollectionFacts:
    """What the judgements of a source say, before people have pseudonyms and times are gone.

    `attribute`: the one that is analysed, of judgements of several.
    """
    wanted = pl.lit(True) if attribute is None else pl.col("attribute").cast(pl.String) == attribute
    frame, spans = source.of(read).filter(wanted), source.spans.filter(wanted)
    kinds = frame["item_kind"].cast(pl.String).value_counts().sort("count", descending=True)
    days = frame["submitted_at"].drop_nulls().dt.date().unique().to_list()
    seconds = frame["seconds"].drop_nulls()
    documents = frame["document_id"].drop_nulls()
    scored_rows = _scored(frame, read)
    per_system = scored_rows.group_by("system_id").agg(n=pl.col("segment_id").n_unique())["n"]
    return CollectionFacts(
        name=source.title,
        read=read,
        kinds=dict(kinds.iter_rows()),
        attributes=tuple(name for name in frame["attribute"].unique().sort().to_list() if name),
        n_segments=frame["segment_id"].n_unique(),
        n_documents=documents.n_unique() if len(documents) else None,
        segments_per_system=_range(per_system),
        ratings_each=_number(_each(frame)) if read == "ratings" else None,
        n_errors=spans["severity"].count(),
        weights=source.weights,
        first_day=min(days, default=None),
        last_day=max(days, default=None),
        median_seconds=_number(seconds.median()),
        campaign=campaign,
    )


def _scored(frame: pl.DataFrame, read: FrameName) -> pl.DataFrame:
    if read == "preferences":
        pairs = scored_preferences(frame)
        return pl.concat(
            pairs.select(pl.col(side).alias("system_id"), "segment_id") for side in ("system_a", "system_b")
        )
    rows = frame.filter(pl.col("item_kind").is_in([str(kind) for kind in SCORED_KINDS]))
    return spread_credit(rows).select("system_id", "segment_id")


def _each(frame: pl.DataFrame) -> Any:
    regular = spread_credit(frame.filter(pl.col("item_kind") == str(ItemKind.REGULAR)))
    per_translation = regular.group_by("system_id", "segment_id", "attribute").agg(n=pl.len())
    return per_translation["n"].mean()


def _range(counts: pl.Series) -> tuple[int, int]:
    each = counts.to_list()
    return (min(each, default=0), max(each, default=0))


def _number(found: Any) -> float | None:
    return None if found is None else float(found)

"""How judgements were collected, in sentences of a paper: only what is known and true of the source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from steelyard.domain.languages import NAMES, base_language
from steelyard.domain.publication import CampaignFacts, CollectionFacts
from steelyard.domain.result import Analysis
from steelyard.domain.wording import counted, in_currency, joined
from steelyard.protocols import protocols
from steelyard.report.cited_text import Cite, Paragraph, Sentence

_NOUNS = {"ratings": "rating", "preferences": "comparison", "spans": "marked error"}
# What workers saw beside the translation.
_BESIDE = {"reference": "a human reference translation", "source": "the source text"}
_CONTROLS = {
    "degraded": "degraded copies of translations",
    "repeat": "repeats of earlier items",
    "reference": "human reference translations",
    "gold": "items that an expert had rated",
    "calibration": "items of an earlier campaign",
}


def collection_paragraph(facts: CollectionFacts, analysis: Analysis) -> Paragraph:
    """Who judged what, what they were asked, and how the work was laid out."""
    known = facts.campaign
    sentences: list[Sentence] = [_who(facts, analysis), *_simulated(analysis)]
    if known is not None:
        sentences += [question_sentence(known), *answer_sentences(known), *_errors(facts, known)]
    sentences += [*_layout(facts, analysis), *_each(facts), *_controls(facts, analysis)]
    if known is not None:
        sentences += [*_before(known), *admission_sentences(known), *_pay(known, analysis)]
    sentences += _days(facts)
    return Paragraph("Data collection", tuple(sentences))


def _who(facts: CollectionFacts, analysis: Analysis) -> Sentence:
    counts = analysis.counts
    # A number does not open a sentence.
    judged = f"A total of {counted(counts.workers, 'worker')} gave {_judged(facts, counts.judgements)}"
    # Some files name a document anew for each system.
    is_plain = facts.n_documents is not None and facts.n_documents <= facts.n_segments
    documents = f" of {counted(facts.n_documents or 0, 'document')}" if is_plain else ""
    what = f"{counted(counts.systems, 'system')} for {counted(facts.n_segments, 'segment')}{documents}"
    if facts.campaign is None:
        return (f"{judged} of translations by {what}.",)
    source, target = facts.campaign.source_language, facts.campaign.target_language
    protocol = protocols()[facts.campaign.protocol]
    return (
        f"{judged} of translations from {language_name(source)} into {language_name(target)} by {what}, "
        f"following the protocol of {_instrument(protocol.title)}",
        Cite(protocol.cite),
        ".",
    )


def _instrument(title: str) -> str:
    """What a protocol is named after: a scale is one thing, an assessment is not."""
    words = as_words(title)
    return f"a {words}" if re.search(r"\b(scale|metric)\b", words) else words


def _judged(facts: CollectionFacts, n: int) -> str:
    return counted(n, "judgement" if facts.weights is not None else _NOUNS[facts.read])


def language_name(code: str) -> str:
    """A language as a sentence names it."""
    return NAMES.get(base_language(code), code)


def as_words(title: str) -> str:
    """A title as it stands within a sentence: names keep their capital.

    >>> as_words("Direct assessment"), as_words("Bradley-Terry strengths"), as_words("EASL")
    ('direct assessment', 'Bradley-Terry strengths', 'EASL')
    """
    first = title.split()[0].rstrip(",")
    names = ("Bradley-Terry", "Hopkins-May", "TrueSkill", "Mann-Whitney", "Welch's", "Likert", "Marot")
    return title if first in names or first[1:2].isupper() else title[0].lower() + title[1:]


def _simulated(analysis: Analysis) -> list[Sentence]:
    n, workers = analysis.counts.simulated_workers, analysis.counts.workers
    if not n:
        return []
    whose = "All workers" if n == workers else f"{n:,} of these workers"
    return [(f"{whose} were simulated, so that what follows describes no human judgement.",)]


def question_sentence(known: CampaignFacts) -> Sentence:
    """What workers saw and read."""
    beside = [_BESIDE[role] for role in known.shows if role in _BESIDE]
    together = f", together with {joined(beside)}" if beside else ", and nothing else"
    language = language_name(known.words_language)
    if known.in_english is not None:
        words = f"and read, in {language}, what says in English: “{known.in_english.question}”"
    else:
        words = f"and read (in {language}): “{known.asked.question}”"
    return (f"They saw {_seen(known)}{together}, {words}",)


def _seen(known: CampaignFacts) -> str:
    n = known.n_translations
    if n > 1:
        return f"{'two' if n == 2 else f'up to {n}'} translations of the same segment at a time"
    if known.whole_documents:
        return "the translation of a document, segment by segment"
    return "one translation at a time"


def answer_sentences(known: CampaignFacts) -> list[Sentence]:
    """What they could answer."""
    scale = protocols()[known.protocol].scale
    said = known.in_english or known.asked
    if said.choices:
        answers = joined([f"“{choice}”" for choice in said.choices])
        return [(f"The possible answers were {answers}.",)]
    if not known.is_rated or scale is None:
        return []
    ends = f"{scale.minimum:g} to {scale.maximum:g}"
    if said.marks:
        marks = joined([f"“{mark}”" for mark in said.marks])
        return [(f"They answered on a line with the words {marks} along it, which we record as {ends}.",)]
    if said.anchors is None or known.severities:
        return [(f"They answered on a line, which we record as {ends}.",)]
    low, high = said.anchors
    return [(f"They answered on a line from “{low}” to “{high}”, which we record as {ends}.",)]


def _errors(facts: CollectionFacts, known: CampaignFacts) -> list[Sentence]:
    if not known.severities:
        return []
    severity = " or ".join(known.severities)
    categories = f" and one of {len(known.categories)} main categories" if known.categories else ""
    found = f"; {counted(facts.n_errors, 'error')} were marked in all" if facts.n_errors else ""
    return [(f"They marked each error in the text and gave it a severity ({severity}){categories}{found}.",)]


def _layout(facts: CollectionFacts, analysis: Analysis) -> list[Sentence]:
    hits = analysis.counts.hits
    known = facts.campaign
    if known is None:
        return [(f"The work was laid out in {counted(hits, 'HIT')}.",)] if hits > 1 else []
    size = counted(known.hit_size, "item")
    # Whole documents seldom fill a HIT to the last place.
    layout = (
        f"at most {size}, in which the segments of a document follow each other"
        if known.whole_documents
        else f"{size} each, in random order"
    )
    verb = "was" if hits == 1 else "were"
    begun = f"; {hits:,} of these HITs {verb} judged, in full or in part" if hits < known.n_hits else ""
    return [(f"Items were laid out in {counted(known.n_hits, 'HIT')} of {layout}{begun}.",)]


def _each(facts: CollectionFacts) -> list[Sentence]:
    if facts.ratings_each is None:
        return []
    what = "ratings" if facts.weights is None else "judgements"
    return [(f"A translation received {facts.ratings_each:.1f} {what} on average, repeats aside.",)]


def _controls(facts: CollectionFacts, analysis: Analysis) -> list[Sentence]:
    listed = [f"{n:,} {_CONTROLS[kind]}" for kind, n in facts.kinds.items() if kind in _CONTROLS]
    if not listed:
        return []
    said = f"The judgements include controls, which workers could not tell from other items: {joined(listed)}"
    has_others = any(kind in _CONTROLS and kind != "repeat" for kind in facts.kinds)
    repeats_count = "repeat" in facts.kinds and not analysis.settings.regular_only
    alone = "only repeats count" if repeats_count else "none of them counts"
    return [(f"{said}; {alone} towards a system's score." if has_others else f"{said}.",)]


def _before(known: CampaignFacts) -> list[Sentence]:
    steps = ["read and agreed to a consent text"] if known.has_consent else []
    if known.questions:
        steps.append(f"answered {counted(len(known.questions), 'question')} about themselves")
    if known.n_training:
        steps.append(f"practised on {counted(known.n_training, 'item')} with feedback")
    return [(f"Before their first item workers {joined(steps)}.",)] if steps else []


def admission_sentences(known: CampaignFacts) -> list[Sentence]:
    """Who could take part, by the answers that were asked for."""
    return [
        (f"Only workers who answered “{question}” with {_either(answers)} could take part.",)
        for question, answers in known.admitted
    ]


def _either(answers: Sequence[str]) -> str:
    return " or ".join(f"“{answer}”" for answer in answers)


def _pay(known: CampaignFacts, analysis: Analysis) -> list[Sentence]:
    if analysis.counts.simulated_workers == analysis.counts.workers:
        return []
    came = f"Workers were recruited through {known.platform}" if known.platform else ""
    pay = ""
    if known.pay_per_hit is not None:
        pay = f"{in_currency(known.pay_per_hit, known.currency)} for each HIT"
    elif known.wage is not None:
        pay = (
            f"{in_currency(known.wage, known.currency)} per hour of the time that the work was expected "
            "to take"
        )
    if not came and not pay:
        return []
    paid = f"{' and ' if came else 'Workers '}were paid {pay}" if pay else ""
    return [(f"{came}{paid}.",)]


def _days(facts: CollectionFacts) -> list[Sentence]:
    first, last = facts.first_day, facts.last_day
    if first is None or last is None:
        return []
    when = f"on {in_words(first)}" if first == last else f"from {in_words(first)} to {in_words(last)}"
    # Some files say of most items no more than that they were handed in at once.
    median = round(facts.median_seconds or 0)
    pace = f"; the median time per item was {counted(median, 'second')}" if median else ""
    return [(f"The judgements were collected {when}{pace}.",)]


def in_words(day: date) -> str:
    """A day as papers write it.

    >>> in_words(date(2026, 5, 3))
    '3 May 2026'
    """
    return f"{day.day} {day:%B %Y}"

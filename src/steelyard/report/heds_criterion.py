"""Section 4 of the datasheet: what one quality criterion is, and how workers were asked about it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from steelyard.domain.plugin import Protocol
from steelyard.domain.publication import CampaignFacts, CollectionFacts
from steelyard.domain.result import Analysis
from steelyard.domain.scale import VAS
from steelyard.domain.wording import joined
from steelyard.protocols import protocols
from steelyard.report import heds_form as form
from steelyard.report.cited_text import Sentence
from steelyard.report.methods_analysis import comparison_sentences, interval_sentences, score_sentences
from steelyard.report.text import spoken_agreements

NOT_APPLICABLE = "N/A"
# Type of quality and aspect of the output, by what workers are asked about; anything else is quality as such.
_ABOUT = {
    "adequacy": (form.CORRECTNESS, form.CONTENT),
    "fluency": (form.GOODNESS, form.FORM),
}


@dataclass(frozen=True, slots=True)
class HedsAnswer:
    """An answer: a text, or options by their places from 1 with a text that explains them."""

    text: str = ""
    options: tuple[int, ...] = ()


def criterion_answers(name: str, facts: CollectionFacts, analysis: Analysis) -> dict[str, HedsAnswer]:
    """What is known of a criterion, by number of question."""
    compared = comparison_sentences(analysis) if len(analysis.systems) > 1 else []
    found = {
        "4.2.1": HedsAnswer(options=(form.SUBJECTIVE,)),
        "4.3.9": HedsAnswer(plain_text(score_sentences(facts.read, analysis))),
        "4.3.10": HedsAnswer(plain_text([*compared, *interval_sentences(analysis)]) or NOT_APPLICABLE),
        **_agreement(facts, analysis),
    }
    if facts.campaign is None:
        return found
    return found | _properties(name, facts.campaign) | _instrument(facts.campaign)


def _properties(name: str, known: CampaignFacts) -> dict[str, HedsAnswer]:
    quality, aspect = _ABOUT.get(known.attribute, (form.GOODNESS, form.FORM_AND_CONTENT))
    frame = (
        form.RELATIVE_TO_INPUT
        if "source" in known.shows
        else form.EXTERNAL_FRAME
        if "reference" in known.shows
        else form.OWN_RIGHT
    )
    told = f"{known.asked.question} {known.instructions}".lower()
    mode = form.RELATIVE if known.n_translations > 1 else form.ABSOLUTE
    return {
        "4.1.1": HedsAnswer(options=(quality,)),
        "4.1.2": HedsAnswer(options=(aspect,)),
        "4.1.3": HedsAnswer(options=(frame,)),
        "4.2.2": HedsAnswer(options=(mode,)),
        "4.2.3": HedsAnswer(options=(form.INTRINSIC,)),
        # What we call it is not always what workers are told.
        "4.3.1.1": HedsAnswer(name if name in told else "no name given"),
        "4.3.2": HedsAnswer(known.instructions),
        "4.3.7": HedsAnswer(known.asked.question),
    }


def _instrument(known: CampaignFacts) -> dict[str, HedsAnswer]:
    protocol = protocols()[known.protocol]
    task = NOT_APPLICABLE
    if choices := known.asked.choices:
        size, values, presented = str(len(choices)), "; ".join(choices), form.MULTIPLE_CHOICE
    elif protocol.scale is not None and known.is_rated:
        low, high = protocol.scale.minimum, protocol.scale.maximum
        # The line of our pages gives whole numbers, and the form asks for how many there can be.
        size = f"{high - low + 1:g}" if protocol.scale == VAS else "continuous"
        values, presented = f"{low:g} to {high:g}", form.SLIDER
    else:
        size, values, presented = NOT_APPLICABLE, NOT_APPLICABLE, form.NO_INSTRUMENT
        task = (
            "Workers mark every error in the translation and choose its severity "
            f"({joined(known.severities)}){' and its category' if known.categories else ''}."
        )
    return {
        "4.3.3": HedsAnswer(size),
        "4.3.4": HedsAnswer(values),
        "4.3.5": HedsAnswer(options=(presented,)),
        "4.3.6": HedsAnswer(task),
        "4.3.8": _response(protocol, known),
    }


def _response(protocol: Protocol, known: CampaignFacts) -> HedsAnswer:
    marks = "spans" in protocol.gives
    if marks and not known.is_rated:
        return HedsAnswer(options=(form.ERRORS_MARKED,))
    if "preferences" in protocol.gives:
        return HedsAnswer(options=(form.RELATIVE_ESTIMATION,))
    rated = form.AGREEMENT_WITH_STATEMENT if protocol.asks_agreement else form.DIRECT_ESTIMATION
    # Only one option can be chosen; the others can be told.
    return HedsAnswer("Before they rate a translation, workers mark its errors." if marks else "", (rated,))


def _agreement(facts: CollectionFacts, analysis: Analysis) -> dict[str, HedsAnswer]:
    """Between workers (4.3.11) and of workers with themselves (4.3.12); N/A where nobody judged twice."""
    found = spoken_agreements(analysis)
    of_all = f"; over {joined(facts.attributes)} together" if len(facts.attributes) > 1 else ""
    answers: dict[str, HedsAnswer] = {}
    for section, of in (("4.3.11", "inter"), ("4.3.12", "intra")):
        measure, score = measure_and_score(found.get(of, ""))
        told = score if score == NOT_APPLICABLE else f"{score}{of_all}"
        answers |= {f"{section}.1": HedsAnswer(measure), f"{section}.2": HedsAnswer(told)}
    return answers


def measure_and_score(words: str) -> tuple[str, str]:
    """The name of a coefficient, and its value with all that is said of it.

    >>> measure_and_score("Krippendorff's alpha 0.58 [0.47, 0.68] (41 pairs)")
    ("Krippendorff's alpha", '0.58 [0.47, 0.68] (41 pairs)')
    """
    found = re.match(r"(.*?) (−?[0-9]+\.[0-9].*)", words)
    return (found[1], found[2]) if found else (NOT_APPLICABLE, NOT_APPLICABLE)


def plain_text(sentences: Iterable[Sentence]) -> str:
    """Sentences as plain text, without citations."""
    return " ".join("".join(piece for piece in sentence if isinstance(piece, str)) for sentence in sentences)

"""The datasheet of a human evaluation, HEDS 3.0 [Belz2025]: what is known, as JSON that its form loads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from steelyard.domain.languages import base_language
from steelyard.domain.publication import CampaignFacts, CollectionFacts
from steelyard.domain.result import NO_CHECK, Analysis
from steelyard.domain.wording import counted
from steelyard.exhibits.workers import excluded_hits
from steelyard.report import heds_form as form
from steelyard.report.heds_criterion import HedsAnswer, criterion_answers, plain_text
from steelyard.report.heds_form import CRITERION, LANGUAGE_OPTIONS, QUESTIONS, HedsQuestion
from steelyard.report.methods_analysis import quality_paragraph
from steelyard.report.methods_collection import (
    admission_sentences,
    answer_sentences,
    language_name,
    question_sentence,
)
from steelyard.version import __version__

# The questions that a campaign's database can answer; all others are for the authors.
_FROM_DATABASE = (
    *("2.1", "2.2", "2.3", "2.4", "2.5", "3.1.1", "3.1.2", "3.1.3.1", "3.1.3.2", "3.1.3.3"),
    *("3.2.1", "3.2.2.2", "3.2.4", "3.2.5", "3.3.2", "3.3.3.1", "3.3.3.2", "3.3.4.1", "3.3.4.2", "3.3.5"),
    *("4.1.1", "4.1.2", "4.1.3", "4.2.1", "4.2.2", "4.2.3", "4.3.1.1", "4.3.2", "4.3.3", "4.3.4", "4.3.5"),
    *("4.3.6", "4.3.7", "4.3.8", "4.3.9", "4.3.10", "4.3.11.1", "4.3.11.2", "4.3.12.1", "4.3.12.2"),
)
# The form takes names of criteria for HTML, and finds them again only without these.
_ON_BUTTONS = str.maketrans({"&": "+", "<": "(", ">": ")", "\N{NO-BREAK SPACE}": " "})
_NO_CAMPAIGN = "a judgements file does not say it; the campaign's database would"


@dataclass(frozen=True)
class HedsSheet:
    """Answers by number of question, those of section 4 for each criterion by its name.

    `reasons`: of questions that a database can answer, why this source does not.
    """

    answers: Mapping[str, HedsAnswer]
    criteria: Mapping[str, Mapping[str, HedsAnswer]]
    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def answered(self) -> list[str]:
        """The numbers of the questions that have an answer, for every criterion."""
        in_all = [number for number in QUESTIONS if all(number in found for found in self.criteria.values())]
        return [number for number in QUESTIONS if number in self.answers or number in in_all]


def heds_sheet(facts: CollectionFacts, analysis: Analysis, *, replay: str | None = None) -> HedsSheet:
    """What is known. `replay`: where the pages that workers saw lie in the pack, if they do."""
    known = facts.campaign
    answers = {
        **_sample(facts, analysis),
        **_assurance(facts, analysis),
    }
    if known is not None:
        answers |= {**_systems(known), **_people(known, analysis), **_pages(known, replay)}
    names = facts.attributes or ((known.attribute,) if known else ("quality",))
    criteria = {name: criterion_answers(name, facts, analysis) for name in names}
    sheet = HedsSheet(answers, criteria)
    missing = [number for number in _FROM_DATABASE if number not in sheet.answered]
    reasons = {number: _reason(number, facts, analysis) for number in missing}
    return HedsSheet(answers, criteria, reasons)


def heds_json(sheet: HedsSheet) -> str:
    """The sheet as the form saves and loads it: what it keeps in the browser, by element."""
    entries: dict[str, dict[str, Any]] = {}
    for number, answer in sheet.answers.items():
        _enter(entries, QUESTIONS[number], answer, "")
    for name, answers in sheet.criteria.items():
        for number, answer in answers.items():
            _enter(entries, QUESTIONS[number], answer, name.translate(_ON_BUTTONS))
    # The form shows the criterion that is marked here.
    marked = {name.translate(_ON_BUTTONS): place == 0 for place, name in enumerate(sheet.criteria)}
    entries[CRITERION] = {"data": {}, "control": marked, "text": {}, "number": ""}
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def heds_open(sheet: HedsSheet) -> str:
    """What the authors still have to answer, as Markdown."""
    lines = [
        "# Questions of HEDS 3.0 that are open",
        "",
        f"`heds.json` answers {len(sheet.answered)} of the {len(QUESTIONS)} questions. Load it into the "
        "form at "
        "<https://nlp-heds.github.io> (Upload from file), read what it says, and answer the rest there. "
        "Loading "
        "it clears what the form held before.",
        "",
        "## For you to answer",
        "",
        *(
            f"- **{number}** {question.about}"
            for number, question in QUESTIONS.items()
            if number not in sheet.answered and number not in sheet.reasons
        ),
    ]
    if sheet.reasons:
        lines += ["", "## Not known from this source", ""]
        lines += [
            f"- **{number}** {QUESTIONS[number].about}: {why}." for number, why in sheet.reasons.items()
        ]
    return "\n".join(lines) + "\n"


def _enter(entries: dict[str, dict[str, Any]], question: HedsQuestion, answer: HedsAnswer, key: str) -> None:
    """Add an answer to what the form keeps; several criteria share an entry."""

    def put(element: str, value: str | bool, **more: Any) -> None:
        entry = entries.setdefault(element, {"data": {}, "control": {}, **more, "number": question.number})
        entry["data"][key] = value

    if question.kind == "text":
        put(question.element, answer.text)
        return
    for option in range(1, question.n_options + 1):
        put(f"{question.element}-{option}", option in answer.options, text={})
    if answer.text:
        put(f"{question.element}-other_text", answer.text)


def _systems(known: CampaignFacts) -> dict[str, HedsAnswer]:
    unit = form.DOCUMENT if known.whole_documents else form.SENTENCE
    found = {
        "2.1": HedsAnswer(options=(unit,)),
        "2.2": HedsAnswer(options=(unit,)),
        "2.3": HedsAnswer(options=(form.MACHINE_TRANSLATION,)),
    }
    for number, code in (("2.4", known.source_language), ("2.5", known.target_language)):
        place = LANGUAGE_OPTIONS.get(base_language(code))
        # The form has languages with a code of two letters only.
        other = HedsAnswer(language_name(code), (form.OTHER_LANGUAGE,))
        found[number] = other if place is None else HedsAnswer(options=(place,))
    return found


def _sample(facts: CollectionFacts, analysis: Analysis) -> dict[str, HedsAnswer]:
    low, high = facts.segments_per_system
    found = {
        "3.1.1": HedsAnswer(f"{low}" if low == high else f"From {low} to {high}: it differs by system."),
        # Those who were left out are not to be counted.
        "3.2.1": HedsAnswer(f"{analysis.counts.kept_workers}"),
    }
    if facts.campaign is not None:
        told = (
            "All segments that the campaign was given were laid out for judgement; how these were selected "
            "is "
            "not recorded."
        )
        found["3.1.2"] = HedsAnswer(told, (form.OTHER_SELECTION,))
    return found


def _people(known: CampaignFacts, analysis: Analysis) -> dict[str, HedsAnswer]:
    trained = (
        f"Workers practised on {counted(known.n_training, 'item')} and were told how close they came."
        if known.n_training
        else "There was no training beyond the instructions."
    )
    found = {"3.2.4": HedsAnswer(f"{trained} The instructions they read:\n\n{known.instructions}")}
    is_paid = known.wage is not None or known.pay_per_hit is not None
    if is_paid and analysis.counts.simulated_workers < analysis.counts.workers:
        found["3.2.2.2"] = HedsAnswer(options=(form.PAID_IN_MONEY,))
    said = [
        f"{question} {', '.join(f'{answer}: {n}' for answer, n in answers.items())}"
        for question, answers in known.background.items()
    ]
    if said:
        found["3.2.5"] = HedsAnswer("\n".join(said))
    elif not known.questions:
        found["3.2.5"] = HedsAnswer("Workers were not asked about themselves.")
    return found


def _pages(known: CampaignFacts, replay: str | None) -> dict[str, HedsAnswer]:
    came = f", to which workers came through {known.platform}" if known.platform else ""
    free = (
        "Workers judge when they like and take the time they need; they may stop and go on later. A HIT in "
        f"which nothing is answered for {known.lease_minutes:g} minutes may be given to somebody else."
    )
    found = {
        "3.3.2": HedsAnswer(f"In the worker's browser, on pages served by Steelyard {__version__}{came}."),
        "3.3.4.2": HedsAnswer(plain_text([question_sentence(known), *answer_sentences(known)])),
        "3.3.5": HedsAnswer(free, (form.NO_LIMITS,)),
    }
    if replay is not None:
        found["3.3.4.1"] = HedsAnswer(f"In the folder {replay} that accompanies the paper.")
    return found


def _assurance(facts: CollectionFacts, analysis: Analysis) -> dict[str, HedsAnswer]:
    settings = analysis.settings
    chosen = []
    if settings.check != NO_CHECK:
        chosen.append(form.AUTOMATIC_CHECKS)
    if analysis.counts.excluded_judgements:
        chosen.append(form.MANUAL_CHECKS)
    if settings.check != NO_CHECK and not settings.keep_everyone:
        chosen.append(form.EVALUATORS_EXCLUDED)
    if len(excluded_hits(analysis)):
        chosen.append(form.EVALUATIONS_EXCLUDED)
    admission = [] if facts.campaign is None else admission_sentences(facts.campaign)
    if admission:
        chosen.append(form.OTHER_ASSURANCE)
    done = plain_text([*admission, *quality_paragraph(analysis).sentences])
    explained = plain_text(admission) if chosen else "Nobody was checked, and nothing was left out."
    return {
        "3.3.3.1": HedsAnswer(explained, tuple(chosen) or (form.NO_ASSURANCE,)),
        "3.3.3.2": HedsAnswer(done),
    }


def _reason(number: str, facts: CollectionFacts, analysis: Analysis) -> str:
    known = facts.campaign
    all_simulated = analysis.counts.simulated_workers == analysis.counts.workers
    reasons = {
        "3.2.2.2": "all workers are simulated, and nobody pays these"
        if all_simulated
        else "no wage and no pay per HIT is set in the campaign",
        "3.2.5": "workers wrote their answers themselves, and these are not published",
        "3.3.4.1": "say where the pages that workers saw, or pictures of them, can be found",
    }
    if number.startswith("3.1.3"):
        return (
            "a power analysis is made before a campaign and not stored in its database; if none was "
            "made, enter N/A"
        )
    return reasons.get(number, _NO_CAMPAIGN) if known is not None else _NO_CAMPAIGN

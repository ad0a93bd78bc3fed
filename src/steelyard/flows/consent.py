"""A consent text that is true of what is stored, for organisers to fill in; and what is missing in theirs."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from steelyard.domain.entry import entry_in
from steelyard.domain.running import Rules
from steelyard.domain.wording import in_currency, listed
from steelyard.flows.platform import identification
from steelyard.formats.campaign_rules import rules_of
from steelyard.formats.campaign_toml import read_tables

# What only the organiser knows stands in brackets and capitals.
_PLACEHOLDER = re.compile(r"\[([^\[\]\n]{2,80})\]")
_WIDTH = 100


@dataclass(frozen=True, slots=True)
class ConsentFacts:
    """What a consent text must be right about. `platform`: the site that sends people, as they know it.

    `is_known`: a campaign file says all this; otherwise it is a guess at what most campaigns do.
    """

    rules: Rules = field(default_factory=Rules)
    platform: str | None = None
    has_questions: bool = True
    has_training: bool = True
    has_behaviour: bool = True
    is_known: bool = False


def consent_facts(campaign_file: Path) -> ConsentFacts:
    """What a campaign file says; its texts are not read, and its consent text may be missing."""
    parsed = read_tables(campaign_file)
    rules = rules_of(parsed.rules, parsed.pay, parsed.platform)
    found = identification(rules)
    known = found is not None and found.platform.id_parameter is not None
    return ConsentFacts(
        rules=rules,
        platform=None if found is None else found.platform.title if known else "[NAME OF THE PLATFORM]",
        has_questions=bool(parsed.questions),
        has_training=bool(parsed.training),
        has_behaviour=parsed.consent is None or parsed.consent.behaviour,
        is_known=True,
    )


def consent_example(facts: ConsentFacts) -> str:
    """The text: who and what it is about, and the seven points that crowd platforms ask for, in their order.

    >>> "# What we use it for" in consent_example(ConsentFacts())
    True
    """
    parts = {
        "What this is about": _purpose(facts),
        "What we store": _data(facts),
        "What we use it for": _use(facts),
        "Where we store it, and for how long": _storage(facts),
        "Whether you can be recognised": _anonymity(facts),
        "Who else gets it": _sharing(facts),
        "How to stop, and how to have your data deleted": _withdrawal(facts),
        "On what legal basis": (
            "The legal basis is your consent, [LAW, SUCH AS ARTICLE 6 (1) (A) OF THE GDPR]. You may complain "
            "to [NAME OF THE DATA PROTECTION AUTHORITY].",
        ),
    }
    paragraphs = [each for title, said in parts.items() for each in (f"# {title}", *said)]
    return "\n\n".join(map(_wrapped, paragraphs)) + "\n"


def consent_warnings(rules: Rules, presentation: Mapping[str, Any]) -> tuple[str, ...]:
    """What workers are not told before: there is no text where a platform asks for one, or half a text."""
    entry, found = entry_in(presentation), identification(rules)
    if entry is None or entry.consent is None:
        if found is None:
            return ()
        return (
            f"{found.platform.title} asks that people agree to a consent text, and the campaign has none. "
            "`steelyard example --consent` prints one to fill in.",
        )
    return unfilled(entry.consent.text)


def unfilled(text: str) -> tuple[str, ...]:
    """That something is left to fill in: words in brackets and capitals.

    >>> unfilled("By [NAME], see [1] and [this]. Write to [NAME] before [THE DAY].")
    ('The consent text still waits for your own words in place of [NAME], [THE DAY].',)
    """
    found = (match[0] for match in _PLACEHOLDER.finditer(text) if match[1].isupper())
    missing = list(dict.fromkeys(found))
    if not missing:
        return ()
    return (f"The consent text still waits for your own words in place of {listed(missing, most=4)}.",)


def _purpose(facts: ConsentFacts) -> tuple[str, ...]:
    return (
        "This study is run by [NAME OF YOUR INSTITUTION]. Responsible for it, and for your data, is [NAME "
        "AND E-MAIL ADDRESS]. You read translations and say how good they are. A set takes about [NUMBER "
        f"OF MINUTES]. {_pay(facts)}",
    )


def _pay(facts: ConsentFacts) -> str:
    rules = facts.rules
    if rules.pay_per_hit is not None:
        return f"A finished set is paid with {in_currency(rules.pay_per_hit, rules.currency)}."
    if rules.wage is not None:
        return f"An hour of work is paid with {in_currency(rules.wage, rules.currency)}."
    return "[WHAT A SET IS PAID, OR THAT IT IS NOT]"


def _is_paid(facts: ConsentFacts) -> bool:
    return not facts.is_known or (facts.rules.wage, facts.rules.pay_per_hit) != (None, None)


def _data(facts: ConsentFacts) -> tuple[str, ...]:
    points = [
        "your answers, when each arrived, and how long each text was on the screen;",
        "what you tell us about yourself at the start;" if facts.has_questions else "",
        "how you judge the practice texts;" if facts.has_training else "",
        "what you write to us on these pages;",
        _known_as(facts),
        "what you were paid;" if _is_paid(facts) else "",
        "that you agreed to this text, and when.",
    ]
    listing = "\n".join(f"- {point}" for point in filter(None, points))
    more = "What the page records besides is told at the end. " if facts.has_behaviour else ""
    return (
        f"We store\n{listing}",
        f"{more}The address of your computer is not among it. [WHETHER YOUR WEB SERVER LOGS ADDRESSES, AND "
        "FOR HOW LONG]",
    )


def _known_as(facts: ConsentFacts) -> str:
    if facts.platform is not None:
        return f"your id at {facts.platform}, with the ids of the study and of your visit there;"
    return "your name and e-mail address, if we invited you by them;"


def _use(facts: ConsentFacts) -> tuple[str, ...]:
    pay = " and to pay you" if _is_paid(facts) else ""
    return (
        "We use your answers to find out how well systems translate, and the rest to see that the work was "
        f"done with care{pay}. [WHAT ELSE YOU USE IT FOR, OR NOTHING ELSE]",
    )


def _storage(facts: ConsentFacts) -> tuple[str, ...]:
    until = facts.rules.retain_until
    day = "[DAY]" if until is None else _in_words(date.fromisoformat(until))
    return (
        f"It is stored on [WHICH SERVER, IN WHICH COUNTRY]. What points to you is kept until {day} at the "
        "latest, and then erased. Your answers stay, without anything that points to you, so that our "
        "results can be checked.",
    )


def _anonymity(facts: ConsentFacts) -> tuple[str, ...]:
    apart = "Your name and e-mail address are kept"
    if facts.platform is not None:
        apart = f"Your {facts.platform} id is kept"
    return (
        f"Your answers are stored under a number, not under your name. {apart} apart from them, and only "
        "[WHO] can see which number is yours. Please write nothing on these pages that tells who you are.",
    )


def _sharing(facts: ConsentFacts) -> tuple[str, ...]:
    told = ""
    if facts.platform is not None:
        told = f"{facts.platform} learns that you have finished, and what you are paid. "
    return (
        f"{told}We may publish the answers and how long they took, for research, under numbers and without "
        "anything else that you told us. Nobody else gets anything. [CORRECT THIS IF YOU SHARE MORE]",
    )


def _withdrawal(facts: ConsentFacts) -> tuple[str, ...]:
    write = "[E-MAIL ADDRESS]" if facts.platform is None else f"us through {facts.platform}"
    paid = " What you have done by then is paid." if _is_paid(facts) else ""
    return (
        "Taking part is voluntary. You may stop at any time by closing the page, or take back your consent "
        f"under “What you agreed to”.{paid}",
        f"Write to {write} for a copy of everything that we store about you, or to have it deleted: we then "
        "erase what points to you and what you told us about yourself. Your answers are not deleted, but "
        "nobody can tell any more that they are yours. If you wish, we leave them out of our results as "
        "well. Once all is erased, we can no longer find them.",
    )


def _in_words(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def _wrapped(paragraph: str) -> str:
    return "\n".join(
        textwrap.fill(line, _WIDTH, subsequent_indent="  " if line.startswith("- ") else "")
        for line in paragraph.split("\n")
    )

"""How long what points to workers is kept, and how many of them are erased already."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from steelyard.domain.running import Rules
from steelyard.domain.wording import Note
from steelyard.store.actions import logged_actions
from steelyard.store.forgetting import n_recognisable

if TYPE_CHECKING:
    from sqlalchemy import Connection

# How long before the day a manager is told: enough to pay who is left, and to answer who writes [our choice].
FORTNIGHT = timedelta(days=14)


def retention_warnings(connection: Connection, rules: Rules, *, today: date) -> tuple[str, ...]:
    """That the day has come, or soon will, after which nothing may point to workers, and something does."""
    if rules.retain_until is None:
        return ()
    until = date.fromisoformat(rules.retain_until)
    if today < until - FORTNIGHT:
        return ()
    n_people = n_recognisable(connection)
    if not n_people:
        return ()
    still = f"the records still point to {people_in_words(n_people)}"
    how = "Close the campaign and erase it: steelyard erase DB --all"
    if today < until:
        return (f"What points to workers may be kept until {until}, and {still}. {how}",)
    return (f"What points to workers was to be kept until {until} only, and {still}. {how}",)


def people_in_words(n: int) -> str:
    """How many people, in words.

    >>> people_in_words(1), people_in_words(2)
    ('1 person', '2 people')
    """
    return "1 person" if n == 1 else f"{n:,} people"


def erased_notes(connection: Connection) -> tuple[Note, ...]:
    """How many workers were erased, for whoever reads what their judgements come to; empty without any."""
    done = logged_actions(connection, verbs=("erase", "erase-all"))
    n_erased = len({action.worker_id for action in done if action.verb == "erase"})
    notes = []
    if n_erased:
        were = "worker was" if n_erased == 1 else "workers were"
        stay = "their judgements stay, without anything that points to them"
        notes.append(Note(f"{n_erased:,} {were} erased at their wish; {stay}."))
    notes += [
        Note(f"Everything that pointed to workers was erased on {action.done_at:%Y-%m-%d}.")
        for action in done
        if action.verb == "erase-all"
    ]
    return tuple(notes)

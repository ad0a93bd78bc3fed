"""Verify that nothing was changed: recompute the hashes of all judgements and compare."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from steelyard.domain.chain import chain_hash, first_hash, item_hash
from steelyard.domain.errors import SourceError
from steelyard.domain.judgement import Judgement
from steelyard.domain.wording import counted
from steelyard.domain.work import SUBSTITUTE_KINDS, ItemKind
from steelyard.flows.open import OpenCampaign
from steelyard.flows.watching import Progress, unseen
from steelyard.protocols import stored_parts
from steelyard.store import chains
from steelyard.store.chains import ChainedJudgement

# Findings that are kept: with one, nothing can be relied on any more [our choice].
MOST_KEPT = 1000
# Judgements between two reports of progress [our choice].
STEP = 1000


@dataclass(frozen=True, slots=True)
class Misfit:
    """Something that does not fit. `judgement_id` is None if it is about an assignment, or all of them."""

    assignment_id: str | None
    judgement_id: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What the hashes of a campaign say. `root` is None if no judgement has a hash.

    `n_unchained`: judgements from before there were hashes, about which nothing can be said.
    Of many findings only the first are in `findings`.
    """

    n_judgements: int
    n_assignments: int
    n_unchained: int
    root: str | None
    n_findings: int
    findings: tuple[Misfit, ...]

    @property
    def is_sound(self) -> bool:
        """Whether everything fits."""
        return self.n_findings == 0


@dataclass(slots=True)
class _Found:
    n: int = 0
    kept: list[Misfit] = field(default_factory=list)

    def add(self, text: str, *, assignment: str | None, judgement: str | None = None) -> None:
        self.n += 1
        if len(self.kept) < MOST_KEPT:
            self.kept.append(Misfit(assignment, judgement, text))


def verify(campaign: OpenCampaign, *, root: str | None = None, progress: Progress = unseen) -> Verification:
    """Recompute all hashes of one moment; whoever writes meanwhile is not in the way.

    `root`: one that was written down or published before, in full or its first 16 digits or more.
    """
    wanted = None if root is None else required_root(root)
    reads = stored_parts(campaign.settings)
    found = _Found()
    with campaign.store.snapshot() as connection:
        n_judgements = chains.n_stored(connection)
        walk = _Walk(found, chains.chained_since(connection))
        with progress("Verifying", n_judgements) as advance:
            for number, link in enumerate(chains.links_in_order(connection, **reads), start=1):
                walk.judgement(link)
                if number % STEP == 0:
                    advance(STEP)
            advance(n_judgements % STEP)
        for link in chains.corrections(connection, **reads):
            walk.correction(link)
        for assignment_id, n_items, n_judged in chains.unfinished(connection):
            missing = counted(n_items - n_judged, "judgement")
            found.add(
                f"assignment {assignment_id} was submitted with {n_items} items, but {missing} of them "
                f"{'is' if n_items - n_judged == 1 else 'are'} missing",
                assignment=assignment_id,
            )
        actual = chains.stored_root(connection)
    if wanted is not None and not (actual or "").startswith(wanted):
        other = "no judgement here has a hash" if actual is None else f"it is {actual}"
        found.add(
            f"the root is not {wanted}: {other}. Judgements were changed or removed since that root was "
            "written down, or people have judged more",
            assignment=None,
        )
    return Verification(
        n_judgements=n_judgements,
        n_assignments=walk.n_assignments,
        n_unchained=walk.n_unchained,
        root=actual,
        n_findings=found.n,
        findings=tuple(found.kept),
    )


def required_root(root: str) -> str:
    """A root as somebody gave it, also as `root:...` from a signature; SourceError if it cannot be one."""
    found = re.fullmatch(r"(?:root:)?([0-9a-f]{16,64})", root.strip().lower())
    if found is None:
        problem = "this is no root: give its 64 hexadecimal digits, or the first 16 as in a signature."
        raise SourceError(f"root {root}", [problem])
    return found[1]


class _Walk:
    """One pass over all judgements, which remembers where it is in the present assignment."""

    def __init__(self, found: _Found, since: datetime) -> None:
        self._found = found
        self._since = since
        self._assignment: str | None = None
        self._position = 0
        self._previous: str | None = None
        self.n_assignments = 0
        self.n_unchained = 0

    def judgement(self, link: ChainedJudgement) -> None:
        """Look at the next judgement in order."""
        row = link.row
        if row.assignment_id != self._assignment:
            self._assignment, self._position, self._previous = row.assignment_id, 0, None
            self.n_assignments += 1
        for problem in self._problems(link):
            self._add(link, problem)
        if isinstance(row.position, int):
            self._position = row.position
        self._previous = row.chain_hash or self._previous

    def correction(self, link: ChainedJudgement) -> None:
        """Look at a judgement that replaces another: it is chained to that one."""
        row = link.row
        if row.replaced_position is None:
            self._add(link, f"it replaces judgement {row.replaces}, which is not stored")
            return
        place = (row.replaced_assignment_id, row.replaced_position)
        if place != (row.assignment_id, row.position):
            self._add(link, f"it replaces judgement {row.replaces}, which is about another item")
        if row.chain_hash is None and row.item_hash is None:
            problem = "it replaces another, and has no hash that would tie it to that"
            if row.replaced_chain_hash is not None:
                self._add(link, problem)
            else:
                self._count_unchained(link)
            return
        for problem in _hash_problems(link, row.replaced_chain_hash or ""):
            self._add(link, problem)

    def _problems(self, link: ChainedJudgement) -> Iterator[str]:
        row = link.row
        if row.hit_id is None:
            yield "its assignment is not stored"
            return
        if row.position != self._position + 1:
            before = f"the one before it {self._position}" if self._position else "none is before it"
            yield f"it has position {row.position}, but {before}"
        if row.placed_item_id != row.item_id:
            yield f"it is about item {row.item_id}, but the HIT {row.hit_id} has {row.placed_item_id} there"
        if row.chain_hash is None and row.item_hash is None:
            if self._previous is not None:
                yield "it has no hash, although the judgement before it has one"
            else:
                self._count_unchained(link)
            return
        yield from _hash_problems(link, self._previous)

    def _count_unchained(self, link: ChainedJudgement) -> None:
        try:
            is_new = chains.moment_of(link.row.submitted_at) >= self._since
        except (ValueError, TypeError):
            is_new = True
        if is_new:
            self._add(link, "it has no hash, although it was given when every judgement got one")
        else:
            self.n_unchained += 1

    def _add(self, link: ChainedJudgement, problem: str) -> None:
        row = link.row
        where = f"judgement {link.name} (assignment {row.assignment_id}, position {row.position})"
        self._found.add(f"{where}: {problem}", assignment=row.assignment_id, judgement=link.name)


def _hash_problems(link: ChainedJudgement, previous: str | None) -> Iterator[str]:
    """What does not fit about a judgement with hashes. `previous` is None for the first of an assignment."""
    row = link.row
    try:
        shown = _shown_hash(link)
        if shown != row.item_hash:
            yield f"the item {row.item_id} or its order is not as it was shown"
        if previous is None:
            previous = first_hash(
                row.assignment_id, row.hit_id, row.worker_id, chains.moment_of(row.accepted_at)
            )
            what = "it, or its assignment's worker, HIT or time, is not as it was stored"
        else:
            what = "it, or the judgement before it, is not as it was stored"
        if chain_hash(previous, _judgement(row), row.answer, row.behaviour) != row.chain_hash:
            yield what
    except (ValueError, TypeError, IndexError) as error:
        yield f"what is stored cannot be read ({error})"


def _shown_hash(link: ChainedJudgement) -> str | None:
    """The hash of the item as it is stored now, in the order shown; None if it cannot be as it is."""
    item, row = link.item, link.row
    if item is None:
        return None
    places = list(range(1, len(item.translations) + 1))
    order = None if row.shown_order is None else json.loads(row.shown_order)
    if order is not None and sorted(order) != places:
        return None
    beside = (text.kind for text in item.translations[1:])
    if item.kind is ItemKind.REGULAR and any(kind in SUBSTITUTE_KINDS for kind in beside):
        # A regular item shows no control: this one was a control item.
        return None
    return item_hash(row.item_id, item.translations, item.segments, order, item.prefilled)


def _judgement(row: Any) -> Judgement:
    return Judgement(
        judgement_id=row.judgement_id,
        assignment_id=row.assignment_id,
        item_id=row.item_id,
        position=row.position,
        answer={},
        shown_ms=row.shown_ms,
        submitted_at=chains.moment_of(row.submitted_at),
        revision=row.revision,
        item_hash=row.item_hash,
    )

"""Choosing the bases of one HIT: fit for their control, and balanced over systems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.design.bases import FORCED, BaseBook
from steelyard.design.layout import Pair
from steelyard.design.sampling import Draw
from steelyard.domain.work import CONTROL_KINDS, ItemKind


class NoBaseError(Exception):
    """No translation of the HIT can serve a control of this kind."""

    def __init__(self, kind: ItemKind) -> None:
        super().__init__(kind)
        self.kind = kind


class BaseChoice:
    """The choice of one base per control. May exchange draws between groups where one has no base."""

    def __init__(
        self, groups: list[list[Draw]], pairs: Sequence[Pair], *, book: BaseBook, rng: np.random.Generator
    ) -> None:
        self.groups, self.pairs, self.book, self.rng = groups, pairs, book, rng
        self.base: dict[int, Draw] = {}
        self.taken: set[Draw] = set()

    def bases(self) -> list[Draw]:
        """The base of each pair, each kind balanced over systems as well as the HIT allows."""
        for kind in CONTROL_KINDS:
            of_kind = [index for index, pair in enumerate(self.pairs) if pair.kind is kind]
            for index in self.rng.permutation(of_kind).tolist():
                self._take(index, self._find(kind, self.pairs[index].base_group))
        for index in range(len(self.pairs)):
            self._even_out(index)
        return [self.base[index] for index in range(len(self.pairs))]

    def _take(self, index: int, draw: Draw) -> None:
        self.base[index] = draw
        self.taken.add(draw)
        self.book.served[self.pairs[index].kind][draw.system] += 1

    def _even_out(self, index: int) -> None:
        """Replace a base of a system that is two or more ahead by one of a system that is behind."""
        pair, old = self.pairs[index], self.base[index]
        served, grade = self.book.served[pair.kind], self._grade(pair.kind, old)
        if served[old.system] - min(served) < 2:
            return
        group = self.groups[pair.base_group]
        behind = [
            (draw, home)
            for home in (group, *(each for each in self.groups if each is not group))
            for draw in home
            if served[draw.system] + 2 <= served[old.system] and self._grade(pair.kind, draw) == grade
        ]
        for new, home in behind:
            other = next((k for k, base in self.base.items() if base == new), None)
            fair = (
                self._may_trade(old, new, other)
                if home is group
                else other is None and _mix_allows((old, group), (new, home))
            )
            if fair and self.book.works(pair.kind, new.system, new.segment):
                self._release(index)
                if home is not group:
                    _trade_places((old, group), (new, home))
                elif other is not None:
                    self._release(other)
                    self._take(other, old)
                self._take(index, new)
                return

    def _grade(self, kind: ItemKind, draw: Draw) -> int | None:
        return self.book.grade(kind, draw.system, draw.segment)

    def _may_trade(self, old: Draw, new: Draw, other: int | None) -> bool:
        """Whether `old` can take over the control that `new` serves, if it serves any."""
        if other is None:
            return True
        kind = self.pairs[other].kind
        served = self.book.served[kind]
        fair = served[old.system] < served[new.system] and self._grade(kind, old) == self._grade(kind, new)
        return fair and self.book.works(kind, old.system, old.segment)

    def _release(self, index: int) -> None:
        draw = self.base.pop(index)
        self.taken.discard(draw)
        self.book.served[self.pairs[index].kind][draw.system] -= 1

    def _find(self, kind: ItemKind, group: int) -> Draw:
        # A misfit of the group itself comes last: better to fetch a fit one from another group.
        for fit, search in (
            (True, self._in_group),
            (True, self._from_elsewhere),
            (False, self._in_group),
            (False, self._from_elsewhere),
        ):
            draw = search(kind, group, fit)
            if draw is not None:
                return draw
        raise NoBaseError(kind)

    def _in_group(self, kind: ItemKind, group: int, fit: bool) -> Draw | None:
        return self._best(kind, self.groups[group], fit)

    def _from_elsewhere(self, kind: ItemKind, group: int, fit: bool) -> Draw | None:
        """A base fetched from another group in exchange for a draw that serves nothing."""
        free = [draw for draw in self.groups[group] if draw not in self.taken]
        others = [draw for index, each in enumerate(self.groups) if index != group for draw in each]
        systems = {draw.system for draw in free}
        alike = [draw for draw in others if draw.system in systems]
        found = self._best(kind, alike, fit) or self._best(kind, others, fit)
        if found is None:
            return None
        leaving = next((draw for draw in free if draw.system == found.system), free[0])
        home = next(each for each in self.groups if found in each)
        _trade_places((leaving, self.groups[group]), (found, home))
        return found

    def _best(self, kind: ItemKind, draws: Sequence[Draw], fit: bool) -> Draw | None:
        """The fittest free draw of the system that has served this kind least; ties are random."""
        served, graded = self.book.served[kind], []
        for draw, tie in zip(draws, self.rng.random(len(draws)).tolist(), strict=True):
            grade = None if draw in self.taken else self._grade(kind, draw)
            if grade is not None and (grade != FORCED) is fit:
                graded.append((grade, served[draw.system], tie, draw))
        graded.sort(key=lambda entry: entry[:3])
        return next((draw for *_, draw in graded if self.book.works(kind, draw.system, draw.segment)), None)


def _trade_places(one: tuple[Draw, list[Draw]], two: tuple[Draw, list[Draw]]) -> None:
    """Put each draw into the group of the other."""
    (draw, group), (other, home) = one, two
    group[group.index(draw)], home[home.index(other)] = other, draw


def _mix_allows(one: tuple[Draw, list[Draw]], two: tuple[Draw, list[Draw]]) -> bool:
    """Whether groups still have nearly the same mix of systems after the two draws trade places."""

    def count(system: int, group: list[Draw]) -> int:
        return sum(draw.system == system for draw in group)

    (draw, group), (other, home) = one, two
    return count(draw.system, group) > count(draw.system, home) and count(other.system, home) > count(
        other.system, group
    )

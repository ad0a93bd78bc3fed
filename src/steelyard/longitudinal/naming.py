"""Which systems of a campaign make up the four cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from steelyard.domain.cells import CELLS, HOW_TO_NAME_CELLS, Cell, CellSystems
from steelyard.domain.errors import ChoiceError, NotEnoughData

# CURR-old, best_2012, BEST07-b, ...
_NAME = re.compile(
    r"(?P<who>curr|best)[\s._-]*(?P<label>old|new|\d{4}|\d{2})(?:[\s._-]+(?P<which>.+))?", flags=re.IGNORECASE
)
# What begins like a cell and is none is a slip of the pen.
_LIKE_A_NAME = re.compile(r"(curr|best)(?![a-z])", flags=re.IGNORECASE)
# Two digits from here on are years of the last century, as POSIX has it.
_LAST_CENTURY_FROM = 69
# No system's translations of one test set can stand in two of these. On one test set the present system may
# be the best one too.
_OF_BOTH_SETS: tuple[tuple[Cell, Cell], ...] = (
    ("curr_old", "curr_new"),
    ("best_old", "best_new"),
    ("curr_old", "best_new"),
    ("best_old", "curr_new"),
)


@dataclass(frozen=True, slots=True)
class Naming:
    """The systems of each cell, what the two years are called, and systems that are in no cell."""

    systems: CellSystems
    old: str = "old"
    new: str = "new"
    unused: tuple[str, ...] = ()


def name_cells(found: Iterable[str], wanted: CellSystems, *, where: str) -> Naming:
    """The cells as `wanted` says, or else as the names of the systems found say.

    Names are CURR or BEST, in any case, then a label (old and new, or two years such as 07 and 12), then
    for winners that tied a hyphen and anything: `CURR-old`, `best_2012`, `BEST07-a`. NotEnoughData names
    the systems if these do not say; `where` begins the message.
    """
    systems = sorted(set(found))
    cells, labels = (
        (_as_wanted(systems, wanted, where), ("old", "new")) if wanted else _in_words(systems, where)
    )
    used = {name for _, names in cells for name in names}
    return Naming(cells, *labels, unused=tuple(name for name in systems if name not in used))


def _as_wanted(systems: Sequence[str], wanted: CellSystems, where: str) -> CellSystems:
    # A system's own name may have a plus.
    cells: CellSystems = tuple(
        (cell, (joined,) if (joined := "+".join(names)) in systems else names) for cell, names in wanted
    )
    missing = sorted({name for _, names in cells for name in names} - set(systems))
    if missing:
        raise NotEnoughData(
            f"{where}: no judgement is left of {_listed(missing)}, which the cells ask for. "
            f"Systems found: {_listed(systems)}."
        )
    for one, other in _OF_BOTH_SETS:
        both = set(dict(cells)[one]) & set(dict(cells)[other])
        if both:
            raise ChoiceError(
                f"{where}: {_listed(sorted(both))} cannot be both {one} and {other}: the old and the new "
                "test set need names of their own, such as CURR-old and CURR-new."
            )
    return cells


def _in_words(systems: Sequence[str], where: str) -> tuple[CellSystems, tuple[str, str]]:
    """The cells that the names give, and the labels of the old and the new year."""
    parts = {name: match for name in systems if (match := _NAME.fullmatch(name.strip()))}
    unlike = [name for name in systems if name not in parts and _LIKE_A_NAME.match(name.strip())]
    if unlike:
        raise _unclear(systems, where, f"{_listed(unlike)} begins like a cell but names no year")
    written: dict[int | str, str] = {}
    for match in parts.values():
        written.setdefault(_year(match["label"]), match["label"].lower())
    if len(written) != 2 or len({type(year) for year in written}) > 1:
        found = f"found: {_listed(list(written.values()))}" if written else "none was found"
        raise _unclear(systems, where, f"there must be exactly two labels, old and new or two years; {found}")
    # Years by number; of the two words, the first in the alphabet is the later one.
    old, new = sorted(written, key=str, reverse=True) if "old" in written else sorted(written, key=int)
    cells: dict[Cell, list[str]] = {cell: [] for cell in CELLS}
    for name, match in parts.items():
        is_old = _year(match["label"]) == old
        is_present = match["who"].lower() == "curr"
        cell: Cell = (
            ("curr_old" if is_old else "curr_new") if is_present else ("best_old" if is_old else "best_new")
        )
        cells[cell].append(name)
    missing = [cell for cell, names in cells.items() if not names]
    if missing:
        raise _unclear(systems, where, f"no system is {' or '.join(missing)}")
    present = [sorted((parts[name]["which"] or "").lower() for name in cells[cell]) for cell in CELLS[:2]]
    if present[0] != present[1]:
        raise _unclear(systems, where, "curr_old and curr_new must be the same systems on both test sets")
    return tuple((cell, tuple(names)) for cell, names in cells.items()), (written[old], written[new])


def _year(label: str) -> int | str:
    """The year that a label means, or the label itself in small letters.

    >>> _year("07"), _year("98"), _year("2012"), _year("Old")
    (2007, 1998, 2012, 'old')
    """
    if not label.isdigit():
        return label.lower()
    if len(label) > 2:
        return int(label)
    return int(label) + (1900 if int(label) >= _LAST_CENTURY_FROM else 2000)


def _unclear(systems: Sequence[str], where: str, why: str) -> NotEnoughData:
    return NotEnoughData(
        f"{where}: the systems' names do not give the four cells of a comparison of years ({why}). Systems "
        f"found: {_listed(systems)}. Say which systems make each cell: {{cells={HOW_TO_NAME_CELLS}}}."
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"

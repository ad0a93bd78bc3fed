"""The layout of a campaign's HITs, for someone who wants to check the design before anyone works on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from textwrap import wrap

from steelyard.design.document_packing import CONTROL_SHARE, SIZE_TOLERANCE
from steelyard.design.layout_report import GroupRow, LayoutReport, Mark, PairRow
from steelyard.domain.wording import counted
from steelyard.domain.work import CONTROL_KINDS, ItemKind

WIDTH = 100
# Longer names of systems are cut.
MAX_NAME = 24
# Groups side by side in one table.
GROUPS_PER_TABLE = 10
MAX_BAR = 30

# A control is a small letter, its base the same letter as a capital.
LETTER = {
    ItemKind.REGULAR: ".",
    ItemKind.REPEAT: "r",
    ItemKind.DEGRADED: "d",
    ItemKind.REFERENCE: "f",
    ItemKind.GOLD: "g",
    ItemKind.CALIBRATION: "c",
}


@dataclass(frozen=True, slots=True)
class _Table:
    """A table with its heading; the first `n_left` columns are set to the left."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    n_left: int = 1


def layout_text(report: LayoutReport) -> str:
    """The layout for a terminal, at most 100 columns wide."""
    lines = [*wrap(_heading(report), WIDTH), *(line for fact in _facts(report) for line in wrap(fact, WIDTH))]
    for table in _tables(report):
        lines += ["", *wrap(table.title, WIDTH), *_plain(table)]
        for note in table.notes:
            lines += wrap(note, WIDTH)
    return "\n".join(lines)


def _heading(report: LayoutReport) -> str:
    layout = f", layout {report.layout}" if report.order == "grouped" else ""
    return f"Layout of {report.campaign}: order {report.order}{layout}"


def _facts(report: LayoutReport) -> list[str]:
    """What is promised and what there is, one line each."""
    least, most = report.hit_sizes
    size = f"{least}" if least == most else f"{least} to {most}"
    facts = [
        *_promised(report),
        f"{counted(report.n_hits, 'HIT')} of {size} items in {counted(report.n_rounds, 'round')}: "
        f"{counted(report.n_places, 'place')}, {report.n_padding:,} of them padding; "
        f"controls are {_shares(report.control_shares)} of a HIT",
        "translations of one segment in a HIT: "
        + ("none" if report.closest is None else f"at least {report.closest} positions apart"),
    ]
    if report.meetings:
        met = [number for row, each in enumerate(report.meetings) for number in each.n_items[:row]]
        facts.append(f"two systems stand side by side in {_range((min(met), max(met)))} regular items")
    if report.n_credited:
        facts.append(f"{counted(report.n_credited, 'item')} credited to several systems with the same text")
    if report.n_unpaired:
        facts.append(f"{counted(report.n_unpaired, 'control')} without a base in the same HIT")
    what = "translation" if report.meetings else "item"
    blocks = (
        "all connected" if report.n_blocks == 1 else f"{report.n_blocks:,} blocks without a common {what}"
    )
    return [*facts, f"HITs and regular {what}s: {blocks}"]


def _promised(report: LayoutReport) -> list[str]:
    promise = report.promise
    if report.order == "documents":
        low, high = CONTROL_SHARE
        return [
            f"wanted: whole documents, {report.hit_size} items per HIT ± {SIZE_TOLERANCE:.0%}, "
            f"{low:.0%} to {high:.0%} of them in control documents, in the other half than their base"
        ]
    if promise is None:
        return ["promised: nothing, the HITs were laid out elsewhere"]
    counts = ", ".join(f"{number} {kind}" for kind, number in promise.counts)
    facts = [f"promised: {promise.hit_size} items per HIT ({counts})"]
    if promise.separation is None:
        return [*facts, "promised: no separation, the order is free"]
    least, most = promise.separation
    return [
        *facts,
        f"promised: {promise.n_groups} groups of {promise.group_size}; "
        f"{least} to {most} items between a control and its base",
    ]


def _tables(report: LayoutReport) -> Iterator[_Table]:
    yield _example(report)
    if report.example_pairs:
        yield _example_pairs(report)
    yield from _kinds(report)
    if report.separations:
        yield _separations(report)
        yield _histogram(report)
    yield _bases(report)
    yield from _meetings(report)
    yield from _systems(report)


def _example(report: LayoutReport) -> _Table:
    """The groups of the example HIT, one letter for each item."""
    used = {mark.kind for row in report.example_groups for mark in row.marks}
    legend = ", ".join(f"{letter} {kind}" for kind, letter in LETTER.items() if kind in used)
    has_pairs = any(mark.base_of for row in report.example_groups for mark in row.marks)
    capitals = "; a capital is the base of the control with that letter" if has_pairs else ""
    return _Table(
        title=f"One HIT, {report.example_hit}, group by group",
        header=["group", "positions", "bases in", "items in order"],
        rows=[line for row in report.example_groups for line in _group_lines(row)],
        notes=[f"{legend}{capitals}."],
        n_left=4,
    )


def _group_lines(row: GroupRow) -> Iterator[list[str]]:
    room = WIDTH - 30
    letters = [_letter(mark) for mark in row.marks]
    joined = (" " if 2 * len(letters) <= room else "").join(letters)
    first, *more = [joined[start : start + room] for start in range(0, len(joined), room)]
    partners = ", ".join(str(partner) for partner in row.partners) or "–"
    yield [str(row.group), f"{row.positions[0]}-{row.positions[1]}", partners, first]
    for line in more:
        yield ["", "", "", line]


def _letter(mark: Mark) -> str:
    return LETTER[mark.kind] if mark.base_of is None else LETTER[mark.base_of].upper()


def _example_pairs(report: LayoutReport) -> _Table:
    """The pairs of the example HIT, a kind beside the other."""
    by_kind = [(kind, [row for row in report.example_pairs if row.kind is kind]) for kind in CONTROL_KINDS]
    present = [(kind, rows) for kind, rows in by_kind if rows]
    return _Table(
        title=f"All pairs of {report.example_hit}: position of the base, of the control, items between",
        header=[word for kind, _ in present for word in (f"base, {kind}", "control", "between")],
        rows=[
            [cell for pair in line for cell in _pair_cells(pair)]
            for line in zip_longest(*(rows for _, rows in present))
        ],
        n_left=0,
    )


def _pair_cells(pair: PairRow | None) -> list[str]:
    if pair is None:
        return ["", "", ""]
    return [str(pair.base_position), str(pair.control_position), str(pair.between)]


def _kinds(report: LayoutReport) -> Iterator[_Table]:
    """Items of each kind by group, averaged over HITs."""
    n_groups = len(report.kinds[0].per_group)
    for number, groups in enumerate(_slices(n_groups)):
        yield _Table(
            title="Items of each kind per group, mean over all HITs" + (" (continued)" if number else ""),
            header=["kind", "in all", *(str(group) for group in groups)],
            rows=[
                [row.kind, f"{row.n_places:,}", *(_mean(row.per_group[group]) for group in groups)]
                for row in report.kinds
            ],
        )


def _separations(report: LayoutReport) -> _Table:
    return _Table(
        title="Items between a control and its base, all HITs",
        header=["kind", "pairs", "least", "median", "most", "before base"],
        rows=[
            [
                row.kind,
                f"{row.n_pairs:,}",
                str(row.least),
                f"{row.median:g}",
                str(row.most),
                f"{row.before_base:.1%}",
            ]
            for row in report.separations
        ],
        notes=["before base: share of the controls that come before the item they are made from."],
    )


def _histogram(report: LayoutReport) -> _Table:
    """Pairs by the number of items between, with a bar for all kinds together."""
    total = [sum(row.histogram[k] for row in report.separations) for k in range(len(report.bins))]
    rows = []
    for k, (low, high) in enumerate(report.bins):
        bar = "#" * -(-MAX_BAR * total[k] // max(total))
        counts = [f"{row.histogram[k]:,}" for row in report.separations]
        rows.append([str(low) if low == high else f"{low}-{high}", bar, *counts])
    return _Table(
        title="The same as a histogram",
        header=["between", "all kinds", *(row.kind for row in report.separations)],
        rows=rows,
        n_left=2,
    )


def _bases(report: LayoutReport) -> _Table:
    return _Table(
        title="Regular items of each system, and how many of them are bases",
        header=["system", "regular", "per HIT", *(f"base, {kind}" for kind in CONTROL_KINDS)],
        rows=[
            [_cut(row.system_id), f"{row.n_regular:,}", _range(row.per_hit), *(f"{n:,}" for n in row.n_bases)]
            for row in report.systems
        ],
        notes=["per HIT: least and most over all HITs."],
    )


def _meetings(report: LayoutReport) -> Iterator[_Table]:
    """How often each two systems meet, for campaigns of pairs."""
    for number, systems in enumerate(_slices(len(report.meetings))):
        yield _Table(
            title="Regular items in which two systems stand side by side, without padding"
            + (" (continued)" if number else ""),
            header=["system", *(_cut(report.meetings[each].system_id)[:8] for each in systems)],
            rows=[
                [_cut(row.system_id), *(f"{row.n_items[each]:,}" if each != own else "–" for each in systems)]
                for own, row in enumerate(report.meetings)
            ],
        )


def _systems(report: LayoutReport) -> Iterator[_Table]:
    """Least and most regular items of a system in a group."""
    for number, groups in enumerate(_slices(len(report.kinds[0].per_group))):
        yield _Table(
            title="Regular items of each system per group, least and most over all HITs"
            + (" (continued)" if number else ""),
            header=["system", *(str(group) for group in groups)],
            rows=[
                [_cut(row.system_id), *(_range(row.per_group[group]) for group in groups)]
                for row in report.systems
            ],
        )


def _slices(n_groups: int) -> Iterator[range]:
    """The groups, as many at a time as fit on a line."""
    for start in range(0, n_groups, GROUPS_PER_TABLE):
        yield range(start, min(start + GROUPS_PER_TABLE, n_groups))


def _plain(table: _Table) -> list[str]:
    columns = list(zip(table.header, *table.rows, strict=True))
    widths = [max(len(cell) for cell in column) for column in columns]
    lines = [
        "  ".join(
            cell.ljust(width) if k < table.n_left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (table.header, *table.rows)
    ]
    return [lines[0], "-" * max(len(line) for line in lines), *lines[1:]]


def _shares(pair: tuple[float, float]) -> str:
    low, high = (f"{share:.0%}" for share in pair)
    return low if low == high else f"{low} to {high}"


def _range(pair: tuple[int, int]) -> str:
    return str(pair[0]) if pair[0] == pair[1] else f"{pair[0]}-{pair[1]}"


def _mean(value: float) -> str:
    """A whole number as such: 7 and not 7.00."""
    return f"{value:.0f}" if value == round(value) else f"{value:.2f}"


def _cut(name: str) -> str:
    """A long name without its middle: the end is often what distinguishes names."""
    half = MAX_NAME // 2
    return name if len(name) <= MAX_NAME else f"{name[:half]}…{name[1 + half - MAX_NAME :]}"

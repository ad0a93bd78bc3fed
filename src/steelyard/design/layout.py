"""The layout of a HIT: how many items of each kind, in which groups, how far apart the pairs are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

from steelyard.domain.campaign import DesignSettings, ItemOrder, LayoutName
from steelyard.domain.work import CONTROL_KINDS, ItemKind

# A HIT falls into about ten groups; a control sits half of them from its base [Graham2014].
USUAL_GROUPS = 10
# With two groups only, a control could stand right beside its base [our choice].
MIN_GROUPS = 4
MIN_GROUP_SIZE = 2
# One item in ten is a control of each kind: in 100 items 10, hence 70 regular ones [Graham2014].
USUAL_SHARE = 10
# No worker can be tested on fewer degraded pairs: with 4, the least exact p-value is 0.0625.
MIN_DEGRADED = 5

# What a quota may name, in the order in which places are found for them.
QUOTA_KINDS = (*CONTROL_KINDS, ItemKind.CALIBRATION)


@dataclass(frozen=True)
class Layout:
    """A HIT of `n_groups` groups in order; partner groups lie half a HIT apart.

    In the order "grouped" a control and its base are in partner groups (layout "2014"), or nearly
    so ("2013"), and the number of items between them stays between `min_separation` and
    `max_separation`. In any other order the whole HIT is one group and nothing is promised.

    >>> published = layout_of(DesignSettings(hit_size=100))
    >>> published.n_regular, published.min_separation, published.max_separation
    (70, 40, 58)
    """

    hit_size: int
    n_groups: int
    group_size: int
    quota: Mapping[ItemKind, int]
    """How many items of every kind but `regular` and `gold`."""
    gold_every: int | None = None
    name: LayoutName = "2014"
    order: ItemOrder = "grouped"

    @cached_property
    def gold_positions(self) -> tuple[int, ...]:
        """Positions, from 1, that hold gold."""
        if self.gold_every is None:
            return ()
        return tuple(range(self.gold_every, self.hit_size + 1, self.gold_every))

    @property
    def n_gold(self) -> int:
        return len(self.gold_positions)

    @property
    def n_controls(self) -> int:
        return sum(self.quota[kind] for kind in CONTROL_KINDS)

    @property
    def n_calibration(self) -> int:
        return self.quota[ItemKind.CALIBRATION]

    @property
    def n_regular(self) -> int:
        return self.hit_size - self.n_controls - self.n_calibration - self.n_gold

    @cached_property
    def room(self) -> tuple[int, ...]:
        """Places of each group that are not gold."""
        room = [self.group_size] * self.n_groups
        for position in self.gold_positions:
            room[self.group_of(position)] -= 1
        return tuple(room)

    @property
    def is_grouped(self) -> bool:
        return self.n_groups > 1

    @property
    def min_separation(self) -> int:
        """The least number of items between a control and its base."""
        return (self.n_groups // 2 - 1) * self.group_size if self.is_grouped else 0

    @property
    def max_separation(self) -> int:
        if not self.is_grouped:
            return self.hit_size - 2
        longest = (self.n_groups // 2 + 1) * self.group_size
        return longest if self.name == "2013" else longest - 2

    @property
    def offsets(self) -> tuple[int, ...]:
        """How many groups lie between a control and its base, a frequent one several times."""
        half = self.n_groups // 2
        return (half - 1, half, half, half + 1) if self.name == "2013" and self.is_grouped else (half,)

    def partner(self, group: int) -> int:
        """The group half a HIT away; of a HIT that is one group, that group."""
        return (group + self.n_groups // 2) % self.n_groups

    def group_of(self, position: int) -> int:
        """The group of a position; positions count from 1, groups from 0."""
        return (position - 1) // self.group_size


def layout_of(settings: DesignSettings) -> Layout:
    """The layout these settings ask for; ValueError says what cannot be promised and what can.

    >>> layout_of(DesignSettings(hit_size=50)).n_regular
    35
    """
    problems = layout_problems(settings)
    if problems:
        raise ValueError(" ".join(problems))
    return _layout(settings, _n_groups(settings))


def layout_problems(settings: DesignSettings) -> list[str]:
    """Why there is no layout for these settings, each with what could be set instead; empty if there is.

    >>> layout_problems(DesignSettings(hit_size=97))
    ['97 items cannot be cut into equal groups, even in number and at least 4, as the distance between a \
control and its base requires; hit_size = 96 and 98 can.']
    """
    if settings.order == "given":
        return []
    problems = [*_order_problems(settings), *_quota_problems(settings)]
    if not problems:
        problems = _cut_problems(settings) or _fit_problems(settings)
    return problems


def layout_warnings(layout: Layout) -> list[str]:
    """Why an organiser might choose another layout, although this one can be built."""
    warnings = []
    if not layout.quota[ItemKind.DEGRADED]:
        warnings.append(
            "HITs without degraded items: no check can tell careful workers from careless ones. "
            f"A quota of {MIN_DEGRADED} or more degraded items is advised."
        )
    advised = layout.hit_size - len(CONTROL_KINDS) * _usual_quota(layout.hit_size)
    if layout.n_regular < advised:
        warnings.append(
            f"only {layout.n_regular} of {layout.hit_size} items in a HIT are regular (advised: {advised}): "
            "much of the work paid for says nothing about systems."
        )
    return warnings


def fitting_size(settings: DesignSettings, n_entries: int) -> int | None:
    """The largest HIT size, up to the one in the settings, that this many texts fill; None if none does.

    >>> fitting_size(DesignSettings(hit_size=100), 68), fitting_size(DesignSettings(hit_size=100), 32)
    (98, None)
    """
    for size in range(settings.hit_size, 0, -1):
        smaller = replace(settings, hit_size=size)
        if _is_possible(smaller) and layout_of(smaller).n_regular <= n_entries:
            return size
    return None


def _is_possible(settings: DesignSettings) -> bool:
    """Whether there is a layout, without saying why not."""
    n_groups, n_degraded = _n_groups(settings), _quota(settings)[ItemKind.DEGRADED]
    if n_groups is None or 0 < n_degraded < MIN_DEGRADED or (settings.quota is None and not n_degraded):
        return False
    return _has_gold_positions(settings) and _bases_fit(_layout(settings, n_groups))


def _has_gold_positions(settings: DesignSettings) -> bool:
    return settings.gold_every is None or 2 <= settings.gold_every <= settings.hit_size


def _order_problems(settings: DesignSettings) -> list[str]:
    if settings.order == "grouped":
        return []
    problems = []
    if settings.groups is not None:
        problems.append(
            f'groups = {settings.groups} means nothing with order = "{settings.order}"; leave it out.'
        )
    if settings.layout != "2014":
        problems.append(
            f'layout = "{settings.layout}" keeps controls from their bases by groups, which order = '
            f'"{settings.order}" does not have; leave it out, or set order = "grouped".'
        )
    return problems


def _quota_problems(settings: DesignSettings) -> list[str]:
    problems = []
    if settings.hit_size < 1:
        problems.append(f"hit_size must be at least 1, not {settings.hit_size}.")
    if not _has_gold_positions(settings):
        problems.append(
            f"gold_every = {settings.gold_every} must be between 2 and hit_size, which is "
            f"{settings.hit_size}: it is the distance from one gold item to the next."
        )
    for kind, number in (settings.quota or {}).items():
        if kind not in QUOTA_KINDS:
            allowed = ", ".join(QUOTA_KINDS)
            problems.append(f"quota cannot set the number of {kind} items; it may name: {allowed}.")
        elif number < 0:
            problems.append(f"quota: {number} {kind} items are impossible; give 0 or more.")
    return problems or _test_problems(settings)


def _test_problems(settings: DesignSettings) -> list[str]:
    """Too few degraded items to test a worker on, unless there are none on purpose."""
    n_degraded = _quota(settings)[ItemKind.DEGRADED]
    if settings.quota is None and settings.order == "documents" and settings.n_translations > 1:
        # A quarter is in control documents, of whose segments as many are degraded as a test takes.
        n_degraded = settings.hit_size // 4
    if settings.quota is None and n_degraded < MIN_DEGRADED:
        sizes = (replace(settings, hit_size=size) for size in range(settings.hit_size + 1, 1000))
        larger = next((each.hit_size for each in sizes if _is_possible(each)), None)
        advice = "" if larger is None else f"set hit_size = {larger} or more, or "
        return [
            f"HITs of {settings.hit_size} items would hold {n_degraded} degraded ones, but no worker can be "
            f"tested on fewer than {MIN_DEGRADED}: {advice}give a quota with degraded = {MIN_DEGRADED}."
        ]
    if 0 < n_degraded < MIN_DEGRADED:
        return [
            f"quota: no worker can be tested on {n_degraded} degraded items; give {MIN_DEGRADED} or more, "
            "or 0 to do without a test."
        ]
    return []


def _cut_problems(settings: DesignSettings) -> list[str]:
    if settings.order != "grouped" or _n_groups(settings) is not None:
        return []
    wanted = settings.groups
    cuts = [cut for cut in _even_cuts(settings.hit_size) if _is_possible(replace(settings, groups=cut))]
    reason = "as the distance between a control and its base requires"
    if wanted is not None and cuts:
        near = sorted(sorted(cuts, key=lambda cut: abs(cut - wanted))[:2])
        return [
            f"{settings.hit_size} items cannot be cut into {wanted} equal groups, even in number and at "
            f"least {MIN_GROUPS}, {reason}; groups = {_listed(near)} can."
        ]
    sizes = _listed(_near_sizes(replace(settings, groups=None)))
    return [
        f"{settings.hit_size} items cannot be cut into equal groups, even in number and at least "
        f"{MIN_GROUPS}, {reason}; hit_size = {sizes} can."
    ]


def _near_sizes(settings: DesignSettings) -> list[int]:
    """The next smaller and the next larger HIT size that works with these settings."""
    size = settings.hit_size
    sides = (range(size - 1, 0, -1), range(size + 1, 2 * size + 1000))
    near = []
    for side in sides:
        works = (each for each in side if _is_possible(replace(settings, hit_size=each)))
        near += [found for found in [next(works, None)] if found is not None]
    return near


def _fit_problems(settings: DesignSettings) -> list[str]:
    """More controls than bases, or than the regular items of some group."""
    layout = _layout(settings, _n_groups(settings))
    if _bases_fit(layout):
        return []
    taken = layout.n_controls + layout.n_calibration + layout.n_gold
    problem = (
        f"{taken} of {layout.hit_size} items are controls, gold or calibration texts, which leaves too few "
        "regular items: each control needs its own base, in the group half a HIT away."
    )
    looser = (
        replace(settings, gold_every=every)
        for every in range((settings.gold_every or settings.hit_size) + 1, settings.hit_size + 1)
    )
    found = next((each.gold_every for each in looser if _is_possible(each)), None)
    advice = f"Set gold_every = {found} or more, or lower the quota." if found else "Lower the quota."
    return [f"{problem} {advice}"]


def _bases_fit(layout: Layout) -> bool:
    """Whether every group has enough regular items for the controls that need a base there."""
    groups, room = layout.n_groups, min(layout.room)
    if not layout.is_grouped:
        return layout.n_regular >= max(layout.n_controls, 1)
    controls = [_dealt(layout.n_controls, groups, rank) for rank in range(groups)]
    others = [_dealt(layout.n_controls + layout.n_calibration, groups, rank) for rank in range(groups)]
    # Groups are dealt to in pairs of partners: ranks 2m and 2m + 1.
    fits = all(room - others[rank] >= controls[rank ^ 1] for rank in range(groups))
    return fits and layout.n_regular > 0


def _dealt(number: int, n_groups: int, rank: int) -> int:
    """How many cards the group of this rank gets if the number is dealt in turn."""
    return number // n_groups + (rank < number % n_groups)


def _layout(settings: DesignSettings, n_groups: int | None) -> Layout:
    assert n_groups is not None, "settings without problems have groups"
    return Layout(
        hit_size=settings.hit_size,
        n_groups=n_groups,
        group_size=settings.hit_size // n_groups,
        quota=MappingProxyType(_quota(settings)),
        gold_every=settings.gold_every,
        name=settings.layout,
        order=settings.order,
    )


def _quota(settings: DesignSettings) -> dict[ItemKind, int]:
    if settings.quota is not None:
        return {kind: settings.quota.get(kind, 0) for kind in QUOTA_KINDS}
    usual = _usual_quota(settings.hit_size)
    return {kind: usual if kind in CONTROL_KINDS else 0 for kind in QUOTA_KINDS}


def _usual_quota(hit_size: int) -> int:
    """Controls of each kind, rounded; halves go up."""
    return (2 * hit_size + USUAL_SHARE) // (2 * USUAL_SHARE)


def _n_groups(settings: DesignSettings) -> int | None:
    """The number of groups, None if the size cannot be cut like that."""
    if settings.order != "grouped":
        return 1
    cuts = _even_cuts(settings.hit_size)
    if settings.groups is not None:
        return settings.groups if settings.groups in cuts else None
    return min(cuts, key=lambda cut: (abs(cut - USUAL_GROUPS), -cut), default=None)


def _even_cuts(size: int) -> list[int]:
    """Even numbers of equal groups that a HIT of this size can be cut into, ascending."""
    most = size // MIN_GROUP_SIZE
    return [cut for cut in range(MIN_GROUPS, most + 1, 2) if size % cut == 0]


def _listed(numbers: list[int]) -> str:
    return " and ".join(str(number) for number in numbers)

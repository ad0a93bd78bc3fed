"""What the names of metrics, systems and files mean in the layout of mt-metrics-eval."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from steelyard.domain.wording import listed

# Scores of single translations and of whole systems. Files of other levels (doc, domain) are not read.
Level = Literal["seg", "sys"]
SEGMENTS: Level = "seg"
OVERALL: Level = "sys"
_ENDING = ".score"
# Metrics that take no reference, and those that take all there are.
NO_REFERENCE, ALL_REFERENCES = "src", "all"
# "ref", "reference" or "human", alone or at the end of a name, with a letter and a number after it.
_REFERENCE = re.compile(
    r"(?:.*[-_. ])?(?:ref|reference|human)(?:[-_. ]?[a-z])?(?:[-_. ]?\d{1,3})?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class MetricName:
    """A metric's name, without its references too; `references` None: the name does not say."""

    full: str
    base: str
    references: tuple[str, ...] | None


def looks_like_reference(name: str) -> bool:
    """Whether a system is a person's translation, as far as its name says.

    >>> [looks_like_reference(name) for name in ("refA", "ref", "synthetic_ref", "HUMAN-B", "Human-A.0")]
    [True, True, True, True, True]
    >>> [looks_like_reference(name) for name in ("Refiner", "ONLINE-A", "prefix", "refined")]
    [False, False, False, False]
    """
    return _REFERENCE.fullmatch(name) is not None


def metric_name(name: str, references: Collection[str]) -> MetricName:
    """The parts of a metric's name; `references` are known by their files.

    What follows the last dash names references with dots between, of which one is enough.

    >>> metric_name("MetricX-23-refA", [])
    MetricName(full='MetricX-23-refA', base='MetricX-23', references=('refA',))
    >>> metric_name("MetricX-23", []).references, metric_name("Kiwi-src", []).references
    (None, ())
    """
    base, dash, suffix = name.rpartition("-")
    if not dash or not base:
        return MetricName(name, name, None)
    if suffix == NO_REFERENCE:
        return MetricName(name, base, ())
    if suffix == ALL_REFERENCES:
        return MetricName(name, base, tuple(sorted(references)))
    named = [part for part in suffix.split(".") if part in references or looks_like_reference(part)]
    return MetricName(name, base, tuple(named)) if named else MetricName(name, name, None)


def choose_metrics(found: Sequence[MetricName], wanted: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """The full names of the metrics wanted (all if None), in that order, and what is wrong with wishes."""
    full = [name.full for name in found]
    if wanted is None:
        return full, []
    chosen: dict[str, None] = {}
    problems = []
    for wish in wanted:
        matches = [wish] if wish in full else [name.full for name in found if name.base == wish]
        if len(matches) == 1:
            chosen[matches[0]] = None
        elif matches:
            problems.append(
                f'the metric "{wish}" appears {len(matches)} times: name one of {listed(matches)}.'
            )
        else:
            problems.append(f'there is no metric "{wish}"; choose from: {listed(full, most=100) or "none"}.')
    return list(chosen), problems


def files_by_name(
    paths: Iterable[Path], *, prefix: str = ""
) -> tuple[Mapping[str, Mapping[Level, Path]], list[str]]:
    """The score files by name and level, names in order; and the names of those that are there twice.

    Names are those of the files without the prefix, the level and the endings; other files are left out.
    """
    found: dict[str, dict[Level, Path]] = {}
    twice = []
    for path in sorted(paths):
        stem = path.name.removesuffix(".gz")
        name, _, level = stem.removesuffix(_ENDING).rpartition(".")
        name = name.removeprefix(prefix)
        if not (stem.startswith(prefix) and stem.endswith(_ENDING) and name and path.is_file()):
            continue
        for known in (SEGMENTS, OVERALL):
            if level == known:
                if known in found.setdefault(name, {}):
                    twice.append(path.name.removesuffix(".gz"))
                found[name][known] = path
    return dict(sorted(found.items())), twice

"""Scores by people and by metrics in folders laid out as in mt-metrics-eval: read, and written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from steelyard.domain.errors import SourceError
from steelyard.domain.wording import counted, listed
from steelyard.formats._metric_names import (
    OVERALL,
    SEGMENTS,
    Level,
    MetricName,
    choose_metrics,
    files_by_name,
    looks_like_reference,
    metric_name,
)
from steelyard.formats._metric_scores import ScoreLines, read_scores
from steelyard.formats.metric_writing import NO_DOMAIN, SEGMENT_IDS
from steelyard.formats.text_file import read_lines
from steelyard.meta.scores import ScoredPair, ScoreSet
from steelyard.stats.arrays import FloatArray

Files = Mapping[str, Mapping[Level, Path]]


def read_metric_folder(
    folder: Path, pair: str, *, golds: Sequence[str] | None = None, metrics: Sequence[str] | None = None
) -> ScoredPair:
    """The scores of one language pair, such as en-de: people's (`golds`) and metrics', all if None.

    `human-scores/PAIR.NAME.LEVEL.score` and `metric-scores/PAIR/METRIC-REF.LEVEL.score`, LEVEL being seg
    or sys; in a folder of a single pair the metrics' files may lie in `metric-scores` itself. Line k of a
    system in a seg file is its segment k. `documents/PAIR.docs` or `PAIR.docs` names domains and documents.
    Every file may be packed (.gz). A metric may be named without its reference if that names one only.
    SourceError lists all problems; nothing is filled in or left out to make files fit.
    """
    layout = _Layout.of(folder, pair)
    chosen, problems = _choose_golds(layout, golds)
    wanted, more = choose_metrics(layout.names, metrics)
    problems += more
    if problems:
        raise SourceError(str(folder), problems)
    return _Reader(layout).scored_pair(chosen, wanted)


@dataclass(frozen=True)
class _Layout:
    """Where the files of one pair are."""

    folder: Path
    pair: str
    golds: Files
    metrics: Files
    names: tuple[MetricName, ...]
    references: tuple[str, ...]
    """Known by their files, or because a metric's name says so."""
    warnings: tuple[str, ...]

    @classmethod
    def of(cls, folder: Path, pair: str) -> _Layout:
        pairs = _pairs(folder)
        if pair not in pairs:
            there = (
                f"it has: {listed(pairs)}. Choose one of them ({{pair=LP}})."
                if pairs
                else "nor for any other pair."
            )
            raise SourceError(str(folder), [f"has no scores for {pair}; {there}"])
        golds, twice = files_by_name((folder / "human-scores").glob("*"), prefix=f"{pair}.")
        own = folder / "metric-scores" / pair
        loose = _score_files(folder / "metric-scores")
        metrics, more = files_by_name(own.glob("*") if own.is_dir() else loose)
        problems = [f"{name}: exists twice, once packed; remove one of the two." for name in (*twice, *more)]
        if loose and not own.is_dir() and len(pairs) > 1:
            problems.append(
                f"has scores for {listed(pairs)}, so those in metric-scores could be of any pair: "
                f"put the files of {pair} into metric-scores/{pair}."
            )
        if problems:
            raise SourceError(str(folder), problems)
        files = {_reference_of(path, pair) for path in (folder / "references").glob(f"{pair}.*.txt*")}
        names = [metric_name(name, files) for name in metrics]
        # A metric that takes all references may need those that only another metric's name mentions.
        files |= {reference for name in names for reference in name.references or ()}
        warnings: tuple[str, ...] = ()
        if loose and own.is_dir():
            warnings = (
                f"Files in metric-scores itself were not read: those of {pair} are in a folder of their own.",
            )
        return cls(
            folder,
            pair,
            golds,
            metrics,
            tuple(metric_name(name, files) for name in metrics),
            tuple(sorted(files)),
            warnings,
        )

    def found(self, *names: str) -> Path | None:
        """The first of these files that is there, plain or packed."""
        candidates = (self.folder / f"{name}{packed}" for name in names for packed in ("", ".gz"))
        return next((path for path in candidates if path.is_file()), None)


def _pairs(folder: Path) -> list[str]:
    """The pairs that the folder has scores for; SourceError if it has none of the expected folders."""
    if not folder.is_dir():
        raise SourceError(str(folder), ["there is no such folder."])
    if not any((folder / name).is_dir() for name in ("human-scores", "metric-scores")):
        problem = (
            "is not a folder in the layout of mt-metrics-eval: it has neither human-scores nor metric-scores."
        )
        raise SourceError(str(folder), [problem])
    pairs = {path.name.partition(".")[0] for path in _score_files(folder / "human-scores")}
    pairs |= {path.name for path in (folder / "metric-scores").glob("*") if path.is_dir()}
    return sorted(pairs)


def _score_files(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*.score*") if path.name.endswith((".score", ".score.gz"))]


def _reference_of(path: Path, pair: str) -> str:
    return path.name.removesuffix(".gz").removesuffix(".txt").removeprefix(f"{pair}.")


def _choose_golds(layout: _Layout, wanted: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """The names of the golds wanted, and what is wrong with the wishes."""
    if wanted is None:
        return list(layout.golds), []
    there = listed(list(layout.golds), most=100) or "none"
    others = [pair for pair in _pairs(layout.folder) if pair != layout.pair]
    further = f" Other pairs: {listed(others)}." if others else ""
    problems = [
        f'has no human scores "{name}" for {layout.pair}; choose from: {there}.{further}'
        for name in wanted
        if name not in layout.golds
    ]
    return list(dict.fromkeys(wanted)), problems


class _Reader:
    """Reads the files of one pair and notes what is wrong with them."""

    def __init__(self, layout: _Layout) -> None:
        self.layout = layout
        self.problems: list[str] = []
        self.warnings: list[str] = list(layout.warnings)

    def scored_pair(self, golds: Sequence[str], metrics: Sequence[str]) -> ScoredPair:
        layout = self.layout
        read = [(name, self._files(layout.golds[name])) for name in golds]
        read += [(name, self._files(layout.metrics[name])) for name in metrics]
        documents, domains = self._documents()
        n_segments = self._n_segments(documents, [files for _, files in read])
        if self.problems:
            raise SourceError(str(layout.folder), self.problems)
        held = {name.full: ".".join(name.references or ()) or None for name in layout.names}
        scores = [
            self._scores(name, files, held.get(name) if k >= len(golds) else None)
            for k, (name, files) in enumerate(read)
        ]
        systems = {system for each in scores for system in each.systems}
        references = {*layout.references, *filter(looks_like_reference, systems)}
        self._warn_of_strangers(scores, references)
        return ScoredPair(
            pair=layout.pair,
            n_segments=n_segments,
            golds=tuple(scores[: len(golds)]),
            metrics=tuple(scores[len(golds) :]),
            documents=documents,
            domains=domains,
            references=tuple(sorted(references)),
            warnings=tuple(self.warnings),
        )

    def _files(self, files: Mapping[Level, Path]) -> dict[Level, ScoreLines]:
        """The files of one metric or gold that can be read."""
        found: dict[Level, ScoreLines] = {}
        for level, path in files.items():
            where = str(path.relative_to(self.layout.folder))
            try:
                found[level] = read_scores(path, where)
            except SourceError as error:
                self.problems += [f"{where}: {problem}" for problem in error.problems]
        if OVERALL in found:
            self.problems += found[OVERALL].uneven(1, because="a file of system scores has one of each")
        return found

    def _n_segments(self, documents: Sequence[str] | None, read: Iterable[Mapping[Level, ScoreLines]]) -> int:
        """The number of segments, which every system of every file must have lines for."""
        files = [found[SEGMENTS] for found in read if SEGMENTS in found]
        n_segments, because = self._known_segments(documents)
        if n_segments is None:
            counts = Counter(count for lines in files for count in lines.counts.tolist())
            n_segments = max(counts, key=lambda count: (counts[count], count), default=0)
            because = f"most systems have {n_segments:,}: each must have one for every segment"
        for lines in files:
            self.problems += lines.uneven(n_segments, because=because)
        return n_segments

    def _known_segments(self, documents: Sequence[str] | None) -> tuple[int | None, str]:
        """The number of segments according to other files, and how to say so."""
        pair = self.layout.pair
        if documents is not None:
            return len(documents), f"the file of documents has {len(documents):,}"
        path = self.layout.found(f"sources/{pair}.txt", f"{pair}{SEGMENT_IDS}")
        if path is None:
            return None, ""
        n_lines = len(self._lines(path))
        return n_lines, f"{path.relative_to(self.layout.folder)} has {n_lines:,}"

    def _documents(self) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
        """The document and the domain of each segment, as far as they are known."""
        pair = self.layout.pair
        path = self.layout.found(f"documents/{pair}.docs", f"{pair}.docs")
        if path is None:
            return None, None
        rows = [
            line.strip("\t ").split("\t") if "\t" in line.strip("\t ") else line.split()
            for line in self._lines(path)
        ]
        where = path.relative_to(self.layout.folder)
        n_cells = Counter(map(len, rows)).most_common(1)[0][0] if rows else 2
        bad = [
            number for number, row in enumerate(rows, start=1) if len(row) != n_cells or n_cells not in (1, 2)
        ]
        if bad:
            self.problems.append(
                f"{where}: {counted(len(bad), 'line')} (first: line {bad[0]}) "
                f"{'is' if len(bad) == 1 else 'are'} not a domain and a document with a tab between."
            )
            return None, None
        documents = tuple(row[-1] for row in rows)
        domains = tuple(row[0] for row in rows)
        return documents, None if n_cells == 1 or set(domains) == {NO_DOMAIN} else domains

    def _lines(self, path: Path) -> list[str]:
        """The lines of a file, or none with the problem noted."""
        try:
            return read_lines(path)
        except SourceError as error:
            where = path.relative_to(self.layout.folder)
            self.problems += [f"{where}: {problem}" for problem in error.problems]
            return []

    def _scores(self, name: str, files: Mapping[Level, ScoreLines], reference: str | None) -> ScoreSet:
        """The scores of the files, whose systems need not be the same nor in the same order."""
        systems = tuple(dict.fromkeys(system for lines in files.values() for system in lines.systems))
        by_level = {level: _in_order(lines, systems) for level, lines in files.items()}
        for level, lines in files.items():
            absent = [system for system in systems if system not in lines.systems]
            if absent:
                self.warnings.append(
                    f"{lines.where} has no line of {listed(absent)}, which the file of "
                    f"{'system' if level == SEGMENTS else 'segment'} scores has: taken as not scored."
                )
        overall = by_level.get(OVERALL)
        return ScoreSet(
            name, systems, by_level.get(SEGMENTS), None if overall is None else overall[:, 0], reference
        )

    def _warn_of_strangers(self, scores: Sequence[ScoreSet], references: set[str]) -> None:
        """Name systems that only one gold or metric knows: a name may be spelt in two ways."""
        known = Counter(system for each in scores for system in each.systems)
        for each in scores:
            alone = [name for name in each.systems if known[name] == 1 and name not in references]
            if alone and len(scores) > 1:
                self.warnings.append(
                    f"Only {each.name} has scores of {listed(alone)}: is it spelt differently elsewhere?"
                )


def _in_order(lines: ScoreLines, systems: Sequence[str]) -> FloatArray:
    """The scores of these systems, NaN for those that are not in the file. Shape (systems, lines of each)."""
    block = lines.block()
    ordered = np.full((len(systems), block.shape[1]), np.nan)
    place = {name: index for index, name in enumerate(systems)}
    ordered[[place[name] for name in lines.systems]] = block
    return ordered

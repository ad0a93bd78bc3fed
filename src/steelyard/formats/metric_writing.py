"""Writing folders in the layout of mt-metrics-eval: scores, and the texts they are about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.domain.wording import counted, listed
from steelyard.formats._metric_names import OVERALL, SEGMENTS, metric_name
from steelyard.formats._metric_scores import ABSENT
from steelyard.formats.text_file import whole_file
from steelyard.formats.texts import Texts
from steelyard.meta.scores import ScoredPair, ScoreSet
from steelyard.stats.arrays import FloatArray

# What is written where no domain is known.
NO_DOMAIN = "all"
# The file beside the folders that names, line by line, the segments: PAIR.segments.txt.
SEGMENT_IDS = ".segments.txt"
# The toolkit cuts lines at white space, and most names become names of files.
_UNFIT = re.compile(r"[\s/\\]")
# Names that may stand for a reference: the toolkit refuses dots and dashes.
_FIT_FOR_REFERENCE = re.compile(r"[^-.\s/\\]+")

Contents = dict[str, Callable[[], str]]


def write_scored_pair(
    folder: Path,
    scored: ScoredPair,
    *,
    texts: Texts | None = None,
    reference: str = "refA",
    overwrite: bool = False,
) -> tuple[str, ...]:
    """Write scores, and texts if given, so that `read` gives them back exactly; returns warnings.

    `metric-scores` has a folder for the pair, as the toolkit expects. A metric named without the reference
    it takes gets it into its name. With texts there are also sources, the segments' references under the
    name `reference`, the systems' translations, and the segments' ids in `PAIR.segments.txt`; a system
    that is a person is a further reference. A text must stay one line, so line ends become spaces; a
    translation that does not exist becomes an empty line. The toolkit cuts lines of documents at white
    space, so that becomes an underscore in their names. Nothing is written if names cannot be names of
    files, or if a file exists with other content and `overwrite` is not set.
    """
    problems = _name_problems(scored, texts)
    contents = _score_contents(scored, problems)
    warnings: list[str] = []
    if texts is not None:
        contents |= _text_contents(scored.pair, texts, reference)
        warnings += _text_warnings(texts)
    if not problems and not overwrite:
        problems += _existing(folder, contents)
    if problems:
        raise SourceError(str(folder), problems)
    for name, content in contents.items():
        with whole_file(folder / name) as partial:
            partial.parent.mkdir(parents=True, exist_ok=True)
            partial.write_text(content(), "utf-8", newline="")
    return tuple(warnings)


def fit_names(names: Iterable[str]) -> dict[str, str]:
    """The names as this layout can hold them: white space and slashes become underscores.

    >>> fit_names(["Online A", "lab/v2", "plain"])
    {'Online A': 'Online_A', 'lab/v2': 'lab_v2', 'plain': 'plain'}
    """
    return {name: _UNFIT.sub("_", name).lstrip(".") or "_" for name in names}


def _name_problems(scored: ScoredPair, texts: Texts | None) -> list[str]:
    everybody = [*scored.golds, *scored.metrics]
    systems = {name for each in everybody for name in each.systems} | set(texts.translations if texts else ())
    names = {
        "language pair": [scored.pair],
        "system": sorted(systems),
        "score": [each.name for each in everybody],
    }
    problems = [
        f'the {what} "{name}" cannot be written: its name holds white space or a slash, or begins with a dot.'
        for what, some in names.items()
        for name in some
        if not name or name.startswith(".") or _UNFIT.search(name)
    ]
    if "." in scored.pair:
        problems.append(f'the language pair "{scored.pair}" holds a dot, which ends it in names of files.')
    return problems


def _score_contents(scored: ScoredPair, problems: list[str]) -> Contents:
    """The files of scores by name, made when they are written; `problems` gets those with infinite scores."""
    pair = scored.pair
    files = [(f"human-scores/{pair}.{gold.name}", gold) for gold in scored.golds]
    files += [(f"metric-scores/{pair}/{_full_name(metric)}", metric) for metric in scored.metrics]
    contents: Contents = {}
    for stem, each in files:
        for level, values in ((SEGMENTS, each.segments), (OVERALL, each.overall)):
            if values is None:
                continue
            if np.isinf(values).any():
                problems.append(f"{each.name} has infinite scores, which cannot be compared with others.")
            contents[f"{stem}.{level}.score"] = _score_lines(each.systems, values)
    if scored.documents is not None:
        domains = scored.domains or [NO_DOMAIN] * len(scored.documents)
        rows = list(zip(_words(domains), _words(scored.documents), strict=True))
        contents[f"documents/{pair}.docs"] = lambda: "".join(f"{domain}\t{name}\n" for domain, name in rows)
    return contents


def _full_name(metric: ScoreSet) -> str:
    held = metric.held_against
    if not held or metric_name(metric.name, held).references is not None:
        return metric.name
    return f"{metric.name}-{metric.reference}"


def _score_lines(systems: Sequence[str], values: FloatArray) -> Callable[[], str]:
    def make() -> str:
        block = values.reshape(len(systems), -1)
        places = pl.Series(np.repeat(np.arange(len(systems)), block.shape[1]))
        frame = pl.DataFrame(
            {"system": pl.Series(systems, dtype=pl.String).gather(places), "score": block.ravel()}
        ).with_columns(pl.col("score").fill_nan(None))
        return frame.write_csv(separator="\t", include_header=False, null_value=ABSENT, quote_style="never")

    return make


def _words(names: Iterable[str]) -> list[str]:
    """Names without white space, at which the toolkit would cut them."""
    return [re.sub(r"\s+", "_", name.strip()) or "_" for name in names]


def _text_contents(pair: str, texts: Texts, reference: str) -> Contents:
    by_reference: dict[str, Sequence[str | None]] = {
        reference: [segment.reference for segment in texts.segments]
    }
    columns: dict[str, Sequence[str | None]] = {}
    if any(segment.source for segment in texts.segments):
        columns[f"sources/{pair}.txt"] = [segment.source for segment in texts.segments]
    for system_id, lines in texts.translations.items():
        columns[f"system-outputs/{pair}/{system_id}.txt"] = lines
        if system_id in texts.humans and _FIT_FOR_REFERENCE.fullmatch(system_id):
            by_reference.setdefault(system_id, lines)
    for name, lines in by_reference.items():
        if any(lines):
            columns[f"references/{pair}.{name}.txt"] = lines
    columns[f"{pair}{SEGMENT_IDS}"] = [segment.segment_id for segment in texts.segments]
    return {name: _text_lines(lines) for name, lines in columns.items()}


def _text_lines(lines: Sequence[str | None]) -> Callable[[], str]:
    return lambda: "".join(f"{_one_line(line or '')}\n" for line in lines)


def _one_line(text: str) -> str:
    return " ".join(text.splitlines())


def _text_warnings(texts: Texts) -> list[str]:
    columns: list[Sequence[str | None]] = [*texts.translations.values()]
    columns += [[segment.source, segment.reference] for segment in texts.segments]
    n_broken = sum(len(text.splitlines()) > 1 for lines in columns for text in lines if text)
    absent = {name: sum(line is None for line in lines) for name, lines in texts.translations.items()}
    warnings = []
    if n_broken:
        warnings.append(
            f"Line ends within {counted(n_broken, 'text')} were written as spaces: a line is a segment."
        )
    if any(absent.values()):
        some = [f"{name} {count:,}" for name, count in absent.items() if count]
        warnings.append(f"Missing translations were written as empty lines: {listed(some)}.")
    return warnings


def _existing(folder: Path, contents: Mapping[str, Callable[[], str]]) -> list[str]:
    """What is wrong with files that are there already: packed ones, and others than would be written."""
    found = [f"{name}.gz" for name in contents if (folder / f"{name}.gz").exists()]
    found += [name for name, content in contents.items() if _is_other(folder / name, content)]
    return [f"{name}: already exists; remove it, or write to another folder." for name in sorted(found)]


def _is_other(path: Path, content: Callable[[], str]) -> bool:
    """Whether there is a file of the name that holds something else."""
    try:
        return path.read_bytes() != content().encode()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True

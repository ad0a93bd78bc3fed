"""Judgements as tables of ratings, preferences or spans: .csv, .tsv, .jsonl (each also .gz) or .parquet.

Which of the three a table holds is recognised by its columns. So are results of other systems, here and
nowhere else, and they are read as judgements too: see `results_2016`, `_turk_batch`, `_flat_2016`,
`appraise`, `_mqm_table`, `_toolkit_ratings`, `_jsonl_formats` and `_pearmut_log`. What Pearmut gives to
download is JSON as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import polars as pl

from steelyard.domain.collector import no_collector
from steelyard.domain.errors import SourceError
from steelyard.domain.judgement import PLACE_OF_JUDGEMENT
from steelyard.domain.running import Exclusion
from steelyard.domain.scale import Scale
from steelyard.domain.wording import Note, told_of
from steelyard.formats import (
    _appraise_results,
    _flat_2016,
    _mqm_table,
    _toolkit_ratings,
    results_2016,
)
from steelyard.formats._folder import files_to_analyse
from steelyard.formats._hit_times import completed, may_be_hit_time
from steelyard.formats._jsonl_formats import jsonl_reader, keys_of_first_line
from steelyard.formats._judgement_columns import (
    ALIASES,
    as_text,
    choose_columns,
    frame_of,
    named,
    shown,
)
from steelyard.formats._judgement_table import (
    JudgementsFile,
    JudgementTable,
    checked,
    is_nested,
    line_numbers,
    row_numbers,
)
from steelyard.formats._pandas_table import from_pandas
from steelyard.formats._pearmut_lines import is_pearmut_log, lines_of_download
from steelyard.formats._pearmut_log import from_pearmut_lines, from_pearmut_log
from steelyard.formats._separated import read_separated
from steelyard.formats._spaced import with_tabs
from steelyard.formats._spreadsheets import SEPARATORS, read_separated_text
from steelyard.formats._turk_batch import (
    columns_of_batch,
    has_single_ratings,
    is_turk_batch,
    remarks_on_batch,
    times_of_batch,
)
from steelyard.formats.judgements_writing import ENDINGS, NEIGHBOURS, neighbour
from steelyard.formats.table_file import json_records, read_jsonl, unknown_format
from steelyard.formats.text_file import read_text

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

__all__ = ["JudgementsFile", "from_table", "read_judgements"]

_READ_ENDINGS = (*ENDINGS, _toolkit_ratings.RATING_ENDING, f"{_toolkit_ratings.RATING_ENDING}.gz")


class _MarksOfFile(TypedDict):
    exclusions: tuple[Exclusion, ...]
    simulated: frozenset[str]


@no_collector()
def read_judgements(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    scale: Scale | None = None,
    gold_scale: Scale | None = None,
) -> JudgementsFile:
    """The judgements in a file. `columns` maps our names to the file's: {"worker": "login"}.

    Raises SourceError with every problem found and its line (the header is line 1); then nothing
    has been read. Ratings must lie on `scale`, 0 to 100 unless given, and so must known ratings of gold;
    where these are on a `gold_scale`, they are moved to that of the ratings. A file whose columns the caller
    names is taken as a plain table, whichever system wrote it.

    With the ratings that an export wrote come the preferences and spans that it wrote beside them: see
    `neighbour`.
    """
    path, where = Path(path), str(path)
    if path.is_dir():
        raise SourceError(where, [_is_folder(path)])
    return _judgements_of(_opened(path, columns), path, columns=columns, scale=scale, gold_scale=gold_scale)


def _opened(path: Path, columns: Mapping[str, str] | None) -> JudgementTable:
    """The table in a file, as it is."""
    where = str(path)
    ending = Path(path.name.removesuffix(".gz")).suffix.lower()
    if ending == ".parquet" and path.suffix != ".gz":
        return JudgementTable(_read_parquet(path), row_numbers)
    if ending == ".jsonl":
        text = read_text(path)
        return _read_jsonl(text, where) if columns else _read_any_jsonl(text, where)
    if ending == ".json":
        return _read_json(read_text(path), where)
    if path.name.removesuffix(".gz").endswith(_toolkit_ratings.RATING_ENDING):
        return _toolkit_ratings.read_rating_file(read_text(path), path)
    if ending in SEPARATORS:
        written = read_separated_text(path, ending)
        if not columns and _toolkit_ratings.is_rating_file(written.text):
            return _toolkit_ratings.read_rating_file(written.text, path)
        read = read_separated if columns else _read_any_separated
        table = read(written.text, written.separator, where)
        return replace(table, warnings=written.warnings, separator=written.separator)
    raise unknown_format(path, _READ_ENDINGS)


def _judgements_of(
    table: JudgementTable,
    path: Path,
    *,
    columns: Mapping[str, str] | None = None,
    scale: Scale | None = None,
    gold_scale: Scale | None = None,
) -> JudgementsFile:
    where = str(path)
    if table.is_named:
        return checked(table, where, scale=scale, gold_scale=gold_scale)
    ours = None if columns else _of_another_system(table, path, scale=scale)
    is_ours = ours is None
    if ours is None:
        ours = _named_as_ours(table, where, columns=columns)
    ours = replace(ours, warnings=(*table.warnings, *ours.warnings), separator=table.separator)
    found = checked(ours, where, scale=scale, gold_scale=gold_scale)
    return _with_neighbours(found, path) if is_ours and ours.frame == "ratings" and not columns else found


def _with_neighbours(ratings: JudgementsFile, path: Path) -> JudgementsFile:
    """The ratings with preferences and spans of the same judgements, where files beside `path` hold any."""
    ids = _whole_judgements(ratings.frame)
    for frame in NEIGHBOURS:
        other = neighbour(path, frame)
        if not other.is_file():
            continue
        table = _opened(other, None)
        if frame_of(table.cells.columns, {}) != frame:
            warning = f"{other.name} was left out: its columns are not those of {frame}."
            ratings = replace(ratings, warnings=(*ratings.warnings, warning))
            continue
        beside = _judgements_of(table, other)
        found = getattr(beside, frame)
        if ratings.frame.is_empty() or ids & _whole_judgements(found):
            texts = beside.texts if frame == "spans" else ratings.texts
            ratings = replace(ratings, **{frame: found}, texts=texts)
            warnings = (*ratings.warnings, *(told_of(other.name, warning) for warning in beside.warnings))
            times = completed(ratings.hit_times, beside.hit_times)
            ratings = replace(ratings, warnings=warnings, hit_times=times, **_marks_of_both(ratings, beside))
        else:
            warning = f"{other.name} was left out: it shares no judgement_id with {path.name}."
            ratings = replace(ratings, warnings=(*ratings.warnings, warning))
    return ratings


def _marks_of_both(one: JudgementsFile, other: JudgementsFile) -> _MarksOfFile:
    exclusions = tuple(dict.fromkeys((*one.exclusions, *other.exclusions)))
    return {"exclusions": exclusions, "simulated": one.simulated | other.simulated}


def _whole_judgements(frame: pl.DataFrame) -> set[str]:
    """The ids of judgements; that of one translation among several has its place at the end."""
    return set(frame["judgement_id"].drop_nulls().str.replace(PLACE_OF_JUDGEMENT, "").unique())


def _is_folder(path: Path) -> str:
    files = files_to_analyse(path, _READ_ENDINGS)
    if not files:
        return "is a folder, and no file in it can be analysed: none has columns worker, segment and rating."
    return f"is a folder. Name one of its files that can be analysed: {named(files)}."


def from_table(
    table: IntoDataFrame | pl.LazyFrame,
    *,
    columns: Mapping[str, str] | None = None,
    scale: Scale | None = None,
    gold_scale: Scale | None = None,
) -> JudgementsFile:
    """The judgements in a pandas, polars or pyarrow table; problems name the row, counted from 1."""
    import narwhals as nw

    where = "table"
    try:
        given: object = nw.from_native(
            table.collect() if isinstance(table, pl.LazyFrame) else table, eager_only=True, pass_through=True
        )
        if not isinstance(given, nw.DataFrame):
            problem = f"cannot be read as a table: it is of type {type(table).__name__}"
            wanted = "Give the path of a file, or a pandas, Polars or pyarrow table"
            raise SourceError(where, [f"{problem}. {wanted}."])
        cells = from_pandas(given.to_native()) if given.implementation.is_pandas() else given.to_polars()
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise SourceError(where, [f"cannot be read as a table ({shown(str(error))})."]) from None
    found = JudgementTable(cells, row_numbers)
    ours = None if columns else _of_another_system(found, None, scale=scale)
    if ours is None:
        ours = _named_as_ours(found, where, columns=columns)
    return checked(ours, where, scale=scale, gold_scale=gold_scale)


def _read_any_separated(text: str, separator: str, where: str) -> JudgementTable:
    """As `read_separated`, also where the first line is no header, or not one in the file's own marks."""
    mqm = _mqm_table.header_of(text) if separator == "\t" else None
    if mqm is not None:
        return _mqm_table.read_mqm(text, mqm, where)
    if _flat_2016.is_spaced_flat(text):
        return read_separated(with_tabs(text), "\t", where)
    return read_separated(text, separator, where, header=_appraise_results.missing_header(text, separator))


def _of_another_system(
    table: JudgementTable, path: Path | None, *, scale: Scale | None
) -> JudgementTable | None:
    """The table under our names if its columns are those of another system's results; else None.

    Beside `path` may lie files that say more, such as a key that leads back to our own items.
    """
    names = [column.name for column in table.cells if not is_nested(column.dtype)]
    folder = path.parent if path else None
    if is_pearmut_log(table.cells.columns):
        return from_pearmut_log(table, path)
    if results_2016.is_batch(names) and not has_single_ratings(table.cells.select(names)):
        return results_2016.from_batch(table, str(path or "table"), folder=folder)
    if _flat_2016.is_flat(names):
        return _flat_2016.from_flat(table, path, scale=scale)
    if _mqm_table.is_mqm(names):
        return _mqm_table.from_mqm(table, str(path or "table"))
    single = table.cells.select(names)
    if _appraise_results.is_export(names) or _appraise_results.has_marked_copies(single):
        return _appraise_results.from_export(table, str(path or "table"), folder=folder)
    return None


def _named_as_ours(table: JudgementTable, where: str, *, columns: Mapping[str, str] | None) -> JudgementTable:
    """The table with the columns that are ours, under our names."""
    times = table.hit_times
    remarks: tuple[str, ...] = ()
    if is_turk_batch(table.cells.columns):
        columns = columns_of_batch(table.cells, columns or {})
        times, remarks = times_of_batch(table.cells, columns), remarks_on_batch(table.cells, columns)
    choice = choose_columns(table.cells.columns, columns or {})
    if choice.problems:
        raise SourceError(where, choice.problems)
    cells = table.cells.select(pl.col(column).alias(name) for name, column in choice.taken.items())
    warnings = list(choice.warnings)
    if _is_called(choice.taken, "segment", "item") and "document" in choice.taken:
        # Earlier systems number items from 0 in every document.
        parts = [as_text(cells["document"]), as_text(cells["segment"])]
        together = pl.select(pl.concat_str(parts, separator=":", ignore_nulls=True)).to_series()
        cells = cells.with_columns(together.alias("segment"))
        warnings.append(
            Note(
                f"Took {choice.taken['document']!r} and {choice.taken['segment']!r} together as segment, "
                "since items are numbered within documents."
            )
        )
    if _is_called(choice.taken, "hit_seconds", "time") and not may_be_hit_time(cells):
        cells = cells.drop("hit_seconds")
        warnings.append(
            Note(
                f"Ignored column {choice.taken['hit_seconds']!r}: it is not the seconds that each HIT took "
                "(if it is, call it hit_seconds)."
            )
        )
    return JudgementTable(cells, table.places, (*remarks, *warnings), times, frame=choice.frame)


def _is_called(taken: Mapping[str, str], ours: str, theirs: str) -> bool:
    """Whether the column taken for one of ours has this name."""
    return taken.get(ours, "").strip().lower() == theirs


def _read_parquet(path: Path) -> pl.DataFrame:
    try:
        cells = pl.read_parquet(path)
    except FileNotFoundError:
        raise SourceError(str(path), ["there is no such file."]) from None
    except (OSError, pl.exceptions.PolarsError) as error:
        raise SourceError(str(path), [f"is not a readable Parquet file ({shown(str(error))})."]) from None
    texts = [name for name, dtype in cells.schema.items() if dtype == pl.Binary]
    try:
        # Some writers do not mark texts as such.
        return cells.with_columns(pl.col(texts).cast(pl.String))
    except pl.exceptions.PolarsError:
        return cells


def _read_any_jsonl(text: str, where: str) -> JudgementTable:
    """As `_read_jsonl`, also where the lines are another system's."""
    keys = keys_of_first_line(text)
    reader = jsonl_reader(keys)
    if reader is not None:
        return reader(*json_records(text, where), where)
    if is_pearmut_log(keys):
        records, lines = json_records(text, where)
        return from_pearmut_lines(records, line_numbers(lines), Path(where))
    return _read_jsonl(text, where)


def _read_jsonl(text: str, where: str) -> JudgementTable:
    table = read_jsonl(text, where)
    # An export without judgements has no columns to miss.
    columns = table.columns or {name: [] for name in ALIASES["ratings"]}
    cells = pl.DataFrame(
        {name: list(column) for name, column in columns.items()}, schema=dict.fromkeys(columns, pl.String)
    )
    return JudgementTable(cells, line_numbers(table.lines or []))


def _read_json(text: str, where: str) -> JudgementTable:
    """The lines of a Pearmut log as its server gives them to download."""
    try:
        found = lines_of_download(json.loads(text))
    except ValueError as error:
        raise SourceError(where, [f"is not JSON ({shown(str(error))})."]) from None
    if found is None:
        raise SourceError(
            where, ["holds no judgements: of JSON files, those that Pearmut gives to download are read."]
        )
    records, places = found
    return from_pearmut_lines(records, lambda rows: [places[row] for row in rows], Path(where))

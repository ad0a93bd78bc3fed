"""Which files of a folder can be analysed, for someone who named the folder instead."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from steelyard.formats import (
    _appraise_results,
    _flat_2016,
    _mqm_table,
    _toolkit_ratings,
    results_2016,
)
from steelyard.formats._jsonl_formats import jsonl_reader, keys_of_first_line
from steelyard.formats._judgement_columns import choose_columns
from steelyard.formats._pearmut_lines import is_pearmut_log
from steelyard.formats._records import first_record
from steelyard.formats._spreadsheets import beginning_of_text, separator_of

# Enough for any header.
_BEGINNING = 1 << 20


def files_to_analyse(folder: Path, endings: Sequence[str]) -> list[str]:
    """The names of the files that begin as judgements do, in order."""
    files = sorted(path for path in folder.iterdir() if path.name.lower().endswith(tuple(endings)))
    return [path.name for path in files if path.is_file() and _begins_as_judgements(path)]


def _begins_as_judgements(path: Path) -> bool:
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    try:
        if ending == ".parquet":
            return _are_of_judgements(list(pl.read_parquet_schema(path)))
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            text = beginning_of_text(file.read(_BEGINNING))
    except (OSError, EOFError, zlib.error, pl.exceptions.PolarsError):
        return False
    if ending == ".jsonl":
        return _are_of_judgements(keys_of_first_line(text))
    if _toolkit_ratings.is_rating_file(text):
        return True
    separator = separator_of(text, ending)
    return (
        _flat_2016.is_spaced_flat(text)
        or _appraise_results.missing_header(text, separator) is not None
        or _are_of_judgements(first_record(text, separator))
    )


def _are_of_judgements(names: Sequence[str]) -> bool:
    """Whether a table with these columns is judgements, ours or another system's."""
    theirs = (
        results_2016.is_batch,
        _flat_2016.is_flat,
        _appraise_results.is_export,
        _mqm_table.is_mqm,
        is_pearmut_log,
        jsonl_reader,
    )
    return any(recognises(names) for recognises in theirs) or not choose_columns(names, {}).problems

"""Separated files as spreadsheets save them: in which encoding, with which separator and decimal mark."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from steelyard.formats._records import lines_of
from steelyard.formats.text_file import decode_any, read_content

# What stands between the cells of a file, by the ending of its name; .csv files may have another.
SEPARATORS = {".csv": ",", ".tsv": "\t"}
# The comma first: it wins where two stand equally often in a header.
_OF_CSV = ",;\t"
# Excel's own way to say which separator follows: a first line of its own.
_DECLARED = re.compile(r'"?sep=([,;\t|])"?\r?(?=\n|$)', re.IGNORECASE)
# 72,5 or -1,5E+03.
_DECIMAL_COMMA = r"^(\s*[-+]?\d*),(\d+(?:[eE][-+]?\d+)?\s*)$"
# 1.234 or 1,234: either mark may divide thousands.
_LIKE_THOUSANDS = r"^\s*[-+]?[1-9]\d{0,2}[.,]\d{3}\s*$"
# 1.234,5 or 1,234.5: some mark divides thousands.
THOUSANDS = r"^\s*[-+]?\d{1,3}(?:(?:\.\d{3})+,\d*|(?:,\d{3})+\.\d*|(?:\.\d{3}){2,}|(?:,\d{3}){2,})\s*$"


@dataclass(frozen=True, slots=True)
class SeparatedText:
    """The text of a separated file, what stands between its cells, and what a reader should know.

    A line that only declares the separator is left empty, so that all others keep their numbers.
    """

    text: str
    separator: str
    warnings: tuple[str, ...] = ()


def read_separated_text(path: Path, ending: str, *, keep_line_ends: bool = False) -> SeparatedText:
    """The text of a .csv or .tsv file, in any encoding that spreadsheets write; SourceError if in none."""
    text, warnings = decode_any(read_content(path), str(path), keep_line_ends=keep_line_ends)
    declared = _DECLARED.match(text)
    if declared:
        return SeparatedText(text[declared.end() :], declared[1], warnings)
    return SeparatedText(text, separator_of(text, ending), warnings)


def separator_of(text: str, ending: str) -> str:
    """What stands between the cells: a tab in .tsv files, what the header of a .csv file has most of.

    Spreadsheets write semicolons where the comma is the decimal mark.

    >>> separator_of('worker;"segment, or line";rating', ".csv")
    ';'
    """
    if ending != ".csv":
        return SEPARATORS[ending]
    header = re.sub(r'"[^"]*"', "", next((line for line in lines_of(text) if line.strip()), ""))
    return max(_OF_CSV, key=header.count)


def with_decimal_point(cell: str) -> str:
    """A number with a decimal comma as one with a point; anything else as it is.

    >>> with_decimal_point("72,5"), with_decimal_point("1.234,5"), with_decimal_point("left, right")
    ('72.5', '1.234,5', 'left, right')
    """
    return re.sub(_DECIMAL_COMMA, r"\1.\2", cell)


def with_decimal_points(column: pl.Series) -> pl.Series:
    """The same for a column of texts."""
    return column.str.replace(_DECIMAL_COMMA, "${1}.${2}")


@dataclass(frozen=True, slots=True)
class UnclearNumbers:
    """Numbers of a file that can be read in two ways: their rows, by column, and what to say about them."""

    rows: dict[str, pl.Series]
    complaint: str = ""


def unclear_numbers(columns: Iterable[pl.Series], separator: str) -> UnclearNumbers:
    """Those among columns of texts that should be numbers.

    A file has one decimal mark: the comma between semicolons, otherwise the point. Numbers may have the
    other one instead if all have it and some are certainly no thousands.
    """
    usual, other = (",", ".") if separator == ";" else (".", ",")
    texts = [column.fill_null("") for column in columns if column.dtype == pl.String]
    if not any(text.str.contains(other, literal=True).any() for text in texts):
        return UnclearNumbers({})
    rows = {text.name: text.str.contains(_with_one(other)) for text in texts}
    names = {",": "comma", ".": "point"}
    if any(text.str.contains(_with_one(usual)).any() for text in texts):
        complaint = f"has a {names[other]}, and other numbers have a decimal {names[usual]}; write all alike"
        return UnclearNumbers(rows, complaint)
    if not all(text.filter(rows[text.name]).str.contains(_LIKE_THOUSANDS).all() for text in texts):
        return UnclearNumbers({})
    complaint = "may be more than a thousand or a fraction; write thousands without a mark, and fractions"
    return UnclearNumbers(rows, f"{complaint} with a {names[usual]}")


def _with_one(mark: str) -> str:
    """A number with this mark in it."""
    return rf"^\s*[-+]?\d*[{mark}]\d+(?:[eE][-+]?\d+)?\s*$"


def beginning_of_text(content: bytes) -> str:
    """The beginning of a file as text with plain line ends, whatever cannot be read being replaced."""
    wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = content.decode("utf-16" if wide else "utf-8-sig", "replace")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _DECLARED.sub("", text, count=1).lstrip("\n") if _DECLARED.match(text) else text

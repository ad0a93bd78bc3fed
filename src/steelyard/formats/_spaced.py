"""Tables as R and the direct-assessment scripts write them: spaces and tabs between cells, as it comes.

In one release the header has spaces and the rows have tabs, in another it is the other way round, in a
third rows have both. Quotation marks enclose cells that hold spaces.
"""

from __future__ import annotations

import re

import polars as pl

_CELL = re.compile(r'"[^"]*"|\S+')


def spaced_names(text: str) -> list[str]:
    """The columns that the first line names if spaces or tabs stand between them."""
    return [name.strip('"') for name in text.partition("\n")[0].split()]


def with_tabs(text: str) -> str:
    """The table with one tab between cells, each line where it was.

    Lines that have as many cells between tabs as there are columns are right as they are: their
    cells may hold spaces.

    >>> with_tabs('hit  worker time\\nh1 w1 "Tue Mar 03"\\nh2\\tw2\\tTue Mar 03')
    'hit\\tworker\\ttime\\nh1\\tw1\\t"Tue Mar 03"\\nh2\\tw2\\tTue Mar 03'
    """
    names = spaced_names(text)
    lines = pl.Series(text.split("\n")[1:], dtype=pl.String)
    loose = (lines.str.count_matches("\t", literal=True) != len(names) - 1) & (lines != "")
    if not loose.any():
        return "\n".join(["\t".join(names), *lines])
    quoted = loose & lines.str.contains('"', literal=True)
    cut = pl.Series(["\t".join(_CELL.findall(line)) for line in lines.filter(quoted)], dtype=pl.String)
    plain = lines.str.replace_all(r"[ \t]+", "\t").str.strip_chars("\t")
    separated = lines.zip_with(~loose, plain).scatter(quoted.arg_true(), cut)
    return "\n".join(["\t".join(names), *separated])

"""Tables as files: .csv, .tsv, .jsonl or .parquet, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

from steelyard.domain.errors import SourceError

ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet")


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write the frame in the format its ending names.

    The file appears under its name only when it is complete: a full disk or a stop half-way
    leaves whatever was there before.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        match path.suffix:
            case ".csv":
                frame.write_csv(partial)
            case ".tsv":
                frame.write_csv(partial, separator="\t")
            case ".jsonl":
                frame.write_ndjson(partial)
            case ".parquet":
                frame.write_parquet(partial)
            case _:
                raise SourceError(
                    str(path), [f"cannot tell the format; end the name in {', '.join(ENDINGS)}."]
                )
        partial.replace(path)
    except OSError as error:
        raise SourceError(str(path), [f"cannot be written ({error.strerror or error})."]) from None
    finally:
        partial.unlink(missing_ok=True)

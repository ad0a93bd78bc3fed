"""Runs the notebooks of docs/notebooks and writes them back with their outputs.

    .venv/bin/python scripts/make_notebooks.py [--check] [NAME ...]

Edit a notebook in Jupyter or as text, then run this. They run in an empty folder. What differs from run to
run (times, counters, lines about progress) is not kept. With --check nothing is written: the notebooks must
run, and print what they have stored, numbers aside.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parent.parent / "docs" / "notebooks").glob("*.ipynb"))
NUMBER = re.compile(r"[-−]?\d[\d,.]*")
# Of one notebook with its outputs, in bytes: readers on a code host should see it at once.
LARGEST = 300_000


def read(path: Path) -> Any:
    """The notebook of a file."""
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def execute(notebooks: Sequence[Any], folder: Path) -> None:
    """Run notebooks in this folder, one after the other, and fill in their outputs; an error is raised.

    One process serves all, with nothing of the notebook before: starting one takes longer than most cells.
    """
    os.environ |= {"PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    together = nbformat.v4.new_notebook()  # type: ignore[no-untyped-call]
    for notebook in notebooks:
        forget = nbformat.v4.new_code_cell("%reset -f")  # type: ignore[no-untyped-call]
        together.cells += [forget, *notebook.cells]
    place = {"metadata": {"path": str(folder)}}
    NotebookClient(together, timeout=170, kernel_name="python3", resources=place).execute()
    for notebook in notebooks:
        cleaned(notebook)


def cleaned(notebook: Any) -> None:
    """The notebook without what differs from run to run."""
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.execution_count = None
            cell.outputs = [_lasting(output) for output in cell.outputs if not _is_progress(output)]
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }


def _is_progress(output: Any) -> bool:
    return output.output_type == "display_data" and set(output.data) == {"text/plain"}


def _lasting(output: Any) -> Any:
    output.pop("execution_count", None)
    output.pop("transient", None)
    if output.output_type == "execute_result":
        output.execution_count = None
        output.metadata = {}
    return output


def printed(notebook: Any) -> list[str]:
    """What each cell of code shows as plain text, every number as #."""
    shown = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            texts = [
                output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs
            ]
            shown.append(re.sub(r"[ ─-]+", " ", NUMBER.sub("#", "\n".join(texts))))
    return shown


def main() -> int:
    """Run those named, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--check", action="store_true", help="Only say what is stale.")
    given = parser.parse_args()
    paths = [path for path in NOTEBOOKS if not given.names or path.stem in given.names]
    stored, made = [read(path) for path in paths], [read(path) for path in paths]
    with tempfile.TemporaryDirectory() as folder:
        execute(made, Path(folder))
    problems = []
    for path, before, now in zip(paths, stored, made, strict=True):
        if given.check and printed(now) != printed(before):
            problems.append(f"{path.name}: its outputs are stale; run scripts/make_notebooks.py {path.stem}")
        if not given.check:
            nbformat.write(now, path)  # type: ignore[no-untyped-call]
        if path.stat().st_size > LARGEST:
            problems.append(f"{path.name}: {path.stat().st_size:,} bytes, more than {LARGEST:,}")
    sys.stderr.writelines(f"{problem}\n" for problem in problems)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

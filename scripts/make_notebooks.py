"""Runs the notebooks of docs/notebooks and writes them back with their outputs.

    .venv/bin/python scripts/make_notebooks.py [--check] [NAME ...]

Edit a notebook in Jupyter or as text, then run this. Each runs in an empty folder and a process of its
own. What differs from run to run (times, counters, lines about progress) is not kept. With --check nothing is
written: the notebooks must run, and print what they have stored, numbers aside.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "docs" / "notebooks"
NUMBER = re.compile(r"[-−]?\d[\d,.]*")
# Of one notebook with its outputs, in bytes: readers on a code host should see it at once.
LARGEST = 300_000


def read(path: Path) -> Any:
    """The notebook of a file."""
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def executed(notebook: Any, folder: Path) -> Any:
    """The notebook, run in this folder; an error in a cell is raised."""
    # Debuggers warn when they find frozen modules, and threads cost more than they give on small data.
    os.environ |= {"PYDEVD_DISABLE_FILE_VALIDATION": "1", "POLARS_MAX_THREADS": "1"}
    client = NotebookClient(
        notebook, timeout=170, kernel_name="python3", resources={"metadata": {"path": folder}}
    )
    client.execute()
    return cleaned(notebook)


def cleaned(notebook: Any) -> Any:
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
    return notebook


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
    problems = []
    for path in sorted(FOLDER.glob("*.ipynb")):
        if given.names and path.stem not in given.names:
            continue
        stored = read(path)
        with tempfile.TemporaryDirectory() as folder:
            made = executed(read(path), Path(folder))
        if given.check and printed(made) != printed(stored):
            problems.append(f"{path.name}: its outputs are stale; run scripts/make_notebooks.py {path.stem}")
        if not given.check:
            nbformat.write(made, path)  # type: ignore[no-untyped-call]
        if path.stat().st_size > LARGEST:
            problems.append(f"{path.name}: {path.stat().st_size:,} bytes, more than {LARGEST:,}")
    sys.stderr.writelines(f"{problem}\n" for problem in problems)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

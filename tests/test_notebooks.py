"""The notebooks of the documentation run for anybody, and show what they would show today."""

from __future__ import annotations

import csv
import json
from copy import deepcopy
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
REAL = ROOT.parent / "shared" / "data" / "wmt22-toen"


def _script() -> Any:
    spec = spec_from_file_location("make_notebooks", ROOT / "scripts" / "make_notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


notebooks = _script()
NAMES = [path.stem for path in notebooks.NOTEBOOKS]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Every notebook as it is today, run on the data it makes up."""
    found = {path.stem: notebooks.read(path) for path in notebooks.NOTEBOOKS}
    notebooks.execute(list(found.values()), tmp_path_factory.mktemp("notebooks"))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_shows_what_it_would_show_today(name: str, made: dict[str, Any]) -> None:
    stored = notebooks.read(ROOT / "docs" / "notebooks" / f"{name}.ipynb")

    shown = notebooks.printed(made[name])

    assert sum(map(bool, shown)) >= 2
    assert shown == notebooks.printed(stored), f"run scripts/make_notebooks.py {name}"


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_small_and_says_where_real_data_goes(name: str) -> None:
    path = ROOT / "docs" / "notebooks" / f"{name}.ipynb"
    first = next(cell for cell in notebooks.read(path).cells if cell.cell_type == "code")

    assert path.stat().st_size < notebooks.LARGEST
    assert first.source.splitlines()[0].partition("  # or a path")[0] in ("FILE = None", "FOLDER = None")


def test_the_list_of_notebooks_is_complete() -> None:
    page = (ROOT / "docs" / "notebooks" / "README.md").read_text("utf-8")

    assert len(NAMES) == 4
    assert [name for name in NAMES if f"({name}.ipynb)" not in page] == []


@pytest.mark.skipif(not REAL.exists(), reason="../shared/data is absent")
def test_the_official_numbers_of_wmt22_come_out_of_the_first_notebook(tmp_path: Path) -> None:
    notebook = notebooks.read(ROOT / "docs" / "notebooks" / "analyse-published-judgements.ipynb")
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    first.source = f"FILE = {str(REAL / 'cs-en.judgements.csv.gz')!r}"
    notebook.cells[-1] = deepcopy(first)
    notebook.cells[-1].source = "print(official.systems.write_json())"

    notebooks.execute([notebook], tmp_path)

    rows = json.loads(notebook.cells[-1].outputs[0]["text"])
    with (REAL / "expected" / "cs-en.systems.csv").open(encoding="utf-8") as file:
        expected = list(csv.DictReader(file))
    assert [row["system_id"] for row in rows] == [row["system"] for row in expected]
    for name, theirs, tolerance in (
        ("score", "z", 1e-6),
        ("mean_rating", "raw", 1e-9),
        ("n_segments", "n_segments", 0),
        ("n_judgements", "n_judgements", 0),
        ("wins", "wins", 0),
    ):
        assert [row[name] for row in rows] == pytest.approx(
            [float(row[theirs]) for row in expected], abs=tolerance
        )
    ends = [i for i, row in enumerate(expected) if row["end_of_cluster"] == "1"]
    borders = [i for i in range(len(rows) - 1) if rows[i]["cluster"] != rows[i + 1]["cluster"]]
    assert borders == [end for end in ends if end < len(rows) - 1]
    assert (tmp_path / "report.html").stat().st_size > 0

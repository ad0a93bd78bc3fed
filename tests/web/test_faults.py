"""Servers, their processes, connections and files break under load: a short run of bench/faults.py."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

FAULTS = Path(__file__).parents[2] / "bench" / "faults.py"


@pytest.fixture(scope="module")
def faults() -> dict[str, Any]:
    return runpy.run_path(str(FAULTS))


def in_turn(faults: dict[str, Any], *names: str) -> Any:
    def every(stage: Any) -> None:
        for name in names:
            faults[name](stage)
        stage.load.wait_for(20)

    return every


def outcome(faults: dict[str, Any], address: str, folder: Path, *names: str, processes: int) -> Any:
    place = faults["Place"](address, folder, processes)
    tokens = faults["make_campaign"](folder, address, n_segments=200)
    return faults["under_load"](in_turn(faults, *names), place, tokens, times=1)


def test_nothing_acknowledged_on_sqlite_is_lost(faults: dict[str, Any], tmp_path: Path) -> None:
    names = ("hang_up", "move_file", "kill_parent")
    found = outcome(faults, str(tmp_path / "faults.db"), tmp_path, *names, processes=2)

    assert found.n_acknowledged > 100
    assert (found.n_lost, found.n_twice, found.problems) == (0, 0, ())


def test_nothing_acknowledged_on_postgresql_is_lost(
    faults: dict[str, Any], postgres_address: str, tmp_path: Path
) -> None:
    names = ("hang_up", "end_connections", "kill_server")
    found = outcome(faults, postgres_address, tmp_path, *names, processes=1)

    assert found.n_acknowledged > 80
    assert (found.n_lost, found.n_twice, found.problems) == (0, 0, ())

"""A short soak: people who abandon, return and come back, and a manager who does everything meanwhile."""

from __future__ import annotations

import runpy
from pathlib import Path

SOAK = Path(__file__).parents[2] / "bench" / "soak.py"


def test_a_managed_campaign_ends_complete_with_nothing_lost_or_twice(tmp_path: Path) -> None:
    # On PostgreSQL the script does the same; races and faults are tried there by tests of their own.
    address = str(tmp_path / "soak.db")
    record = runpy.run_path(str(SOAK))["soak"](address, tmp_path, n_people=5, n_segments=12, seed=7)

    wanted = {"abandons", "returns", "comes back", "pause", "extend", "exclude", "back_up"}
    assert wanted <= set(record.deeds)
    assert len(record.backups) == 2

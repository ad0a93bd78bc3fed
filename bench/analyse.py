"""`steelyard analyse` from start to finish: a WMT-sized file with start-up, and millions from Parquet.

Made-up crowds of 20 systems and 1,500 segments in HITs of 100 with all controls. Seconds and peak
memory are of the whole command in a process of its own, intervals included; the peer of the first row
is a Python that only imports what every analysis needs. The last column compares the time per
judgement with that of the row above: 1 is linear growth.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

N_SYSTEMS, N_SEGMENTS, HIT_SIZE = 20, 1_500, 100
# HITs per worker, as in a crowd.
HITS_PER_WORKER = 2
BARE = "import click, numpy, polars, scipy.sparse, scipy.special"


def main() -> None:
    sizes = [int(float(argument)) for argument in sys.argv[1:]] or [36_000, 1_000_000, 10_000_000]
    bare = min(_run([sys.executable, "-c", BARE])[0] for _ in range(3))
    print(f"{'judgements':>12}  {'file':>8}  {'seconds':>8}  {'peak GB':>8}  {'us each':>8}  {'ratio'}")
    print(f"{'(imports)':>12}  {'':>8}  {bare:>8.2f}")
    before = None
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            ending = "csv" if size < 100_000 else "parquet"
            path = Path(folder) / f"judgements.{ending}"
            write_judgements(path, size // HIT_SIZE)
            command = [sys.executable, "-m", "steelyard", "analyse", str(path), "--json", f"{path}.json"]
            runs = [_run(command) for _ in range(5 if size < 100_000 else 1)]
            seconds, peak = min(runs)
        each = seconds / size * 1e6
        ratio = f"x {each / before:.2f} per judgement" if before else f"x {seconds / bare:.1f} of imports"
        print(f"{size:>12,}  {ending:>8}  {seconds:>8.2f}  {peak:>8.2f}  {each:>8.1f}  {ratio}", flush=True)
        before = each


def write_judgements(path: Path, n_hits: int) -> None:
    """Ratings of HITs of 70 regular items, 10 repeats, 10 degraded copies and 10 references."""
    rng = np.random.default_rng(7)
    n = n_hits * HIT_SIZE
    hit, position = np.divmod(np.arange(n), HIT_SIZE)
    kind = np.repeat([0, 1, 2, 3], [70, 10, 10, 10])[position]
    # A control is of the same translation as the base seventy places before it, or sixty and so on.
    base = hit * HIT_SIZE + np.where(position < 70, position, position - 70)
    system, segment = (rng.integers(size, size=n)[base] for size in (N_SYSTEMS, N_SEGMENTS))
    quality = (50 + system + 12 * rng.standard_normal(n)[base]) - 25 * (kind == 2) + 25 * (kind == 3)
    worker = rng.permutation(np.arange(n_hits) // HITS_PER_WORKER)[hit]
    noise = np.where(worker % 4 == 0, 30, 10) * rng.standard_normal(n)
    table = pl.DataFrame(
        {
            "worker": _names("w", worker),
            "hit": _names("h", hit),
            "position": position + 1,
            "system": _names("system-", system),
            "segment": _names("s", segment),
            "kind": pl.Series(["regular", "repeat", "degraded", "reference"]).gather(kind),
            "rating": np.clip(np.round(quality + noise), 0, 100),
        }
    )
    if path.suffix == ".csv":
        table.write_csv(path)
    else:
        table.write_parquet(path)


def _names(prefix: str, number: np.ndarray) -> pl.Series:
    names = [f"{prefix}{k:06d}" for k in range(int(number.max()) + 1)]
    return pl.Series(names).gather(number)


def _run(command: list[str]) -> tuple[float, float]:
    """Wall-clock seconds and peak memory (GB) of a command in a process of its own."""
    started = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        actions = [(os.POSIX_SPAWN_DUP2, output.fileno(), 1)]
        process = os.posix_spawn(command[0], command, dict(os.environ), file_actions=actions)
        _, status, usage = os.wait4(process, 0)
    assert status == 0, command
    return time.perf_counter() - started, usage.ru_maxrss / 1e6


if __name__ == "__main__":
    main()

"""Creating campaigns of 1e4, 1e5 and 1e6 translations: seconds, memory, and whether both grow in step.

Twenty systems, three ratings per item, HITs of 100, as the command line does it: reading files,
designing, writing a SQLite database. The last column compares the time per translation with that
of the row above: 1 is linear growth.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

N_SYSTEMS = 20
SIZES = (10_000, 100_000, 1_000_000)
# Lengths of sentences much as in news: 20 words on average.
WORDS = (4, 36)

HEAD = """[campaign]
name = "large"
title = "Large"
protocol = "da"
attribute = "adequacy"
source_language = "cs"
target_language = "en"

[texts]
source = "source.txt"
reference = "reference.txt"

[design]
ratings_per_item = 3
"""


def main() -> None:
    sizes = [int(float(argument)) for argument in sys.argv[1:]] or SIZES
    print(
        f"{'translations':>12}  {'HITs':>7}  {'seconds':>8}  {'peak MB':>8}  {'us each':>10}  {'growth':>6}"
    )
    before = None
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            write_campaign(Path(folder), size // N_SYSTEMS)
            seconds, peak = run_create(Path(folder))
        each = seconds / size * 1e6
        growth = f"x {each / before:.2f}" if before else ""
        hits = 3 * -(-size // 70)
        print(
            f"{size:>12,}  {hits:>7,}  {seconds:>8.1f}  {peak:>8.0f}  {each:>10.1f}  {growth:>6}", flush=True
        )
        before = each


def write_campaign(folder: Path, n_segments: int) -> None:
    """Random sentences of made-up words; every system and the reference differ."""
    rng = np.random.default_rng(7)
    words = np.array([f"{head}{tail}" for head in ("ka", "lo", "mi", "re", "su") for tail in range(1000)])
    blocks = [HEAD]
    names = ["source", "reference", *(f"system-{k:02d}" for k in range(N_SYSTEMS))]
    for name in names:
        lengths = rng.integers(WORDS[0], WORDS[1] + 1, size=n_segments)
        drawn = words[rng.integers(len(words), size=int(lengths.sum()))].tolist()
        ends = np.cumsum(lengths).tolist()
        with (folder / f"{name}.txt").open("w") as file:
            file.writelines(
                " ".join(drawn[end - length : end]) + "\n"
                for end, length in zip(ends, lengths.tolist(), strict=True)
            )
        if name.startswith("system"):
            blocks.append(f'[[systems]]\nname = "{name}"\ntranslations = "{name}.txt"\n')
    (folder / "campaign.toml").write_text("\n".join(blocks))


def run_create(folder: Path) -> tuple[float, float]:
    """Wall-clock seconds and peak memory (MB) of the command in a process of its own."""
    command = [sys.executable, "-m", "steelyard", "create", "campaign.toml", "--db", "large.db"]
    started = time.perf_counter()
    with (folder / "output.txt").open("w") as output:
        actions = [(os.POSIX_SPAWN_DUP2, output.fileno(), 1)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        here = Path.cwd()
        os.chdir(folder)
        process = os.posix_spawn(sys.executable, command, environment, file_actions=actions)
        os.chdir(here)
        _, status, usage = os.wait4(process, 0)
    assert status == 0, (folder / "output.txt").read_text()
    return time.perf_counter() - started, usage.ru_maxrss / 1024


if __name__ == "__main__":
    main()

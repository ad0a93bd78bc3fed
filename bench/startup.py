"""How long help takes, beside a Python that does nothing: median of ten, warm."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

RUNS = 10
STEELYARD = Path(sys.executable).parent / "steelyard"
CASES = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "python -c 'import click'": [sys.executable, "-c", "import click"],
    "steelyard --help": [str(STEELYARD), "--help"],
    "steelyard table --help": [str(STEELYARD), "table", "--help"],
    "steelyard analyse --help": [str(STEELYARD), "analyse", "--help"],
}


def median_ms(command: list[str]) -> float:
    """Median time of a command in milliseconds, after one run that warms the caches."""
    subprocess.run(command, capture_output=True, check=True)
    times = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        times.append(1000 * (time.perf_counter() - begin))
    return statistics.median(times)


def main() -> None:
    """Print each case and its ratio to the first."""
    medians = {name: median_ms(command) for name, command in CASES.items()}
    bare = medians["python -c pass"]
    for name, median in medians.items():
        print(f"{name:<26} {median:7.1f} ms   x {median / bare:.1f}")


if __name__ == "__main__":
    main()

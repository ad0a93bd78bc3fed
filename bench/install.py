"""How long installing takes and how large it is, the core beside everything, and a first analysis of each.

    .venv/bin/python bench/install.py [--cold]

Builds the wheel and installs it with uv into empty environments: packages from uv's cache, which must have
them, or with --cold from the network into an empty cache. Needs the uv that `make setup` leaves in .uv.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
UV = ROOT / ".uv" / "bin" / "uv"
# The peer: what hosted notebooks bring anyway.
CASES = {"numpy, scipy, polars": "", "steelyard": "steelyard", "steelyard[all]": "steelyard[all]"}
PROGRAM = """
import time
begin = time.perf_counter()
import steelyard as sy
imported = time.perf_counter()
import polars
rows = {"worker": ["a", "b"] * 200, "system": ["x", "x", "y", "y"] * 100}
rows["segment"] = [n // 4 for n in range(400)]
rows["rating"] = [(37 * n + 20 * (n % 4 > 1)) % 101 for n in range(400)]
sy.analyse(polars.DataFrame(rows), check="none", draws=0)
print(imported - begin, time.perf_counter() - imported)
"""


def megabytes(folder: Path) -> float:
    """Size of all files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def install(name: str, wheel: Path, folder: Path, *, cold: bool) -> tuple[float, float]:
    """Seconds and megabytes of one case, in a new environment."""
    environment = folder / name.translate(str.maketrans("", "", "[], "))
    cache = {"UV_CACHE_DIR": str(folder / "cache")} if cold else {}
    settings = os.environ | {"UV_LINK_MODE": "copy", "UV_PYTHON_DOWNLOADS": "never"} | cache
    subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, environment], check=True, env=settings)
    before = megabytes(environment)
    wanted = f"steelyard{CASES[name].removeprefix('steelyard')} @ {wheel.as_uri()}"
    packages = [wanted] if CASES[name] else ["numpy", "scipy", "polars"]
    target = ["--python", str(environment / "bin" / "python")]
    begin = time.perf_counter()
    subprocess.run([UV, "pip", "install", "--quiet", *target, *packages], check=True, env=settings)
    seconds = time.perf_counter() - begin
    if cold:
        shutil.rmtree(folder / "cache")
    return seconds, megabytes(environment) - before


def first_analysis(name: str, folder: Path) -> tuple[float, float]:
    """Seconds of `import steelyard` and of a first analysis: the least of two, after one that compiles."""
    python = folder / name.translate(str.maketrans("", "", "[], ")) / "bin" / "python"
    runs = []
    for _ in range(3):
        done = subprocess.run([python, "-c", PROGRAM], capture_output=True, text=True, check=True)
        runs.append(tuple(map(float, done.stdout.split())))
    return min(run[0] for run in runs[1:]), min(run[1] for run in runs[1:])


def main() -> None:
    """Print each case and its ratio to the first."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cold", action="store_true", help="Download everything into an empty cache.")
    cold = parser.parse_args().cold
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([UV, "build", "--quiet", "--wheel", "--out-dir", folder, ROOT], check=True)
        (wheel,) = folder.glob("*.whl")
        print(f"the wheel itself: {wheel.stat().st_size / 1e6:.1f} MB")
        peer: tuple[float, float] | None = None
        for case in CASES:
            seconds, size = install(case, wheel, folder, cold=cold)
            peer = peer or (seconds, size)
            ratios = seconds / peer[0], size / peer[1]
            print(f"{case:<22} {seconds:6.1f} s  x {ratios[0]:.2f}   {size:6.0f} MB  x {ratios[1]:.2f}")
        for case in list(CASES)[1:]:
            imported, analysed = first_analysis(case, folder)
            print(f"{case:<22} import {1000 * imported:5.1f} ms, then a first analysis {analysed:.2f} s")


if __name__ == "__main__":
    main()

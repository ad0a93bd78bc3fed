"""How many people can work at once: `serve --processes N` against the number of workers, who think for 8 s.

    python bench/processes.py [--postgresql ADDRESS] [--workers 500 1000 2000] [--processes 1 2]

ADDRESS names an empty database that may be filled; without it, SQLite. The generator, that of submissions.py,
shares the machine with the servers: more processes than it has cores show nothing. A rate well below
workers / 8 s means that people had to wait.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from steelyard.flows.open import open_campaign
from submissions import campaign_at, load, serving, tokens_of

THINK_SECONDS = 8.0


def main() -> None:
    """Print a table: processes, workers, judgements per second, times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--postgresql", metavar="ADDRESS")
    parser.add_argument("--workers", type=int, nargs="+", default=[500, 1000, 2000])
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seconds", type=float, default=30.0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        address = chosen.postgresql or str(folder / "served.db")
        campaign_at(folder / "texts", address, n_segments=20 * max(chosen.workers))
        with open_campaign(address) as campaign:
            every = tokens_of(campaign, max(chosen.workers))
        print("processes  workers  wanted/s  judged/s  p50 ms  p99 ms")
        for processes in chosen.processes:
            for n_workers in chosen.workers:
                with serving(address, "--processes", str(processes)) as host:
                    result = load(host, every[:n_workers], think=THINK_SECONDS, seconds=chosen.seconds)
                times = result["times"]
                p50, p99 = (times[int(len(times) * share)] for share in (0.5, 0.99))
                # Not by the time it took: some were thinking when it ended.
                judged, wanted = result["n"] / chosen.seconds, n_workers / THINK_SECONDS
                print(f"{processes:9d}{n_workers:9d}{wanted:10.0f}{judged:10.0f}{p50:8.1f}{p99:8.1f}")


if __name__ == "__main__":
    main()

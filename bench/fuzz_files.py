"""Damaged databases and judgements files: every one must end in a message, none in something unexpected.

`python bench/fuzz_files.py [N]` flips bits in N copies of a small campaign's database and of its exported
judgements, and analyses each. Prints how they ended by exit code; leaves with 1 if any was not 0, 1 or 2.
"""

from __future__ import annotations

import contextlib
import io
import random
import sys
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from steelyard.cli.main import run
from steelyard.flows.create import create
from steelyard.flows.export import export
from steelyard.flows.open import open_campaign
from steelyard.flows.simulate import simulate
from steelyard.protocols import protocols

START = datetime(2026, 5, 1, tzinfo=UTC)
# Bits flipped in each copy.
MOST_FLIPS = 20


def damaged(content: bytes, chance: random.Random) -> bytes:
    """The same bytes with some bits flipped, or with the end or a stretch of the middle missing."""
    found = bytearray(content)
    for _ in range(chance.randint(1, MOST_FLIPS)):
        found[chance.randrange(len(found))] ^= 1 << chance.randrange(8)
    if chance.random() < 0.1:
        del found[chance.randrange(len(found)) :]
    return bytes(found)


def make(folder: Path, *, n_workers: int = 2) -> tuple[Path, Path]:
    """A small campaign that simulated workers have judged, and what they said as a file."""
    text = (protocols()["da"].folder / "example.toml").read_text("utf-8")
    text = text.replace("hit_size = 100", "hit_size = 50").replace(
        "ratings_per_item = 7", "ratings_per_item = 1"
    )
    (folder / "campaign.toml").write_text(text, "utf-8")
    database = folder / "sound.db"
    create(folder / "campaign.toml", str(database), now=START)
    with open_campaign(str(database)) as campaign:
        simulate(campaign, n_workers, seed=7)
        export(campaign, folder / "sound.csv")
    return database, folder / "sound.csv"


def attack(folder: Path, *, n: int, seed: int = 7) -> Counter[tuple[str, int, str]]:
    """How analyses of damaged copies end: kind of file, exit code, and the message where it is unexpected."""
    chance = random.Random(seed)  # noqa: S311 (no secret)
    ends: Counter[tuple[str, int, str]] = Counter()
    for sound in make(folder):
        content = sound.read_bytes()
        for number in range(n):
            copy = folder / f"damaged-{number}{sound.suffix}"
            copy.write_bytes(damaged(content, chance))
            said = io.StringIO()
            with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
                code = run(["analyse", str(copy), "--draws", "0"])
            ends[sound.suffix, code, said.getvalue().strip()[:300] if code > 2 else ""] += 1
            for left in folder.glob(f"{copy.name}*"):
                left.unlink()
    return ends


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    with tempfile.TemporaryDirectory() as name:
        ends = attack(Path(name), n=n)
    for (kind, code, message), count in sorted(ends.items()):
        print(f"{kind} exit {code}: {count} {message}")
    sys.exit(any(code > 2 for _, code, _ in ends))


if __name__ == "__main__":
    main()

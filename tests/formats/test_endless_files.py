"""Files that would fill the memory end in a message, under a limit of memory."""

from __future__ import annotations

import gzip
import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from steelyard.domain.errors import SourceError
from steelyard.formats import text_file
from steelyard.formats.text_file import read_content

# Of addresses, of which the libraries alone take most of a gigabyte.
MOST_MEMORY = 2**31


@pytest.fixture
def small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_file, "MOST_BYTES", 2**21)


@pytest.mark.usefixtures("small_limit")
def test_a_packed_file_is_unpacked_no_further_than_the_limit(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.csv.gz"
    bomb.write_bytes(gzip.compress(b"worker,segment,rating\n" + b"0" * 2**22))

    with pytest.raises(SourceError, match=r"holds more than [\d,]+ MB of text"):
        read_content(bomb)


@pytest.mark.usefixtures("small_limit")
def test_a_device_that_never_ends_is_read_no_further_than_the_limit() -> None:
    with pytest.raises(SourceError, match=r"holds more than [\d,]+ MB of text"):
        read_content(Path("/dev/zero"))


def test_hostile_files_end_in_a_message_with_little_memory(tmp_path: Path) -> None:
    """One process for all: each of them would fill the memory, or the stack, of a careless reader."""
    bomb = tmp_path / "bomb.csv.gz"
    with gzip.open(bomb, "wb", compresslevel=1) as file:
        for _ in range(40):
            file.write(bytes(2**20))
    deep = tmp_path / "deep.jsonl"
    deep.write_text('{"worker": ' + "[" * 200_000 + "]" * 200_000 + "}\n", "utf-8")
    deep_toml = tmp_path / "deep.toml"
    deep_toml.write_text("name = " + "[" * 100_000 + "]" * 100_000, "utf-8")
    long_line = tmp_path / "long.csv"
    long_line.write_bytes(b"worker,segment,rating\nw,s," + b"9" * 2**22 + b"\n")
    digits = tmp_path / "digits.toml"
    digits.write_text("seed = " + "9" * 100_000, "utf-8")
    commands = [
        ["analyse", str(bomb)],
        ["analyse", str(deep)],
        ["analyse", str(long_line)],
        ["create", str(deep_toml), "--db", str(tmp_path / "a.db")],
        ["create", str(digits), "--db", str(tmp_path / "b.db")],
        ["create", "/dev/zero", "--db", str(tmp_path / "c.db")],
    ]
    program = (
        "import json, sys; from steelyard.cli.main import run; from steelyard.formats import text_file\n"
        "text_file.MOST_BYTES = 2**25\n"
        "print(json.dumps([run(command) for command in json.loads(sys.argv[1])]))"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, json.dumps(commands)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={"PATH": "/usr/bin:/bin", "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY)),
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [2] * len(commands), done.stderr
    assert "unexpected" not in done.stderr

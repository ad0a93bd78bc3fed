"""The files in deploy/: their commands exist, and the programs that read them accept them, where they are."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from steelyard.cli.main import cli

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
PLACE = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"])


def serve_options() -> set[str]:
    command = cli.get_command(click.Context(cli), "serve")
    assert command is not None
    return {option for parameter in command.params for option in parameter.opts}


@pytest.mark.parametrize("name", ["steelyard.service", "compose.yaml", "Dockerfile"])
def test_options_of_serve_exist(name: str) -> None:
    lines = (DEPLOY / name).read_text("utf-8").splitlines()
    told = [line for line in lines if "steelyard" in line or line.lstrip().startswith("- --")]
    found = set(re.findall(r"(?<![\w-])--[a-z-]+", "\n".join(told))) - {"--create-home", "--no-cache-dir"}
    assert found
    assert found - serve_options() == set()


def test_the_bench_finds_what_it_replaces() -> None:
    # A replacement that finds nothing would try another configuration than the one in the folder.
    bench = (ROOT / "bench" / "deploy.py").read_text("utf-8")
    texts = "".join((DEPLOY / name).read_text("utf-8") for name in ("nginx.conf", "pgbouncer.ini"))
    replaced = re.findall(r'\.replace\(\s*"([^"]+)"', bench)
    ours = [each for each in replaced if each not in ("hit_size = 100", " ")]
    assert len(ours) >= 8
    assert [each for each in ours if each not in texts] == []


def test_no_proxy_writes_tokens_to_its_log() -> None:
    text = (DEPLOY / "nginx.conf").read_text("utf-8")
    [log_format] = re.findall(r"log_format.*", text)
    variables = set(re.findall(r"\$\w+", log_format))
    assert variables == {"$time_iso8601", "$request_method", "$status", "$request_time"}
    # Caddy writes no lines about requests unless it is asked to.
    assert not re.search(r"^\s*log\b", (DEPLOY / "Caddyfile").read_text("utf-8"), flags=re.M)


def test_caddy_accepts_its_file() -> None:
    caddy = shutil.which("caddy", path=PLACE)
    if caddy is not None:
        command = [caddy, "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    systemd = shutil.which("systemd-analyze", path=PLACE)
    if systemd is not None:
        text = (DEPLOY / "steelyard.service").read_text("utf-8")
        unit = tmp_path / "steelyard.service"
        unit.write_text(text.replace("/opt/steelyard/bin/steelyard", "/bin/true"), "utf-8")
        done = subprocess.run([systemd, "verify", str(unit)], capture_output=True, text=True, check=False)
        assert "steelyard.service" not in done.stderr, done.stderr

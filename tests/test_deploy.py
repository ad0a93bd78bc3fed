"""The files in deploy/: their commands exist, and the programs that read them accept them, where they are."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

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
    ours = [line for line in lines if "steelyard" in line or line.lstrip().startswith("- --")]
    found = set(re.findall(r"(?<![\w-])--[a-z-]+", "\n".join(ours))) - {"--create-home", "--no-cache-dir"}
    assert found
    assert found - serve_options() == set()


def container_lines() -> list[tuple[str, str]]:
    """Instructions of the container file with what follows them."""
    lines = (DEPLOY / "Dockerfile").read_text("utf-8").splitlines()
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines if line[:1].isupper())]


def compose() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    return read


def test_the_container_is_built_from_what_the_package_is_built_from() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    copied = [name for word, rest in container_lines() if word == "COPY" for name in rest.split()[:-1]]
    kept = re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text("utf-8"), flags=re.M)

    assert sorted(copied) == sorted(kept)
    assert [name for name in copied if not (ROOT / name).exists()] == []
    needed = {project["project"]["readme"], *project["project"]["license-files"], "pyproject.toml"}
    assert {name.partition("/")[0] for name in needed} <= set(copied)
    [installed] = re.findall(r"/src\[([\w,]+)\]", str(container_lines()))
    assert set(installed.split(",")) <= set(project["project"]["optional-dependencies"])


def test_the_container_runs_a_python_that_we_support_and_not_as_root() -> None:
    words = [word for word, _ in container_lines()]
    by_word = dict(container_lines())
    version = by_word["FROM"].removeprefix("python:").removesuffix("-slim")
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["classifiers"]

    assert f"Programming Language :: Python :: {version}" in classifiers
    assert by_word["USER"] == "steelyard"
    assert words.index("USER") < words.index("ENTRYPOINT")
    assert f"useradd --create-home {by_word['USER']}" in str(container_lines())


def test_ports_agree_from_the_proxy_to_the_server() -> None:
    by_word = dict(container_lines())
    command = yaml.safe_load(by_word["ENTRYPOINT"])
    unit = re.findall(r"^ExecStart=(.+)$", (DEPLOY / "steelyard.service").read_text("utf-8"), flags=re.M)[0]
    proxies = "".join((DEPLOY / name).read_text("utf-8") for name in ("nginx.conf", "Caddyfile"))

    assert command[command.index("--port") + 1] == by_word["EXPOSE"]
    assert shlex.split(unit)[shlex.split(unit).index("--port") + 1] == by_word["EXPOSE"]
    assert set(re.findall(r"app-\d:(\d+)", proxies)) == {by_word["EXPOSE"]}


def test_the_services_of_compose_are_those_that_the_others_name() -> None:
    services = compose()["services"]
    proxies = "".join((DEPLOY / name).read_text("utf-8") for name in ("nginx.conf", "Caddyfile"))

    assert set(re.findall(r"(app-\d):", proxies)) == {name for name in services if name.startswith("app-")}
    assert services["app-1"]["command"][0].startswith("postgresql://")
    assert "@pgbouncer:6432/" in services["app-1"]["command"][0]
    assert re.findall(
        r"^listen_port\s*=\s*(\d+)", (DEPLOY / "pgbouncer.ini").read_text("utf-8"), flags=re.M
    ) == ["6432"]
    assert re.search(r"host=db\b", (DEPLOY / "pgbouncer.ini").read_text("utf-8"))
    assert {need for each in services.values() for need in each.get("depends_on", [])} <= set(services)
    mounted = [volume.partition(":")[0] for each in services.values() for volume in each.get("volumes", [])]
    made_by_hand = {"./userlist.txt", "./certificates"}
    files = {name for name in mounted if name.startswith("./")} - made_by_hand
    assert [name for name in files if not (DEPLOY / name).is_file()] == []


def test_nginx_accepts_its_file(tmp_path: Path) -> None:
    nginx, openssl = (shutil.which(name, path=PLACE) for name in ("nginx", "openssl"))
    if nginx is not None and openssl is not None:
        subject = [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        subject += ["-subj", "/CN=eval.example.org", "-keyout", "privkey.pem", "-out", "fullchain.pem"]
        subprocess.run(subject, cwd=tmp_path, capture_output=True, check=True)
        text = (DEPLOY / "nginx.conf").read_text("utf-8")
        # Names of other machines are looked up when it reads the file.
        text = re.sub(r"app-\d:", "127.0.0.1:", text).replace("/etc/ssl/steelyard", str(tmp_path))
        text = text.replace("/var/log/nginx", str(tmp_path)).replace(
            "/run/nginx.pid", f"{tmp_path}/nginx.pid"
        )
        (tmp_path / "nginx.conf").write_text(text, "utf-8")
        command = [nginx, "-t", "-e", str(tmp_path / "error.log"), "-c", str(tmp_path / "nginx.conf")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


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

"""What a built release says about itself: version, classifiers, description, addresses, licence files.

`release_check.py` runs these functions. Each returns what it found, or raises.
"""

from __future__ import annotations

import email
import email.message
import os
import re
import subprocess
import tomllib
import zipfile
from pathlib import Path

from markdown_it import MarkdownIt
from trove_classifiers import classifiers as known_classifiers

ROOT = Path(__file__).parent.parent


class WrongError(Exception):
    """A check that failed, with what it found."""


class DoubtfulError(Exception):
    """Something that whoever releases should know."""


def run(command: list[str | Path], *, cwd: Path, environment: dict[str, str] | None = None) -> str:
    """What a command prints; WrongError, with the end of what it said, if it fails."""
    given = {**os.environ, **(environment or {})}
    done = subprocess.run(command, cwd=cwd, env=given, capture_output=True, text=True, check=False)
    if done.returncode:
        raise WrongError(
            f"{' '.join(map(str, command[:4]))} …: exit code {done.returncode}\n{done.stderr[-2000:]}"
        )
    return done.stdout


def tracked(*under: str) -> set[str]:
    """Files in version control."""
    return set(run(["git", "ls-files", "-z", *under], cwd=ROOT).split("\0")) - {""}


def version() -> str:
    """As `version.py` says."""
    text = (ROOT / "src" / "steelyard" / "version.py").read_text("utf-8")
    return str(re.findall(r'__version__ = "(.+)"', text)[0])


def read_metadata(wheel: Path) -> email.message.Message:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [each for each in archive.namelist() if each.endswith(".dist-info/METADATA")]
        return email.message_from_bytes(archive.read(name))


def versions_agree(metadata: email.message.Message) -> str:
    """In the metadata, the citation, the changelog and the list of supported versions."""
    texts = {
        name: (ROOT / name).read_text("utf-8") for name in ("CITATION.cff", "CHANGELOG.md", "SECURITY.md")
    }
    minor = version().rpartition(".")[0]
    [newest, day] = re.findall(r"^## (\S+) \((.+)\)$", texts["CHANGELOG.md"], flags=re.M)[0]
    facts = {
        "metadata": metadata["Version"] == version(),
        "CITATION.cff": f"version: {version()}\n" in texts["CITATION.cff"],
        "its date": f'date-released: "{day}"' in texts["CITATION.cff"],
        "CHANGELOG.md": newest == version(),
        "SECURITY.md": f"release of {minor} " in texts["SECURITY.md"],
    }
    if wrong := [name for name, holds in facts.items() if not holds]:
        raise WrongError(f"{version()} is not in: {', '.join(wrong)}")
    return f"{version()}, {day}"


def classifiers_hold(metadata: email.message.Message) -> str:
    """They exist, and say the same as `requires-python` and the licence."""
    ours = metadata.get_all("Classifier") or []
    if unknown := [each for each in ours if each not in known_classifiers]:
        raise WrongError(f"no such classifier: {unknown}")
    pythons = [each.rpartition(" ")[2] for each in ours if re.search(r":: 3\.\d+$", each)]
    if not pythons or f">={pythons[0]}" != metadata["Requires-Python"]:
        raise WrongError(
            f"Requires-Python is {metadata['Requires-Python']}, classifiers begin with {pythons[:1]}"
        )
    if legacy := [each for each in ours if each.startswith("License ::")]:
        raise WrongError(f"beside a licence expression: {legacy}")
    return f"{len(ours)}, Python {pythons[0]} to {pythons[-1]}"


def description_renders(metadata: email.message.Message) -> str:
    """The README is Markdown that gives a page with its headings, without raw HTML but for comments."""
    if not str(metadata["Description-Content-Type"]).startswith("text/markdown"):
        raise WrongError(f"its type is {metadata['Description-Content-Type']}")
    text = str(metadata.get_payload())
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    headings = [token for token in tokens if token.type == "heading_open"]
    raw = [token.content for token in tokens if token.type == "html_block"]
    # Comments say which commands the tests leave out; indexes drop them.
    if (
        [text for text in raw if not re.fullmatch(r"<!--.*-->\s*", text)]
        or not headings
        or headings[0].tag != "h1"
    ):
        raise WrongError("raw HTML, or no title")
    return f"{len(headings)} headings"


def description_links(metadata: email.message.Message) -> str:
    """On the page of an index, a link to a file of this repository leads nowhere."""
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", str(metadata.get_payload()))
    if links:
        raise DoubtfulError(
            f"{len(links)} links and pictures are files of this repository: they need its public address"
        )
    return "all lead somewhere"


def urls(metadata: email.message.Message) -> str:
    """Where people find the project."""
    found = metadata.get_all("Project-URL") or []
    if not found:
        raise DoubtfulError(
            "[project.urls] is missing in pyproject.toml: fill it in once there is a public address"
        )
    return ", ".join(found)


def licence_files(wheel: Path, metadata: email.message.Message) -> str:
    """Our licence, and each file that pyproject.toml lists, is in the wheel."""
    stated_files = metadata.get_all("License-File") or []
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["license-files"]
    names = zipfile.ZipFile(wheel).namelist()
    missing = [each for each in wanted if not any(name.endswith(f"/licenses/{each}") for name in names)]
    if missing or set(stated_files) != set(wanted) or metadata["License-Expression"] != "Apache-2.0":
        raise WrongError(f"missing: {missing}; stated: {stated_files}, {metadata['License-Expression']}")
    return f"Apache-2.0, {len(wanted)} files"

"""Licences of everything that requirements/*.txt pin, as the packages themselves state them.

.venv/bin/python scripts/licences.py        prints them; ends with 1 if one is not accepted
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path

import click

ROOT = Path(__file__).parent.parent

# They ask that their notice stays with copies; MPL-2.0 also that changes of its own files are published.
ACCEPTED = frozenset(
    {
        "0BSD",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CC0-1.0",
        "CNRI-Python",
        "ISC",
        "MIT",
        "MIT-0",
        "MIT-CMU",
        "MPL-2.0",
        "PSF-2.0",
        "Zlib",
    }
)
# Others, each with the reason why it may be used.
OWN_LIBRARY = "only with the extra [postgres]; a library of its own, loaded unchanged, that users can replace"
REASONS = {
    ("psycopg", "LGPL-3.0-only"): OWN_LIBRARY,
    ("psycopg-binary", "LGPL-3.0-only"): OWN_LIBRARY,
}
# Packages for other systems than this one, and what the metadata of the pinned file says.
ELSEWHERE = {
    "appnope": "BSD-2-Clause",
    "cffi": "MIT-0",
    "httpx2-jsfetch": "BSD-3-Clause",
    "pycparser": "BSD-3-Clause",
}
# What `make test` does not install.
DOCS = "docs.txt"
# What packages write that have no SPDX expression: trove classifiers, and free text.
SPDX_OF = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "BSD 2-Clause License": "BSD-2-Clause",
}


@dataclass(frozen=True, slots=True)
class Stated:
    """A pinned package and the licence it states; None where it states none that we understand."""

    package: str
    version: str
    expression: str | None

    @property
    def accepted(self) -> bool:
        return self.reason is not None or is_accepted(self.expression or "")

    @property
    def reason(self) -> str | None:
        return REASONS.get((self.package, self.expression or ""))


def is_accepted(expression: str) -> bool:
    """Whether one of the alternatives of an SPDX expression asks for accepted licences only.

    Expressions in brackets are not accepted: somebody should read them.

    >>> is_accepted("GPL-3.0-only OR MIT"), is_accepted("MIT AND GPL-3.0-only")
    (True, False)
    """
    return any(set(part.split(" AND ")) <= ACCEPTED for part in expression.split(" OR "))


def pinned(*, docs: bool = True) -> dict[str, str]:
    """Every package of the requirements with its version; those of the documentation site only if wanted."""
    files = sorted((ROOT / "requirements").glob("*.txt"))
    texts = (path.read_text("utf-8") for path in files if docs or path.name != DOCS)
    return {
        name: version
        for text in texts
        for name, version in re.findall(r"^([\w.-]+)==(\S+)", text, flags=re.M)
    }


def expression_of(found: Distribution) -> str | None:
    """The licence by its SPDX expression, or else by its classifiers, or else by the line for it."""
    metadata = found.metadata
    if "License-Expression" in metadata:
        return str(metadata["License-Expression"])
    classifiers = [
        str(line).rpartition(" :: ")[2]
        for line in metadata.get_all("Classifier") or []
        if str(line).startswith("License ::")
    ]
    known = [SPDX_OF.get(each, each) for each in classifiers if each != "DFSG approved"]
    if known:
        return " AND ".join(known)
    line = str(metadata["License"]).strip() if "License" in metadata else ""
    return SPDX_OF.get(line, line) if line and "\n" not in line else None


def stated(*, docs: bool = True) -> Iterator[Stated]:
    """What every pinned package says, in the order of their names; all must be installed (`make docs`)."""
    # uv lives in an environment of its own.
    folders = [*sys.path, *map(str, (ROOT / ".uv").glob("lib/python*/site-packages"))]
    installed = {re.sub(r"[-_.]+", "-", each.name).lower(): each for each in distributions(path=folders)}
    for name, version in sorted(pinned(docs=docs).items()):
        found = installed.get(name)
        if found and found.version != version:
            found = None
        yield Stated(name, version, expression_of(found) if found else ELSEWHERE.get(name))


def main() -> int:
    """Print all of them."""
    everything = list(stated())
    for each in everything:
        mark = "ok" if each.accepted else "NOT ACCEPTED"
        click.echo(f"{each.package} {each.version}: {each.expression or 'unknown'} ({each.reason or mark})")
    return 0 if all(each.accepted for each in everything) else 1


if __name__ == "__main__":
    sys.exit(main())

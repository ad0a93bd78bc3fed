"""Tries a release before it is made: builds it, installs it in empty environments, and uses it.

    make release-check

Nothing is uploaded or kept. Takes a few minutes; prints a line for each thing that was checked, and ends with
1 if anything is wrong. Warnings do not fail: they are for whoever releases.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import click
from licences import stated
from release_metadata import (
    ROOT,
    DoubtfulError,
    WrongError,
    classifiers_hold,
    description_links,
    description_renders,
    licence_files,
    read_metadata,
    run,
    tracked,
    urls,
    version,
    versions_agree,
)

UV = ROOT / ".uv" / "bin" / "uv"
# Of the tests that need neither a browser nor a database server.
LIGHT_TESTS = ["tests/domain", "tests/test_citations.py", "tests/test_frames.py"]
# Python code that people who use the core alone write.
CORE_LINES = """
import importlib.util, steelyard
assert importlib.util.find_spec("fastapi") is None, "the core alone brought the server"
assert steelyard.__version__ == "{version}", steelyard.__version__
print(steelyard.analyse("judgements.csv", check="none").ranking)
"""


@dataclass(slots=True)
class Table:
    """What was checked so far, printed line by line."""

    counts: dict[str, int] = field(default_factory=lambda: {"ok": 0, "warning": 0, "WRONG": 0})

    def check(self, what: str, function: Callable[[], str]) -> None:
        """Run one check and print how it went."""
        start = time.monotonic()
        try:
            result, found = "ok", function()
        except DoubtfulError as error:
            result, found = "warning", str(error)
        except WrongError as error:
            result, found = "WRONG", str(error)
        self.counts[result] += 1
        click.echo(f"{result:8}{what:34}{time.monotonic() - start:6.1f} s  {found}")


def build(source: Path, kind: str, folder: Path) -> Path:
    """Build a wheel or an sdist without looking anything up on a network."""
    run([sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", folder], cwd=source)
    [path] = folder.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return path


def same_files(found: set[str], expected: set[str]) -> str:
    """WrongError, with some of them, if files are missing or should not be there."""
    missing, junk = sorted(expected - found), sorted(found - expected)
    if missing or junk:
        raise WrongError(f"missing: {missing[:5] or 'none'}; not ours: {junk[:5] or 'none'}")
    return f"{len(found)} files"


def wheel_files(wheel: Path) -> str:
    """Every tracked file of the package and nothing else."""
    names = zipfile.ZipFile(wheel).namelist()
    ours = {name for name in names if ".dist-info/" not in name}
    return same_files(ours, {name.removeprefix("src/") for name in tracked("src/steelyard")})


def sdist_files(sdist: Path) -> str:
    """Every tracked file but those of the merge gate."""
    with tarfile.open(sdist) as archive:
        found = {name.partition("/")[2] for name in archive.getnames()}
    return same_files(found - {"PKG-INFO"}, tracked() - tracked(".ci"))


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def same_wheel(wheel: Path, unpacked: Path, folder: Path) -> str:
    """The wheel that the sdist gives is the wheel that the clone gives, to the byte."""
    again = build(unpacked, "wheel", folder)
    if digest(again) != digest(wheel):
        raise WrongError(f"{digest(again)[:16]} from the sdist, {digest(wheel)[:16]} from the clone")
    return f"sha256 {digest(wheel)[:16]}…"


def light_tests(unpacked: Path) -> str:
    """Tests that need only Python, in the unpacked sdist, on its own code."""
    where = {"PYTHONPATH": str(unpacked / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    code = "import steelyard; print(steelyard.__file__)"
    used = run([sys.executable, "-c", code], cwd=unpacked, environment=where)
    if not used.startswith(str(unpacked)):
        raise WrongError(f"they would test {used.strip()}")
    said = run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", *LIGHT_TESTS], cwd=unpacked, environment=where
    )
    return said.strip().splitlines()[-1]


def dependency_licences() -> str:
    """Of everything that is pinned: see licences.py."""
    everything = list(stated())
    if wrong := [f"{each.package}: {each.expression}" for each in everything if not each.accepted]:
        raise WrongError(f"not accepted: {'; '.join(wrong)}")
    reasons = [each.package for each in everything if each.reason]
    return f"{len(everything)} packages; with a stated reason: {', '.join(reasons)}"


def vendored_assets() -> str:
    """Files of others: version, licence and hash. A test compares them; here it is only run."""
    run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "tests/test_release.py", "-k", "vendored"], cwd=ROOT
    )
    folders = sorted({str(Path(name).parent) for name in tracked("*/vendor/*")})
    return f"in {', '.join(folders)}; none in the package"


def clean_tree() -> str:
    """What is released is what is committed."""
    if changed := run(["git", "status", "--porcelain"], cwd=ROOT).splitlines():
        raise DoubtfulError(f"{len(changed)} files are not committed")
    return run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT).strip()


@dataclass(frozen=True, slots=True)
class EmptyEnvironment:
    """A Python without any package, and a home folder without any setting."""

    folder: Path

    @property
    def given(self) -> dict[str, str]:
        return {"HOME": str(self.folder), "VIRTUAL_ENV": str(self.folder / "env"), "PYTHONPATH": ""}

    def program(self, name: str) -> Path:
        return self.folder / "env" / "bin" / name

    def install(self, what: str) -> str:
        """Install it, with our pinned versions of what it needs."""
        start = time.monotonic()
        pins = ROOT / "requirements" / "server.txt"
        run(
            [UV, "pip", "install", "--quiet", "--constraint", pins, what],
            cwd=self.folder,
            environment={"VIRTUAL_ENV": str(self.folder / "env")},
        )
        listed = run([UV, "pip", "list", "--format", "freeze"], cwd=self.folder, environment=self.given)
        return f"{len(listed.splitlines())} packages in {time.monotonic() - start:.0f} s"

    def steelyard(self, *arguments: str) -> str:
        return run([self.program("steelyard"), *arguments], cwd=self.folder, environment=self.given)


@contextmanager
def empty_environment() -> Iterator[EmptyEnvironment]:
    with tempfile.TemporaryDirectory(prefix="steelyard-release-") as name:
        folder = Path(name)
        run([UV, "venv", "--quiet", "--python", sys.executable, folder / "env"], cwd=folder)
        yield EmptyEnvironment(folder)


def core_works(place: EmptyEnvironment) -> str:
    """A tiny judgements file is analysed, at the command line and from Python."""
    rows = [
        f"w{worker},{system},{segment},{base + 3 * worker + segment % 7}"
        for worker in range(3)
        for segment in range(12)
        for system, base in (("good", 70), ("bad", 20))
    ]
    (place.folder / "judgements.csv").write_text("\n".join(["worker,system,segment,rating", *rows]), "utf-8")
    printed = place.steelyard("analyse", "judgements.csv", "--check", "none")
    lines = CORE_LINES.format(version=version())
    ranking = run([place.program("python"), "-c", lines], cwd=place.folder, environment=place.given)
    for text in (printed, ranking):
        if not 0 <= text.find("good") < text.find("bad"):
            raise WrongError(f"the better system is not first:\n{text[:500]}")
    return "good before bad"


def server_works(place: EmptyEnvironment) -> str:
    """The demo runs to its report; its database is analysed and drawn."""
    demo = place.steelyard("demo", "--once")
    [database] = place.folder.glob("**/*.db")
    signature = place.steelyard("analyse", str(database)).strip().splitlines()[-1]
    place.steelyard("plot", "ranking", str(database), "--out", "ranking.pdf")
    if f"steelyard:{version().rpartition('.')[0]}|" not in signature or not demo:
        raise WrongError(f"no signature: {signature}")
    return f"{signature[:48]}…"


def publication_works(place: EmptyEnvironment) -> str:
    """The demo is published, and the command in its folder gives every number again."""
    [database] = place.folder.glob("**/*.db")
    pack = place.folder / "pack"
    place.steelyard("publication", str(database), "--to", str(pack), "--draws", "200")
    command = shlex.split((pack / "recompute.sh").read_text("utf-8").splitlines()[-1])
    place.steelyard(*(str(pack / each) if (pack / each).is_file() else each for each in command[1:]))
    published, again = (
        json.loads(path.read_text("utf-8"))
        for path in (pack / "results.json", place.folder / "recomputed.json")
    )
    of_origin = {"signature", "title"}
    if different := {name for name in published if published[name] != again.get(name)} - of_origin:
        raise WrongError(f"recomputed differently: {', '.join(sorted(different))}")
    return f"{sum(1 for path in pack.rglob('*') if path.is_file())} files, recomputed to the last digit"


def installed(table: Table, path: Path) -> None:
    """Both sizes of the installation, from one file."""
    kind = "wheel" if path.suffix == ".whl" else "sdist"
    with empty_environment() as place:
        table.check(f"{kind} alone: install", lambda: place.install(str(path)))
        table.check(f"{kind} alone: analyse a file", lambda: core_works(place))
        table.check(f"{kind} [server,plots]: install", lambda: place.install(f"{path}[server,plots]"))
        table.check(f"{kind} [server,plots]: demo, analyse", lambda: server_works(place))
        table.check(f"{kind} [server,plots]: publication", lambda: publication_works(place))


def main() -> int:
    """Check everything."""
    table = Table()
    with tempfile.TemporaryDirectory(prefix="steelyard-release-") as name:
        folder = Path(name)
        wheel, sdist = build(ROOT, "wheel", folder / "built"), build(ROOT, "sdist", folder / "built")
        with tarfile.open(sdist) as archive:
            archive.extractall(folder / "unpacked", filter="data")
        [unpacked] = (folder / "unpacked").iterdir()
        metadata = read_metadata(wheel)
        table.check("everything is committed", clean_tree)
        table.check("version", lambda: versions_agree(metadata))
        table.check("wheel: files", lambda: wheel_files(wheel))
        table.check("sdist: files", lambda: sdist_files(sdist))
        table.check("classifiers", lambda: classifiers_hold(metadata))
        table.check("long description", lambda: description_renders(metadata))
        table.check("long description: links", lambda: description_links(metadata))
        table.check("project urls", lambda: urls(metadata))
        table.check("our licence", lambda: licence_files(wheel, metadata))
        table.check("licences of dependencies", dependency_licences)
        table.check("vendored assets", vendored_assets)
        table.check("sdist: builds the same wheel", lambda: same_wheel(wheel, unpacked, folder / "again"))
        table.check("sdist: light tests", lambda: light_tests(unpacked))
        for path in (wheel, sdist):
            installed(table, path)
    click.echo(", ".join(f"{count} {result}" for result, count in table.counts.items()))
    return 1 if table.counts["WRONG"] else 0


if __name__ == "__main__":
    sys.exit(main())

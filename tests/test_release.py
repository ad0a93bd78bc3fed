"""Cheap facts about a release: licences, citation, templates. `make release-check` tries the rest."""

from __future__ import annotations

import datetime
import email
import hashlib
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

import steelyard

ROOT = Path(__file__).parent.parent
TEMPLATES = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


@pytest.fixture(scope="module")
def licences() -> ModuleType:
    spec = importlib.util.spec_from_file_location("licences", ROOT / "scripts" / "licences.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Its dataclasses look themselves up there.
    sys.modules["licences"] = module
    spec.loader.exec_module(module)
    return module


def test_every_pinned_package_has_a_licence_we_accept(licences: ModuleType) -> None:
    # `make release-check` looks at those of the documentation site too, which are not installed here.
    found = list(licences.stated(docs=False))

    assert len(found) == len(licences.pinned(docs=False)) > 50
    assert [(each.package, each.expression) for each in found if not each.accepted] == []


def test_a_copyleft_licence_needs_a_reason_for_just_this_package(licences: ModuleType) -> None:
    assert not licences.is_accepted("GPL-3.0-or-later")
    assert not licences.is_accepted("AGPL-3.0-only")
    assert not licences.Stated("another", "1.0", "LGPL-3.0-only").accepted
    assert not licences.Stated("psycopg", "1.0", "GPL-3.0-only").accepted
    assert not licences.Stated("silent", "1.0", None).accepted
    assert licences.Stated("psycopg", "1.0", "LGPL-3.0-only").accepted


def test_every_stated_reason_is_about_a_pinned_package(licences: ModuleType) -> None:
    assert {package for package, _ in licences.REASONS} | set(licences.ELSEWHERE) <= set(licences.pinned())


VENDORS = sorted(path for path in ROOT.glob("*/**/vendor") if path.is_dir() and ".venv" not in path.parts)
ROW = re.compile(
    r"^\| `([^`]+)` \|.*\| (\d+\.\d+\.\d+) \| ([\w.-]+) \(`([^`]+)`\) \| `([0-9a-f]{64})` \|$", re.M
)


def test_vendored_files_are_those_that_their_notes_name() -> None:
    assert [str(path.relative_to(ROOT)) for path in VENDORS] == ["tests/browser/vendor"]
    for folder in VENDORS:
        rows = ROW.findall((folder / "README.md").read_text("utf-8"))
        named = {name: digest for name, _, _, _, digest in rows}
        texts = {licence for _, _, _, licence, _ in rows}

        assert {path.name for path in folder.iterdir()} == {"README.md", *named, *texts}
        assert {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in named} == named


def test_vendored_files_are_nowhere_else() -> None:
    """No font, no minified script, and no notice of somebody else's in what the package serves."""
    package = [path for path in (ROOT / "src").rglob("*") if path.suffix in {".js", ".css", ".html", ".svg"}]
    notice = re.compile(r"copyright|@licen[cs]e|\(c\) (19|20)\d\d", re.I)

    assert len(package) > 100
    assert [
        path.name for path in (ROOT / "src").rglob("*") if path.suffix in {".woff", ".woff2", ".ttf", ".otf"}
    ] == []
    assert [
        path.name for path in package if ".min." in path.name or notice.search(path.read_text("utf-8"))
    ] == []


def test_the_readme_is_a_page_that_an_index_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    metadata = importlib.import_module("release_metadata")
    message = email.message_from_string(
        f"Description-Content-Type: text/markdown\n\n{(ROOT / 'README.md').read_text('utf-8')}"
    )

    assert metadata.description_renders(message).endswith(" headings")
    message.set_payload("# Title\n\n<div>raw</div>\n")
    with pytest.raises(metadata.WrongError, match="raw HTML"):
        metadata.description_renders(message)


def _citation() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    return read


def test_the_citation_follows_the_schema() -> None:
    """The rules of the Citation File Format 1.2.0 for the keys that we use."""
    citation = _citation()
    texts = {"cff-version", "message", "title", "version", "license", "type", "date-released", "abstract"}
    texts |= {"repository-code", "url"}

    assert {"cff-version", "message", "title", "authors"} <= set(citation) <= texts | {"authors", "keywords"}
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] in ("software", "dataset")
    assert [
        key for key in set(citation) & texts if not isinstance(citation[key], str) or not citation[key]
    ] == []
    # An entity has a name; a person has other keys.
    assert citation["authors"]
    assert [author for author in citation["authors"] if set(author) != {"name"} or not author["name"]] == []
    assert len(set(citation["keywords"])) == len(citation["keywords"]) > 0


def test_the_citation_is_of_this_version_and_its_day() -> None:
    citation = _citation()
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    newest, day = re.findall(r"^## (\S+) \((\S+)\)$", changelog, flags=re.M)[0]

    assert (citation["version"], citation["date-released"]) == (newest, day)
    assert newest == steelyard.__version__
    assert datetime.date.fromisoformat(day)


def test_releases_are_listed_from_the_newest_to_the_oldest() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    versions = [
        tuple(map(int, each.split("."))) for each in re.findall(r"^## ([\d.]+)", changelog, flags=re.M)
    ]

    assert len(versions) > 1
    assert versions == sorted(set(versions), reverse=True)


def test_supported_versions_name_this_one() -> None:
    minor = steelyard.__version__.rpartition(".")[0]

    assert f"the newest release of {minor} |" in (ROOT / "SECURITY.md").read_text("utf-8")


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_an_issue_template_is_a_form_that_can_be_filled_in(path: Path) -> None:
    form = yaml.safe_load(path.read_text("utf-8"))
    if path.name == "config.yml":
        assert form == {"blank_issues_enabled": True}
        return

    assert {"name", "description", "body"} <= set(form)
    fields = [each for each in form["body"] if each["type"] != "markdown"]
    ids = [each["id"] for each in fields]
    assert len(set(ids)) == len(ids) >= 3
    assert [each["id"] for each in fields if not each["attributes"].get("label")] == []
    assert any(each.get("validations", {}).get("required") for each in fields)


def test_no_public_file_of_the_project_invents_an_address() -> None:
    pages = ["SECURITY.md", "CODE_OF_CONDUCT.md", "CITATION.cff", ".github/pull_request_template.md"]
    texts = [(ROOT / name).read_text("utf-8") for name in pages] + [
        path.read_text("utf-8") for path in TEMPLATES
    ]

    assert len(TEMPLATES) == 4
    assert [found for text in texts for found in re.findall(r"https?://\S+|\S+@\S+\.\w+", text)] == []

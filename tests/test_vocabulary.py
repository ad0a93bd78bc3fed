"""One word per thing: words that mean something else here, or nothing, are kept out of identifiers."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# The dictionary's "not" column, as far as it is unambiguous. Values: what we say instead.
BANNED_WORDS = {
    "annotator": "worker",
    "annotators": "workers",
    "annotation": "judgement",
    "rater": "worker",
    "raters": "workers",
    "turker": "worker",
    "payload": "answer",
    "hypothesis": "translation",
    "leaderboard": "ranking",
    "judgment": "judgement",
    "judgments": "judgements",
    "standardize": "standardise",
    "standardized": "standardised",
    "normalize": "normalise",
    "utils": "the subject's own name",
    "misc": "the subject's own name",
}
BANNED_PREFIXES = {"sys_": "system", "doc_": "document", "seg_": "segment"}
PYTHON_FILES = sorted([*ROOT.glob("src/**/*.py"), *ROOT.glob("bench/**/*.py")])
SCRIPT_FILES = sorted(ROOT.glob("src/**/*.js"))


def problems_with(identifier: str) -> list[str]:
    """What is wrong with one identifier."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", identifier).lower().split("_")
    found = [f"{identifier}: say {BANNED_WORDS[word]}" for word in words if word in BANNED_WORDS]
    found += [
        f"{identifier}: say {instead}"
        for prefix, instead in BANNED_PREFIXES.items()
        if identifier.lower().startswith(prefix)
    ]
    return found


def python_identifiers(source: str) -> set[str]:
    """Every name that a Python module defines or uses, imports of other packages left out."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.keyword(arg=str(name)):
                names.add(name)
    return names


def script_identifiers(source: str) -> set[str]:
    """Every word of a script that is neither in a comment nor in a string."""
    bare = re.sub(r"/\*.*?\*/|//[^\n]*|`[^`]*`|'[^'\n]*'|\"[^\"\n]*\"", " ", source, flags=re.S)
    return set(re.findall(r"[A-Za-z_$][\w$]*", bare))


@pytest.mark.parametrize("path", PYTHON_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_python_speaks_the_dictionary(path: Path) -> None:
    names = python_identifiers(path.read_text("utf-8")) | {path.stem, path.parent.name}

    assert [problem for name in sorted(names) for problem in problems_with(name)] == []


@pytest.mark.parametrize("path", SCRIPT_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_scripts_speak_the_dictionary(path: Path) -> None:
    names = script_identifiers(path.read_text("utf-8"))

    assert [problem for name in sorted(names) for problem in problems_with(name)] == []


@pytest.mark.parametrize(
    "identifier", ["annotator_id", "RaterModel", "sys_name", "topLeaderboard", "seg_scores"]
)
def test_a_banned_word_is_noticed(identifier: str) -> None:
    assert problems_with(identifier)


@pytest.mark.parametrize("identifier", ["worker_id", "system_id", "document", "ratings", "segments_frame"])
def test_our_own_words_are_allowed(identifier: str) -> None:
    assert not problems_with(identifier)

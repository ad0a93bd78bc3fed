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
SOURCE = ROOT / "src" / "steelyard"
# A verb has one home in each of these, under the same name: `steelyard.analyse`, `steelyard analyse`, the
# flow and the route. A noun of a lower layer may have its Python face in `api`.
DOORS = ("api", "cli", "flows", "web")


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


def public_definitions(tree: ast.Module) -> set[str]:
    """The public functions and classes of a module."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return {node.name for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")}


def entry_points(trees: dict[str, ast.Module]) -> set[tuple[str, str]]:
    """Module and name of each function that others find by its name: of plugins, migrations and commands.

    A plugin is a constant that a package asks `discover` for: METHOD, CHECK and so on. What all modules with
    that constant define belongs to it as well.
    """
    offers = {
        call.args[1].value
        for tree in trees.values()
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "discover"
        if isinstance(call.args[1], ast.Constant)
    }
    found = {(path, "upgrade") for path in trees if re.fullmatch(r"store/migrations/m\d{4}_\w+\.py", path)}
    offering: dict[str, list[str]] = {offer: [] for offer in offers}
    for path, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and path.startswith("cli/"):
                called = [each.func for each in node.decorator_list if isinstance(each, ast.Call)]
                if any(getattr(each, "attr", "") == "command" for each in called):
                    found.add((path, node.name))
            if isinstance(node, ast.Assign):
                for offer in {getattr(each, "id", None) for each in node.targets} & offers:
                    offering[offer].append(path)
                    found |= {(path, name.id) for name in ast.walk(node.value) if isinstance(name, ast.Name)}
    for paths in offering.values():
        common = set.intersection(*(public_definitions(trees[path]) for path in paths)) if paths else set()
        found |= {(path, name) for path in paths for name in common}
    return found


def door_of(path: str) -> str | None:
    """Which of the doors a module belongs to."""
    return next((door for door in DOORS if path.split("/")[0] == door), None)


def is_shared(paths: list[str]) -> bool:
    """Whether these modules may define the same name."""
    if len(paths) == 2 and paths[0].startswith("api/") and door_of(paths[1]) is None:
        return True
    doors = [door_of(path) for path in paths]
    return None not in doors and len(set(doors)) == len(doors)


def names_with_several_meanings(trees: dict[str, ast.Module]) -> dict[str, list[str]]:
    """Public names that several modules define, with these modules."""
    plugins = entry_points(trees)
    homes: dict[str, list[str]] = {}
    for path, tree in trees.items():
        for name in public_definitions(tree):
            if (path, name) not in plugins:
                homes.setdefault(name, []).append(path)
    return {name: paths for name, paths in sorted(homes.items()) if len(paths) > 1 and not is_shared(paths)}


def test_python_speaks_the_dictionary() -> None:
    assert PYTHON_FILES
    assert [
        f"{path.relative_to(ROOT)}: {problem}"
        for path in PYTHON_FILES
        for name in sorted(python_identifiers(path.read_text("utf-8")) | {path.stem, path.parent.name})
        for problem in problems_with(name)
    ] == []


def test_scripts_speak_the_dictionary() -> None:
    assert SCRIPT_FILES
    assert [
        f"{path.relative_to(ROOT)}: {problem}"
        for path in SCRIPT_FILES
        for name in sorted(script_identifiers(path.read_text("utf-8")))
        for problem in problems_with(name)
    ] == []


@pytest.mark.parametrize(
    "identifier", ["annotator_id", "RaterModel", "sys_name", "topLeaderboard", "seg_scores"]
)
def test_a_banned_word_is_noticed(identifier: str) -> None:
    assert problems_with(identifier)


@pytest.mark.parametrize("identifier", ["worker_id", "system_id", "document", "ratings", "segments_frame"])
def test_our_own_words_are_allowed(identifier: str) -> None:
    assert not problems_with(identifier)


def test_a_public_name_has_one_meaning() -> None:
    trees = {
        path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text("utf-8"))
        for path in sorted(SOURCE.rglob("*.py"))
    }

    assert names_with_several_meanings(trees) == {}


def test_a_name_with_two_homes_is_noticed() -> None:
    found = names_with_several_meanings(
        {
            "stats/ranks.py": ast.parse("def shown(): ..."),
            "report/text.py": ast.parse("class Row: ...\ndef shown(): ..."),
        }
    )

    assert found == {"shown": ["stats/ranks.py", "report/text.py"]}


def test_doors_share_a_verb_once_each() -> None:
    def verb(*paths: str) -> dict[str, list[str]]:
        return names_with_several_meanings({path: ast.parse("def analyse(): ...") for path in paths})

    assert verb("api/analysis.py", "flows/analyse.py", "cli/analysis_commands.py") == {}
    assert verb("flows/analyse.py", "flows/again.py") == {"analyse": ["flows/analyse.py", "flows/again.py"]}
    assert verb("flows/analyse.py", "stats/again.py") == {"analyse": ["flows/analyse.py", "stats/again.py"]}


def test_what_a_registry_calls_may_share_its_name() -> None:
    registry = {"qc/__init__.py": ast.parse('def checks(): return discover(here, "CHECK")')}
    offered = ast.parse("def run(): ...\nCHECK = Check(run=run)")
    other = ast.parse("def run(): ...")

    assert names_with_several_meanings({**registry, "qc/a.py": offered, "qc/b.py": offered}) == {}
    assert names_with_several_meanings({**registry, "qc/a.py": other, "qc/b.py": other}) == {
        "run": ["qc/a.py", "qc/b.py"]
    }

"""What the Python interface says names arguments of Python, not options of the command line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import steelyard as sy
from steelyard.domain.errors import ChoiceError, SourceError

SOURCE = Path(__file__).parents[2] / "src" / "steelyard"
# All that a call from Python can reach; of the edges, what reads, checks, analyses and writes judgements.
REACHED = (
    *("domain", "stats", "design", "aggregation", "qc", "agreement", "review", "planning", "longitudinal"),
    *("meta", "metrics", "evaluation", "exhibits", "store", "api"),
)
FLOWS = (
    *("analyse", "create", "evaluate", "exhibit", "export", "export_marks", "inference_units", "judged"),
    *("kept", "link_campaigns", "longitudinal", "meta", "nobody_passed", "normalise", "oddities", "open"),
    *("own_ranking", "pilot", "plan", "plan_choices", "plan_scope", "quality", "ranking", "recipes"),
    *("replicate", "settings", "signature", "source", "span_source", "verify"),
)
# Sentences that name an option of a command.
OPTION = re.compile(r"(?:^|[\s(\"'`])--[a-z][a-z-]+")


def sentences(tree: ast.Module) -> Iterator[str]:
    """All texts of a module but docstrings and the help of commands."""
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        if isinstance(node, ast.keyword) and node.arg == "help":
            skipped |= {id(part) for part in ast.walk(node.value)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.value


def test_no_message_that_python_can_reach_names_an_option_of_a_command() -> None:
    paths = [path for folder in REACHED for path in (SOURCE / folder).rglob("*.py")]
    paths += [SOURCE / "flows" / f"{name}.py" for name in FLOWS]
    paths += [path for path in (SOURCE / "formats").glob("*.py") if not path.name.startswith("campaign")]

    found = [
        f"{path.relative_to(SOURCE)}: {text}"
        for path in paths
        for text in sentences(ast.parse(path.read_text("utf-8")))
        if OPTION.search(text)
    ]

    assert len(paths) > 300
    assert found == []


def test_an_option_in_a_message_would_be_found() -> None:
    tree = ast.parse('"""Docs: --draws."""\nraise ValueError("Use --draws 5.")\noption(help="With --link.")')

    assert [text for text in sentences(tree) if OPTION.search(text)] == ["Use --draws 5."]


TABLE = pl.DataFrame({"worker": ["a"], "system": ["x"], "segment": [1], "rating": [7.0], "known": [50.0]})


def test_a_rating_outside_the_scale_names_the_argument() -> None:
    with pytest.raises(SourceError, match=r"for another: scale=\(MIN, MAX\)") as caught:
        sy.read(TABLE, scale=(0, 5))

    assert "of an expert on another: gold_scale=(MIN, MAX)" in str(caught.value)
    assert "--" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: sy.analyse(TABLE, metod="mean-z"),
            "no option 'metod' in an analysis. Did you mean 'method'?",
        ),
        (lambda: sy.evaluate(TABLE, drawz=5), "no option 'drawz' in evaluate. Did you mean 'draws'?"),
        (lambda: sy.normalise(TABLE, fold=5), "no option 'fold' in normalise. Did you mean 'folds'?"),
        (lambda: sy.replicate(TABLE, wages=5), "no option 'wages' in replicate. Did you mean 'wage'?"),
        (lambda: sy.compare_years({"x": TABLE}, cell=5), "no option 'cell' in compare_years."),
        (lambda: sy.link([TABLE], slop="one"), "no option 'slop' in link. Did you mean 'slope'?"),
        (
            lambda: sy.judge_metrics("x", flipp="a"),
            "no option 'flipp' in judge_metrics. Did you mean 'flip'?",
        ),
        (lambda: sy.plan(sytems=5), "no option 'sytems' in a plan. Did you mean 'systems'?"),  # type: ignore[call-arg]
        (lambda: sy.compare_years({"x": TABLE}, cells={"old": "A"}), "There is no cell 'old'."),
        (
            lambda: sy.compare_years({"x": TABLE}, cells={"curr_old": "A"}),
            'cells={"curr_old": "A", "curr_new"',
        ),
        (lambda: sy.replicate(TABLE, draws="many"), "draws must be a whole number, not 'many'."),
        (lambda: sy.replicate(TABLE, check="none", wage="ten"), "wage must be a number, not 'ten'."),
        (
            lambda: sy.plan(systems=5.5, budget="9"),
            "systems must be a whole number, not 5.5.\nbudget must be a",
        ),  # type: ignore[arg-type]
        (lambda: sy.analyse(TABLE, colums={}), "no option 'colums' in an analysis. Did you mean 'columns'?"),
        (
            lambda: sy.analyse(sy.read(TABLE), scale=(0, 9)),
            "scale says how judgements are read, and these were",
        ),
        (
            lambda: sy.read(TABLE, scale=(100, 0)),
            "scale must be two numbers, the smaller first: scale=(MIN, MAX).",
        ),
        (lambda: sy.read(TABLE, gold_scale=5), "gold_scale must be two numbers"),  # type: ignore[arg-type]
        (lambda: sy.read(TABLE, columns=["who"]), 'which of ours: columns={"worker": "COLUMN"}.'),  # type: ignore[arg-type]
        (lambda: sy.link(TABLE), "Give the campaigns as a list"),  # type: ignore[arg-type]
        (lambda: sy.compare_years(TABLE), "Name the language pair of the judgements"),  # type: ignore[arg-type]
        (lambda: sy.compare_years([TABLE]), "Name the language pair of the judgements"),  # type: ignore[list-item]
        (lambda: sy.judge_metrics("x", columns={}), "There is no option 'columns' in judge_metrics."),
    ],
)
def test_a_wrong_keyword_or_value_is_told_what_fits(call: object, said: str) -> None:
    with pytest.raises(ChoiceError) as caught:
        call()  # type: ignore[operator]

    assert said in str(caught.value)


@pytest.mark.parametrize("given", [None, 5, {"worker": ["a"]}, TABLE["rating"]])
def test_what_is_no_table_is_told_what_is(given: object) -> None:
    with pytest.raises(SourceError, match=r"it is of type .* a pandas, Polars or pyarrow table"):
        sy.read(given)


def test_an_argument_that_read_does_not_have_is_not_passed_over() -> None:
    with pytest.raises(TypeError, match="colums"):
        sy.read(TABLE, colums={"worker": "who"})  # type: ignore[call-arg]


def test_what_cannot_be_written_is_said_of_the_file_that_was_named(tmp_path: Path) -> None:
    planned, path = sy.plan(systems=5, ratings_per_system=1500), tmp_path / "missing" / "plan.svg"

    for write in (planned.plot().save, planned.to_html):
        with pytest.raises(SourceError, match="cannot be written: No such file") as caught:
            write(path)
        assert caught.value.where == str(path)

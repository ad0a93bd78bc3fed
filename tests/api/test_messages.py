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
    *("meta", "metrics", "evaluation", "exhibits", "api"),
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
    ],
)
def test_a_keyword_that_does_not_exist_is_told_the_nearest(call: object, said: str) -> None:
    with pytest.raises(ChoiceError) as caught:
        call()  # type: ignore[operator]

    assert said in str(caught.value)

"""The command that tells how well metrics agree with people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.options import (
    json_option,
    keep_sources,
    progress_bar,
    seed_option,
    show,
    with_options,
    write_text,
)

if TYPE_CHECKING:
    from steelyard.meta.settings import MetaEvaluation, MetaSettings

# What stands for no test at all.
NO_TEST = "none"


# Which scores are read, and which of them the study is about.
_scores_options = with_options(
    click.option("--pair", metavar="LP", help="Language pair of a folder, e.g. en-de."),
    click.option("--gold", metavar="NAME", help="People's scores to hold metrics against, e.g. mqm or da."),
    click.option(
        "--metric",
        "metrics",
        metavar="NAME,…",
        multiple=True,
        help="Metrics to judge; for a database any of bleu, chrf, ter.  [default: all]",
    ),
    click.option(
        "--scores",
        "table",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="A table of further metrics: columns system, segment, metric, score.",
    ),
    click.option("--method", help="Databases: how ratings become the gold.  [default: mean-z]"),
    click.option("--exclude", metavar="SYSTEM,…", help="Systems to leave out."),
    click.option(
        "--with-references",
        is_flag=True,
        help="Keep people's translations that no metric holds others against.",
    ),
    click.option("--flip", metavar="NAME,…", help="Metrics, or the gold, where lower is better."),
)


# What the study computes.
_study_options = with_options(
    click.option(
        "--level",
        type=click.Choice(["segment", "document"]),
        default="segment",
        show_default=True,
        help="What is scored within a system.",
    ),
    click.option(
        "--by",
        type=click.Choice(["domain", "document"]),
        help="Tell the numbers of each of these too.",
    ),
    click.option(
        "--test",
        "tests",
        metavar="NAME,…|none",
        help="Statistics by which metrics are told apart.  [default: sys_pearson, seg_pearson_none, "
        "seg_acc23_opt_item, sys_pairwise_accuracy]",
    ),
    click.option(
        "--pearson-test",
        type=click.Choice(["williams", "permutation"]),
        default="williams",
        show_default=True,
        help="How Pearson's correlations are told apart.",
    ),
    click.option(
        "--accuracy-test",
        type=click.Choice(["scores", "verdicts"]),
        default="scores",
        show_default=True,
        help="What is exchanged to tell pairwise accuracies apart; verdicts on pairs as published.",
    ),
    click.option(
        "--draws",
        type=click.IntRange(min=1),
        default=1000,
        show_default=True,
        help="Draws of permutation tests.",
    ),
    click.option(
        "--da-least",
        "least_difference",
        type=click.FloatRange(min=0),
        default=25.0,
        show_default=True,
        help="Points by which two raw ratings must differ to make a pair (seg_da_tau).",
    ),
    click.option(
        "--spa-seed",
        "soft_seed",
        type=click.IntRange(min=0),
        default=4,
        show_default=True,
        help="Seed of soft pairwise accuracy alone; the usual one is that of published tables.",
    ),
    seed_option,
)


@click.command()
@click.argument("source", metavar="FOLDER")
@_scores_options
@_study_options
@click.option(
    "--plot", "picture", type=click.Path(path_type=Path), help="Draw the tests: .svg, .png or .pdf."
)
@click.option(
    "--to",
    "target",
    type=click.Path(path_type=Path),
    help="Write all numbers to a .csv, .tsv, .jsonl, .parquet or .tex file.",
)
@json_option
def meta(
    source: str, picture: Path | None, target: Path | None, json_file: str | None, **choices: Any
) -> None:
    """Tell how well metrics agree with people, and which metric is surely better than which.

    FOLDER is laid out as in mt-metrics-eval (human-scores, metric-scores), or is a campaign's database: then
    people's scores are the campaign's, and metrics are computed from its texts.
    """
    from steelyard.flows.meta import Wanted, judge, read_scored
    from steelyard.report.meta import to_json, to_text

    _require_picture(picture)
    keep_sources([source, str(choices["table"])], picture, target, json_file)
    settings = _settings(choices)
    wanted = Wanted(
        pair=choices["pair"],
        gold=choices["gold"],
        metrics=_names(choices["metrics"]) or None,
        table=choices["table"],
        method=choices["method"],
        seed=choices["seed"],
    )
    made = judge(read_scored(source, wanted, progress=progress_bar), settings, progress=progress_bar)
    if picture is not None:
        _draw(made, picture)
    if target is not None:
        _write(made, target)
    show(to_text(made), to_json(made), json_file)


def _settings(choices: dict[str, Any]) -> MetaSettings:
    from steelyard.meta.settings import USUAL_TESTS, MetaSettings

    tests = USUAL_TESTS if choices["tests"] is None else _names([choices["tests"]])
    same = (
        *("with_references", "level", "by", "pearson_test", "accuracy_test"),
        *("draws", "least_difference", "soft_seed", "seed"),
    )
    return MetaSettings(
        exclude=_names([choices["exclude"] or ""]),
        flip=_names([choices["flip"] or ""]),
        tests=() if tests == (NO_TEST,) else tests,
        **{name: choices[name] for name in same},
    )


def _names(texts: Sequence[str]) -> tuple[str, ...]:
    """Names given with commas between, each once."""
    return tuple(dict.fromkeys(name.strip() for text in texts for name in text.split(",") if name.strip()))


def _require_picture(picture: Path | None) -> None:
    from steelyard.report.figure_file import ENDINGS

    if picture is not None and picture.suffix.lower() not in ENDINGS:
        raise click.BadParameter(
            f"name a file that ends in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}.", param_hint="--plot"
        )


def _draw(made: MetaEvaluation, picture: Path) -> None:
    from steelyard.report.figure_file import write_figure
    from steelyard.report.meta import to_figure

    try:
        write_figure(to_figure(made), picture)
    except OSError as error:
        raise click.FileError(str(picture), error.strerror) from None


def _write(made: MetaEvaluation, target: Path) -> None:
    from steelyard.formats.table_file import write_table
    from steelyard.report.meta import full_table
    from steelyard.report.tables import to_latex

    if target.suffix.lower() == ".tex":
        write_text(to_latex(full_table(made)), str(target))
    else:
        write_table(made.rows, target)

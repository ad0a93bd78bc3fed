"""The command that shows how well metrics agree with people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.options import SectionedCommand, click_options, progress_bar, write_text
from steelyard.cli.report_files import require_picture
from steelyard.cli.study_command import study_command
from steelyard.domain.options import given_options
from steelyard.meta.settings import LEAST_DIFFERENCE, SOFT_SEED, USUAL_TESTS, MetaSettings

if TYPE_CHECKING:
    from steelyard.domain.study import StudyResult
    from steelyard.meta.settings import MetaEvaluation

# What stands for no test at all.
NO_TEST = "none"


@study_command(
    SectionedCommand,
    click.argument("source", metavar="FOLDER"),
    click.option("--pair", metavar="LP", help="Language pair of a folder, e.g. en-de."),
    click.option("--gold", metavar="NAME", help="Human scores to compare metrics with, e.g. mqm or da."),
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
    *click_options(MetaSettings, "exclude", "with_references", "flip", "level", "by"),
    click.option(
        "--test",
        "tests",
        metavar="NAME,…|none",
        help=f"Statistics by which metrics are compared.  [default: {', '.join(USUAL_TESTS)}]",
    ),
    *click_options(MetaSettings, "unit", "pearson_test", "accuracy_test", "draws"),
    click.option(
        "--da-least",
        "least_difference",
        type=click.FloatRange(min=0),
        default=LEAST_DIFFERENCE,
        show_default=True,
        help="Points by which two raw ratings must differ to make a pair (seg_da_tau).",
    ),
    click.option(
        "--spa-seed",
        "soft_seed",
        type=click.IntRange(min=0),
        default=SOFT_SEED,
        show_default=True,
        help="Seed of soft pairwise accuracy alone; the default is that of published tables.",
    ),
    *click_options(MetaSettings, "seed"),
    click.option(
        "--plot", "picture", type=click.Path(path_type=Path), help="Draw the tests: .svg, .png or .pdf."
    ),
    click.option(
        "--to",
        "target",
        type=click.Path(path_type=Path),
        help="Write all numbers to a .csv, .tsv, .jsonl, .parquet or .tex file.",
    ),
)
def meta(source: str, picture: Path | None, target: Path | None, **choices: Any) -> list[StudyResult]:
    """Find out how well metrics agree with people, and which metrics are significantly better.

    FOLDER has the layout of mt-metrics-eval (human-scores, metric-scores), or is a campaign's database: then
    the human scores are the campaign's, and metrics are computed from its texts.
    """
    from steelyard.exhibits.studies.meta import meta_study
    from steelyard.flows.meta import Wanted, judge, read_scored

    if picture is not None:
        require_picture(picture, "--plot")
    settings = _settings(choices)
    wanted = Wanted(
        pair=choices["pair"],
        gold=choices["gold"],
        metrics=_names(choices["metrics"]) or None,
        table=choices["table"],
        method=choices["method"],
        seed=settings.seed,
    )
    made = judge(read_scored(source, wanted, progress=progress_bar), settings, progress=progress_bar)
    if picture is not None:
        _draw(made, picture)
    if target is not None:
        _write(made, target)
    return [meta_study(made)]


def _settings(choices: dict[str, Any]) -> MetaSettings:
    tests = USUAL_TESTS if choices["tests"] is None else _names([choices["tests"]])
    return MetaSettings(
        **given_options(MetaSettings, choices),
        tests=() if tests == (NO_TEST,) else tests,
        soft_seed=choices["soft_seed"],
        least_difference=choices["least_difference"],
    )


def _names(texts: Sequence[str]) -> tuple[str, ...]:
    """Names given with commas between, each once."""
    return tuple(dict.fromkeys(name.strip() for text in texts for name in text.split(",") if name.strip()))


def _draw(made: MetaEvaluation, picture: Path) -> None:
    from steelyard.exhibits.studies.meta import metrics_figure
    from steelyard.report.figure_file import write_figure

    write_figure(metrics_figure(made), picture)


def _write(made: MetaEvaluation, target: Path) -> None:
    from steelyard.exhibits.studies.meta import full_metrics_table
    from steelyard.formats.table_file import write_table
    from steelyard.report.tables import table_latex

    if target.suffix.lower() == ".tex":
        write_text(table_latex(full_metrics_table(made)), str(target))
    else:
        write_table(made.rows, target)

"""Writes docs/reference/gallery.md: every table and figure, with its command and how it looks.

Run it after a change of an exhibit: .venv/bin/python scripts/make_gallery.py. It takes a minute or two. The
same code gives the same page: what differs from run to run, the signatures, is left out.
"""

from __future__ import annotations

import inspect
import re
import sys
import tempfile
from contextlib import chdir
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from textwrap import shorten
from typing import Any

import numpy as np
import polars as pl

import steelyard
from steelyard.cli.main import run
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit
from steelyard.exhibits import figures, tables
from steelyard.protocols import protocols
from steelyard.report.figure_file import write_figure
from steelyard.report.table_cells import rows, whole_title

DOCS = Path(__file__).parent.parent / "docs"
PAGE, DATA, PICTURES = (
    DOCS / "reference" / "gallery.md",
    DOCS / "reference" / "gallery",
    DOCS / "images" / "gallery",
)
NOTE = "<!-- Made by scripts/make_gallery.py; edit the exhibits instead. -->\n"
MOST_ROWS = 8
# A sentence in the last column of many would make rows as high as the window.
MOST_LETTERS = 70
CAMPAIGNS = {"eval.db": "da", "gold.db": "adequacy4", "marked.db": "mqm"}
# The standard deviation of invented ratings of one text, in points [our choice].
NOISE = 12.0


@dataclass(frozen=True)
class Example:
    """What an exhibit is shown with: files, options of the analysis, and options of its own."""

    sources: tuple[str, ...] = ("eval.db",)
    analysis: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)

    def command(self, verb: str, name: str) -> str:
        """What to type."""
        given = {**self.analysis, **self.options}
        words = [
            f"--{key.replace('_', '-')}" + ("" if value is True else f" {value}")
            for key, value in given.items()
        ]
        out = [f"--out {name}.svg"] if verb == "plot" else []
        return " ".join(["steelyard", verb, name, *self.sources, *words, *out])


MODEL = Example(analysis={"method": "worker-model"})
GOLD, MARKED = Example(("gold.db",)), Example(("marked.db",))
YEARS = Example(("years.csv",), {"check": "none"})
LINKED = Example(("spring.csv", "autumn.csv"), {"check": "none"})
SPLIT = Example(options={"split": True})
# All others are shown with the campaign of direct assessment.
EXAMPLES = {
    "attributes": Example(("attributes.csv",), {"check": "none"}),
    "errors-by-category": MARKED,
    "linked-systems": LINKED,
    "longitudinal": YEARS,
    "marks": Example(("marked.db",), options={"segment": "1", "system": "lead"}),
    "most-marked": MARKED,
    "normalisation": GOLD,
    "pass-by-language": Example(("eval.db", "gold.db")),
    "random-resistance": GOLD,
    "rank-probabilities": MODEL,
    "replication": SPLIT,
    "replication-curve": SPLIT,
    "replication-scatter": SPLIT,
    "score-distribution": GOLD,
    "score-posterior": MODEL,
    "severity-profile": MARKED,
    "span-agreement": MARKED,
    "span-agreement-pairs": MARKED,
    "span-time": MARKED,
    "stopping": MODEL,
    "vote-weights": GOLD,
    "worker-differences": Example(options={"worker": "W0001"}),
    "worker-parameters": MODEL,
}


def example(name: str) -> Example:
    """What an exhibit is shown with."""
    return EXAMPLES.get(name, Example())


def prepare() -> None:
    """Make the campaigns in this folder, judged by simulated crowds, and the invented files."""
    for database, protocol in CAMPAIGNS.items():
        Path("campaign.toml").write_text(example_text(protocol), "utf-8")
        perform(["create", "campaign.toml", "--db", database])
        perform(["simulate", database])
    DATA.mkdir(exist_ok=True)
    for name, frame in invented().items():
        frame.write_csv(DATA / name)
        frame.write_csv(name)


def perform(words: list[str]) -> None:
    """Run a command, or end with what failed."""
    if run(words) != 0:
        sys.exit(f"failed: steelyard {' '.join(words)}")


def example_text(protocol: str) -> str:
    """The campaign file that `steelyard example` prints."""
    return (protocols()[protocol].folder / "example.toml").read_text("utf-8")


def invented() -> dict[str, pl.DataFrame]:
    """Small files for what one campaign lacks: several attributes, two years, another campaign to link."""
    rng = np.random.default_rng(7)
    quality = {"alpha": 72.0, "beta": 64.0, "gamma": 55.0}
    cells = {"CURR-old": 74.0, "CURR-new": 66.0, "BEST-old": 52.0, "BEST-new": 63.0}
    later = {"delta": 78.0, "epsilon": 66.0}
    return {
        "attributes.csv": pl.concat(
            [judged(quality, rng, attribute=each) for each in ("adequacy", "fluency")], how="diagonal"
        ),
        "years.csv": judged(cells, rng),
        "spring.csv": judged(quality, rng, n_calibration=12),
        "autumn.csv": judged(later, rng, n_calibration=12, shift=-6.0),
    }


def judged(
    quality: dict[str, float],
    rng: np.random.Generator,
    *,
    attribute: str = "",
    n_workers: int = 6,
    n_calibration: int = 0,
    shift: float = 0.0,
) -> pl.DataFrame:
    """Ratings by some workers: twelve segments by each system, and calibration items, always the same."""
    found = []
    anchors = np.linspace(35, 85, n_calibration) if n_calibration else np.array([])
    for worker in range(n_workers):
        level = rng.normal(0, 5) + shift
        texts = [(system, f"s{n}", "regular", mean) for system, mean in quality.items() for n in range(12)]
        texts += [("anchor", f"c{n}", "calibration", mean) for n, mean in enumerate(anchors)]
        for system, segment, kind, mean in texts:
            rating = int(np.clip(round(mean + level + rng.normal(0, NOISE)), 0, 100))
            segment = f"{segment}-{system[-3:]}" if system.endswith(("-old", "-new")) else segment
            found.append(
                {"worker": f"w{worker}", "system": system, "segment": segment, "kind": kind, "rating": rating}
            )
    frame = pl.DataFrame(found)
    return frame.with_columns(attribute=pl.lit(attribute)) if attribute else frame


@cache
def evidence(source: str, analysis: tuple[tuple[str, Any], ...]) -> Evidence:
    """The judgements of a file and what an analysis makes of them."""
    found = steelyard.analyse(source, **dict(analysis)).evidence
    assert found is not None
    return found


def section(name: str) -> str:
    """The section of one subject: its table, its figure, or both."""
    found = {"table": tables().get(name), "plot": figures().get(name)}
    known = {verb: exhibit for verb, exhibit in found.items() if exhibit is not None}
    title = next(iter(known.values())).title
    return f"## {title}\n\n" + "\n".join(shown(exhibit, verb) for verb, exhibit in known.items())


def shown(exhibit: Exhibit, verb: str) -> str:
    """What an exhibit shows, its command, and how it looks."""
    chosen = example(exhibit.name)
    known = [evidence(source, tuple(chosen.analysis.items())) for source in chosen.sources]
    made = exhibit.make(known, ExhibitOptions(**chosen.options))
    if isinstance(made, Table):
        return f"{head(exhibit, verb)}\n{markdown_table(made)}\n"
    write_figure(made, PICTURES / f"{exhibit.name}.svg", has_words=False)
    return f"{head(exhibit, verb)}\n![{exhibit.title}](../images/gallery/{exhibit.name}.svg)\n"


def head(exhibit: Exhibit, verb: str) -> str:
    """What an exhibit shows, in a sentence, and its command."""
    idea = inspect.cleandoc(exhibit.make.__doc__ or "").partition("\n\n")[0].replace("\n", " ")
    return f"{idea}\n\n```sh\n{example(exhibit.name).command(verb, exhibit.name)}\n```\n"


def markdown_table(table: Table) -> str:
    """The first rows of a table, as people read them."""
    heads = [re.sub(r"\s+", " ", whole_title(column)) for column in table.columns]
    lines = [heads, ["---"] * len(heads), *rows(table, most=MOST_ROWS)]
    text = "\n".join(
        "| " + " | ".join(re.sub(r"([|*_<])", r"\\\1", shortened(str(cell))) for cell in line) + " |"
        for line in lines
    )
    more = table.rows.height - MOST_ROWS
    return f"{text}\n\n… and {more} more rows." if more > 0 else text


def shortened(cell: str) -> str:
    """What fits into a cell."""
    return cell if len(cell) <= MOST_LETTERS else shorten(cell, MOST_LETTERS, placeholder=" …")


def page() -> str:
    """The whole page."""
    made = "\n".join(
        f"steelyard example {protocol} > campaign.toml\nsteelyard create campaign.toml --db {database}\n"
        f"steelyard simulate {database}"
        for database, protocol in CAMPAIGNS.items()
    )
    files = ", ".join(f"[{name}](gallery/{name})" for name in invented())
    parts = [
        "# Gallery\n",
        NOTE,
        "Every table and figure that Steelyard makes, with the command that made it. All of them also come as"
        " files for papers and programs: tables as `.csv`, `.tsv`, `.jsonl`, `.parquet` or `.tex` by `--to`,"
        " figures as `.svg`, `.pdf` or `.png` by `--out`. Here long texts are shortened. Which"
        " question each answers: [tables and figures](../howto/tables-and-figures.md).\n",
        "The workers are simulated, so these numbers say nothing about any system. To follow, make the"
        " campaigns first:\n",
        f"```sh\n{made}\n```\n",
        f"A few exhibits need what one campaign does not have; these small files are invented: {files}.\n",
        *(section(name) for name in sorted(tables() | figures())),
    ]
    return "\n".join(parts)


def main(folder: Path) -> None:
    """Make the page and its pictures; the campaigns come into a folder."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for old in PICTURES.glob("*.svg"):
        old.unlink()
    with chdir(folder):
        prepare()
        PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        main(Path(made))

"""Figures of tutorials and explanations, made as their pages say, with simulated crowds."""

from __future__ import annotations

import re
import runpy
import shlex
from contextlib import chdir
from pathlib import Path

import numpy as np
from make_gallery import DOCS, example_text, judged, perform

IMAGES = DOCS / "images"


def block(page: str, language: str) -> str:
    """The first block of a language on a page."""
    found = re.search(rf"^```{language}\n(.*?)^```$", (DOCS / page).read_text("utf-8"), flags=re.M | re.S)
    assert found is not None
    return found[1]


def run_python(folder: Path, page: str, name: str) -> None:
    """Save the Python block of a page under a name, as it asks its readers to, and run it."""
    (folder / name).write_text(block(page, "python"), "utf-8")
    with chdir(folder):
        runpy.run_path(name)


def steelyard(folder: Path, commands: str) -> None:
    """Run commands in a folder, one a line; IMAGES/ stands for the folder of pictures."""
    with chdir(folder):
        for line in commands.strip().splitlines():
            perform(shlex.split(line.replace("IMAGES/", f"{IMAGES}/")))


def expert_gold(folder: Path) -> None:
    """The campaign with an expert's ratings: its votes, and its scores by four methods."""
    (folder / "adequacy.toml").write_text(example_text("adequacy4"), "utf-8")
    steelyard(
        folder,
        """
        create adequacy.toml --db gold.db
        simulate gold.db --workers 40
        plot vote-weights gold.db --out IMAGES/expert-gold-votes.svg
        """
        "plot score-distribution gold.db --methods remove-judgements,two-stage,worker-model"
        " --out IMAGES/expert-gold-scores.svg",
    )


def change_over_years(folder: Path) -> None:
    """Two language pairs, and one of them alone."""
    run_python(folder, "tutorial/change-over-years.md", "make_study.py")
    names = ["de-en-adequacy", "de-en-fluency", "cs-en-adequacy", "cs-en-fluency"]
    for name in names:
        steelyard(folder, f"create {name}.toml --db {name}.db\nsimulate {name}.db --workers 24")
    sources = " ".join(f"{name[:5]}={name}.db" for name in names)
    steelyard(
        folder,
        f"""
        plot longitudinal {sources} --out IMAGES/longitudinal.svg
        plot longitudinal de-en=de-en-adequacy.db --out IMAGES/longitudinal-one.svg
        """,
    )


def judging_metrics(folder: Path) -> None:
    """Three metrics and a baseline, tested against each other."""
    page = "tutorial/judging-metrics.md"
    (folder / "metrics.toml").write_text(block(page, "toml"), "utf-8")
    steelyard(
        folder,
        """
        create metrics.toml --db metrics.db
        simulate metrics.db --workers 120
        analyse metrics.db --metric-folder wmt
        """,
    )
    run_python(folder, page, "lengths.py")
    steelyard(
        folder,
        "meta metrics.db --scores lengths.csv --metric bleu,chrf,ter,length"
        " --test seg_pearson_none,seg_acc23_opt_item --plot IMAGES/metrics-significance.svg",
    )


def replication(folder: Path) -> None:
    """The same translations collected twice."""
    text = example_text("da").replace("ratings_per_item = 7", "ratings_per_item = 20")
    (folder / "pilot.toml").write_text(text, "utf-8")
    steelyard(
        folder,
        """
        create pilot.toml --db first.db
        create pilot.toml --db second.db
        simulate first.db --seed 1
        simulate second.db --seed 2
        plot replication-curve first.db second.db --out IMAGES/replication-curve.svg
        plot replication-scatter first.db second.db --out IMAGES/replication-scatter.svg
        """,
    )


def linked_systems(folder: Path) -> None:
    """Two invented campaigns with the same calibration items; the later systems are better."""
    rng = np.random.default_rng(7)
    years = {
        "year2019": ({"alpha": 46.0, "beta": 54.0, "gamma": 62.0}, 0.0),
        "year2024": ({"delta": 62.0, "epsilon": 69.0, "zeta": 78.0}, -6.0),
    }
    for name, (quality, shift) in years.items():
        frame = judged(quality, rng, n_workers=30, n_calibration=24, shift=shift)
        frame.write_csv(folder / f"{name}.csv")
    steelyard(
        folder,
        """
        longitudinal --link year2019.csv year2024.csv --check none
        plot linked-systems year2019.csv year2024.csv --check none --out IMAGES/linked-systems.svg
        """,
    )


def plan(folder: Path) -> None:
    """What money buys, of the plan at the top of the page."""
    steelyard(folder, "plan --systems 5 --difference 0.1 --plot IMAGES/plan.png")

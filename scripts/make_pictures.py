"""Makes every picture of docs/images from nothing: .venv/bin/python scripts/make_pictures.py [PICTURE …]

It needs Chromium, makes its own campaigns and crowds, and takes some minutes. With names, such as `plan.png`,
only these are made, and those that are made together with them. All crowds are simulated, always in the same
way: from run to run, figures differ in the ids of their signatures only, and pages in what depends on ids and
on the day, such as which translation comes first.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from steelyard.exhibits import figures

BY_HAND = "drawn by hand"


@dataclass(frozen=True)
class Picture:
    """The function that makes a picture, `module.name` of a script here, and the pages that show it."""

    maker: str
    pages: tuple[str, ...]


def picture(maker: str, *pages: str) -> Picture:
    """A picture with its pages, by paths from the root."""
    return Picture(maker, pages)


PICTURES = {
    "dashboard.png": picture(
        "screenshots.dashboard",
        "docs/howto/run-a-campaign.md",
        "docs/readers/organiser.md",
        "docs/tutorial/first-campaign.md",
    ),
    "dashboard-worker.png": picture("screenshots.dashboard", "docs/howto/run-a-campaign.md"),
    "expert-gold-scores.svg": picture("study_pictures.expert_gold", "docs/tutorial/expert-gold.md"),
    "expert-gold-votes.svg": picture("study_pictures.expert_gold", "docs/tutorial/expert-gold.md"),
    "linked-systems.svg": picture("study_pictures.linked_systems", "docs/explanation/linking-campaigns.md"),
    "logo.svg": picture(BY_HAND, "mkdocs.yml"),
    "longitudinal.svg": picture("study_pictures.change_over_years", "docs/tutorial/change-over-years.md"),
    "longitudinal-one.svg": picture("study_pictures.change_over_years", "docs/tutorial/change-over-years.md"),
    "marking.png": picture("screenshots.marking", "docs/howto/error-spans.md"),
    "metrics-significance.svg": picture("study_pictures.judging_metrics", "docs/tutorial/judging-metrics.md"),
    "notebook.png": picture("screenshots.notebook", "docs/howto/python.md"),
    "overview.png": picture("screenshots.demo", "README.md", "docs/index.md"),
    "plan.png": picture("study_pictures.plan", "docs/explanation/planning.md"),
    "platform.png": picture("screenshots.platform", "docs/howto/prolific.md"),
    "replication-curve.svg": picture("study_pictures.replication", "docs/tutorial/replication.md"),
    "replication-scatter.svg": picture("study_pictures.replication", "docs/tutorial/replication.md"),
    "report.png": picture("screenshots.demo", "docs/tutorial/first-campaign.md"),
    # A diagram of the model; it shows no data.
    "worker-model.svg": picture(BY_HAND, "docs/explanation/worker-model.md"),
    "worker.png": picture(
        "screenshots.demo", "docs/explanation/what-workers-see.md", "docs/tutorial/first-campaign.md"
    ),
    **{
        f"gallery/{name}.svg": picture("make_gallery.main", "docs/reference/gallery.md")
        for name in sorted(figures())
    },
}


def main(names: list[str]) -> None:
    """Make the pictures named, or all."""
    unknown = [name for name in names if name not in PICTURES]
    if unknown:
        sys.exit(f"no such picture: {', '.join(unknown)}")
    for maker in dict.fromkeys(PICTURES[name].maker for name in names or PICTURES):
        if maker != BY_HAND:
            module, _, function = maker.partition(".")
            with tempfile.TemporaryDirectory() as folder:
                getattr(import_module(module), function)(Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])

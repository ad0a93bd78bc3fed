"""A small campaign to rehearse with where there is none yet: of the texts that ship with Steelyard."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from steelyard.emulators import emulator_of
from steelyard.flows.create import create

DEMO = """
[campaign]
name = "demo-{platform}"
title = "Which translations say it right? For native speakers of English"
protocol = "da"
attribute = "adequacy"
source_language = "de"
target_language = "en"

[texts]
reference = "demo:reference.en.txt"
documents = "demo:documents.txt"

[[systems]]
name = "brass"
translations = "demo:brass.en.txt"

[[systems]]
name = "iron"
translations = "demo:iron.en.txt"

[design]
hit_size = 24
ratings_per_item = 3
quota = {{ degraded = 6, repeat = 2, reference = 2 }}

[platform]
name = "{platform}"

[rules]
hits_per_worker = 1

[pay]
wage = 12.0
currency = "{currency}"
budget = 400.0
"""


def make_demo_campaign(folder: Path, platform: str, *, now: datetime) -> str:
    """Make it in a folder; the address of its database."""
    file, database = folder / "campaign.toml", str(folder / "demo.db")
    file.write_text(DEMO.format(platform=platform, currency=emulator_of(platform).currency), "utf-8")
    create(file, database, now=now)
    return database

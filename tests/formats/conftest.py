"""A good campaign file with its texts, to be changed in one place by each test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard.domain.errors import CampaignError
from steelyard.formats.campaign_toml import CampaignSource, read_campaign

HEAD = """
[campaign]
name = "toy"
title = "A toy"
protocol = "da"
attribute = "adequacy"
source_language = "de"
target_language = "en"
"""
PLAIN = """
[texts]
source = "source.txt"
reference = "reference.txt"

[[systems]]
name = "alpha"
translations = "alpha.txt"

[[systems]]
name = "beta"
translations = "beta.txt"
is_human = true

[design]
hit_size = 50
"""
N_LINES = 20


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A good campaign file and its texts, 2 systems x 20 segments."""
    for name in ("source", "reference", "alpha", "beta"):
        lines = [f"{name} sentence number {k} is here" for k in range(1, N_LINES + 1)]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    (tmp_path / "campaign.toml").write_text(HEAD + PLAIN, "utf-8")
    return tmp_path


@pytest.fixture
def read_with(folder: Path) -> Callable[..., CampaignSource]:
    """Read the good file with some part replaced and something added at its end."""

    def read_changed(old: str = "", new: str = "", *, more: str = "") -> CampaignSource:
        text = HEAD + PLAIN
        assert old in text
        (folder / "campaign.toml").write_text(text.replace(old, new, 1) + more, "utf-8")
        return read_campaign(folder / "campaign.toml")

    return read_changed


@pytest.fixture
def problems_with(read_with: Callable[..., CampaignSource]) -> Callable[..., str]:
    """The error text for the good file with some part replaced and something added at its end."""

    def problems(old: str = "", new: str = "", *, more: str = "") -> str:
        with pytest.raises(CampaignError) as caught:
            read_with(old, new, more=more)
        return str(caught.value)

    return problems


@pytest.fixture
def read_file(folder: Path) -> Callable[..., CampaignSource]:
    """Read a campaign whose [texts] and other tables are as given."""

    def read_tables(tables: str) -> CampaignSource:
        (folder / "campaign.toml").write_text(HEAD + tables, "utf-8")
        return read_campaign(folder / "campaign.toml")

    return read_tables


@pytest.fixture
def problems_of_file(read_file: Callable[..., CampaignSource]) -> Callable[[str], str]:
    """The error text for a campaign whose [texts] and other tables are as given."""

    def problems(tables: str) -> str:
        with pytest.raises(CampaignError) as caught:
            read_file(tables)
        return str(caught.value)

    return problems

"""What holds for every registered platform."""

from __future__ import annotations

import pytest

from steelyard.platforms import platforms


@pytest.mark.parametrize("name", sorted(platforms()))
def test_the_entry_address_carries_the_workers_own_token(name: str) -> None:
    entry_url = platforms()[name].entry_url

    assert entry_url("https://here.example", "token-a").startswith("https://here.example/")
    assert entry_url("https://here.example", "token-a") != entry_url("https://here.example", "token-b")

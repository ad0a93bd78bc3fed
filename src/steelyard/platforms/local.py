"""Plain links, handed out by the organiser: the reference platform."""

from __future__ import annotations

from steelyard.domain.plugin import Platform


def entry_url(base_url: str, token: str) -> str:
    """The address of the worker's page."""
    return f"{base_url}/w/{token}"


PLATFORM = Platform(name="local", title="Plain links", entry_url=entry_url)

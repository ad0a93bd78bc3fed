"""What an emulator must offer to be found, and what it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from steelyard.emulators.clock import EmulatorClock
from steelyard.emulators.faults import Faults

if TYPE_CHECKING:
    from starlette.types import ASGIApp


@dataclass(frozen=True, slots=True)
class EmulatorSettings:
    """How a platform is to behave. Money in cents; `fee` is a share, None: as the platform does."""

    token: str = "rehearsal"  # noqa: S105 (it opens nothing)
    """The key that clients must show."""
    balance: int = 1_000_000
    currency: str | None = None
    fee: float | None = None
    """What the platform takes of each payment."""
    seed: int = 0
    faults: Faults = field(default_factory=Faults)
    clock: EmulatorClock = field(default_factory=EmulatorClock)


@dataclass(frozen=True, slots=True)
class Emulator:
    """A platform that can be emulated."""

    name: str
    title: str
    currency: str
    """What accounts there are usually kept in."""
    create_app: Callable[[EmulatorSettings], ASGIApp]
    environment: Mapping[str, str]
    """Variables by which our commands find it, with {url} and {token} for those of this emulator."""

"""Quality control: each module is one check that finds out which workers' judgements can be trusted."""

from __future__ import annotations

import sys
from collections.abc import Collection
from functools import cache

from steelyard.domain.judgement import FRAME_NAMES, FrameName
from steelyard.domain.options import Option, merged
from steelyard.domain.plugin import Check
from steelyard.registry import discover


@cache
def checks() -> dict[str, Check]:
    """Every registered check by the name people type."""
    return discover(sys.modules[__name__], "CHECK")


def checks_of(frame: FrameName) -> dict[str, Check]:
    """The checks that read this frame, by name."""
    return {name: check for name, check in checks().items() if check.reads == frame}


def usual_check(gives: Collection[FrameName]) -> str:
    """The check for judgements of these frames where none is asked for: that of ratings if there are any."""
    usual = {check.reads: name for name, check in checks().items() if check.is_usual}
    return next(
        (usual[frame] for frame in FRAME_NAMES if frame in gives and frame in usual), usual["ratings"]
    )


def check_options() -> list[Option]:
    """The options that not every check has."""
    return merged([check.options for check in checks().values()])


def checks_with(option: str) -> list[str]:
    """The checks that have an option of this name."""
    return [name for name, check in checks().items() if option in {found.name for found in check.options}]

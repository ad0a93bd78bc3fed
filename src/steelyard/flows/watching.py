"""Progress of long work: a flow reports its steps, its caller shows them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

# Shows how far a step is: given its name and length, a function to call with each advance.
Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]


def unseen(_step: str, _length: int) -> AbstractContextManager[Callable[[int], None]]:
    """Progress that is not shown."""
    return nullcontext(lambda _: None)

"""Progress in a notebook: a line that says how far long work is, gone when the work is done."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from time import monotonic
from typing import Any

# Seconds before anything is shown, and between two looks [our choice].
PATIENCE, STEP = 2.0, 0.5


@contextmanager
def shown_progress(label: str, length: int = 0) -> Iterator[Callable[[int], None]]:
    """Say in a notebook how far some work is, once it takes longer than two seconds; elsewhere nothing.

    Gives a function to call with each step's size. Work without a `length` is shown with its seconds alone.
    """
    show = _notebook_line()
    if show is None:
        yield lambda _: None
        return
    done, is_over, start = 0, threading.Event(), monotonic()

    def advance(steps: int) -> None:
        nonlocal done
        done += steps

    def look() -> None:
        line = None
        while not is_over.wait(STEP if line is not None else PATIENCE):
            line = show(line, progress_line(label, done, length, seconds=monotonic() - start))
        if line is not None:
            show(line, "")

    watcher = threading.Thread(target=look, daemon=True)
    # Notebooks that run in the browser have no threads, and no progress.
    with suppress(RuntimeError):
        watcher.start()
    try:
        yield advance
    finally:
        is_over.set()
        if watcher.ident is not None:
            watcher.join()


def progress_line(label: str, done: int, length: int, *, seconds: float) -> str:
    """How far the work is, in one line.

    >>> progress_line("Trying methods", 30, 120, seconds=8.3)
    'Trying methods: 25 % after 8 s'
    >>> progress_line("Analysing", 0, 0, seconds=8.3)
    'Analysing: 8 s'
    """
    if length < 1:
        return f"{label}: {seconds:.0f} s"
    return f"{label}: {100 * min(done, length) // length} % after {seconds:.0f} s"


def _notebook_line() -> Callable[[Any, str], Any] | None:
    """Writes a line below the cell of a notebook, or over the one it wrote before; None elsewhere."""
    # Whoever runs in a notebook has imported IPython already.
    known = sys.modules.get("IPython")
    shell = known.get_ipython() if known is not None else None
    if not hasattr(shell, "kernel"):
        return None
    display = import_module("IPython.display").display

    def show(line: Any, text: str) -> Any:
        bundle = {"text/plain": text}
        if line is None:
            return display(bundle, raw=True, display_id=True)
        line.update(bundle, raw=True)
        return line

    return show

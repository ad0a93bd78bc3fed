"""Small pieces of the sentences that we print."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """A number with its noun, in the plural where it is due.

    >>> counted(1, "worker"), counted(1200, "worker")
    ('1 worker', '1,200 workers')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"

"""What somebody who typed a name that does not exist probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

# Our choice: one slip in a short name passes, and names that only share their first word do not.
_LEAST_LIKENESS = 0.72


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is nearly this one; None if there is none.

    Capitals, and underscores for dashes, make no difference.

    >>> nearest("mean_z", ["mean-rating", "mean-z"]), nearest("Worker_Model", ["worker-model"])
    ('mean-z', 'worker-model')
    >>> nearest("exclude-worker", ["exclude-hits"]), nearest("anlyse", ["close", "analyse"])
    (None, 'analyse')
    """
    by_plain = {_plain(each): each for each in known}
    close = get_close_matches(_plain(name), by_plain, n=1, cutoff=_LEAST_LIKENESS)
    return by_plain[close[0]] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question to put before the list of known names, with a space after it; empty if none is near.

    >>> did_you_mean("mean_z", ["mean-z"]), did_you_mean("mode", ["mean-z"])
    ("Did you mean 'mean-z'? ", '')
    """
    near = nearest(name, known)
    return "" if near is None else f"Did you mean {near!r}? "


def no_such(noun: str, name: str, known: Iterable[str], *, within: str = "", use: str = "Use one of") -> str:
    """The sentences for a name that does not exist: the nearest that does, and all that do.

    >>> no_such("method", "mean_z", ["mean-rating", "mean-z"])
    "There is no method 'mean_z'. Did you mean 'mean-z'? Use one of: mean-rating, mean-z."
    """
    names, name = list(known), name if isinstance(name, str) else str(name)
    place = f" in {within}" if within else ""
    return f"There is no {noun} {name!r}{place}. {did_you_mean(name, names)}{use}: {', '.join(names)}."


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "-")

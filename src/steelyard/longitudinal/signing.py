"""What the signature of a comparison of years says, the same wherever it is shown."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.domain.cells import CellSystems


def years_line(pairs: Sequence[str], cells: CellSystems, *, metrics: Sequence[str] = ()) -> str:
    """What is peculiar to a study, as the line below the signatures of its sources' analyses.

    Cells are means over all judgements, whatever unit an analysis averages, and stars are not corrected for
    each other.

    >>> years_line(["de-en"], (("curr_old", ("A", "B")),))
    'study:longitudinal|pairs:de-en|cells:curr_old=A+B|unit:flat|correction:none'
    """
    parts = {
        "study": "longitudinal",
        "pairs": ",".join(pairs),
        "cells": ",".join(f"{cell}={'+'.join(names)}" for cell, names in cells),
        "metrics": ",".join(metrics),
        "unit": "flat",
        "correction": "none",
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items() if value)

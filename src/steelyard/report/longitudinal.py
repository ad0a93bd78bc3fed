"""A comparison of years for the terminal and for scripts."""

from __future__ import annotations

import json
from dataclasses import replace

from steelyard.exhibits.tables.longitudinal import longitudinal_table
from steelyard.longitudinal.study import Longitudinal
from steelyard.report import tables
from steelyard.report.characters import printable
from steelyard.report.plain import records


def to_text(found: Longitudinal) -> str:
    """The table of cells, Delta and gain, the conclusion, warnings and signatures."""
    # Warnings come after the conclusion, not among the notes.
    table = longitudinal_table(replace(found, warnings=()), title=found.title)
    warnings = [f"Warning: {printable(warning)}" for warning in found.warnings]
    ending = ["", *warnings] if warnings else []
    signatures = map(printable, found.signature.split("\n"))
    return "\n".join([tables.to_text(table), "", printable(found.conclusion), *ending, "", *signatures])


def to_json(found: Longitudinal) -> str:
    """The comparison as an indented JSON document: null for what is unknown, nothing rounded."""
    document = {
        "signature": found.signature,
        "title": found.title,
        "old": found.old,
        "new": found.new,
        "cells": {cell: list(names) for cell, names in found.settings.cells} or None,
        "draws": found.settings.draws,
        "level": found.settings.level,
        "rows": records(found.rows),
        "conclusion": found.conclusion,
        "warnings": list(found.warnings),
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

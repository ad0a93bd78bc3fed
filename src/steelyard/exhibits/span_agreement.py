"""How far workers agree about errors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.agreement.spans import DRAWS, SPAN_MEASURES, SpanAgreement, span_agreement
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Column, Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit, ReportPlace
from steelyard.exhibits._sources import table_of
from steelyard.frames import texts_frame


def found_agreement(source: Evidence, options: ExhibitOptions) -> SpanAgreement:
    """Agreement of the workers kept; NotEnoughData if no two of them judged the same translation."""
    texts = texts_frame() if source.texts is None else source.texts
    level = source.analysis.settings.method_settings.level
    found = span_agreement(source.kept_spans, texts, level=level, rng=np.random.default_rng(options.seed))
    if found.overall.is_empty():
        raise NotEnoughData("No two workers marked errors in the same translation, so nothing agrees.")
    return found


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Agreement between workers about where errors are, how severe and how many, beside chance.

    F in characters and mark by mark [Perrella2026]: see `agreement.spans` for what is counted. Of regular
    items and repeats, by workers whose judgements were kept. F cannot be compared between campaigns whose
    texts have more or fewer errors; its distance from chance says more. Where two workers alone judged
    something in common there are no intervals.
    """
    source = evidence[0]
    found = found_agreement(source, options)
    level = f"{100 * source.analysis.settings.method_settings.level:g}\N{NO-BREAK SPACE}%"
    columns = [
        Column("measure", "Agreement on", words=tuple(SPAN_MEASURES.items())),
        Column("n_pairs", "Pairs"),
        Column("n_workers", "Workers"),
        Column("value", "Value", 3),
        Column("lower", f"{level} from", 3),
        Column("upper", "to", 3),
        Column("chance_moved", "Other places", 3, group="By chance"),
        Column("chance_other", "Other texts", 3, group="By chance"),
    ]
    notes = [
        "Pairs are of judgements of one translation by two workers. Intervals are for other workers and "
        "other documents.",
        f"By chance: one worker's marks at random places of the same texts, or in other texts of theirs "
        f"({DRAWS} draws); of severities, what their shares give.",
    ]
    if not found.overall["chance_moved"].drop_nulls().len():
        columns = [column for column in columns if column.name != "chance_moved"]
    return table_of(TABLE, evidence, columns, found.overall, notes=notes)


TABLE = Exhibit(
    name="span-agreement",
    title="Agreement on marked errors",
    cite=("Perrella2026",),
    make=make,
    of_spans=True,
    report=ReportPlace(112, "agreement"),
)

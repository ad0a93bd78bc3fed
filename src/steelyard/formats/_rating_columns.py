"""Rows of ratings: columns under our names become the ratings frame, or a list of problems."""

from __future__ import annotations

import polars as pl

from steelyard.domain.scale import Scale
from steelyard.domain.work import SCORED_KINDS, ItemKind
from steelyard.formats._column_reader import MOST_TOLD, ColumnReader
from steelyard.formats._judgement_columns import ONE_SYSTEM, shown
from steelyard.frames import ratings_frame

# What all rows of one judgement agree in, whichever systems they credit: our column, its name in a file.
_OF_A_JUDGEMENT = {
    "worker_id": "worker",
    "hit_id": "hit",
    "segment_id": "segment",
    "item_kind": "kind",
    "rating": "rating",
}
_TRANSLATION = ("system_id", "segment_id", "attribute")
# Kinds of items that show a translation as it is.
_KINDS = [str(kind) for kind in (*SCORED_KINDS, ItemKind.GOLD)]


def read_ratings(
    reader: ColumnReader, *, scale: Scale, gold_scale: Scale | None = None
) -> pl.DataFrame | None:
    """The ratings frame of a table, or None if there were problems."""
    rating = reader.number("rating", required=True)
    outside = (rating < scale.minimum) | (rating > scale.maximum)
    limits = f"{scale.minimum:g} to {scale.maximum:g}"
    reader.refuse("rating", outside, f"is outside the scale {limits} (for another: {{scale=MIN,MAX}})")
    columns = {**reader.judged(), "system_id": _system(reader), "rating": rating}
    columns |= _known(reader, columns["item_kind"], scale=scale, gold_scale=gold_scale)
    if not reader.problems:
        frame = pl.DataFrame(columns)
        _refuse_contradictions(reader, frame)
        _refuse_two_golds(reader, frame)
    if reader.problems:
        return None
    reader.take_hit_times(frame)
    return ratings_frame(frame)


def _system(reader: ColumnReader) -> pl.Series:
    if not reader.has("system"):
        return pl.repeat(ONE_SYSTEM, len(reader.table), eager=True)
    return reader.text("system", required=True)


def _refuse_contradictions(reader: ColumnReader, frame: pl.DataFrame) -> None:
    """Rows that share an id are one judgement credited to several systems, and must look like it."""
    ids = frame["judgement_id"]
    if not ids.count() or ids.drop_nulls().n_unique() == ids.count():
        return
    keys = ["judgement_id", "attribute"]
    shared = frame.with_row_index("row").filter(
        pl.col("judgement_id").is_not_null() & pl.struct(keys).is_duplicated()
    )
    differing = shared.select(
        "row",
        "judgement_id",
        "system_id",
        *(pl.col(name) != pl.col(name).first().over(keys) for name in _OF_A_JUDGEMENT),
        again=pl.struct(*keys, "system_id").is_first_distinct().not_(),
    ).filter(pl.any_horizontal(*_OF_A_JUDGEMENT, "again"))
    reader.n_untold += max(len(differing) - MOST_TOLD, 0)
    advice = "rows that share an id are one judgement credited to several systems"
    for found in differing.head(MOST_TOLD).iter_rows(named=True):
        others = [name for column, name in _OF_A_JUDGEMENT.items() if found[column]]
        text = f"judgement_id {shown(found['judgement_id'])}"
        if others:
            said = " and another ".join(others)
            reader.problems.append((found["row"], f"{text} has another {said} than above; {advice}"))
        else:
            twice = f"{text} appears twice for system {shown(found['system_id'])}; {advice}"
            reader.problems.append((found["row"], twice))


def _refuse_two_golds(reader: ColumnReader, frame: pl.DataFrame) -> None:
    """A translation has one known rating, regardless of its judge."""
    if not frame["known"].count():
        return
    found = _contradictions(frame)
    reader.n_untold += max(len(found) - MOST_TOLD, 0)
    for row, first, translation in found.head(MOST_TOLD).iter_rows():
        known, above = (shown(str(reader.table["known"][place])) for place in (row, first))
        text = f"known {known} differs from {above} above, for the same translation ({shown(translation)})"
        reader.problems.append((row, f"{text}; give one known rating each"))


def _known(
    reader: ColumnReader, kind: pl.Series, *, scale: Scale, gold_scale: Scale | None
) -> dict[str, pl.Series]:
    """What is known of items and its deviation: gold on the scale of the ratings, the rest as it is.

    Texts of an earlier campaign have scores in its units, which need not be on any scale.
    """
    known, deviation = reader.number("known"), reader.not_negative("known_sd")
    is_gold = kind != str(ItemKind.CALIBRATION)
    given = gold_scale or scale
    outside = is_gold & ((known < given.minimum) | (known > given.maximum))
    limits = f"{'gold ' if gold_scale else ''}scale {given.minimum:g} to {given.maximum:g}"
    advice = "" if gold_scale else " (of an expert on another: {gold_scale=MIN,MAX})"
    reader.refuse("known", outside, f"is outside the {limits}{advice}")
    if gold_scale is None:
        return {"known": known, "known_sd": deviation}
    if not known.count():
        reader.warnings.append("No item has a known rating, so the gold scale was not used.")
    stretched = deviation * (scale.width / gold_scale.width)
    return {
        "known": _on_scale(known, is_gold, gold_scale=gold_scale, scale=scale),
        "known_sd": stretched.zip_with(is_gold, deviation),
    }


def _on_scale(known: pl.Series, is_gold: pl.Series, *, gold_scale: Scale, scale: Scale) -> pl.Series:
    """The gold ratings of one scale as ratings of another, end to end; whatever is not gold stays."""
    moved = (known - gold_scale.minimum) * scale.width / gold_scale.width + scale.minimum
    return moved.clip(scale.minimum, scale.maximum).zip_with(is_gold, known).alias(known.name)


def _contradictions(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows whose known rating is another than that of the same translation before: row, first, translation.

    `first` is the first row of the translation, `translation` its name for people.
    """
    known = frame.select(*_TRANSLATION, "known", "item_kind").with_row_index("row")
    gold = known.filter(pl.col("known").is_not_null() & pl.col("item_kind").is_in(_KINDS))
    # Most files have no contradiction: comparing hashes of translations is faster than comparing names.
    code = pl.struct(_TRANSLATION).hash()
    spread = gold.group_by(code.alias("code")).agg(differs=pl.col("known").min() != pl.col("known").max())
    if not spread["differs"].any():
        gold = gold.clear()
    found = gold.with_columns(
        first=pl.col("row").first().over(_TRANSLATION), above=pl.col("known").first().over(_TRANSLATION)
    ).filter(pl.col("known") != pl.col("above"))
    attribute = (
        pl.when(pl.col("attribute") != "").then(pl.format(" in {}", "attribute")).otherwise(pl.lit(""))
    )
    named = pl.format("system {}, segment {}{}", "system_id", "segment_id", attribute)
    return found.select("row", "first", translation=named)

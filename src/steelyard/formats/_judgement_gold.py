"""Known ratings in a judgements file: on the scale of the ratings, and one for each translation."""

from __future__ import annotations

import polars as pl

from steelyard.domain.scale import Scale
from steelyard.domain.work import SCORED_KINDS, ItemKind

_TRANSLATION = ("system_id", "segment_id", "attribute")
# Kinds of items that show a translation as it is.
_KINDS = [str(kind) for kind in (*SCORED_KINDS, ItemKind.GOLD)]


def on_scale(known: pl.Series, is_gold: pl.Series, *, gold_scale: Scale, scale: Scale) -> pl.Series:
    """The gold ratings of one scale as ratings of another, end to end; whatever is not gold stays."""
    moved = (known - gold_scale.minimum) * scale.width / gold_scale.width + scale.minimum
    return moved.clip(scale.minimum, scale.maximum).zip_with(is_gold, known).alias(known.name)


def contradictions(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows whose known rating is another than that of the same translation before: row, first, translation.

    `first` is the first row of the translation, `translation` its name for people.
    """
    told = frame.select(*_TRANSLATION, "known", "item_kind").with_row_index("row")
    gold = told.filter(pl.col("known").is_not_null() & pl.col("item_kind").is_in(_KINDS))
    # Most files have no two: a number for each translation tells so faster than their names.
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

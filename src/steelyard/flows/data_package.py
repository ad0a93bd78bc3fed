"""The data of a publication: judgements under pseudonyms and scores, as Parquet that anybody can analyse."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from steelyard.domain.exhibit import Evidence
from steelyard.domain.judgement import FrameName
from steelyard.domain.result import Analysis
from steelyard.domain.text import Segment
from steelyard.flows.campaign_texts import CampaignTexts
from steelyard.flows.export import RowMarks, with_marks
from steelyard.flows.source import Source
from steelyard.formats.judgements_writing import columns_with_cells, neighbour, written_table
from steelyard.formats.table_file import write_table

# What the tables hold, by the names of their files.
CONTENTS = {
    "judgements": "one row for each rating of a translation, controls included",
    "preferences": "one row for each pair of translations that a worker compared, controls included",
    "spans": "one row for each error that a worker marked; a translation without errors has one row, without "
    "a severity",
    "hits": "one row for each worker's HIT: how long it took, and whether it was rejected",
    "system_scores": "the ranking: score, interval, rank and cluster of each system",
    "segment_scores": "the score of each system's translation of each segment",
    "texts": "source, reference and translations of each segment",
}
_SYSTEM_COLUMNS = {"system_id": "system"}
_SEGMENT_COLUMNS = {"system_id": "system", "segment_id": "segment"}


@dataclass(frozen=True, slots=True)
class DataFile:
    """A table of the package: what it holds, where it lies, how many rows it has, its columns."""

    content: str
    path: Path
    n_rows: int
    columns: tuple[str, ...]


def write_data(
    folder: Path, source: Source, evidence: Evidence, texts: CampaignTexts | None
) -> list[DataFile]:
    """Write the tables of a source whose people have pseudonyms; the first is the one to analyse.

    `texts`: those of the campaign; None: they are not published.
    """
    names = published_frames(source)
    first = folder / f"{'judgements' if names[0] == 'ratings' else names[0]}.parquet"
    marks = RowMarks(source.exclusions, source.simulated, source.joined)
    written = []
    for name in names:
        path = first if name == names[0] else neighbour(first, name)
        frame = with_marks(source.of(name), name, marks).with_columns(filler=pl.col("is_filler"))
        if name == "spans" and len(source.texts):
            frame = _with_texts(frame, source.texts)
        table = written_table(frame, name)
        # When people worked is nobody's business.
        wanted = columns_with_cells(table, name) - {"submitted_at"}
        write_table(table.select(each for each in table.columns if each in wanted), path)
        written.append(_data_file("judgements" if name == "ratings" else name, path))
    if len(source.hit_times):
        written.append(_write("hits", _hits(source.hit_times), folder))
    written.append(_write("system_scores", _systems(evidence.analysis), folder))
    segments = evidence.analysis.segments.rename(_SEGMENT_COLUMNS)
    written.append(_write("segment_scores", segments, folder))
    if texts is not None:
        written.append(_write("texts", _texts(texts), folder))
    return written


def published_frames(source: Source) -> list[FrameName]:
    """The frames to write, the one that a reader analyses first: ratings made of errors come from these."""
    given = [name for name in source.gives if name != "ratings" or source.weights is None]
    return given or ["ratings"]


def _systems(analysis: Analysis) -> pl.DataFrame:
    tables = [analysis.systems.with_columns(attribute=pl.lit("", pl.String))] + [
        found.systems.with_columns(attribute=pl.lit(found.attribute)) for found in analysis.attributes
    ]
    whole = pl.concat(tables).rename(_SYSTEM_COLUMNS)
    return whole if analysis.attributes else whole.drop("attribute")


def _hits(times: pl.DataFrame) -> pl.DataFrame:
    rejected = pl.when("is_rejected").then(pl.lit("Rejected")).otherwise(pl.lit("Submitted"))
    return times.select(
        pl.col("worker_id").alias("worker"), pl.col("hit_id").alias("hit"), "work_seconds", approval=rejected
    )


def _with_texts(frame: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    keys = ["system_id", "segment_id", "item_kind", "side"]
    known = texts.unique(keys, keep="first", maintain_order=True)
    return frame.join(known, on=keys, how="left", maintain_order="left")


def _texts(found: CampaignTexts) -> pl.DataFrame:
    rows = [
        (segment.document_id, segment.segment_id, "", role, text)
        for segment in found.segments
        for role, text in _of_segment(segment)
        if text
    ] + [
        (segment.document_id, segment.segment_id, system, "translation", text)
        for system, translations in found.translations.items()
        for segment, text in zip(found.segments, translations, strict=True)
        if text is not None
    ]
    return pl.DataFrame(
        rows, schema=["document", "segment", "system", "role", "text"], orient="row", infer_schema_length=None
    )


def _of_segment(segment: Segment) -> list[tuple[str, str]]:
    return [("source", segment.source), ("reference", segment.reference)]


def _write(name: str, table: pl.DataFrame, folder: Path) -> DataFile:
    path = folder / f"{name}.parquet"
    write_table(table, path)
    return _data_file(name, path)


def _data_file(content: str, path: Path) -> DataFile:
    schema = pl.read_parquet_schema(path)
    n_rows = pl.scan_parquet(path).select(pl.len()).collect().item()
    return DataFile(content, path, n_rows, tuple(schema))

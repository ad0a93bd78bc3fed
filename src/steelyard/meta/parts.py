"""Scores of documents instead of segments, and the scores of one domain or document alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from steelyard.domain.errors import NotEnoughData
from steelyard.meta.compared import ComparedScores, Opinion, row_means
from steelyard.meta.settings import Part
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray


def by_document(compared: ComparedScores) -> ComparedScores:
    """The same with every document in place of its segments: its score is the mean of those people judged.

    A metric has no score of a document if it lacks one of a segment there that people judged: the mean
    of the others would be of other texts than people's.
    """
    documents, domains = names_of(compared, "document"), compared.domains
    names, first, place = np.unique(np.array(documents, dtype=object), return_index=True, return_inverse=True)
    judged = compared.people.segments
    if judged is None:
        raise NotEnoughData(
            f"{compared.people.name} has no scores of segments, so documents have none either."
        )
    is_judged = ~np.isnan(judged)
    return replace(
        compared,
        people=_averaged(compared.people, is_judged, place, len(names)),
        metrics=tuple(_averaged(metric, is_judged, place, len(names)) for metric in compared.metrics),
        n_segments=len(names),
        documents=tuple(names.tolist()),
        domains=None if domains is None else tuple(domains[index] for index in first.tolist()),
    )


def _averaged(opinion: Opinion, is_judged: BoolArray, place: IntArray, n_documents: int) -> Opinion:
    """Means over the judged segments of each document. Shape of segments: (S, documents)."""
    if opinion.segments is None:
        return opinion
    total, number = np.zeros((2, len(is_judged), n_documents))
    # A score that is absent makes the whole sum NaN, as it should.
    values = np.where(is_judged, opinion.segments, 0.0)
    np.add.at(total.T, place, values.T)
    np.add.at(number.T, place, is_judged.T.astype(np.float64))
    means = np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)
    return replace(opinion, segments=means)


def parts(compared: ComparedScores, by: Part) -> list[tuple[str, ComparedScores]]:
    """The scores of every domain or document alone, in order of their first segments.

    A system's score is then the mean of its segments there: what a whole system got says nothing of a part.
    """
    names = names_of(compared, by)
    found = []
    for name in dict.fromkeys(names):
        chosen = np.array([other == name for other in names], dtype=np.bool_)
        found.append((name, _only(compared, chosen)))
    return found


def _only(compared: ComparedScores, chosen: BoolArray) -> ComparedScores:
    """The chosen segments alone."""
    return replace(
        compared,
        people=_part_of(compared.people, chosen),
        metrics=tuple(_part_of(metric, chosen) for metric in compared.metrics),
        n_segments=int(np.count_nonzero(chosen)),
        documents=_some(compared.documents, chosen),
        domains=_some(compared.domains, chosen),
    )


def _part_of(opinion: Opinion, chosen: BoolArray) -> Opinion:
    if opinion.segments is None:
        return replace(opinion, overall=np.full(len(opinion.overall), np.nan), is_mean=True)
    segments: FloatArray = opinion.segments[:, chosen]
    return replace(opinion, segments=segments, overall=row_means(segments), is_mean=True)


def _some(names: Sequence[str] | None, chosen: BoolArray) -> tuple[str, ...] | None:
    if names is None:
        return None
    return tuple(name for name, is_chosen in zip(names, chosen.tolist(), strict=True) if is_chosen)


def names_of(compared: ComparedScores, part: Part) -> tuple[str, ...]:
    """The document or domain of each segment; refused where they are not known."""
    names = compared.domains if part == "domain" else compared.documents
    if names is None:
        raise NotEnoughData(
            f"{compared.pair}: which segment is of which {part} is not known: a file {compared.pair}.docs "
            "must have a line for each, with its domain and its document."
        )
    return names

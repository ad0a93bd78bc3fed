"""Sources of marked errors and of documents with domains, made ready for analysis."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from steelyard.domain.errors import ChoiceError, SourceError
from steelyard.domain.judgement import FRAME_NAMES
from steelyard.domain.nearest import no_such
from steelyard.domain.span_weights import SEVERITIES, USUAL_WEIGHTS, WEIGHTS, unweighed
from steelyard.domain.wording import Note, counted, listed
from steelyard.frames import gather_credit
from steelyard.span_ratings import span_ratings, span_scale

if TYPE_CHECKING:
    from steelyard.flows.source import Source

# How the note on ratings that nobody gave begins.
_MADE_OF_ERRORS = "Ratings are minus the weights of the errors that workers marked"
_COSTS_NOTHING = "Errors of an unknown severity cost nothing"


def read_further(
    source: Source, *, domains: str | PathLike[str] | None = None, weights: str | None = None
) -> Source:
    """The source with the domains and the ratings that a caller asks for; None was not asked for."""
    if domains is not None:
        source = with_domains(source, Path(domains))
    return source if weights is None else with_weights(source, weights)


def with_ratings(source: Source) -> Source:
    """The source as it is, or where it has nothing but marked errors, with ratings by the usual weights."""
    return with_weights(source, USUAL_WEIGHTS) if source.gives == ("spans",) else source


def with_weights(source: Source, name: str) -> Source:
    """The source with ratings that come from its marked errors, by the weights of this name.

    ChoiceError if there are no such weights, or no errors.
    """
    if name not in WEIGHTS:
        raise ChoiceError(no_such("weights", name, WEIGHTS))
    if source.spans.is_empty():
        raise ChoiceError(
            "{weights} makes ratings of marked errors, and these judgements have none: leave it out."
        )
    ratings = gather_credit(span_ratings(source.spans, WEIGHTS[name]))
    note = Note(f"{_MADE_OF_ERRORS} ({name}: {WEIGHTS[name].title}).")
    own = (_MADE_OF_ERRORS, _COSTS_NOTHING)
    others = (warning for warning in source.warnings if not warning.startswith(own))
    return replace(
        source,
        frame=ratings,
        scale=span_scale(ratings),
        # What is known of items is on the scale of ratings that people gave.
        gold_scale=None,
        weights=name,
        warnings=(*others, *_costless(source.spans), note),
    )


def _costless(spans: pl.DataFrame) -> list[str]:
    """A warning of severities that no weights know; none where there are none."""
    said = spans["severity"].drop_nulls().cast(pl.String)
    unknown = unweighed(said.unique().sort())
    if not unknown:
        return []
    n = int(said.is_in(unknown).sum())
    return [
        f"{_COSTS_NOTHING}: {counted(n, 'error')} with the severity {' or '.join(unknown)}. Weights know "
        f"{', '.join(SEVERITIES)}."
    ]


def with_domains(source: Source, path: Path) -> Source:
    """The source with the domains that a file gives its documents, whatever it had before.

    SourceError if the file does not know all of them.
    """
    from steelyard.formats.domains_file import read_domains

    domains = read_domains(path)
    documents = pl.concat([source.of(name)["document_id"].unique() for name in FRAME_NAMES]).unique()
    unknown = sorted(documents.drop_nulls().filter(~documents.drop_nulls().is_in(list(domains))))
    if unknown:
        said = f"{counted(len(unknown), 'document')} of the judgements {'is' if len(unknown) == 1 else 'are'}"
        raise SourceError(str(path), [f"{said} not in it: {listed(unknown, most=5)}."])
    if documents.drop_nulls().is_empty():
        raise SourceError(str(path), ["the judgements name no documents, so they have no domains either."])
    domain = pl.col("document_id").replace_strict(domains, default=None, return_dtype=pl.String)
    ratings, preferences, spans = (
        source.of(name).with_columns(domain.alias("domain")) for name in FRAME_NAMES
    )
    return replace(source, frame=ratings, preferences=preferences, spans=spans)

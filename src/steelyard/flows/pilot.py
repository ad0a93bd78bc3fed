"""What a pilot says about how ratings will vary: the variance components of its standardised ratings."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from steelyard.documents import documents_of
from steelyard.domain.errors import ChoiceError, NotEnoughData
from steelyard.domain.result import NO_CHECK
from steelyard.domain.wording import counted
from steelyard.domain.work import SCORED_KINDS, ItemKind
from steelyard.flows.kept import keep_good, require_frame
from steelyard.flows.settings import settings_from
from steelyard.flows.source import Source
from steelyard.frames import index_of, standardise_ratings
from steelyard.stats.components import LabelledRatings, VarianceComponents, variance_components

# From fewer workers or documents than this, what they have in common is hardly known [our choice].
_FEW = 20


@dataclass(frozen=True, slots=True)
class Pilot:
    """Variance components of a pilot, and what they rest on.

    A document has `document_length` segments, of which `together` were judged by one worker; both are 1
    where no documents are known. `unevenness`: the deviation of documents' lengths divided by their mean.
    """

    components: VarianceComponents
    n_ratings: int
    n_workers: int
    n_systems: int
    n_documents: int
    has_documents: bool
    document_length: float
    together: float
    unevenness: float

    @property
    def basis(self) -> str:
        """What the components rest on, in words."""
        return (
            f"{counted(self.n_ratings, 'rating')} of {counted(self.n_systems, 'system')} by "
            f"{counted(self.n_workers, 'worker')} on {counted(self.n_documents, self._unit)}"
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why the components may be wrong."""
        sizes = (self.n_workers, "worker"), (self.n_documents, self._unit)
        few = [counted(number, noun) for number, noun in sizes if number < _FEW]
        found = []
        if few:
            found.append(f"The pilot has only {' and '.join(few)}: what it says about power is rough.")
        if not self.has_documents:
            found.append(
                "The pilot names no documents: each of its segments counts as one. If they belong together, "
                "the plan promises too much."
            )
        return tuple(found)

    @property
    def _unit(self) -> str:
        return "document" if self.has_documents else "segment"


def pilot_of(source: Source, *, check: str | None = None) -> Pilot:
    """The components of the ratings that an analysis of the source would keep, standardised as it would.

    The source's own `check` is used unless another is named; everyone is kept where there are no controls.
    Repeats are left out; the mean counts where ratings are of several attributes. ChoiceError where there is
    nothing to compare: one system, or one worker.
    """
    require_frame(source, "ratings")
    has_controls = bool(len(set(source.frame["item_kind"].unique()) - set(map(str, SCORED_KINDS))))
    settings = settings_from(source, method="mean-z", check=check if has_controls else NO_CHECK)
    try:
        kept = keep_good(source, settings, reads="ratings").quality.kept
    except NotEnoughData:
        raise ChoiceError(
            "{pilot} has no worker who passes its check, so it cannot say how ratings that are kept vary. "
            "Plan without {pilot}, or wait until more are judged."
        ) from None
    z = standardise_ratings(kept, settings.method_settings).z
    rows = kept.with_columns(pl.Series("z", z).fill_nan(None)).filter(
        pl.col("z").is_not_null() & (pl.col("item_kind").cast(pl.String) == str(ItemKind.REGULAR))
    )
    documents = documents_of(rows) if len(rows) else None
    n_systems, n_workers = rows["system_id"].n_unique(), rows["worker_id"].n_unique()
    problems = [
        f"{{pilot}} has standardised ratings {what} only, so it cannot say {unknown}."
        for number, what, unknown in (
            (n_systems, f"of {n_systems} system", "how much differences between systems vary"),
            (n_workers, f"by {n_workers} worker", "how much workers differ"),
        )
        if number < 2
    ]
    if problems or documents is None:
        raise ChoiceError("\n".join([*problems, "Plan without {pilot}, or give a larger one."]))
    judged = (
        rows.with_columns(pl.Series("document", documents.number))
        .group_by("worker_id", "system_id", "segment_id", maintain_order=True)
        .agg(pl.col("z").mean(), pl.col("document").first())
    )
    segments, segment = index_of(judged["segment_id"])
    _, worker = index_of(judged["worker_id"])
    _, system = index_of(judged["system_id"])
    document = judged["document"].to_numpy()
    lengths = judged.group_by("document").agg(pl.col("segment_id").n_unique())["segment_id"].to_numpy()
    n_documents = len(lengths)
    n_cells = judged.select(pl.struct("worker_id", "system_id", "document").n_unique()).item()
    return Pilot(
        components=variance_components(
            LabelledRatings(judged["z"].to_numpy(), worker, system, document, segment)
        ),
        n_ratings=len(judged),
        n_workers=n_workers,
        n_systems=n_systems,
        n_documents=n_documents,
        has_documents=documents.known,
        document_length=len(segments) / n_documents,
        together=len(judged) / n_cells,
        unevenness=float(lengths.std() / lengths.mean()),
    )

"""What a study of replication draws from: every worker's opinion of every item, raw and standardised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from steelyard.documents import segment_documents
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import MethodSettings
from steelyard.domain.wording import counted
from steelyard.evaluation.judged import Judged, judged
from steelyard.evaluation.replication.settings import LEAST_ITEMS
from steelyard.frames import index_of, standardise_ratings
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray

# Of more opinions than this, those of some items drawn at random are taken: their error is small by then,
# and two hundred draws take some ten seconds [our choice].
MOST_OPINIONS = 100_000
# Opinions that are to so large a part the same in both were given twice by mistake [our choice].
_SAME_SHARE = 0.8
# How many items are named in a warning.
_NAMED = 5
_ITEM = ["system_id", "segment_id"]


@dataclass(frozen=True)
class Collection:
    """The good ratings of one collection, controls among them, and how they are standardised."""

    title: str
    frame: pl.DataFrame
    settings: MethodSettings


@dataclass(frozen=True)
class Opinions:
    """At most one opinion of each worker on each item, sorted by item.

    A worker's ratings of an item, in all attributes and repeats included, are averaged first: a repeat is
    no second opinion. `values` (2, n): shares of the scale, and z. `items`: system_id, segment_id of
    each number. `document`: that of each item, numbered. `workers`: the name of each number.
    """

    title: str
    values: FloatArray
    item: IntArray
    worker: IntArray
    items: pl.DataFrame
    document: IntArray
    workers: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    def of_items(self, chosen: IntArray) -> Opinions:
        """The opinions on these items, in this order of theirs, which becomes their number."""
        place = np.full(len(self.items), -1, dtype=np.int64)
        place[chosen] = np.arange(len(chosen))
        rows = np.flatnonzero(place[self.item] >= 0)
        rows = rows[np.argsort(place[self.item[rows]], kind="stable")]
        return replace(
            self,
            values=self.values[:, rows],
            item=place[self.item[rows]],
            worker=self.worker[rows],
            items=self.items[chosen],
            document=self.document[chosen],
        )


def opinions(collection: Collection, *, attributes: Sequence[str] | None = None) -> Opinions:
    """Every opinion of a collection, of these attributes only; NotEnoughData if there is none.

    z is over all of a worker's ratings in the collection, as its settings say. Who cannot be standardised
    is left out of both scales, so that these compare on the same ratings.
    """
    if collection.frame.is_empty():
        raise NotEnoughData(f"{_of(collection)} has no judgements that are kept, so nothing can be drawn.")
    numbered, settings = judged(collection.frame), collection.settings
    counts = numbered.is_scored.copy()
    if attributes is not None:
        wanted = numbered.frame["attribute"].cast(pl.String).is_in(list(attributes))
        counts &= wanted.to_numpy()
    if not counts.any():
        raise NotEnoughData(
            f"{_of(collection)} has no rating of a regular or repeat item, and controls do not count."
        )
    z = standardise_ratings(numbered.frame, settings).z
    has_z = np.isfinite(z)
    warnings = _unstandardised(numbered, counts & ~has_z, settings)
    counts &= has_z
    if not counts.any():
        raise NotEnoughData(
            f"{_of(collection)} has no worker with {settings.fewest_ratings} ratings that are not all the "
            "same, so none can be standardised. Wait for more judgements."
        )
    share = (numbered.rating - settings.scale.minimum) / settings.scale.width
    opinion = numbered.opinion[counts]
    n = np.bincount(opinion, minlength=len(numbered.opinion_item))
    has_any = n > 0
    values = np.stack(
        [np.bincount(opinion, value[counts], len(n))[has_any] / n[has_any] for value in (share, z)]
    )
    item, number = np.unique(numbered.opinion_item[has_any], return_inverse=True)
    items = numbered.items.sort("item").select(_ITEM)[item]
    segments, segment = index_of(items["segment_id"])
    return Opinions(
        title=collection.title,
        values=values,
        item=number.astype(np.int64),
        worker=numbered.opinion_worker[has_any],
        items=items,
        document=segment_documents(numbered.frame, segments).number[segment],
        workers=tuple(index_of(numbered.frame["worker_id"])[0]),
        warnings=warnings,
    )


def matched(first: Collection, second: Collection) -> tuple[Opinions, Opinions, tuple[str, ...]]:
    """Two collections' opinions of the items that are in both, equally numbered, and warnings.

    NotEnoughData if they have too few items, or no attribute, in common.
    """
    attributes = _common_attributes(first, second)
    one, other = opinions(first, attributes=attributes), opinions(second, attributes=attributes)
    places = one.items.with_row_index("one").join(other.items.with_row_index("other"), on=_ITEM).sort("one")
    if len(places) < LEAST_ITEMS:
        raise NotEnoughData(_too_few_in_common(one, other, len(places)))
    alone = _alone(one, other)
    one, other = (
        part.of_items(places[name].to_numpy().astype(np.int64))
        for part, name in ((one, "one"), (other, "other"))
    )
    return one, other, (*alone, *_in_both(one, other))


def affordable(parts: Sequence[Opinions], *, rng: np.random.Generator) -> tuple[list[Opinions], str]:
    """All opinions, or those of enough items drawn at random, and a sentence on them; numbers agree."""
    n_items = len(parts[0].items)
    per_item = np.bincount(np.concatenate([part.item for part in parts]), minlength=n_items)
    if int(per_item.sum()) <= MOST_OPINIONS:
        return list(parts), ""
    order = rng.permutation(n_items)
    n_taken = int(np.searchsorted(np.cumsum(per_item[order]), MOST_OPINIONS, side="right"))
    chosen = np.sort(order[: max(LEAST_ITEMS, n_taken)])
    note = (
        f"Of {n_items:,} translations {len(chosen):,} were drawn at random to keep the time short; all that "
        "is said here rests on them."
    )
    return [part.of_items(chosen) for part in parts], note


def _unstandardised(numbered: Judged, rows: BoolArray, settings: MethodSettings) -> tuple[str, ...]:
    if not rows.any():
        return ()
    n_workers = len(np.unique(numbered.worker[rows]))
    return (
        f"{counted(n_workers, 'worker')} gave fewer than {settings.fewest_ratings} ratings or always the "
        f"same one, so {counted(int(rows.sum()), 'judgement')} could not be standardised and are left out.",
    )


def _common_attributes(first: Collection, second: Collection) -> list[str] | None:
    """The attributes that both are of; None if one of the two names none, so that all are taken."""
    one, other = (set(part.frame["attribute"].unique().cast(pl.String)) for part in (first, second))
    if one <= {""} or other <= {""}:
        return None
    if not one & other:
        raise NotEnoughData(
            f"The two collections are of different attributes: {', '.join(sorted(one))} and "
            f"{', '.join(sorted(other))}. Compare ratings of the same attribute."
        )
    return sorted(one & other)


def _too_few_in_common(one: Opinions, other: Opinions, n_common: int) -> str:
    found = "no translation" if not n_common else f"only {counted(n_common, 'translation')}"
    return (
        f"The two collections have {found} in common, and {LEAST_ITEMS} at least are needed. Translations "
        "are matched by the names of system and segment, which must be the same in both: here, for instance, "
        f"{_name(one, 0)} in {one.title} and {_name(other, 0)} in {other.title}. To look at each collection "
        "alone, split its workers."
    )


def _alone(one: Opinions, other: Opinions) -> tuple[str, ...]:
    """A warning that counts and names the items of one collection only."""
    sentences = []
    for here, there in ((one, other), (other, one)):
        missing = here.items.join(there.items, on=_ITEM, how="anti", maintain_order="left")
        if not missing.is_empty():
            names = [_named(*row) for row in missing.head(_NAMED).iter_rows()]
            more = f" and {len(missing) - _NAMED:,} more" if len(missing) > _NAMED else ""
            sentences.append(
                f"{counted(len(missing), 'translation')} of {here.title} ({', '.join(names)}{more})"
            )
    if not sentences:
        return ()
    return (f"Judged in one collection only, so left out: {'; '.join(sentences)}.",)


def _in_both(one: Opinions, other: Opinions) -> tuple[str, ...]:
    """A warning if workers of the same names judged the same items in both, or even the same way."""
    place = {name: number for number, name in enumerate(one.workers)}
    n_workers = len(one.workers)
    numbers = np.array([place.get(name, -1) for name in other.workers], dtype=np.int64)[other.worker]
    named = numbers >= 0
    shared, mine, theirs = np.intersect1d(
        one.item * n_workers + one.worker,
        other.item[named] * n_workers + numbers[named],
        assume_unique=True,
        return_indices=True,
    )
    if not len(shared):
        return ()
    names = f"{counted(len(np.unique(shared % n_workers)), 'name')} of workers"
    if np.mean(one.values[0, mine] == other.values[0, named][theirs]) > _SAME_SHARE:
        return (f"Most judgements of {names} are the same in both: a collection does not replicate itself.",)
    return (
        f"{names} are in both collections, with opinions on the same translations. If these are the same "
        "people, the two are not independent and agree too well.",
    )


def _of(collection: Collection) -> str:
    return f"The collection {collection.title}"


def _name(part: Opinions, place: int) -> str:
    return _named(*part.items.row(place))


def _named(system: str, segment: str) -> str:
    return f"{system} {segment}" if system else segment

"""What the items of a Pearmut log are called here: segment, document, HIT, system and kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from steelyard.domain.wording import Note, counted
from steelyard.domain.work import ItemKind
from steelyard.formats._pearmut_lines import SubmittedDocument


@dataclass(frozen=True, slots=True)
class ItemNames:
    """The segments of a log's items. `by_text` names those that the log gives no name."""

    are_numbered: bool = False
    """Items of one document share a name, so that the number of the item is part of the segment's."""
    by_text: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def segment(self, item: Mapping[str, Any], index: int) -> str:
        """The name of an item's segment."""
        name = str(item.get("item_id") or self.by_text[_text_of(item)])
        return f"{name}:{index + 1}" if self.are_numbered else name

    def segment_and_document(self, items: Sequence[Mapping[str, Any]], index: int) -> tuple[str, str]:
        """The names of an item's segment and of its document, which is its first segment's or our own."""
        item = items[index]
        segment = str(item.get("_segment") or self.segment(item, index))
        return segment, str(item.get("_document") or self.segment(items[0], 0))

    def of_item(self, document: SubmittedDocument, index: int) -> dict[str, object]:
        """The columns that name an item: segment, document, HIT, position and our own id of it."""
        item = document.items[index]
        position = item.get("_position")
        segment, document_name = self.segment_and_document(document.items, index)
        return {
            "segment": segment,
            "document": document_name,
            "hit": str(item.get("_hit") or document.worker),
            "position": position if type(position) is int else None,
            "item_id": str(item["_item"]) if item.get("_item") else None,
        }

    def of_translation(
        self, item: Mapping[str, Any], model: str, spoiled: Mapping[str, str]
    ) -> tuple[tuple[str, ...], str]:
        """The systems that a translation is credited to, and its kind."""
        systems, kinds = item.get("_systems"), item.get("_kinds")
        own = systems.get(model) if isinstance(systems, dict) else None
        if isinstance(own, list) and own and isinstance(kinds, dict):
            return tuple(map(str, own)), str(kinds.get(model) or ItemKind.REGULAR)
        if model in spoiled:
            return (spoiled[model],), str(ItemKind.DEGRADED)
        return (model,), str(ItemKind.REGULAR)


def names_of_items(documents: Iterable[Sequence[Mapping[str, Any]]]) -> ItemNames:
    """How the items of these documents are named."""
    are_numbered, unnamed = False, dict[str, None]()
    for items in documents:
        names = [item.get("item_id") for item in items]
        are_numbered |= len({str(name) for name in names if name}) < sum(map(bool, names))
        unnamed |= dict.fromkeys(_text_of(item) for item in items if not item.get("item_id"))
    notes = []
    if unnamed:
        named = f"{counted(len(unnamed), 'segment')} without item_id"
        notes.append(Note(f"{named}: told apart by their sources and named s1, s2 and so on."))
    by_text = {text: f"s{number}" for number, text in enumerate(unnamed, start=1)}
    return ItemNames(are_numbered, by_text, tuple(notes))


def _text_of(item: Mapping[str, Any]) -> str:
    """What tells an item without a name from others: what is shown beside its translations."""
    return str(item.get("src") or item.get("ref") or "")


def base_of_spoiled(item: Mapping[str, Any]) -> dict[str, str]:
    """By model that must score lower than another, that other one, as the rules of an item say.

    >>> base_of_spoiled({"validation": {"A": [{"score_greaterthan": "B"}], "C": {"score": [70, 100]}}})
    {'B': 'A'}
    """
    rules = item.get("validation")
    found: dict[str, str] = {}
    for model, given in rules.items() if isinstance(rules, dict) else ():
        for rule in given if isinstance(given, list) else [given]:
            lower = rule.get("score_greaterthan") if isinstance(rule, dict) else None
            if isinstance(lower, str):
                found.setdefault(lower, model)
    return found

"""What Appraise calls things: kinds of items, and documents whose names say more than the document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from steelyard.domain.work import ItemKind

# Appraise exports no other types. It has none for items whose quality is known: to it they are targets.
ITEM_TYPES = {
    ItemKind.REGULAR: "TGT",
    ItemKind.REPEAT: "CHK",
    ItemKind.DEGRADED: "BAD",
    ItemKind.REFERENCE: "REF",
    ItemKind.GOLD: "TGT",
    ItemKind.CALIBRATION: "TGT",
}
KINDS_BY_TYPE = {
    "TGT": ItemKind.REGULAR,
    "CHK": ItemKind.REPEAT,
    "BAD": ItemKind.DEGRADED,
    "REF": ItemKind.REFERENCE,
}
# Campaigns mark a degraded copy of a document #bad1, one that fills up a HIT #duplicate1 (or #dup1), and one
# that was cut for that #incomplete. #chk and #ref are ours: controls of other kinds.
_MARKS = re.compile(r"(#(bad|dup|duplicate|incomplete|chk|ref)\d*)+$", re.IGNORECASE)
_FILLER = re.compile(r"#(dup|duplicate|incomplete)\d*", re.IGNORECASE)
# Documents that teach the page, before the HIT proper.
_TUTORIAL = re.compile(r"tutorial[-_.]?\d*$", re.IGNORECASE)


class DocumentName(NamedTuple):
    """A document without the marks of its copies and its system. `is_copy`: it had such marks."""

    document: str
    is_copy: bool


def document_name(name: str, system: str) -> DocumentName:
    """What a document's name says; campaigns append the system, with or without its test set.

    >>> document_name("rt.com.39936#ONLINE-B#bad1", "wmt23.ONLINE-B")
    DocumentName(document='rt.com.39936', is_copy=True)
    >>> document_name("reddit_7#1-10", "ONLINE-B")
    DocumentName(document='reddit_7#1-10', is_copy=False)
    """
    document = _without_marks(_without_system(_without_marks(name), system))
    return DocumentName(document or name, is_copy=is_copy(name))


def fills_up(name: str) -> bool:
    """Whether a document is there only to fill up a HIT: once more, or in part.

    >>> fills_up("social_7#incomplete#bad"), fills_up("social_7#bad1")
    (True, False)
    """
    marks = _MARKS.search(name)
    return marks is not None and _FILLER.search(marks[0]) is not None


def is_tutorial(name: str) -> bool:
    """Whether a document teaches the page.

    >>> is_tutorial("ende-tutorial2"), is_tutorial("a-tutorial-on-knots")
    (True, False)
    """
    return _TUTORIAL.search(name) is not None


def _without_marks(name: str) -> str:
    return _MARKS.sub("", name)


def _without_system(name: str, system: str) -> str:
    document, _, last = name.rpartition("#")
    return document if document and (system == last or system.endswith(f".{last}")) else name


def is_copy(name: str) -> bool:
    """Whether a document's name marks it as a copy of another, degraded or not.

    >>> is_copy("paper.12#sys-B#bad1"), is_copy("chat_7#1-10")
    (True, False)
    """
    return _without_marks(name) != name


def numbers_run_through(hits: Iterable[Sequence[tuple[str, str]]]) -> bool:
    """Whether items, given as (document, itemID) by HIT, are numbered through each HIT.

    Otherwise they are numbered as segments, of the test set or of their document. Numbered through,
    no number stands for two items of a HIT. Then a copy has other numbers than its base in the same HIT;
    where no HIT has both, those of the fullest HIT run from 0 or 1 without gaps.

    >>> numbers_run_through([[("a", "1"), ("a", "2"), ("a#bad1", "3")]])
    True
    >>> numbers_run_through([[("a", "1"), ("a", "2"), ("a#bad1", "1")]])
    False
    >>> numbers_run_through([[("a", "7"), ("a", "8"), ("b", "11"), ("a#bad1", "12")]])
    True
    """
    distinct = [set(hit) for hit in hits]
    fullest = max(distinct, key=len, default=set())
    numbers = {number for _, number in fullest}
    if len({document for document, _ in fullest}) < 2 or not all(map(str.isdecimal, numbers)):
        return False
    if any(len(hit) != len({number for _, number in hit}) for hit in distinct):
        return False
    if any(map(_has_copy_and_base, distinct)):
        return True
    found = sorted(map(int, numbers))
    return found[0] <= 1 and found[-1] - found[0] + 1 == len(found)


def _has_copy_and_base(hit: Iterable[tuple[str, str]]) -> bool:
    documents = {document for document, _ in hit}
    return any(is_copy(document) and _without_marks(document) in documents for document in documents)

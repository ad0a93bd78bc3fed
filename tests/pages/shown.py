"""Whether a page shows what was printed: cuts, line breaks and what differs from run to run set aside."""

from __future__ import annotations

import re

CUT = "…"
NUMBER = r"[−+-]?\d[\d,]*(?:\.\d+)?%?"
# Links end in a token and begin where the server listens; the page leaves out most of a token or a hash.
VARIES = (
    (re.compile(r"https?://(?:127\.0\.0\.1|localhost):\d+"), "http://HERE"),
    (re.compile(r"(/(?:m|join|w)/(?:[mo]|W\d+|M\d+)-)[\w-]+"), r"\1TOKEN"),
    (re.compile(r"(root[: ])[0-9a-f]{8,}"), r"\1HASH"),
    (re.compile(r"-{3,}"), "---"),
)
# What the conclusions of a study say depends on its numbers.
BY_NUMBERS = (
    (re.compile(r",\s+which\s+may\s+be\s+chance|\s+\((?:not\s+)?significantly\)"), ""),
    (re.compile(r"\bharder\b"), "easier"),
)


def missing(shown: str, printed: str, *, numbers: bool = True) -> str | None:
    """The first part of what a page shows that was not printed; None if all was.

    Without `numbers`, of smaller data: any number stands for any other, and lines may come in another order.
    """
    printed = _plain(printed, numbers=numbers)
    if not numbers:
        return next((part for part in _parts(shown) if not _found(part, printed, numbers=False)), None)
    return None if _found(shown, printed, numbers=True) else shown


def _found(part: str, printed: str, *, numbers: bool) -> bool:
    pieces = [re.escape(_plain(piece, numbers=numbers)) for piece in part.split(CUT)]
    return re.search(".*".join(pieces), printed) is not None


def _parts(shown: str) -> list[str]:
    """Lines of tables, paragraphs of prose."""
    shown = _without_heads(shown)
    found = []
    for paragraph in re.split(r"\n\s*\n|^\s*…\s*$|^-{3,}$", shown, flags=re.M):
        lines = paragraph.strip().split("\n")
        is_list = all(line.endswith((".", ":")) for line in lines) or re.search(r"\S {2,}\S", paragraph)
        found += lines if is_list else [paragraph]
    return [part for part in found if part.strip()]


def _without_heads(shown: str) -> str:
    """How heads of columns are broken depends on the numbers; so does which metric is better than which."""
    lines = re.sub(r"((?:systems|documents)\): ).*", r"\1…", shown).split("\n")
    rule = next((k for k, line in enumerate(lines) if re.fullmatch(r"-{3,}", line.strip())), 0)
    begin = rule
    while begin and lines[begin - 1].strip() not in ("", CUT):
        begin -= 1
    return "\n".join(lines[:begin] + lines[rule:])


def _plain(text: str, *, numbers: bool) -> str:
    for pattern, replacement in VARIES if numbers else VARIES + BY_NUMBERS:
        text = pattern.sub(replacement, text)
    if not numbers:
        text = re.sub(rf"(?<![\w.]){NUMBER}(?:\*+| \*+)?(?!\w)|(?<=\s)–(?=\s|$)", "#", text)
    return " ".join(text.split())

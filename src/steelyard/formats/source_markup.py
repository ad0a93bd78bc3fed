"""Sources in HTML: which elements and attributes they may have, and what is wrong with a text.

What is not on the lists is refused, never dropped: workers see all of a source, or its organiser hears why.
The reader is stricter than browsers are, so that there is one way to understand a text that it lets pass.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from steelyard.domain.media import ending_of, endings_of

_TABLE_PARTS = {"caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "th", "td"}
_PLAYERS = {"audio", "video"}
_BLOCKS = {"p", "ul", "ol", "li", "table", "blockquote", "h1", "h2", "h3", "h4", "div"}
_INLINE = {"br", "b", "strong", "i", "em", "u", "s", "span", "sup", "sub", "ruby", "rt", "rp", "a", "img"}
ELEMENTS = frozenset(_BLOCKS | _INLINE | _TABLE_PARTS | _PLAYERS | {"source"})
# Elements without content, and so without an end.
_EMPTY = {"br", "img", "source", "col"}
# Where an element may stand, if not anywhere: browsers would move it or leave it out.
_WITHIN = {
    "li": {"ul", "ol"},
    "caption": {"table"},
    "colgroup": {"table"},
    "col": {"colgroup"},
    "thead": {"table"},
    "tbody": {"table"},
    "tfoot": {"table"},
    "tr": {"table", "thead", "tbody", "tfoot"},
    "th": {"tr"},
    "td": {"tr"},
    "rt": {"ruby"},
    "rp": {"ruby"},
    "source": _PLAYERS,
}
# Attributes that any element may have, and those of some only.
_EVERYWHERE = {"title", "lang", "dir"}
_ATTRIBUTES = {
    "img": {"src", "alt", "width", "height"},
    "audio": {"src", "controls"},
    "video": {"src", "controls", "width", "height"},
    "source": {"src"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
}
_KINDS = {"img": "image", "audio": "audio", "video": "video"}
# Why not, of what people do write.
_REASONS = {
    "href": "a link would lead workers away from their task",
    "autoplay": "a player starts when the worker starts it",
    "loop": "a player plays once, and again when the worker starts it",
    "muted": "a player starts with its sound on",
    "style": "the page decides how a source looks",
    "class": "the page decides how a source looks",
    "script": "nothing in a source is executed",
    "iframe": "a source may hold no other page",
    "svg": "a drawing of this kind may hold scripts; make it a PNG",
}
# Deeper than any text is, and far less than browsers take [our choice].
DEEPEST = 20
_LARGEST = 10_000

# The spaces of HTML, which are fewer than Python's.
_SPACE = r"[\x20\t\n\r\f]"
_VALUE = r"""(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>=`/]+)"""
_PAIR = rf"[a-zA-Z][a-zA-Z-]*(?:{_SPACE}*={_SPACE}*{_VALUE})?"
_TAG = re.compile(
    rf"<(?P<end>/?)(?P<name>[a-zA-Z][a-zA-Z0-9]*)(?P<attributes>(?:{_SPACE}+{_PAIR})*){_SPACE}*/?>"
)
_ATTRIBUTE = re.compile(rf"(?P<name>[a-zA-Z][a-zA-Z-]*)(?:{_SPACE}*={_SPACE}*(?P<value>{_VALUE}))?")
_WORD = re.compile(r"<[!/?]*([a-zA-Z][a-zA-Z0-9:-]*)")
# Names that mean the same on every system, in an address and in HTML.
_FILE_NAME = re.compile(r"[^\x00-\x1f\x7f\ufffd\\:%?#<>\"'&*|/.][^\x00-\x1f\x7f\ufffd\\:%?#<>\"'&*|]*")
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file that a source shows: its name, and where in the text the value stands, quotes included."""

    name: str
    start: int
    end: int


@dataclass(slots=True)
class Markup:
    """What was found in a source: what is wrong with it, and the files it shows."""

    problems: list[str] = field(default_factory=list)
    files: list[NamedFile] = field(default_factory=list)


def read_markup(text: str) -> Markup:
    """The problems of a source in HTML and the files it names.

    >>> read_markup('<p>Look: <img src="one.png" alt="A map"></p>').problems
    []
    >>> read_markup('<p onclick="x()">Hello').problems[0]
    '<p> has the attribute onclick, which is not allowed: it may have dir, lang, title.'
    """
    found, above, place = Markup(), list[str](), 0
    while (start := text.find("<", place)) >= 0:
        tag = _TAG.match(text, start)
        if tag is None:
            found.problems.append(_unreadable(text, start))
            return found
        name = tag["name"].lower()
        if name not in ELEMENTS:
            found.problems.append(_unknown(name))
        elif tag["end"]:
            found.problems += _closed(name, above)
        else:
            found.problems += _opened(name, above)
            _read_attributes(name, tag, above, found)
            if name not in _EMPTY:
                above.append(name)
        place = tag.end()
    found.problems += [f"<{name}> is not closed: add </{name}>." for name in above]
    return found


def with_names(text: str, files: list[NamedFile], names: Mapping[str, str]) -> str:
    """The text with other names of the files it shows."""
    for file in reversed(files):
        text = f'{text[: file.start]}"{names[file.name]}"{text[file.end :]}'
    return text


def _unreadable(text: str, start: int) -> str:
    word = _WORD.match(text, start)
    if word and word[1].lower() not in ELEMENTS and not text.startswith("</", start):
        return _unknown(word[1].lower())
    shown = text[start : start + 20].split("\n")[0]
    return f"“{shown}” is not a tag as we read them; write &lt; for a plain <, and quotes around values."


def _unknown(name: str) -> str:
    reason = _REASONS.get(name)
    return f"<{name}> is not allowed{f': {reason}' if reason else ''}. Take it out."


def _opened(name: str, above: list[str]) -> Iterator[str]:
    within = _WITHIN.get(name)
    if within and (not above or above[-1] not in within):
        yield f"<{name}> must stand in {' or '.join(f'<{each}>' for each in sorted(within))}."
    if len(above) == DEEPEST:
        yield f"elements stand in one another more than {DEEPEST} deep; make it flatter."


def _closed(name: str, above: list[str]) -> Iterator[str]:
    if name in _EMPTY:
        yield f"</{name}> is not needed: <{name}> holds nothing."
    elif not above or above[-1] != name:
        open_now = f"<{above[-1]}> is the one to close here" if above else "no element is open here"
        yield f"</{name}> closes nothing: {open_now}."
        if name in above:
            del above[len(above) - 1 - above[::-1].index(name) :]
    else:
        above.pop()


def _read_attributes(name: str, tag: re.Match[str], above: list[str], found: Markup) -> None:
    start = tag.start("attributes")
    known: set[str] = set()
    for attribute in _ATTRIBUTE.finditer(tag["attributes"]):
        key = attribute["name"].lower()
        written = attribute["value"] or ""
        value = html.unescape(written[1:-1] if written[:1] in ("'", '"') else written)
        allowed = _ATTRIBUTES.get(name, set()) | _EVERYWHERE
        if key in known:
            found.problems.append(f"<{name}> has the attribute {key} twice; leave one.")
        elif key not in allowed:
            reason = _REASONS.get(key) or f"it may have {', '.join(sorted(allowed))}"
            found.problems.append(f"<{name}> has the attribute {key}, which is not allowed: {reason}.")
        elif key == "src":
            # Where <source> stands elsewhere, that is said already.
            player = above[-1] if name == "source" and above else name
            problem = _file_problem(value, _KINDS.get(player, "video"))
            if problem:
                found.problems.append(f"<{name}>: {problem}")
            else:
                place = (start + attribute.start("value"), start + attribute.end("value"))
                found.files.append(NamedFile(value, *place))
        else:
            found.problems += _value_problems(name, key, value)
        known.add(key)
    if name in ("img", "source") and "src" not in known:
        found.problems.append(f"<{name}> names no file: give it as src.")


def _file_problem(value: str, kind: str) -> str | None:
    if re.match(r"[a-z][a-z0-9+.-]*:|//", value.strip(), re.IGNORECASE):
        return (
            f'src "{value[:40]}" is an address, and pages load nothing from elsewhere: put the file into the '
            "folder that [texts] media names, and give its name."
        )
    parts = value.split("/")
    if not all(_FILE_NAME.fullmatch(part) for part in parts) or value != value.strip():
        return f'src "{value[:40]}" is not the name of a file in the folder that [texts] media names.'
    if ending_of(value) not in endings_of(kind):
        return f'src "{value[:40]}" has none of the endings for this: {", ".join(endings_of(kind))}.'
    return None


def _value_problems(name: str, key: str, value: str) -> Iterator[str]:
    if key in ("width", "height", "colspan", "rowspan"):
        if not re.fullmatch(r"[1-9][0-9]{0,4}", value) or int(value) > _LARGEST:
            yield f'<{name}> {key} "{value[:20]}" must be a whole number from 1 to {_LARGEST:,}.'
    elif key == "dir" and value not in ("ltr", "rtl", "auto"):
        yield f'<{name}> dir "{value[:20]}" must be ltr, rtl or auto.'
    elif key == "lang" and not _LANGUAGE.fullmatch(value):
        yield f'<{name}> lang "{value[:20]}" is not the code of a language.'

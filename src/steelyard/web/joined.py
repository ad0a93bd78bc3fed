"""Modules and style sheets put together on the way out, each with everything it imports.

They are written and read as plain files, and no build step stands between (ADR 49). A module is joined if it
keeps to the way we write them: `import { a } from "./b.js";` and `export function`, `const` or `class` at the
beginning of a line. Anything else is served as it is, and the browser fetches what it imports.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass

# The text at an address such as /static/dom.js; None where there is none.
Read = Callable[[str], str | None]

_IMPORT = re.compile(r'^import \{\s*(?P<names>[\w\s,]+?),?\s*\} from "(?P<file>\.\.?/[\w./-]+)";$\n?', re.M)
_EXPORT = re.compile(r"^export (?=(?:async function|function|const|class) (?P<name>\w+))", re.M)
# A comment that has its lines to itself.
_COMMENT = re.compile(r"^[ \t]*(?://.*|/\*(?:(?!\*/)[\s\S])*\*/[ \t]*)$\n?", re.M)
# What only people need: texts of several lines are never joined, so no line begins within one.
_INDENT = re.compile(r"^\s+", re.M)
# Where the file itself is: as a part of another one it is somewhere else.
_HERE = "import.meta.url"
# What is imported as the page runs.
_DYNAMIC = re.compile(r"\bimport\s*\(")
# What is left when all that we know is taken away, and would mean something else within another file: what is
# imported or awaited while the page runs,
_LATER = r"\bimport\s*\(|^(?!.*\basync\b)(?=\S).*\bawait\b"
# other kinds of imports and exports, names that we use, and texts of several lines, whose lines may look like
# any of these. What stands in no other file may do the former.
_NEVER = r"^(?:import|export)\b(?!\s*\()|\bimport\.meta\b|\$module|^[^`\n]*(?:`[^`\n]*`[^`\n]*)*`[^`\n]*$|\\$"
_UNKNOWN = {True: re.compile(_NEVER, re.M), False: re.compile(f"{_NEVER}|{_LATER}", re.M)}


class Unjoinable(Exception):  # noqa: N818 (no error: the file is served as it is)
    """A file is not written the way we know, and why."""


@dataclass(frozen=True, slots=True)
class _Module:
    """A module that was understood: the names it takes, by address; the names it gives; the rest of it."""

    address: str
    imports: tuple[tuple[str, tuple[str, ...]], ...]
    exports: tuple[str, ...]
    body: str


# A comment, an import of the usual kind, a string, or what must not move to another file.
_STYLE = re.compile(
    r"""(?P<comment>/\*.*?\*/)
    |(?P<import>@import\s+(?:url\(\s*"(?P<url>[\w./-]+)"\s*\)|"(?P<plain>[\w./-]+)")\s*;)
    |(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<url_of>\burl\()
    |(?P<other>@import\b|@charset\b|@namespace\b)""",
    re.DOTALL | re.VERBOSE | re.IGNORECASE,
)
# Space that separates nothing, or more of it than that takes.
_LOOSE = re.compile(r"\s*([{};,])\s*|(:)\s+|\s+")


def joined_script(address: str, read: Read) -> tuple[str, list[str]]:
    """The module at `address` with all it imports, each in a scope of its own, and the addresses of all.

    It exports what it exported. Unjoinable if one of these files is not written the way we know.
    """
    found: dict[str, _Module] = {}
    _collect(address, read, found, above=(address,))
    names = {each: f"$module{number}" for number, each in enumerate(found)}
    pieces = []
    for each, module in found.items():
        taken = [f"const {{ {', '.join(ours)} }} = {names[there]};" for there, ours in module.imports]
        inside = _INDENT.sub("", "\n".join([*taken, module.body]))
        if each != address:
            here = posixpath.relpath(each, posixpath.dirname(address))
            inside = _EXPORT.sub("", inside).replace(_HERE, f'new URL("{here}", {_HERE}).href')
            given = ", ".join(module.exports)
            inside = f"const {names[each]} = (() => {{\n{inside}\nreturn {{ {given} }};\n}})();"
        pieces.append(f"// {each}\n{inside}\n")
    return "".join(pieces), list(found)


def joined_function(address: str, read: Read) -> str:
    """The same as a function, for a page that can load no module; it gives what the module exports.

    It is called with `$here`, the module's address; `$import`, for what is imported as the page runs; and
    what stands in for `fetch` and `localStorage`.
    """
    text, _ = joined_script(address, read)
    given = ", ".join(found["name"] for found in _EXPORT.finditer(text))
    body = _DYNAMIC.sub("$import(", _EXPORT.sub("", text)).replace(_HERE, "$here")
    return f"async ({{ $here, $import, fetch, localStorage }}) => {{\n{body}return {{ {given} }};\n}}"


def _collect(address: str, read: Read, found: dict[str, _Module], *, above: tuple[str, ...]) -> None:
    """Put the module and what it imports into `found`, in the order in which a browser runs them."""
    text = read(address)
    if text is None:
        raise Unjoinable(f"there is no {address}")
    module = _understood(address, text, is_entry=address == above[0])
    for there, names in module.imports:
        if there in above:
            raise Unjoinable(f"{address} imports {there}, which imports it")
        if there not in found:
            _collect(there, read, found, above=(*above, there))
        missing = set(names).difference(found[there].exports)
        if missing:
            raise Unjoinable(f"{there} exports no {min(missing)}")
    found[address] = module


def _understood(address: str, text: str, *, is_entry: bool) -> _Module:
    """A module's imports, exports and the rest of it; Unjoinable if there is anything else."""
    plain = _COMMENT.sub("", text)
    body = _IMPORT.sub("", plain).strip()
    unknown = _UNKNOWN[is_entry].search(_EXPORT.sub("", body).replace(_HERE, ""))
    if unknown:
        raise Unjoinable(f"{address}: {unknown.group()}")
    folder = posixpath.dirname(address)
    imports = tuple(
        (posixpath.normpath(posixpath.join(folder, found["file"])), tuple(re.findall(r"\w+", found["names"])))
        for found in _IMPORT.finditer(plain)
    )
    return _Module(address, imports, tuple(found["name"] for found in _EXPORT.finditer(body)), body)


def joined_style(address: str, read: Read, *, above: tuple[str, ...] = ()) -> tuple[str, list[str]]:
    """The style sheet at `address` with those it imports in their places, and the addresses of all."""
    text = read(address)
    if text is None or address in above:
        raise Unjoinable(f"{address} is not there, or imports itself")
    addresses, imported, own, place = [address], "", "", 0
    for found in _STYLE.finditer(text):
        own += _tight(text[place : found.start()])
        place = found.end()
        if found["import"]:
            if own.strip():
                raise Unjoinable(f"{address}: an import after a rule, which browsers ignore")
            there = posixpath.join(posixpath.dirname(address), found["url"] or found["plain"])
            inner, more = joined_style(posixpath.normpath(there), read, above=(*above, address))
            imported += inner
            addresses += more
        elif found["other"] or (found["url_of"] and above):
            # The address of a picture would be meant from another place.
            raise Unjoinable(f"{address}: {found.group()}")
        elif not found["comment"]:
            own += found.group()
    return f"{imported}{(own + _tight(text[place:])).strip()}\n", addresses


def _tight(rules: str) -> str:
    return _LOOSE.sub(lambda found: found[1] or found[2] or " ", rules)

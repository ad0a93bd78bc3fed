"""The reference page of the Python interface: every public name with its signature and docstring."""

from __future__ import annotations

import inspect
import re
from typing import Any

import steelyard

# What typing writes out and nobody reads.
SHORTER = {"str | PathLike[str]": "path", "pl.DataFrame": "polars.DataFrame"}


def python_page(note: str) -> str:
    """Functions first, in the order in which people use them, then classes."""
    known = {name: getattr(steelyard, name) for name in steelyard.__all__ if not name.startswith("_")}
    functions = {name: known[name] for name in known if inspect.isfunction(known[name])}
    classes = {name: known[name] for name in known if inspect.isclass(known[name])}
    parts = [
        "# Python\n",
        note,
        "Everything is in the module `steelyard`; `import steelyard` is quick, and each part loads what it"
        " needs on first use.\n",
        "Options are those of the [commands](commands.md), with underscores: `--ratings-per-system` is"
        " `ratings_per_system`. An option or value that does not exist is refused with those that do.\n",
        "## Functions\n",
        *(_function(name, functions[name], "###") for name in sorted(functions)),
        "## Classes\n",
        *(_class(name, classes[name]) for name in sorted(classes)),
    ]
    return "\n".join(parts)


def _class(name: str, kind: type) -> str:
    own = {each: found for each, found in vars(kind).items() if not each.startswith("_")}
    parts = [f"### {name}\n", _prose(kind.__doc__)]
    for each, found in own.items():
        if isinstance(found, property):
            parts.append(f"#### {name}.{each}\n\n{_prose(found.fget.__doc__ if found.fget else '')}")
        elif inspect.isfunction(found) and found.__name__ == each:
            parts.append(_function(f"{name}.{each}", found, "####"))
    return "\n".join(parts)


def _function(name: str, function: Any, heading: str) -> str:
    """A heading, the signature in a block, and what the docstring says."""
    signature = inspect.signature(function)
    named = [each for each in signature.parameters.values() if each.name != "self"]
    text = str(signature.replace(parameters=named)).replace("'", "")
    for long, short in SHORTER.items():
        text = text.replace(long, short)
    line = f"{name}{text}"
    if len(line) > 100:
        inside, _, outcome = line.partition("(")[2].rpartition(")")
        arguments = re.split(r", (?![^\[]*\])", inside)
        line = f"{name}(\n" + "".join(f"    {each},\n" for each in arguments) + f"){outcome}"
    return f"{heading} {name}\n\n```text\n{line}\n```\n\n{_prose(function.__doc__)}"


def _prose(docstring: str | None) -> str:
    """A docstring as Markdown: examples become blocks."""
    text = inspect.cleandoc(docstring or "")
    parts = re.split(r"((?:^>>>.*(?:\n(?!\n).*)*\n*)+)", text, flags=re.M)
    shown = [f"```pycon\n{part.strip()}\n```" if part.startswith(">>>") else part.strip() for part in parts]
    return "\n\n".join(part for part in shown if part) + "\n"

"""Writes the generated pages of docs from the code and the navigation; with --check only compares.

Run it after a change of a command, a plugin, a public docstring or the navigation:
.venv/bin/python scripts/make_reference.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from steelyard.aggregation import methods
from steelyard.cli.catalogue import CATALOGUE
from steelyard.cli.main import COMMANDS, cli
from steelyard.design.degradations import degradations
from steelyard.domain.options import Option
from steelyard.formats.campaign_schema import schema_text
from steelyard.metrics import metrics
from steelyard.platforms import platforms
from steelyard.protocols import protocols
from steelyard.qc import checks

sys.path.insert(0, str(Path(__file__).parent))
from python_reference import python_page
from site_pages import decisions_page, llms_text, protocols_page

DOCS = Path(__file__).parent.parent / "docs"
NOTE = "<!-- Made by scripts/make_reference.py; edit the code instead. -->\n"


def commands_page() -> str:
    """Every command with its help text, by what it is for."""
    context = click.Context(cli, info_name="steelyard", terminal_width=100, max_content_width=100)
    parts = [
        "# Commands\n",
        NOTE,
        "What each command does and which options it takes, as `steelyard COMMAND --help` prints it, for"
        " all who work at a terminal.\n",
        "Exit codes: 0 done; 1 the data cannot support what was asked; 2 wrong usage or unreadable input;"
        " 3 something unexpected. Errors go to stderr; `--debug` adds a traceback.\n",
    ]
    for purpose, names in CATALOGUE.items():
        links = [f"[`{name}`](#{name})" for name in names]
        parts.append(f"- **{purpose}:** {', '.join(links)}")
    parts.append("")
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        child = click.Context(
            command, info_name=name, parent=context, terminal_width=100, max_content_width=100
        )
        parts.append(f"## {name}\n\n```text\n{command.get_help(child)}\n```\n")
    return "\n".join(parts)


def plugins_page() -> str:
    """Everything the registries hold."""
    parts = [
        "# Plugins: what is registered\n",
        NOTE,
        "All methods, checks, protocols, degradations, metrics and platforms of this version, with their"
        " options and papers, for those who choose one and those who add one (`CONTRIBUTING.md` in the"
        " repository says how). Tables and figures are in the [gallery](gallery.md).\n",
    ]
    kinds: dict[str, Iterable[Any]] = {
        "Methods": methods().values(),
        "Checks": checks().values(),
        "Protocols": protocols().values(),
        "Degradations": degradations().values(),
        "Metrics": metrics().values(),
        "Platforms": platforms().values(),
    }
    for title, plugins in kinds.items():
        parts.append(f"## {title}\n")
        parts += [_plugin(plugin) for plugin in plugins]
    return "\n".join(parts)


def _plugin(plugin: Any) -> str:
    cite = f" Cite: {', '.join(plugin.cite)}." if getattr(plugin, "cite", ()) else ""
    attributes = f" Attributes: {', '.join(plugin.attributes)}." if getattr(plugin, "attributes", ()) else ""
    function = getattr(plugin, "fit", None) or getattr(plugin, "run", None) or getattr(plugin, "damage", None)
    idea = _paragraphs(function.__doc__) if function is not None else ""
    return f"### {plugin.name}\n\n{plugin.title}.{attributes}{cite}\n{idea}{_options(plugin)}"


def _options(plugin: Any) -> str:
    """The options that not every plugin of its kind has, if it has any."""
    lines = [
        f"- `--{option.name.replace('_', '-')}`{_values(option)}: {option.help}"
        f"{f' Default: {option.usually}.' if option.usually else ''}"
        for option in getattr(plugin, "options", ())
    ]
    return "\nOptions:\n\n" + "\n".join(lines) + "\n" if lines else ""


def _values(option: Option) -> str:
    return f" ({', '.join(option.choices)})" if option.choices else ""


def _paragraphs(docstring: str | None) -> str:
    prose = (docstring or "").partition(">>>")[0]
    lines = [line.strip() for line in prose.strip().splitlines()]
    return "\n" + "\n".join(lines) + "\n" if lines else ""


def main() -> None:
    """Write the pages, or fail if they are not as they should be."""
    pages = {
        "reference/commands.md": commands_page(),
        "reference/plugins.md": plugins_page(),
        "reference/python.md": python_page(NOTE),
        "reference/protocols.md": protocols_page(NOTE),
        "reference/campaign.schema.json": schema_text(),
        "adr/README.md": decisions_page(NOTE),
    }
    pages["llms.txt"] = llms_text(pages)
    stale = [name for name, text in pages.items() if _current(name) != text]
    if "--check" in sys.argv[1:]:
        sys.exit(f"out of date: {', '.join(stale)}; run scripts/make_reference.py" if stale else 0)
    for name, text in pages.items():
        (DOCS / name).write_text(text, "utf-8")


def _current(name: str) -> str | None:
    path = DOCS / name
    return path.read_text("utf-8") if path.exists() else None


if __name__ == "__main__":
    main()

"""Commands that list what is registered."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import click

from steelyard.cli.options import json_option, keep_sources, write_text


@click.command()
def methods() -> None:
    """List the methods that turn ratings into scores."""
    from steelyard.aggregation import methods as registered

    _print(registered().values())


@click.command()
def checks() -> None:
    """List the checks that tell careful workers from careless ones."""
    from steelyard.qc import checks as registered

    _print(registered().values())


@click.command()
@json_option
def protocols(json_file: str | None) -> None:
    """List the protocols: ways of asking for a judgement.

    The JSON has what each shows and gives, and the schema of its answers.
    """
    from steelyard.protocols import protocols as registered

    keep_sources([], json_file)
    if json_file is None:
        _print(registered().values())
        return
    names = ("name", "title", "cite", "attributes", "shows", "gives", "n_translations", "answer_schema")
    found = [{name: getattr(protocol, name) for name in names} for protocol in registered().values()]
    write_text(json.dumps({"protocols": found}, indent=2) + "\n", json_file)


@click.command()
def exhibits() -> None:
    """List the tables and figures that can be made from judgements."""
    from steelyard.exhibits import figures, tables

    click.echo("Tables (steelyard table NAME SOURCE):")
    _print(tables().values())
    click.echo("\nFigures (steelyard plot NAME SOURCE --out FILE):")
    _print(figures().values())


def _print(plugins: Iterable[Any]) -> None:
    for plugin in plugins:
        click.echo(f"{plugin.name:<20} {plugin.title}  [{', '.join(plugin.cite)}]")

"""`steelyard serve`: the web server."""

from __future__ import annotations

import re
import socket
import sys
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import click

from steelyard.cli.exposed import warn_of_exposed_secrets
from steelyard.cli.listening import is_everywhere, listening_at, url_of
from steelyard.cli.media_check import check_media
from steelyard.cli.options import database_argument, media_option, port_option, printable_address, read_url
from steelyard.cli.over_series import ended, series_at
from steelyard.web.serving import ServerSettings, run_server

if TYPE_CHECKING:
    from steelyard.flows.series import Series
    from steelyard.web.logs import LogStyle

POSTGRESQL = ("postgresql://", "postgres://")


def _read_proxies(_ctx: click.Context, _param: click.Parameter, texts: tuple[str, ...]) -> tuple[str, ...]:
    for text in texts:
        try:
            ip_network(text, strict=False)
        except ValueError:
            raise click.BadParameter(
                f"{text!r} is neither an address such as 127.0.0.1 nor a network such as 10.0.0.0/8."
            ) from None
    return texts


def _read_header(context: click.Context, option: click.Parameter, given: str | None) -> str | None:
    if given is not None and not re.fullmatch(r"[A-Za-z0-9-]+", given):
        raise click.BadParameter(
            f"{given!r} is not the name of a header; write it as X-Forwarded-Email.", context, option
        )
    return given


@click.command()
@database_argument
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@port_option
@click.option(
    "--processes",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Number of server processes.",
)
@click.option(
    "--url",
    metavar="URL",
    callback=read_url,
    help="Public address, if others reach the server by another than the one it listens at.",
)
@click.option(
    "--trusted-proxy",
    "trusted_proxies",
    metavar="ADDRESS",
    multiple=True,
    callback=_read_proxies,
    help="Address or network of a proxy in front, whose X-Forwarded-For says who calls. May be repeated.",
)
@click.option(
    "--requests-per-second",
    type=click.FloatRange(0, 1e6),
    default=20.0,
    show_default=True,
    help="Requests that one worker may make each second, on average; 0: any number.",
)
@click.option(
    "--identity-header",
    metavar="NAME",
    callback=_read_header,
    help="Header in which a trusted proxy gives the e-mail address of a manager it has signed in.",
)
@click.option(
    "--print-links",
    is_flag=True,
    help="Print the links even if the output is not a terminal: whoever reads that log can use them.",
)
@click.option(
    "--read-replica",
    metavar="DB",
    help="PostgreSQL replica to read managers' pages and analyses from; they may be a little behind.",
)
@media_option
@click.option(
    "--log",
    type=click.Choice(["none", "text", "json"]),
    default="none",
    show_default=True,
    help="Write a line for each request to standard error, without who asked. Problems are always written.",
)
def serve(  # noqa: PLR0913 (one option each)
    db: str,
    host: str,
    port: int | None,
    processes: int,
    url: str | None,
    trusted_proxies: tuple[str, ...],
    requests_per_second: float,
    identity_header: str | None,
    print_links: bool,
    read_replica: str | None,
    media: Path | None,
    log: LogStyle,
) -> None:
    """Serve a campaign to workers and its manager until Ctrl-C.

    DB may be a series, a folder of databases or a PostgreSQL database with several campaigns: one server has
    all of them, each below /c/NAME, and a page for watching them.

    Ctrl-C and SIGTERM stop it cleanly: requests under way are answered, and the exit code is 0.
    """
    if identity_header and not trusted_proxies:
        raise click.UsageError("--identity-header needs --trusted-proxy: anyone else could send that header.")
    if read_replica and not all(each.startswith(POSTGRESQL) for each in (db, read_replica)):
        raise click.UsageError("--read-replica needs PostgreSQL: give both addresses as postgresql://...")
    series = series_at(db)
    settings = ServerSettings(
        processes=processes,
        url=url,
        trusted_proxies=trusted_proxies,
        identity_header=identity_header,
        requests_per_second=requests_per_second or None,
        read_replica=read_replica,
        media=media,
        log=log,
    )
    with listening_at(host, port) as listening:
        base_url = url or url_of(listening)
        more = _more_about(listening, base_url, url)
        # What a service prints is kept, and read by others than the manager.
        is_open = print_links or sys.stdout.isatty()
        hint = "" if is_open else f"  for the links      steelyard links {printable_address(db)}"
        if series is None:
            _announce(db, base_url, more, hint, media=media)
        else:
            _announce_series(series, base_url, more, hint, media=media)
        run_server(db, listening, settings)
    click.echo("Stopped.")


def _announce(db: str, base_url: str, more: str, hint: str, *, media: Path | None) -> None:
    from steelyard.flows.links import links, remember_url
    from steelyard.flows.open import open_campaign

    with open_campaign(db) as campaign:
        found = links(campaign, base_url=base_url)
        remember_url(campaign, base_url)
        warn_of_exposed_secrets([campaign])
        check_media([campaign], media)
    click.echo(f"Serving {campaign.settings.name} at {base_url} (Ctrl-C to stop){more}")
    if hint:
        click.echo(hint)
        return
    if found.open_link:
        click.echo(f"  anyone may judge   {found.open_url}")
    click.echo(f"  the manager        {found.manager_url}")


def _announce_series(series: Series, base_url: str, more: str, hint: str, *, media: Path | None) -> None:
    from steelyard.flows.links import remember_url
    from steelyard.flows.series import open_series
    from steelyard.flows.series_links import series_door, with_secrets

    with open_series(series) as opened:
        usable = with_secrets(opened)
        for outcome in usable:
            if outcome.result is not None:
                remember_url(outcome.result, f"{base_url}/c/{quote(outcome.name)}")
        found = [outcome.result for outcome in usable if outcome.result is not None]
        warn_of_exposed_secrets(found)
        check_media(found, media)
    n_open = sum(outcome.result is not None for outcome in usable)
    if not n_open:
        ended(usable)
        raise click.ClickException("None of the campaigns can be served.")
    click.echo(f"Serving {n_open} campaigns of {series.name} at {base_url} (Ctrl-C to stop){more}")
    click.echo(hint or f"  the manager of all {series_door(series).url(base_url)}")
    ended(usable)


def _more_about(listening: socket.socket, base_url: str, url: str | None) -> str:
    """What else to say about the address."""
    if url is not None:
        return f"\n  listening at       {url_of(listening)}"
    if is_everywhere(listening):
        return (
            f"\n  It listens at every address of this machine; links use {base_url}. For another, give --url."
        )
    return ""

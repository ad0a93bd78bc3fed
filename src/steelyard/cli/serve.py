"""`steelyard serve`: the web server."""

from __future__ import annotations

import socket
from functools import partial

import click

from steelyard.cli.listening import is_everywhere, listening_at, url_of
from steelyard.cli.options import database_argument, port_option, read_url


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
def serve(db: str, host: str, port: int | None, processes: int, url: str | None) -> None:
    """Serve a campaign to workers and its manager until Ctrl-C."""
    from steelyard.flows.links import links, remember_url
    from steelyard.flows.open import open_campaign

    with open_campaign(db) as campaign, listening_at(host, port) as listening:
        base_url = url or url_of(listening)
        found = links(campaign, base_url=base_url)
        remember_url(campaign, base_url)
        click.echo(f"Serving {campaign.settings.name} at {base_url} (Ctrl-C to stop)")
        if is_everywhere(listening) and url is None:
            click.echo(
                f"  It listens at every address of this machine; links use {base_url}. "
                "For another, give --url."
            )
        elif url is not None:
            click.echo(f"  listening at       {url_of(listening)}")
        click.echo(f"  anyone may judge   {found.open_url}\n  the manager        {found.manager_url}")
        campaign.close()
        run_server(db, listening, processes=processes, url=url)
    click.echo("Stopped.")


def run_server(address: str, listening: socket.socket, *, processes: int, url: str | None = None) -> None:
    """Serve until interrupted, quietly; each process has its own store."""
    import uvicorn
    from uvicorn.supervisors import Multiprocess

    from steelyard.web.app import app_at

    config = uvicorn.Config(
        partial(app_at, address, url=url),
        factory=True,
        workers=processes,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
        # On a busy machine a process may need this long to start; one that seems hung is replaced.
        timeout_worker_healthcheck=60,
    )
    server = uvicorn.Server(config)
    if processes > 1:
        Multiprocess(config, sockets=[listening]).run()
    else:
        try:
            server.run(sockets=[listening])
        except KeyboardInterrupt:
            return

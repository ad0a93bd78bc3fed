"""`steelyard serve`: the web server."""

from __future__ import annotations

import errno
import socket
from functools import partial

import click

from steelyard.cli.options import database_argument, port_option


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
def serve(db: str, host: str, port: int, processes: int) -> None:
    """Serve a campaign to workers and its manager until Ctrl-C."""
    from steelyard.flows.links import links
    from steelyard.flows.open import open_campaign

    with open_campaign(db) as campaign, listening_socket(host, port) as listening:
        base_url = url_of(listening)
        if port and not base_url.endswith(f":{port}"):
            click.echo(f"Port {port} is taken; using another.")
        found = links(campaign, base_url=base_url)
        click.echo(f"Serving {campaign.settings.name} at {base_url} (Ctrl-C to stop)")
        click.echo(f"  anyone may judge   {found.open_url}\n  the manager        {found.manager_url}")
        campaign.close()
        run_server(db, listening, processes=processes)
    click.echo("Stopped.")


def listening_socket(host: str, port: int, *, tries: int = 50) -> socket.socket:
    """A socket bound to the port or the next free one after it."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in range(port, min(port + tries, 65536)):
        # With its protocol named, asyncio turns off Nagle's delay; else each reply waits 40 ms for an ACK.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, candidate))
            # Listening at once keeps a second server from binding the same port beside us.
            listening.listen(2048)
        except PermissionError:
            listening.close()
            raise click.UsageError(
                f"Port {candidate} needs more rights than you have; choose one above 1023."
            ) from None
        except OSError as error:
            listening.close()
            if isinstance(error, socket.gaierror) or error.errno != errno.EADDRINUSE:
                raise click.UsageError(f"Cannot listen at {host}: {error.strerror or error}.") from None
            continue
        return listening
    raise click.UsageError(
        f"All ports from {port} to {port + tries - 1} are taken; choose another with --port."
    )


def url_of(listening: socket.socket) -> str:
    """The address to print for a listening socket."""
    host, port = listening.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    return f"http://{shown}:{port}"


def run_server(address: str, listening: socket.socket, *, processes: int) -> None:
    """Serve until interrupted, quietly; each process has its own store."""
    import uvicorn
    from uvicorn.supervisors import Multiprocess

    from steelyard.web.app import app_at

    config = uvicorn.Config(
        partial(app_at, address),
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

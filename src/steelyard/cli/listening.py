"""Where a server listens, and the address under which others reach it."""

from __future__ import annotations

import errno
import socket

import click

# The first port tried if none is asked for, and how many in all.
USUAL_PORT = 8000
TRIES = 50
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 (recognised, not used)
# Never reached: choosing a way there tells which of its addresses this machine would use.
ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}


def listening_at(host: str, port: int | None) -> socket.socket:
    """A socket bound to the port asked for; if none is, to the usual one or the next that is free."""
    if port is not None:
        return listening_socket(host, port, tries=1)
    found = listening_socket(host, USUAL_PORT, tries=TRIES)
    if found.getsockname()[1] != USUAL_PORT:
        click.echo(f"Port {USUAL_PORT} is taken; using {found.getsockname()[1]}.")
    return found


def listening_socket(host: str, port: int, *, tries: int) -> socket.socket:
    """A socket bound to the port or, with several tries, to the next free one after it."""
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
    if tries == 1:
        raise click.UsageError(
            f"Port {port} is taken by another program. Choose another port, or leave out --port to use the "
            "next free one."
        )
    raise click.UsageError(
        f"All ports from {port} to {port + tries - 1} are taken; choose another with --port."
    )


def is_everywhere(listening: socket.socket) -> bool:
    """Whether the socket listens at every address of this machine."""
    return listening.getsockname()[0] in EVERYWHERE


def url_of(listening: socket.socket) -> str:
    """The address of a listening socket; this machine's own if it listens at all of them."""
    host, port = listening.getsockname()[:2]
    if is_everywhere(listening):
        host = _own_address(listening.family)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _own_address(family: int) -> str:
    """The address by which this machine would reach others; without a network, the one for itself."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            # Nothing is sent.
            probe.connect((ELSEWHERE[socket.AddressFamily(family)], 9))
            return str(probe.getsockname()[0])
    except OSError:
        return "::1" if family == socket.AF_INET6 else "127.0.0.1"

"""Serving an emulator: beside a test or a rehearsal in this process, or alone until it is stopped."""

from __future__ import annotations

import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

# Seconds within which a server in a thread must be there, and be gone.
PATIENCE = 20.0


@contextmanager
def serving(app: ASGIApp) -> Iterator[str]:
    """Serve an app in a thread on a free port of this machine; yields its address."""
    # With its protocol named, asyncio turns off Nagle's delay; else each reply waits 40 ms for an ACK.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", 0))
        listening.listen(128)
        server = _server(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            _wait_for_start(server, thread)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(PATIENCE)


def serve_until_stopped(app: ASGIApp, listening: socket.socket) -> None:
    """Serve an app here, on a socket that listens already, until Ctrl-C or SIGTERM."""
    server = _server(app)
    # It would send the signal to itself again once it has stopped, and so end with a failure.
    server.handle_exit = partial(_stop, server)  # type: ignore[method-assign]
    server.run(sockets=[listening])


def _server(app: ASGIApp) -> uvicorn.Server:
    import uvicorn

    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        # Who rehearses has nothing under way that must not be cut off.
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)


def _wait_for_start(server: uvicorn.Server, thread: threading.Thread) -> None:
    deadline = time.monotonic() + PATIENCE
    while not server.started:
        if not thread.is_alive() or time.monotonic() > deadline:
            raise RuntimeError("The emulator did not start.")
        time.sleep(0.005)


def _stop(server: uvicorn.Server, number: int, _frame: FrameType | None) -> None:
    server.force_exit = server.should_exit and number == signal.SIGINT
    server.should_exit = True

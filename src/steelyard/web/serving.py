"""Serving an address: the processes, how they start and how they stop. Importing this loads no server."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What `steelyard serve` was asked for. Each server process gets a copy."""

    processes: int = 1
    url: str | None = None
    """Public address, if it is not the one at which the server listens."""


def run_server(address: str, listening: socket.socket, settings: ServerSettings) -> None:
    """Serve until interrupted, quietly; each process has its own store."""
    import uvicorn
    from uvicorn.supervisors import Multiprocess

    from steelyard.web.app import app_at

    config = uvicorn.Config(
        partial(app_at, address, settings),
        factory=True,
        workers=settings.processes,
        # Neither is there on every system.
        loop="uvloop" if find_spec("uvloop") else "auto",
        http="httptools" if find_spec("httptools") else "auto",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
        # On a busy machine a process may need this long to start; one that seems hung is replaced.
        timeout_worker_healthcheck=60,
    )
    if settings.processes > 1:
        Multiprocess(config, sockets=[listening]).run()
    else:
        try:
            uvicorn.Server(config).run(sockets=[listening])
        except KeyboardInterrupt:
            return

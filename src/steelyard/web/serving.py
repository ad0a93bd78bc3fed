"""Serving an address: the processes, how they start and how they stop. Importing this loads no server."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
import time
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from multiprocessing import parent_process
from multiprocessing.connection import wait
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import TYPE_CHECKING

from steelyard.domain.errors import EvaluationError
from steelyard.web.logs import LogStyle, log_settings
from steelyard.web.supervising import supervise

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

logger = logging.getLogger(__name__)

# Seconds that requests under way get when the server stops: less than containers are given [our choice].
DRAIN_SECONDS = 8
# Seconds before a process that could not open its database is replaced [our choice].
PAUSE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What `steelyard serve` was asked for. Each server process gets a copy."""

    processes: int = 1
    url: str | None = None
    """Public address, if it is not the one at which the server listens."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses and networks of proxies that say truly who calls."""
    identity_header: str | None = None
    """The header in which those proxies say which manager is calling, by e-mail address."""
    requests_per_second: float | None = 20.0
    """How many requests one worker may make, on average; None: any number."""
    read_replica: str | None = None
    """Where managers' questions are answered from, if not from the database itself."""
    media: Path | None = None
    """The folder of the files that sources show, if not that beside each database."""
    log: LogStyle = "none"
    """What to write of each request to standard error."""


def run_server(address: str, listening: socket.socket, settings: ServerSettings) -> None:
    """Serve until interrupted or terminated, quietly; each process has its own store.

    Then no more requests are accepted, and those under way are answered.
    """
    import uvicorn
    from uvicorn.config import LOGGING_CONFIG

    config = uvicorn.Config(
        partial(app_of_process, address, settings),
        factory=True,
        workers=settings.processes,
        # Neither is there on every system.
        loop="uvloop" if find_spec("uvloop") else "auto",
        http="steelyard.web.connections:TimedConnection" if find_spec("httptools") else "auto",
        # Such connections would be nobody's to look after; see connections.py.
        ws="none",
        log_config=log_settings(settings.log) or LOGGING_CONFIG,
        log_level="warning",
        access_log=False,
        server_header=False,
        # A person reads for some seconds before the next answer: it should find its connection open.
        timeout_keep_alive=75,
        # It would believe any program of this machine, and an environment variable; see callers.py.
        proxy_headers=False,
        timeout_graceful_shutdown=DRAIN_SECONDS,
    )
    if settings.processes > 1:
        # Where the processes keep what they count, so that any of them can tell the sum.
        with TemporaryDirectory(prefix="steelyard-metrics-") as folder:
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
            serve = partial(_serve, config)
            supervise(serve, listening, n=settings.processes, patience=2 * DRAIN_SECONDS)
        return
    _serve(config, [listening])


def _serve(config: uvicorn.Config, sockets: list[socket.socket]) -> None:
    """Serve in this process until a signal comes."""
    import uvicorn

    # A process of its own has no log yet.
    config.configure_logging()
    server = uvicorn.Server(config)
    # It would send the signal to itself again once it has stopped, and so end with a failure.
    server.handle_exit = partial(_stop, server)  # type: ignore[method-assign]
    server.run(sockets=sockets)


def app_of_process(address: str, settings: ServerSettings) -> ASGIApp:
    """The app of one server process, which ends when the process that started it does."""
    from steelyard.web.app import app_at

    stop_with_parent()
    try:
        return app_at(address, settings)
    except EvaluationError as error:
        if parent_process() is None:
            raise
        # Its replacement may find the database again.
        logger.error("A server process cannot start: %s", error)
        time.sleep(PAUSE_SECONDS)
        sys.exit(1)


def stop_with_parent() -> None:
    """Let this process stop in good order once the one that started it is gone, even if that was killed."""
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_outlast, args=(parent.sentinel,), daemon=True).start()


def _outlast(parent: int) -> None:
    wait([parent])
    signal.raise_signal(signal.SIGTERM)
    time.sleep(2 * DRAIN_SECONDS)
    # Something holds it up, and nobody is there to see to it.
    os._exit(1)


def _stop(server: uvicorn.Server, number: int, _frame: FrameType | None) -> None:
    # Who presses Ctrl-C twice does not want to wait.
    server.force_exit = server.should_exit and number == signal.SIGINT
    server.should_exit = True

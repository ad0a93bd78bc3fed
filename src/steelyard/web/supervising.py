"""Several server processes behind one socket: each that ends is replaced, and all stop together."""

from __future__ import annotations

import logging
import signal
import socket
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess

logger = logging.getLogger(__name__)

# Seconds between looks at signals [our choice].
TICK = 0.2
Serve = Callable[[list[socket.socket]], None]


def supervise(serve: Serve, listening: socket.socket, *, n: int, patience: float) -> None:
    """Keep `n` processes serving until SIGINT or SIGTERM; then each gets `patience` seconds to stop."""
    context = get_context("spawn")
    stopping: list[int] = []

    def started() -> BaseProcess:
        process = context.Process(target=serve, args=([listening],))
        process.start()
        return process

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, _frame: stopping.append(received))
    processes = [started() for _ in range(n)]
    while not stopping:
        wait([process.sentinel for process in processes], timeout=TICK)
        for place, process in enumerate(processes):
            if process.is_alive() or stopping:
                continue
            logger.error("Server process %s ended with %s and is replaced.", process.pid, process.exitcode)
            processes[place] = started()
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(patience)
        if process.is_alive():
            process.kill()
            process.join()

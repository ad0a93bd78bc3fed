"""The least that a durable endpoint can do: parse a small body, commit one row, say so. A peer, not a part.

`python bench/load/bare_endpoint.py FILE_OR_ADDRESS [plain]` prints its address and serves until stopped;
`plain` leaves out uvloop and httptools, which uvicorn has as extras.
"""

from __future__ import annotations

import json
import socket
import sqlite3
import sys
import threading
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route


class SqliteRows:
    """One connection, one transaction for each row, on disk before it returns."""

    def __init__(self, file: str) -> None:
        self.lock = threading.Lock()
        self.connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = FULL")
        self.connection.execute("CREATE TABLE IF NOT EXISTS bare (id TEXT PRIMARY KEY, answer TEXT)")

    def store(self, key: str, answer: str) -> None:
        with self.lock:
            self.connection.execute("BEGIN IMMEDIATE")
            self.connection.execute("INSERT INTO bare VALUES (?, ?)", (key, answer))
            self.connection.execute("COMMIT")


class PostgresqlRows:
    """A connection for each thread, one transaction for each row. The table is there already."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.local = threading.local()

    def store(self, key: str, answer: str) -> None:
        import psycopg

        connection: Any = getattr(self.local, "connection", None)
        if connection is None:
            connection = self.local.connection = psycopg.connect(self.address)
        connection.execute("INSERT INTO bare VALUES (%s, %s)", (key, answer))
        connection.commit()


def main() -> None:
    """Serve."""
    address = sys.argv[1]
    rows = PostgresqlRows(address) if "://" in address else SqliteRows(address)

    async def submit(request: Request) -> JSONResponse:
        body = json.loads(await request.body())
        await run_in_threadpool(rows.store, body["judgement_id"], json.dumps(body["answer"]))
        return JSONResponse({"stored": True}, 201)

    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen(2048)
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    app = Starlette(routes=[Route("/", submit, methods=["POST"])])
    loop, http = ("asyncio", "h11") if "plain" in sys.argv else ("uvloop", "httptools")
    config = uvicorn.Config(app, log_level="error", access_log=False, loop=loop, http=http)
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()

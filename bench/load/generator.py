"""Load for the benchmarks of the server: workers over raw connections, sharing no code with what they load.

Run as a process of its own: `python bench/load/generator.py HOST:PORT < plan.json > result.json`. The plan
holds `tokens`, one for each worker, `seconds` to run at most, `settle` (seconds before anything is counted),
`think` (seconds between a reply and the next answer) and `path`, before which a campaign of a series lies.
A worker asks for work, answers until the HIT is finished, takes another, and so on. The result: `n`
acknowledged answers, `seconds`, and the sorted `times` of the submissions in milliseconds.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
import uuid
from contextlib import suppress
from typing import Any

RATINGS = [f'{{"rating": {rating}}}' for rating in range(101)]


class Connection(asyncio.Protocol):
    """One connection of one worker: a request out, its reply in."""

    def __init__(self) -> None:
        self.buffer = b""
        self.reply: asyncio.Future[tuple[int, bytes]] | None = None
        self.transport: Any = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if self.reply is not None and not self.reply.done():
            self.reply.set_exception(ConnectionError("the server hung up"))

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, found, rest = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return
        lowered = head.lower()
        start = lowered.index(b"content-length:") + 15
        length = int(lowered[start : (lowered + b"\r\n").index(b"\r\n", start)])
        if len(rest) >= length and self.reply is not None:
            self.buffer = b""
            self.reply.set_result((int(head[9:12]), rest))

    def ask(self, request: bytes) -> asyncio.Future[tuple[int, bytes]]:
        self.reply = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return self.reply


class Load:
    """What all workers of one run have in common."""

    def __init__(self, host: str, plan: dict[str, Any]) -> None:
        self.host = host
        self.path = plan.get("path", "")
        self.think = plan.get("think", 0.0)
        # What comes before everybody is at work is not counted.
        self.begins = time.perf_counter() + plan.get("settle", 0.0)
        self.ends = time.perf_counter() + plan["seconds"]
        self.times: list[float] = []
        self.acknowledged: list[str] = []
        self.n_refused = 0

    async def connect(self) -> Connection:
        """A new connection to the server."""
        name, port = self.host.rsplit(":", 1)
        loop = asyncio.get_running_loop()
        return (await loop.create_connection(Connection, name, int(port)))[1]

    async def work(self, token: str) -> None:
        """Judge as one worker until the time is over or nothing is left."""
        connection = await self.connect()
        headers = f"Host: {self.host}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"

        def request(path: str, body: str) -> bytes:
            first = f"POST {self.path}/api/v1/work/{path} HTTP/1.1\r\n{headers}"
            return f"{first}Content-Length: {len(body)}\r\n\r\n{body}".encode()

        if self.think:
            # People do not all begin in the same moment.
            await asyncio.sleep(random.uniform(0, self.think))  # noqa: S311
        view = None
        while time.perf_counter() < self.ends:
            if view is None or view.get("finished"):
                status, content = await connection.ask(request("next", ""))
                view = json.loads(content)
                if status != 200 or view.get("finished"):
                    break
            if connection.transport.is_closing():
                connection = await self.connect()
            judgement_id = str(uuid.uuid4())
            body = (
                f'{{"judgement_id": "{judgement_id}", "assignment_id": "{view["assignment_id"]}", '
                f'"item_id": "{view["item"]["item_id"]}", "answer": {random.choice(RATINGS)}, '  # noqa: S311
                f'"shown_ms": 100}}'
            )
            begin = time.perf_counter()
            status, content = await connection.ask(request("judgements", body))
            if status != 201:
                self.n_refused += 1
                break
            if begin >= self.begins:
                self.times.append(1000 * (time.perf_counter() - begin))
            self.acknowledged.append(judgement_id)
            view = json.loads(content)["next"]
            if self.think:
                left = self.ends - time.perf_counter()
                await asyncio.sleep(max(0.0, min(random.expovariate(1 / self.think), left)))
        connection.transport.close()


class BareLoad(Load):
    """Posts small rows to the bare endpoint: nothing is asked for, nothing comes back."""

    async def work(self, token: str) -> None:
        connection = await self.connect()
        while time.perf_counter() < self.ends:
            body = f'{{"judgement_id": "{uuid.uuid4()}", "answer": {random.choice(RATINGS)}}}'  # noqa: S311
            head = f"POST / HTTP/1.1\r\nHost: {self.host}\r\nAuthorization: Bearer {token}\r\n"
            begin = time.perf_counter()
            await connection.ask(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            self.times.append(1000 * (time.perf_counter() - begin))
        connection.transport.close()


async def drive(host: str, plan: dict[str, Any]) -> dict[str, Any]:
    """Let all workers of the plan work at once; what came of it."""
    load = (BareLoad if plan.get("bare") else Load)(host, plan)
    done = await asyncio.gather(*(load.work(token) for token in plan["tokens"]), return_exceptions=True)
    errors = [repr(error) for error in done if isinstance(error, BaseException)]
    return {
        "n": len(load.times),
        "seconds": time.perf_counter() - load.begins,
        "times": sorted(load.times),
        "refused": load.n_refused,
        "errors": errors[:5],
        "acknowledged": load.acknowledged if plan.get("ids") else [],
    }


def main() -> None:
    """Read the plan, drive the load, print the result."""
    with suppress(ImportError):
        import uvloop

        asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    json.dump(asyncio.run(drive(sys.argv[1], json.load(sys.stdin))), sys.stdout)


if __name__ == "__main__":
    main()

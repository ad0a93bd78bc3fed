"""How simulated people reach servers: one client for everybody, which counts what goes over it."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from typing import Any, Literal

import httpx2

Far = Literal["platform", "campaign"]
TIMEOUT = 20.0


class RequestRefused(Exception):  # noqa: N818 (reads as a sentence where it is raised)
    """A reply that is not a success, and will not become one by asking again."""

    def __init__(self, what: str, status: int, code: str, message: str) -> None:
        super().__init__(f"{what}: {status} {code} {message}".rstrip())
        self.status = status
        self.code = code


class Wire:
    """One keep-alive client for all who come, and what went over it: requests and seconds by server."""

    def __init__(self) -> None:
        self._http = httpx2.Client(trust_env=False, timeout=TIMEOUT)
        self.n_requests: defaultdict[Far, int] = defaultdict(int)
        self.seconds: defaultdict[Far, float] = defaultdict(float)
        self.n_repeated = 0

    def send(
        self,
        far: Far,
        method: str,
        url: str,
        *,
        headers: dict[str, str] | None = None,
        content: bytes | None = None,
    ) -> httpx2.Response:
        """The reply to one request; TransportError if there is none."""
        started = time.perf_counter()
        try:
            return self._http.request(method, url, headers=headers, content=content)
        finally:
            self.n_requests[far] += 1
            self.seconds[far] += time.perf_counter() - started

    def repeated(self) -> None:
        """Note that somebody asks once more for the same."""
        self.n_repeated += 1

    def close(self) -> None:
        """Hang up."""
        self._http.close()


def refusal(what: str, reply: httpx2.Response) -> RequestRefused:
    """What a reply says that is not a success."""
    try:
        said = reply.json()
    except json.JSONDecodeError:
        said = {}
    error = said.get("error", said) if isinstance(said, dict) else {}
    error = error if isinstance(error, dict) else {"message": str(error)}
    return RequestRefused(what, reply.status_code, str(error.get("code", "")), str(error.get("message", "")))


def as_json(body: Any) -> bytes:
    """A body as it is sent."""
    return json.dumps(body, ensure_ascii=False).encode()

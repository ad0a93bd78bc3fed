"""Where a request comes from: the address of its socket, or what a trusted proxy says about it."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.types import ASGIApp, Receive, Scope, Send

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# A household or a student's room has a network of this size, with more addresses than anyone can count.
IPV6_BITS = 64
# Addresses are remembered under a name that means nothing outside this process.
_SALT = secrets.token_bytes(16)
_FROM_PROXY = "steelyard.from_proxy"


class BehindProxies:
    """ASGI wrapper that believes what these proxies say about a caller, and nobody else.

    The caller is the rightmost address of X-Forwarded-For that is no trusted proxy: anybody can write
    what stands to the left of it.
    """

    def __init__(self, app: ASGIApp, proxies: Sequence[str]) -> None:
        self.app = app
        self.networks = tuple(as_network(each) for each in proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "http":
            peer = _parsed(scope["client"][0]) if scope.get("client") else None
            if peer is not None and self._trusts(peer):
                named = [
                    value.decode("latin-1") for key, value in scope["headers"] if key == b"x-forwarded-for"
                ]
                caller = self._caller(peer, ",".join(named).split(",") if named else [])
                scope = {**scope, "client": (str(caller), 0), _FROM_PROXY: True}
                scheme = _scheme(scope)
                if scheme:
                    scope["scheme"] = scheme
        await self.app(scope, receive, send)

    def _trusts(self, address: Address) -> bool:
        return any(address in network for network in self.networks)

    def _caller(self, peer: Address, forwarded: Iterable[str]) -> Address:
        caller = peer
        for text in reversed(list(forwarded)):
            address = _parsed(_without_port(text.strip()))
            # Nobody can say who was behind an address that is none.
            if address is None:
                break
            caller = address
            if not self._trusts(address):
                break
        return caller


def is_from_proxy(scope: Scope) -> bool:
    """Whether a trusted proxy handed on this request, so that headers which it sets can be believed."""
    return bool(scope.get(_FROM_PROXY))


def caller_address(scope: Scope) -> str:
    """The address of the caller; empty where there is none, as on a Unix socket."""
    client = scope.get("client")
    return client[0] if client else ""


def caller_key(scope: Scope) -> bytes:
    """What stands for the caller's address in memory: the same for a whole IPv6 network of a household."""
    text = caller_address(scope)
    address = _parsed(text)
    if address is None:
        known = text.encode()
    elif address.version == 4:
        known = address.packed
    else:
        known = address.packed[: IPV6_BITS // 8]
    return blake2b(known, key=_SALT, digest_size=12).digest()


def as_network(text: str) -> Network:
    """The address or network that a text names; ValueError if it names none.

    >>> as_network("10.0.0.0/8"), as_network("::1")
    (IPv4Network('10.0.0.0/8'), IPv6Network('::1/128'))
    """
    return ip_network(text, strict=False)


def _parsed(text: str) -> Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    # An IPv4 caller of a socket that speaks both.
    return getattr(address, "ipv4_mapped", None) or address


def _without_port(text: str) -> str:
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text


def _scheme(scope: Scope) -> str | None:
    """http or https, as the proxy nearest to us says."""
    named = [value for key, value in scope["headers"] if key == b"x-forwarded-proto"]
    last = named[-1].rpartition(b",")[2].strip().lower() if named else b""
    return last.decode() if last in (b"http", b"https") else None

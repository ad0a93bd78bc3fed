"""Who calls, with and without proxies in front."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.types import Receive, Scope, Send
from tests.loops import run_apart

from steelyard.web.callers import BehindProxies, caller_address, caller_key, is_from_proxy


def seen(client: str | None, *forwarded: str, proxies: tuple[str, ...] = (), scheme: str = "") -> Scope:
    """The request as an app behind these proxies sees it."""
    found: list[Scope] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        found.append(scope)

    headers = [(b"x-forwarded-for", value.encode()) for value in forwarded]
    if scheme:
        headers.append((b"x-forwarded-proto", scheme.encode()))
    scope = {
        "type": "http",
        "scheme": "http",
        "client": (client, 1234) if client else None,
        "headers": headers,
    }
    unused: Any = None
    run_apart(BehindProxies(app, proxies)(scope, unused, unused))
    return found[0]


def test_nobody_is_believed_without_a_trusted_proxy() -> None:
    scope = seen("127.0.0.1", "9.9.9.9", scheme="https")

    assert (caller_address(scope), scope["scheme"], is_from_proxy(scope)) == ("127.0.0.1", "http", False)


@pytest.mark.parametrize(
    ("forwarded", "caller"),
    [
        (["9.9.9.9"], "9.9.9.9"),
        (["1.2.3.4, 9.9.9.9"], "9.9.9.9"),
        (["1.2.3.4", "9.9.9.9"], "9.9.9.9"),
        (["1.2.3.4, 9.9.9.9, 10.0.0.7"], "9.9.9.9"),
        (["9.9.9.9:5555"], "9.9.9.9"),
        (["[2001:db8::7]:443"], "2001:db8::7"),
        (["2001:db8::7"], "2001:db8::7"),
        (["9.9.9.9, unknown"], "10.0.0.1"),
        (["9.9.9.9, '; DROP TABLE workers"], "10.0.0.1"),
        (["9.9.9.9, "], "10.0.0.1"),
        (["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        ([], "10.0.0.1"),
    ],
)
def test_the_caller_is_the_rightmost_address_that_is_no_trusted_proxy(
    forwarded: list[str], caller: str
) -> None:
    scope = seen("10.0.0.1", *forwarded, proxies=("10.0.0.0/8",))

    assert caller_address(scope) == caller
    assert is_from_proxy(scope)


def test_a_caller_who_is_no_proxy_names_nobody_else() -> None:
    scope = seen("8.8.8.8", "9.9.9.9", proxies=("10.0.0.0/8",))

    assert (caller_address(scope), is_from_proxy(scope)) == ("8.8.8.8", False)


def test_a_trusted_proxy_says_that_people_came_by_https() -> None:
    assert seen("::1", "9.9.9.9", proxies=("::1",), scheme="https")["scheme"] == "https"
    assert seen("::1", "9.9.9.9", proxies=("::1",), scheme="javascript")["scheme"] == "http"


def test_a_proxy_is_known_by_its_ipv4_address_on_a_socket_that_speaks_both() -> None:
    assert caller_address(seen("::ffff:10.0.0.1", "9.9.9.9", proxies=("10.0.0.1",))) == "9.9.9.9"


def key(address: str | None) -> bytes:
    return caller_key({"client": (address, 1) if address else None})


def test_an_ipv6_network_counts_as_one_caller() -> None:
    assert key("2001:db8:1:2::1") == key("2001:db8:1:2:ffff::9")
    assert key("2001:db8:1:2::1") != key("2001:db8:1:3::1")


def test_ipv4_addresses_are_callers_of_their_own() -> None:
    assert key("192.0.2.1") != key("192.0.2.2")
    assert key("192.0.2.1") == key("::ffff:192.0.2.1")


def test_unix_sockets_are_one_caller() -> None:
    assert key(None) == key(None) != key("192.0.2.1")


def test_a_key_does_not_show_the_address() -> None:
    assert bytes([192, 0, 2, 1]) not in key("192.0.2.1")
    assert b"192.0.2.1" not in key("192.0.2.1")

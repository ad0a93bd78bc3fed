"""Addresses that a browser may be sent to."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

# Longer ones are cut by some browsers and programs.
LONGEST = 2000


def is_web_address(text: str) -> bool:
    """Whether it is a complete https or http address: with a host, without spaces or control characters.

    >>> is_web_address("https://app.example.org/complete?cc=C1A2B3")
    True
    >>> is_web_address("javascript:alert(1)"), is_web_address("https:///no-host")
    (False, False)
    """
    if not text.isascii() or not text.isprintable() or " " in text or "\\" in text or len(text) > LONGEST:
        return False
    try:
        parts = urlsplit(text)
        return parts.scheme in ("https", "http") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False


def is_own_machine(origin: str) -> bool:
    """Whether it is the origin of a page of the reader's own machine, and nothing more than that.

    >>> is_own_machine("http://127.0.0.1:8712"), is_own_machine("https://localhost")
    (True, True)
    >>> is_own_machine("http://127.0.0.1.example.org"), is_own_machine("http://127.0.0.1:1/path")
    (False, False)
    """
    return re.fullmatch(r"https?://(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?", origin) is not None

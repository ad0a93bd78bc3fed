"""Tokens: the part of a link that opens something, computed from a secret whenever it is needed.

A token is `ID-CODE`: whose link it is, and a keyed hash of that with the link's version. Nothing in the
database is enough to compute one.
"""

from __future__ import annotations

import hmac
import re
import secrets
from base64 import urlsafe_b64encode
from typing import NamedTuple

from steelyard.domain.work import LinkRole

# Who the links are for that belong to no worker.
SHARED_IDS: dict[LinkRole, str] = {"manager": "m", "open": "o"}
# 192 bits, as many characters of base64.
CODE_LENGTH = 32
DERIVED = re.compile(rf"([A-Za-z0-9]+)-([A-Za-z0-9_-]{{{CODE_LENGTH}}})")


class TokenParts(NamedTuple):
    """A token taken apart."""

    holder_id: str
    code: str


def split_token(token: str) -> TokenParts | None:
    """The parts of a derived token; None for any other, such as one that version 0.1 stored.

    >>> split_token("W0001-" + "x" * 32).holder_id
    'W0001'
    >>> split_token("x" * 32) is None
    True
    """
    match = DERIVED.fullmatch(token)
    return None if match is None else TokenParts(*match.groups())


def token_for(secret: str, mark: str, role: LinkRole, holder_id: str, version: int) -> str:
    """The token of one version of one link, for the secret of that mark."""
    salt = mark.partition(".")[0]
    return f"{holder_id}-{_code(secret, f'steelyard|{salt}|{role}|{holder_id}|{version}')}"


def pseudonym_for(secret: str, mark: str, participant_id: str) -> str:
    """What stands for somebody's id on a platform in one campaign; without the secret it tells nothing."""
    salt = mark.partition(".")[0]
    return _code(secret, f"participant|{salt}|{participant_id}")


def new_mark(secret: str) -> str:
    """A mark for a secret: chance, and a check of the secret.

    By chance the links of each campaign are its own, even if campaigns share a secret.
    """
    return _mark(secret, secrets.token_hex(8))


def fits(secret: str, mark: str) -> bool:
    """Whether the mark was made with this secret."""
    return hmac.compare_digest(_mark(secret, mark.partition(".")[0]), mark)


def _mark(secret: str, salt: str) -> str:
    return f"{salt}.{_code(secret, f'mark|{salt}')[:16]}"


def _code(secret: str, text: str) -> str:
    digest = hmac.digest(secret.encode(), text.encode(), "sha256")
    return urlsafe_b64encode(digest)[:CODE_LENGTH].decode()

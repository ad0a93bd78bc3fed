from __future__ import annotations

import base64
import hashlib

import pytest

from steelyard.flows.tokens import fits, new_mark, split_token, token_for


def test_a_token_is_the_keyed_hash_of_who_may_open_what() -> None:
    # HMAC by its definition: two rounds of SHA-256 over the padded key.
    key = b"secret".ljust(64, b"\0")
    inner, outer = bytes(byte ^ 0x36 for byte in key), bytes(byte ^ 0x5C for byte in key)
    message = b"steelyard|salt|worker|W0001|2"
    digest = hashlib.sha256(outer + hashlib.sha256(inner + message).digest()).digest()
    code = base64.urlsafe_b64encode(digest).decode()[:32]

    assert token_for("secret", "salt.check", "worker", "W0001", 2) == f"W0001-{code}"


@pytest.mark.parametrize("other", ["other", "secre", "secret ", ""])
def test_a_mark_fits_its_own_secret_only(other: str) -> None:
    mark = new_mark("secret")

    assert fits("secret", mark)
    assert not fits(other, mark)


def test_marks_of_one_secret_differ() -> None:
    assert new_mark("secret") != new_mark("secret")


@pytest.mark.parametrize(
    "token", ["", "a" * 32, "-" * 33, "W1-" + "a" * 31, "W1-" + "a" * 33, "W 1-" + "a" * 32]
)
def test_other_tokens_are_not_taken_apart(token: str) -> None:
    assert split_token(token) is None

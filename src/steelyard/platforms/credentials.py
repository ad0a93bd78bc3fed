"""Keys of platforms: from the environment, or a file that nobody else can read. Stored and shown nowhere."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from steelyard.domain.errors import PlatformError

THIS_MACHINE = ("localhost", "127.0.0.1", "::1")


def key_of(platform: str, environ: Mapping[str, str]) -> str | None:
    """The key of a platform; None if there is none, PlatformError for one that is not safe or no key."""
    if platform == "mturk":
        # Amazon's library looks in other places too, where these are not set.
        found = [environ.get(name, "") for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")]
        # Keys for some hours only have a third part.
        found += [environ[name] for name in ("AWS_SESSION_TOKEN",) if environ.get(name)]
        return ":".join(found) if all(found) else None
    return _secret_in(_variable(platform, "TOKEN"), f"{platform}-token", environ)


def notice_secrets(platform: str, environ: Mapping[str, str]) -> list[str]:
    """The secrets by which a platform signs what it tells us: several while one takes over from another."""
    found = _secret_in(_variable(platform, "WEBHOOK_SECRET"), f"{platform}-webhook-secret", environ)
    return [] if found is None else [part for part in found.split(",") if part]


def address_of(platform: str, environ: Mapping[str, str]) -> str | None:
    """Where a platform is, if not where it usually is: an emulator. No key is sent openly."""
    variable = _variable(platform, "URL")
    address = environ.get(variable, "").strip().rstrip("/")
    if not address:
        return None
    parts = urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in THIS_MACHINE):
        raise PlatformError(
            f"{variable} is {address}, and keys are sent to https:// only, or to this machine: the platform "
            "itself needs no address."
        )
    return address


def key_hint(platform: str) -> str:
    """How to give the key, in a sentence."""
    variable = _variable(platform, "TOKEN")
    return (
        f"Give it in the environment as {variable}, or in a file that only you can read: ~/.config/steelyard/"
        f"{platform}-token, or the one that {variable}_FILE names."
    )


def _variable(platform: str, what: str) -> str:
    """The variable of the environment that says this of a platform.

    >>> _variable("prolific", "TOKEN")
    'PROLIFIC_TOKEN'
    """
    return f"{platform.upper().replace('-', '_')}_{what}"


def _secret_in(variable: str, name: str, environ: Mapping[str, str]) -> str | None:
    if variable in environ:
        return _checked(environ[variable], variable)
    named = environ.get(f"{variable}_FILE")
    home = environ.get("HOME", "")
    path = Path(named) if named else Path(home) / ".config" / "steelyard" / name
    if not named and (not home or not path.exists()):
        return None
    try:
        mode = path.stat().st_mode
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        raise PlatformError(f"{path} cannot be read, so there is no key.") from None
    if stat.S_IMODE(mode) & 0o077:
        raise PlatformError(f"Others can read {path}, which holds a key. Keep them out: chmod 600 {path}")
    return _checked(text, str(path))


def _checked(text: str, where: str) -> str:
    """The key without blanks around it; never a part of it in what is said."""
    key = text.strip()
    if not key:
        raise PlatformError(f"{where} is empty, so there is no key.")
    if not key.isascii() or any(sign.isspace() or not sign.isprintable() for sign in key):
        raise PlatformError(
            f"{where} holds something else than a key: it has blanks or signs that no key has."
        )
    return key

"""Files that a source shows: pictures, sound and films, named by what is in them."""

from __future__ import annotations

import re

# By their endings; drawings that may hold scripts (SVG) are not among them.
MEDIA_TYPES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "mp3": "audio/mpeg",
    "wav": "audio/wav",
    "ogg": "audio/ogg",
    "oga": "audio/ogg",
    "opus": "audio/ogg",
    "m4a": "audio/mp4",
    "flac": "audio/flac",
    "mp4": "video/mp4",
    "m4v": "video/mp4",
    "webm": "video/webm",
    "ogv": "video/ogg",
}
# Half of a SHA-256 in hexadecimal digits: nobody makes two files with the same.
NAME_DIGITS = 32
_NAME = rf"[0-9a-f]{{{NAME_DIGITS}}}\.(?:{'|'.join(MEDIA_TYPES)})"
_WHOLE_NAME = re.compile(_NAME)
_NAME_IN_TEXT = re.compile(rf'(?<=src="){_NAME}(?=")')


def endings_of(kind: str) -> list[str]:
    """The endings of the files of one kind: image, audio or video."""
    return [ending for ending, found in MEDIA_TYPES.items() if found.startswith(f"{kind}/")]


def ending_of(name: str) -> str:
    """The ending of a file's name, without its dot and in small letters.

    >>> ending_of("clips/One.MP4"), ending_of("clips.d/one")
    ('mp4', '')
    """
    return name.rpartition("/")[2].rpartition(".")[2].lower() if "." in name.rpartition("/")[2] else ""


def is_media_name(name: str) -> bool:
    """Whether a file that a campaign keeps may have this name."""
    return _WHOLE_NAME.fullmatch(name) is not None


def media_named_in(source: str) -> list[str]:
    """The kept files that a source shows, in the order of the text."""
    return _NAME_IN_TEXT.findall(source)

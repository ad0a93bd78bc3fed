"""Plain text, one segment per line, gzipped or not."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from steelyard.domain.errors import SourceError


def read_text(path: Path) -> str:
    """The whole file as text; a byte-order mark and CRLF line ends are taken off.

    Raises SourceError if the file cannot be opened or is not UTF-8, naming line and likely encoding.
    """
    try:
        content = path.read_bytes()
        if path.suffix == ".gz":
            content = gzip.decompress(content)
    except FileNotFoundError:
        raise SourceError(str(path), ["there is no such file."]) from None
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise SourceError(str(path), ["is named .gz but is not a complete gzip file."]) from None
    except OSError as error:
        raise SourceError(str(path), [f"cannot be read ({error.strerror or error})."]) from None
    return decode(content, str(path))


def decode(content: bytes, where: str) -> str:
    """UTF-8 bytes as text with plain line ends; SourceError names the likely encoding otherwise."""
    for mark, name in ((b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16")):
        if content.startswith(mark):
            raise SourceError(where, [f"is encoded as {name}; save it as UTF-8."])
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        likely = _likely_encoding(content)
        problem = f"line {line} is not UTF-8 (the file looks like {likely}); save the file as UTF-8."
        raise SourceError(where, [problem]) from None
    return text.replace("\r\n", "\n")


def read_lines(path: Path) -> list[str]:
    """The lines of the file without their line ends; a last empty line does not count."""
    lines = read_text(path).split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def _likely_encoding(content: bytes) -> str:
    if content.count(b"\x00") > len(content) // 4:
        return "UTF-16"
    for name in ("gb18030", "shift_jis", "euc_kr"):
        # These are nearly self-checking on long East Asian text and fail quickly on Latin text.
        high = sum(byte >= 0x80 for byte in content)
        if high > len(content) // 3:
            try:
                content.decode(name)
            except UnicodeDecodeError:
                continue
            return name.upper().replace("_", "-")
    return "Windows-1252 or another one-byte encoding"

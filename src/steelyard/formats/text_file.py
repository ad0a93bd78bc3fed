"""Plain text, one segment per line, gzipped or not."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from steelyard.domain.errors import SourceError

# How files begin that are not text at all, and what to do about it.
# More text than ten million judgements of ours, which are better kept as Parquet [our choice].
MOST_BYTES = 2**30
_CHUNK_BYTES = 2**20
_TOO_LARGE = (
    f"holds more than {MOST_BYTES // 2**20:,} MB of text, unpacked if it is packed. "
    "Split it, or use a .parquet file."
)
_NOT_TEXT = (
    (b"PK\x03\x04", "is a zipped file, such as an Excel workbook; save it as text, or unpack it"),
    (b"\x1f\x8b", "is compressed; end its name in .gz"),
    (b"%PDF", "is a PDF; save its text"),
)


def read_text(path: Path) -> str:
    """The whole file as text; a byte-order mark and CRLF line ends are taken off.

    Raises SourceError if the file cannot be opened or is not UTF-8, naming line and likely encoding.
    """
    return decode(read_content(path), str(path))


def read_content(path: Path) -> bytes:
    """The bytes of the file, unpacked if its name ends in .gz; SourceError beyond `MOST_BYTES`.

    A packed file of some megabytes can unpack to all the memory there is, and a pipe need not end.
    """
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            content = bytearray()
            while chunk := file.read(_CHUNK_BYTES):
                content += chunk
                if len(content) > MOST_BYTES:
                    raise SourceError(str(path), [_TOO_LARGE])
            return bytes(content)
    except MemoryError:
        raise SourceError(str(path), ["needs more memory than there is."]) from None
    except FileNotFoundError:
        raise SourceError(str(path), ["there is no such file."]) from None
    except IsADirectoryError:
        raise SourceError(str(path), ["is a folder; name a file."]) from None
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise SourceError(str(path), ["is named .gz but is not a complete gzip file."]) from None
    except OSError as error:
        raise SourceError(str(path), [f"cannot be read ({error.strerror or error})."]) from None


def decode(content: bytes, where: str, *, keep_line_ends: bool = False) -> str:
    """UTF-8 bytes as text with plain line ends; SourceError names the likely encoding otherwise."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SourceError(where, [_not_utf8(content, line)]) from None
    if "\x00" in text:
        line = text.count("\n", 0, text.index("\x00")) + 1
        raise SourceError(where, [_not_utf8(content, line)])
    if keep_line_ends or "\r" not in text:
        return text
    # A file with no other line ends comes from an old Mac.
    return text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")


def decode_any(content: bytes, where: str, *, keep_line_ends: bool = False) -> tuple[str, tuple[str, ...]]:
    """As `decode`, also what spreadsheets write: UTF-16 with its mark, and Windows' encodings with a warning.

    For tables, which people save from spreadsheets; files of plain lines are not guessed at.
    """
    from steelyard.formats.text_encoding import WINDOWS, likely_encoding, wide_encoding

    try:
        return decode(content, where, keep_line_ends=keep_line_ends), ()
    except SourceError:
        name = wide_encoding(content)
        if name is None and b"\x00" not in content and not _is_nearly_utf8(content):
            name = likely_encoding(content)
        codec = {**WINDOWS, "UTF-16": "utf-16", "UTF-16LE": "utf-16-le"}.get(name or "")
        if codec is None or content.startswith(tuple(beginning for beginning, _ in _NOT_TEXT)):
            raise
    try:
        again = content.decode(codec).encode()
    except UnicodeError:
        raise SourceError(where, [f"is {name}, but some of it cannot be read; save it as UTF-8."]) from None
    text = decode(again, where, keep_line_ends=keep_line_ends)
    if name not in WINDOWS:
        return text, ()
    return text, (
        f"{Path(where).name} is not UTF-8, and was read as {name}. If names with accents look wrong, "
        "save it as UTF-8.",
    )


def read_lines(path: Path) -> list[str]:
    """The lines of the file without their line ends; a last empty line does not count."""
    lines = read_text(path).split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def _not_utf8(content: bytes, line: int) -> str:
    """What is wrong with these bytes, which are not UTF-8 in this line, and what to do."""
    from steelyard.formats.text_encoding import likely_encoding, wide_encoding

    for beginning, problem in _NOT_TEXT:
        if content.startswith(beginning):
            return f"{problem}."
    if wide := wide_encoding(content):
        return f"is encoded as {wide}; save it as UTF-8 (iconv -f {wide.upper()} -t UTF-8)."
    if b"\x00" in content:
        return f"line {line} holds a zero byte, which no text has; remove it, or save the file as UTF-8."
    if _is_nearly_utf8(content):
        return (
            f"line {line} is not UTF-8, though nearly all of the file is: a character was cut in two, "
            "or a piece in another encoding pasted in. Fix that line."
        )
    likely = likely_encoding(content)
    if likely is None:
        return f"line {line} is not UTF-8; save the file as UTF-8."
    return (
        f"line {line} is not UTF-8 (the file looks like {likely}); "
        f"save it as UTF-8 (iconv -f {likely.upper()} -t UTF-8)."
    )


def _is_nearly_utf8(content: bytes) -> bool:
    # The first bytes decide, and quickly.
    text = content[:1_000_000].decode("utf-8", "replace")
    broken = text.count("\ufffd")
    whole = sum(not character.isascii() for character in text) - broken
    return whole > 10 * broken


@contextmanager
def whole_file(path: Path, *, private: bool = False) -> Iterator[Path]:
    """A place to write to; the file appears under its name `path` only when it is complete.

    A full disk or a stop half-way leaves whatever was there before. SourceError if it cannot be written. A
    `private` file holds links or is about people: only its owner may read it.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        if private:
            # Whoever opened a file of this name before could read what comes into it.
            partial.unlink(missing_ok=True)
            partial.touch(mode=0o600, exist_ok=False)
        yield partial
        partial.replace(path)
    except OSError as error:
        raise SourceError(str(path), [f"cannot be written ({error.strerror or error})."]) from None
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)

"""Files carried inside a page: links that save them without asking any server."""

from __future__ import annotations

import gzip
from base64 import b64encode

from markupsafe import Markup

# Larger tables are packed, which every reader of CSV files understands [our choice].
LARGE = 200_000


def download(name: str, content: str, media_type: str, words: str) -> Markup:
    """A link that saves the content under a name; much of it comes packed, as .gz."""
    data = content.encode()
    if len(data) > LARGE:
        # No date: the same page for the same analysis.
        data, name, media_type, words = (
            gzip.compress(data, mtime=0),
            f"{name}.gz",
            "application/gzip",
            f"{words} (packed)",
        )
    address = f"data:{media_type};base64,{b64encode(data).decode()}"
    return Markup('<a class="download" download="{}" href="{}">{}</a>').format(name, address, words)

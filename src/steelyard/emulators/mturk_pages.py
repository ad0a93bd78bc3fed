"""What browsers get from the emulated Mechanical Turk: our page in a frame, and what a form leads to."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from steelyard.domain.wording import in_units
from steelyard.emulators.control_page import plain_page

# A frame of Mechanical Turk is a sandbox, too; pages in it may do no more than this.
_SANDBOX = (
    "allow-scripts allow-same-origin allow-forms allow-modals allow-pointer-lock allow-popups "
    "allow-popups-to-escape-sandbox allow-downloads"
)
_FRAME_STYLE = "iframe{width:100%;border:1px solid #ccc}body{max-width:none}"


def framed(title: str, note: str, address: str, height: int) -> str:
    """A worker's page: a line about the HIT, and below it the requester's page; 0: as high as the window."""
    shown = f"{height}px" if height else "85vh"
    return plain_page(
        title,
        f'<p>{escape(note)}</p><iframe name="task" title="{escape(title)}" src="{escape(address)}" '
        f'style="height:{shown}" sandbox="{_SANDBOX}"></iframe>',
        style=_FRAME_STYLE,
    )


def rehearsal_links(listings: Sequence[dict[str, Any]], sessions: Sequence[dict[str, str]]) -> str:
    """What a person who rehearses can look at: each HIT as a preview or accepted, each worker's page."""
    hits = "".join(
        f"<li>{escape(each['title'])}, {in_units(each['reward'])}: "
        f'<a href="/emulator/frame?listing={quote(each["listing"])}">preview</a> '
        f'<form method="post" action="/emulator/accept" style="display:inline">'
        f'<input type="hidden" name="listing" value="{escape(each["listing"])}">'
        "<button>Accept as a new worker</button></form></li>"
        for each in listings
        if each["state"] == "Assignable"
    )
    frames = "".join(
        f'<li><a href="/emulator/frame/{quote(each["session"])}">{escape(each["person"])}</a></li>'
        for each in sessions
        if each["state"] == "Accepted"
    )
    return f"<h2>Look at HITs</h2><ul>{hits}</ul><h2>Workers at work</h2><ul>{frames}</ul>"

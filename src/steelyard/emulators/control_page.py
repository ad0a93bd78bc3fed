"""A plain page that shows what happens on an emulated platform to a person who rehearses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any

from steelyard.domain.wording import in_units

STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse}td,th{padding:.2rem .8rem;border-bottom:1px solid #ccc;text-align:left}"
    ".wide{overflow-x:auto}"
)


def control_page(
    title: str,
    now: datetime,
    listings: Sequence[Mapping[str, Any]],
    statement: Mapping[str, Any],
    *,
    more: str = "",
) -> str:
    """Listings, sessions and books as HTML, and `more` of it below; money in units of the currency."""
    currency = str(statement["currency"])
    totals = {name: in_units(amount) for name, amount in statement["total"].items()}
    sessions = [
        {
            "session": each["session"],
            "person": each["person"],
            "state": each["state"],
            "reward": in_units(each["reward"]),
            "bonuses": ", ".join(in_units(bonus) for bonus in each["bonuses"]),
        }
        for each in statement["sessions"]
    ]
    shown = [{**each, "reward": in_units(each["reward"])} for each in listings]
    parts = [
        f"<p>A stand-in for rehearsals: no real person is here, and no real money. "
        f"Its clock says {now:%Y-%m-%d %H:%M:%S} UTC.</p>",
        f"<h2>Listings</h2>{_table(shown, 'Nothing is listed yet.')}",
        f"<h2>Sessions</h2>{_table(sessions, 'Nobody has come yet.')}",
        f"<h2>Money, in {escape(currency)}</h2>",
        _table([{"balance": in_units(statement["balance"]), **totals}], ""),
        more,
    ]
    return plain_page(title, "".join(parts))


def plain_page(title: str, body: str, *, style: str = "") -> str:
    """A page of an emulator; `body` is HTML."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}{style}</style></head>'
        f"<body><h1>{escape(title)}</h1>{body}</body></html>"
    )


def _table(rows: Sequence[Mapping[str, Any]], otherwise: str) -> str:
    if not rows:
        return f"<p>{escape(otherwise)}</p>"
    head = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in rows[0])
    lines = ("".join(f"<td>{escape(str(value))}</td>" for value in row.values()) for row in rows)
    table = f"<table><tr>{head}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"
    return f'<div class="wide" tabindex="0">{table}</div>'

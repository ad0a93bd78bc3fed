"""A plain page that shows what happens on an emulated platform to a person who rehearses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any

STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse}td,th{padding:.2rem .8rem;border-bottom:1px solid #ccc;text-align:left}"
    ".wide{overflow-x:auto}"
)


def control_page(
    title: str, now: datetime, listings: Sequence[Mapping[str, Any]], statement: Mapping[str, Any]
) -> str:
    """Listings, sessions and books as HTML; money in units of the currency."""
    currency = str(statement["currency"])
    totals = {name: money(amount) for name, amount in statement["total"].items()}
    sessions = [
        {
            "session": each["session"],
            "person": each["person"],
            "state": each["state"],
            "reward": money(each["reward"]),
            "bonuses": ", ".join(money(bonus) for bonus in each["bonuses"]),
        }
        for each in statement["sessions"]
    ]
    shown = [{**each, "reward": money(each["reward"])} for each in listings]
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p>A stand-in for rehearsals: no real person is here, and no real money. "
        f"Its clock says {now:%Y-%m-%d %H:%M:%S} UTC.</p>",
        f"<h2>Listings</h2>{_table(shown, 'Nothing is listed yet.')}",
        f"<h2>Sessions</h2>{_table(sessions, 'Nobody has come yet.')}",
        f"<h2>Money, in {escape(currency)}</h2>",
        _table([{"balance": money(statement["balance"]), **totals}], ""),
    ]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}'
    head += f"</title><style>{STYLE}</style>"
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>'


def money(cents: int) -> str:
    """Cents as units of a currency.

    >>> money(1205), money(-5)
    ('12.05', '-0.05')
    """
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02}"


def _table(rows: Sequence[Mapping[str, Any]], otherwise: str) -> str:
    if not rows:
        return f"<p>{escape(otherwise)}</p>"
    head = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in rows[0])
    lines = ("".join(f"<td>{escape(str(value))}</td>" for value in row.values()) for row in rows)
    table = f"<table><tr>{head}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"
    return f'<div class="wide" tabindex="0">{table}</div>'

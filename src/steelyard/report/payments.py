"""Payments for the terminal, for scripts and for spreadsheets."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

import polars as pl

from steelyard.domain.exhibit import Column, Table
from steelyard.domain.payment import Payment, Payments, PaymentTotal
from steelyard.domain.wording import decimals_of, in_currency

_PERSON = ("name", "email", "participant_id")
_SCHEMA: dict[str, Any] = {
    "worker_id": pl.String,
    "name": pl.String,
    "email": pl.String,
    "participant_id": pl.String,
    "hits": pl.Float64,
    "items": pl.Int64,
    "hours": pl.Float64,
    "pay": pl.Float64,
    "hourly_pay": pl.Float64,
    "open_items": pl.Int64,
    "verdict": pl.String,
    "suggestion": pl.String,
    "reason": pl.String,
    "n_pairs": pl.Int64,
    "mean_difference": pl.Float64,
    "p_value": pl.Float64,
    "flags": pl.String,
    "remarks": pl.String,
    "excluded": pl.String,
    "is_simulated": pl.Boolean,
}


def payments_record(found: Payments, *, people: bool) -> dict[str, Any]:
    """The payments in plain types; names, e-mail addresses and ids on platforms only if asked for."""
    record = asdict(found)
    record["workers"] = [
        {name: _listed(value) for name, value in worker.items() if people or name not in _PERSON}
        for worker in record["workers"]
    ]
    record["notes"] = list(found.notes)
    return record


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def payments_table(found: Payments, *, people: bool = False) -> Table:
    """The payments as a table whose last row is the sum."""
    money = f"pay ({found.currency})"
    columns = (
        Column("worker_id", "worker"),
        *((Column("name", "name"), Column("email", "e-mail")) if people else ()),
        *((Column("participant_id", "participant"),) if people and _from_platform(found) else ()),
        Column("hits", "HITs", 2),
        Column("items", "items"),
        *((Column("open_items", "not due yet"),) if any(one.open_items for one in found.workers) else ()),
        Column("hours", "hours", 2),
        Column("pay", money, decimals_of(found.currency)),
        Column("hourly_pay", "an hour", 2),
        Column("verdict", "verdict"),
        Column("suggestion", "suggestion"),
        Column("excluded", "excluded"),
    )
    total = found.total
    return Table(
        name="payments",
        title=f"Payments of {found.campaign} (check: {found.check})",
        columns=columns,
        rows=_rows(found).vstack(_sum_row(total)).select(column.name for column in columns),
        notes=(
            *((_cost(found),) if total.fee else ()),
            *(f"{worker.worker_id}: {worker.reason}" for worker in found.workers if _needs_a_look(worker)),
            *found.notes,
        ),
        borders=(len(found.workers),),
    )


def _from_platform(found: Payments) -> bool:
    return any(worker.participant_id for worker in found.workers)


def payments_sheet(found: Payments, *, people: bool = False) -> Table:
    """The payments for a spreadsheet, with all the evidence and the sum."""
    rows = _rows(found).vstack(_sum_row(found.total)).with_columns(pl.lit(found.currency).alias("currency"))
    names = [name for name in rows.columns if people or name not in _PERSON]
    columns = tuple(Column(name, name) for name in names)
    return Table(name="payments", title="", columns=columns, rows=rows.select(names))


def _cost(found: Payments) -> str:
    total, currency = found.total, found.currency
    fee, cost = in_currency(total.fee, currency), in_currency(total.cost, currency)
    return f"With the platform's fee of {fee}, {cost} in all."


def _needs_a_look(worker: Payment) -> bool:
    return worker.suggestion in ("look", "refuse") and bool(worker.reason)


def _rows(found: Payments) -> pl.DataFrame:
    flat = [[_flat(getattr(worker, each.name)) for each in fields(worker)] for worker in found.workers]
    return pl.DataFrame(flat, schema=_SCHEMA, orient="row")


def _flat(value: Any) -> Any:
    return " ".join(value) if isinstance(value, tuple) else value


def _sum_row(total: PaymentTotal) -> pl.DataFrame:
    known = asdict(total) | {"worker_id": "total"}
    return pl.DataFrame([[known.get(name) for name in _SCHEMA]], schema=_SCHEMA, orient="row")

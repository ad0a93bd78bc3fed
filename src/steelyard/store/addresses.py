"""Addresses of PostgreSQL databases, which may name one campaign of several with `?schema=NAME`."""

from __future__ import annotations

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from steelyard.domain.errors import SourceError


def postgresql_url(address: str) -> URL:
    """The parts of a postgresql:// address; SourceError if it is not one."""
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        url = URL.create("unreadable")
    if url.get_backend_name() not in ("postgresql", "postgres"):
        scheme = address.partition("://")[0]
        problem = "give the path of a SQLite file, or postgresql://USER:PASSWORD@HOST:PORT/DATABASE."
        raise SourceError(f"{scheme}://…", [f"this address is not understood: {problem}"])
    return url


def schema_in(url: URL) -> str | None:
    """The schema that an address names, and so one campaign of a series."""
    found = url.query.get("schema")
    return found if isinstance(found, str) or found is None else found[-1]


def address_with_schema(address: str, schema: str) -> str:
    """The address of one campaign in the database at an address."""
    url = postgresql_url(address).update_query_dict({"schema": schema})
    return url.render_as_string(hide_password=False)


def shown_address(url: URL) -> str:
    """An address fit for printing: passwords in it are hidden."""
    hidden = {key: "***" for key in url.query if "password" in key}
    return url.update_query_dict(hidden).render_as_string(hide_password=True)

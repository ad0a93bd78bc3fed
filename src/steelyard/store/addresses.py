"""Addresses of PostgreSQL databases, which may name one campaign of several with `?schema=NAME`."""

from __future__ import annotations

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from steelyard.domain.errors import SourceError


def postgresql_url(address: str) -> URL:
    """The parts of a postgresql:// address; SourceError if it is not one. It may name several hosts."""
    try:
        url = make_url(_with_listed_hosts(address))
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


def _with_listed_hosts(address: str) -> str:
    """An address with several hosts as SQLAlchemy reads it.

    >>> _with_listed_hosts("postgresql://me@one:5432,two:5433/evaluation?target_session_attrs=read-write")
    'postgresql://me@/evaluation?host=one:5432&host=two:5433&target_session_attrs=read-write'
    """
    scheme, _, rest = address.partition("://")
    authority, _, rest = rest.partition("/")
    user, at, hosts = authority.rpartition("@")
    if "," not in hosts:
        return address
    database, _, query = rest.partition("?")
    listed = "&".join([*(f"host={host}" for host in hosts.split(",")), *filter(None, [query])])
    return f"{scheme}://{user}{at}/{database}?{listed}"

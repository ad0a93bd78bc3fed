"""Several campaigns in one PostgreSQL database, each in a schema of its own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from sqlalchemy import Connection, inspect, text
from sqlalchemy.schema import DropSchema

from steelyard.domain.errors import Conflict
from steelyard.store.addresses import postgresql_url, schema_in
from steelyard.store.database import unprepared_store
from steelyard.store.tables import campaigns, schema_versions

# Schemas that are being filled; they get the names of their campaigns once all of them are complete.
UNFINISHED = "steelyard_new_"


def campaign_schemas(address: str) -> list[str]:
    """The schemas that hold a campaign, by name; none for an address of one campaign."""
    if schema_in(postgresql_url(address)) is not None:
        return []
    with unprepared_store(address) as store, store.read() as connection:
        if inspect(connection).has_table(schema_versions.name):
            return []
        return _schemas(connection)


def _schemas(connection: Connection) -> list[str]:
    both = text(
        "SELECT schemaname FROM pg_catalog.pg_tables WHERE tablename IN (:campaigns, :versions) "
        "GROUP BY schemaname HAVING count(*) = 2 ORDER BY schemaname"
    )
    names = {"campaigns": campaigns.name, "versions": schema_versions.name}
    found = connection.execute(both, names).scalars()
    return [name for name in found if not name.startswith(UNFINISHED)]


def require_free_schemas(address: str, names: Collection[str]) -> None:
    """Conflict if campaigns of these names cannot be put into the database."""
    with unprepared_store(address) as store, store.read() as connection:
        if schema_in(postgresql_url(address)) is not None or inspect(connection).has_table(campaigns.name):
            raise Conflict(f"{store.address}: there is one campaign here. A series needs another database.")
        _require_free(connection, names, where=store.address)


def _require_free(connection: Connection, names: Collection[str], *, where: str) -> None:
    taken = sorted(set(inspect(connection).get_schema_names()) & set(names))
    if taken:
        raise Conflict(
            f"{where}: already there: {', '.join(taken)}. Nothing was written. Choose another database, or "
            "leave these campaigns out."
        )


def rename_schemas(address: str, names: Mapping[str, str]) -> None:
    """Give schemas their final names, all at once; Conflict if one of these is taken."""
    with unprepared_store(address) as store, store.write() as connection:
        _require_free(connection, names.values(), where=store.address)
        quote = connection.dialect.identifier_preparer.quote_identifier
        for old, new in names.items():
            connection.exec_driver_sql(f"ALTER SCHEMA {quote(old)} RENAME TO {quote(new)}")


def drop_schemas(address: str, names: Iterable[str]) -> None:
    """Remove schemas with all they hold."""
    with unprepared_store(address) as store, store.write() as connection:
        for name in names:
            connection.execute(DropSchema(name, cascade=True, if_exists=True))

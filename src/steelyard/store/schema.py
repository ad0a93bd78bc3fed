"""Which schema a database has, and the way from there to the present one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from importlib import import_module
from pkgutil import iter_modules

from sqlalchemy import Connection, func, insert, inspect, select

from steelyard.store import migrations
from steelyard.store.tables import schema_versions
from steelyard.store.turns import take_turns

Upgrade = Callable[[Connection], None]


def known_upgrades() -> dict[int, Upgrade]:
    """Every migration by its number, in order."""
    found = {}
    for module_info in iter_modules(migrations.__path__):
        match = re.fullmatch(r"m(\d{4})_\w+", module_info.name)
        if match:
            module = import_module(f"{migrations.__name__}.{module_info.name}")
            found[int(match[1])] = module.upgrade
    return dict(sorted(found.items()))


def version(connection: Connection) -> int | None:
    """The schema's number; 0 for an empty database, None for one that holds something else."""
    names = inspect(connection).get_table_names()
    if not names:
        return 0
    if schema_versions.name not in names:
        return None
    applied = select(func.coalesce(func.max(schema_versions.c.version), 0))
    return int(connection.execute(applied).scalar_one())


def upgrade(
    write: Callable[[], AbstractContextManager[Connection]], *, upgrades: Mapping[int, Upgrade]
) -> None:
    """Run the upgrades this database lacks, in order, each in its own transaction; all in one in a new one.

    The version is read again when our turn comes: another process may have been faster.
    """
    with write() as connection:
        take_turns(connection, "migrate")
        if not version(connection):
            for number, run in sorted(upgrades.items()):
                _apply(connection, number, run)
            return
    for number, run in sorted(upgrades.items()):
        with write() as connection:
            take_turns(connection, "migrate")
            if (version(connection) or 0) < number:
                _apply(connection, number, run)


def _apply(connection: Connection, number: int, run: Upgrade) -> None:
    schema_versions.create(connection, checkfirst=True)
    run(connection)
    connection.execute(insert(schema_versions).values(version=number, applied_at=datetime.now(UTC)))

"""What a database's failures mean, and what to do about them."""

from __future__ import annotations

import sqlite3

from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError, StatementError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from steelyard.domain.errors import Conflict, SourceError

FULL = "the disk is full; nothing of this was stored. Free some space, then do it again."
BUSY = (
    "another program has kept the database locked for too long; nothing of this was stored. "
    "Try again, and close other programs that have the database open."
)
READ_ONLY = (
    "this PostgreSQL database can only be read now, as a standby server can. Use the server that "
    "is written to, or take back default_transaction_read_only."
)
SQLITE_PROBLEMS = {
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_NOTADB: "this file is not a database. Give the file that a campaign was made in.",
    sqlite3.SQLITE_CANTOPEN: "the database cannot be opened. Check that the file is there, and that you may "
    "write both to it and to its folder: SQLite keeps two more files beside it.",
    sqlite3.SQLITE_READONLY: "the database cannot be written to. Give yourself permission to write to the "
    "file and its folder, or copy the file elsewhere.",
    sqlite3.SQLITE_CORRUPT: "the database is damaged. Restore it from a copy; "
    "`sqlite3 FILE .recover` may save what came after that.",
    sqlite3.SQLITE_IOERR: "the disk failed to read or write the database. "
    "Check that it has space left and is in order.",
}
# By class or code of SQLSTATE, the longer first.
POSTGRESQL_PROBLEMS = {
    "53100": FULL,
    "53300": "PostgreSQL has no connection left. Close other programs that use it, or raise max_connections.",
    "55P03": BUSY,
    "40": BUSY,
    "25006": READ_ONLY,
    "42501": "PostgreSQL does not let this user do that. Use the owner of the database, or GRANT the rights.",
    "22": "PostgreSQL cannot hold one of the values, such as a text with a NUL character. Correct the texts.",
}


def translate(error: SQLAlchemyError, *, where: str) -> Exception:
    """The same failure in the domain's terms: what is wrong with the database at `where`, and what to do."""
    if isinstance(error, IntegrityError):
        return Conflict(f"{where}: this contradicts what is stored already ({_first_line(error.orig)}).")
    if isinstance(error, PoolTimeoutError):
        return SourceError(where, [BUSY])
    if isinstance(error, DBAPIError):
        return SourceError(where, [driver_problem(error.orig)])
    if isinstance(error, StatementError) and isinstance(error.orig, Exception):
        # A value of the wrong kind, such as a naive datetime: the caller's mistake, not the database's.
        return error.orig
    return SourceError(where, [f"the database cannot be used: {_first_line(error)}"])


def driver_problem(error: BaseException | None) -> str:
    """What a driver's error means, and what to do."""
    if isinstance(error, sqlite3.Error):
        problem = SQLITE_PROBLEMS.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
    else:
        state = getattr(error, "sqlstate", None) or ""
        problem = next((text for code, text in POSTGRESQL_PROBLEMS.items() if state.startswith(code)), None)
        if problem is None and state[:2] in ("", "08", "28", "3D", "57"):
            problem = (
                f"PostgreSQL cannot be reached, or refuses us ({_first_line(error)}). Check that it runs, "
                "and the host, port, user, password and database in the address."
            )
    return problem or f"the database reports: {_first_line(error)}. Check that no other program changed it."


def unreadable_value(error: Exception) -> str:
    """What to do about something stored that cannot be understood."""
    return (
        f"something in the database cannot be understood ({type(error).__name__}: {_first_line(error)}). If "
        "`steelyard verify` finds fault with it, restore it from a copy; else please report this."
    )


def _first_line(error: BaseException | None) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")

"""The database: the only SQL. It needs the extra `server`."""

from __future__ import annotations

from steelyard.domain.extras import missing_part

try:
    import sqlalchemy as sqlalchemy
except ModuleNotFoundError as error:
    raise missing_part(error) from None

"""What gives a judgement its meaning stays as it is: triggers, a chain of hashes; and several managers."""

from __future__ import annotations

from sqlalchemy import Connection

CHANGES = """
CREATE TABLE managers (
    manager_id {key} PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('owner', 'manager', 'viewer')),
    link_version INTEGER NOT NULL,
    is_revoked BOOLEAN NOT NULL,
    created_at {instant} NOT NULL
);
ALTER TABLE actions ADD COLUMN manager_id {key} REFERENCES managers;
DROP VIEW current_judgements;
ALTER TABLE judgements ADD COLUMN item_hash TEXT;
ALTER TABLE judgements ADD COLUMN chain_hash TEXT;
CREATE VIEW current_judgements AS
    SELECT * FROM judgements AS judgement
    WHERE NOT EXISTS (SELECT 1 FROM judgements AS later WHERE later.replaces = judgement.judgement_id)
"""

# Tables whose rows are written once, with the columns by which a row is known.
WRITTEN_ONCE = {
    "systems": ("system_id",),
    "segments": ("segment_id",),
    "items": ("item_id",),
    "item_translations": ("item_id", "place"),
    "credits": ("item_id", "system_id"),
    "shared_places": ("item_id", "hit_id"),
    "hits": ("hit_id",),
    "hit_items": ("hit_id", "position"),
    "revisions": ("revision",),
    "actions": ("number",),
}
# Tables of which only some columns may change: those named here never do, and no row goes away.
FIXED_COLUMNS = {
    "campaigns": (
        *("name", "title", "protocol", "attribute", "source_language", "target_language", "check_name"),
        *("seed", "hit_size", "ratings_per_item", "presentation", "created_at", "created_with", "design"),
    ),
    "workers": ("worker_id", "created_at", "is_simulated"),
    "openings": ("opening_id", "hit_id"),
    "assignments": ("assignment_id", "hit_id", "worker_id", "accepted_at"),
}
# The key of each of those.
KEYS = {"campaigns": "name", "workers": "worker_id", "openings": "opening_id", "assignments": "assignment_id"}
# Their triggers are older: only INSERT OR REPLACE is still to be refused.
GUARDED_BEFORE = ("revisions", "actions")

REFUSAL = "{table} cannot be changed: what was recorded there gives judgements their meaning"


def upgrade(connection: Connection) -> None:
    """Columns and a table more, and triggers; no row is touched."""
    on_sqlite = connection.dialect.name == "sqlite"
    instant = "TEXT" if on_sqlite else "TIMESTAMP WITH TIME ZONE"
    key = "TEXT" if on_sqlite else 'TEXT COLLATE "C"'
    for statement in CHANGES.format(instant=instant, key=key).split(";"):
        connection.exec_driver_sql(statement)
    for statement in _sqlite_triggers() if on_sqlite else _postgresql_triggers():
        connection.exec_driver_sql(statement)


def _sqlite_triggers() -> list[str]:
    made = []
    for table, key in {**WRITTEN_ONCE, **{table: (column,) for table, column in KEYS.items()}}.items():
        refuse = f"SELECT RAISE(ABORT, '{REFUSAL.format(table=table)}')"
        if table not in GUARDED_BEFORE:
            columns = f" OF {', '.join(FIXED_COLUMNS[table])}" if table in FIXED_COLUMNS else ""
            made += [
                f"CREATE TRIGGER {table}_no_update BEFORE UPDATE{columns} ON {table} BEGIN {refuse}; END",
                f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} BEGIN {refuse}; END",
            ]
        made.append(_no_replace(table, [key], refuse))
    # A judgement that has arrived before is passed over, as ON CONFLICT DO NOTHING does.
    keys = [("judgement_id",), ("assignment_id", "position")]
    made.append(_no_replace("judgements", keys, "SELECT RAISE(IGNORE)", first_only="assignment_id"))
    return made


def _no_replace(
    table: str, keys: list[tuple[str, ...]], refuse: str, *, first_only: str | None = None
) -> str:
    """INSERT OR REPLACE deletes the row in its way, asking no trigger unless a connection wants that."""
    same = [" AND ".join(f"{column} = NEW.{column}" for column in key) for key in keys]
    if first_only is not None:
        # Only first judgements are unique in their place, and only a first one is in the way of another.
        same = [
            f"{each} AND replaces IS NULL AND NEW.replaces IS NULL" if first_only in each else each
            for each in same
        ]
    found = " OR ".join(
        f"EXISTS (SELECT 1 FROM {table} WHERE {each})"  # noqa: S608 (names of ours)
        for each in (*same, "rowid = NEW.rowid")
    )
    return f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} WHEN {found} BEGIN {refuse}; END"


def _postgresql_triggers() -> list[str]:
    refusal = REFUSAL.format(table="' || TG_TABLE_NAME || '")
    made = [
        f"""CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION USING MESSAGE = '{refusal}', ERRCODE = 'integrity_constraint_violation';
            END $$"""
    ]
    for table in (*WRITTEN_ONCE, *FIXED_COLUMNS):
        if table in GUARDED_BEFORE:
            continue
        columns = f" OF {', '.join(FIXED_COLUMNS[table])}" if table in FIXED_COLUMNS else ""
        made.append(
            f"""CREATE TRIGGER {table}_stay BEFORE UPDATE{columns} OR DELETE OR TRUNCATE ON {table}
                FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"""
        )
    return made

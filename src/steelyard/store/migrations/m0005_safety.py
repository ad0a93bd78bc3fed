"""What gives a judgement its meaning stays as it is: triggers, a chain of hashes; and several managers."""

from __future__ import annotations

from sqlalchemy import Connection

# Of the free places of a HIT as many were released before as it has assignments without a place: those are
# given out after all that nobody has had, as `leases.release_place` sees to from here on.
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
ALTER TABLE openings ADD COLUMN turn BIGINT NOT NULL DEFAULT 0;
UPDATE openings SET turn = ranked.turn FROM (
    SELECT places.opening_id, hits.number + 1000000000000 * hits.round + 100000000 * places.place + CASE
        WHEN places.assignment_id IS NULL AND places.place - places.n_held < (
            SELECT count(*) FROM assignments AS former
            WHERE former.hit_id = places.hit_id AND former.released_at IS NOT NULL
        ) THEN 100000000000000000 ELSE 0 END AS turn
    FROM (
        SELECT opening_id, hit_id, assignment_id, count(assignment_id) OVER (PARTITION BY hit_id) AS n_held,
            row_number() OVER (
                PARTITION BY hit_id ORDER BY CASE WHEN assignment_id IS NULL THEN 1 ELSE 0 END, opening_id
            ) - 1 AS place
        FROM openings
    ) AS places JOIN hits ON hits.hit_id = places.hit_id
) AS ranked WHERE ranked.opening_id = openings.opening_id;
CREATE INDEX openings_by_turn ON openings (turn) WHERE assignment_id IS NULL;
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
# Whatever else no two rows share: OR REPLACE would delete the other.
ALSO_UNIQUE = {
    "assignments": (
        "hit_id = NEW.hit_id AND worker_id = NEW.worker_id",
        "worker_id = NEW.worker_id AND status = 'accepted' AND NEW.status = 'accepted'",
    ),
    "openings": ("assignment_id = NEW.assignment_id",),
    "judgements": ("replaces = NEW.replaces",),
}
# Their triggers are older: only INSERT OR REPLACE is still to be refused.
GUARDED_BEFORE = ("revisions", "actions")

REFUSAL = "{table} cannot be changed: what was recorded there gives judgements their meaning"
OTHER_HIT = "an opening can only be held by an assignment of its own HIT"
# A place on one HIT cannot be held by an assignment of another.
ELSEWHERE = """NOT EXISTS (
    SELECT 1 FROM assignments WHERE assignment_id = NEW.assignment_id AND hit_id = NEW.hit_id
)"""


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
    """SQLite asks no DELETE trigger about rows that OR REPLACE puts aside, so that is refused before."""
    made = []
    for table, key in WRITTEN_ONCE.items():
        refuse = _refuse(table)
        if table not in GUARDED_BEFORE:
            made += [
                f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} BEGIN {refuse} END",
                f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} BEGIN {refuse} END",
            ]
        made.append(_no_replace(table, [_same(*key)], refuse))
    for table, fixed in FIXED_COLUMNS.items():
        refuse, others = _refuse(table), list(ALSO_UNIQUE.get(table, ()))
        # By value, since a key of whole numbers can be set under the name of rowid too.
        changed = [f"NEW.{column} IS NOT OLD.{column}" for column in ("rowid", *fixed)]
        changed += [_exists(table, f"{other} AND rowid <> OLD.rowid") for other in others]
        made += [
            f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} WHEN {' OR '.join(changed)} "
            f"BEGIN {refuse} END",
            f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} BEGIN {refuse} END",
            _no_replace(table, [_same(KEYS[table]), *others], refuse),
        ]
    for when in ("INSERT", "UPDATE OF assignment_id"):
        made.append(
            f"CREATE TRIGGER openings_own_hit_{when[:6].lower()} BEFORE {when} ON openings "
            f"WHEN NEW.assignment_id IS NOT NULL AND {ELSEWHERE} "
            f"BEGIN SELECT RAISE(ABORT, '{OTHER_HIT}'); END"
        )
    # A judgement that has arrived before is passed over, as ON CONFLICT DO NOTHING does. Only first
    # judgements are unique in their place, and only a first one is in the way of another.
    first = f"{_same('assignment_id', 'position')} AND replaces IS NULL AND NEW.replaces IS NULL"
    made.append(_no_replace("judgements", [_same("judgement_id"), first], "SELECT RAISE(IGNORE);"))
    corrected = _exists("judgements", *ALSO_UNIQUE["judgements"])
    made.append(
        f"CREATE TRIGGER judgements_one_correction BEFORE INSERT ON judgements "
        f"WHEN NEW.replaces IS NOT NULL AND {corrected} BEGIN {_refuse('judgements')} END"
    )
    return made


def _refuse(table: str) -> str:
    return f"SELECT RAISE(ABORT, '{REFUSAL.format(table=table)}');"


def _same(*key: str) -> str:
    return " AND ".join(f"{column} = NEW.{column}" for column in key)


def _exists(table: str, which: str) -> str:
    return f"EXISTS (SELECT 1 FROM {table} WHERE {which})"  # noqa: S608 (names of ours)


def _no_replace(table: str, same: list[str], act: str) -> str:
    found = " OR ".join(_exists(table, each) for each in (*same, "rowid = NEW.rowid"))
    return f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} WHEN {found} BEGIN {act} END"


def _postgresql_triggers() -> list[str]:
    refusal = REFUSAL.format(table="' || TG_TABLE_NAME || '")
    made = [_raising("refuse_change", refusal), _raising("refuse_other_hit", OTHER_HIT, unless_own_hit=True)]
    for table in (*WRITTEN_ONCE, *FIXED_COLUMNS):
        if table in GUARDED_BEFORE:
            continue
        columns = f" OF {', '.join(FIXED_COLUMNS[table])}" if table in FIXED_COLUMNS else ""
        made.append(
            f"""CREATE TRIGGER {table}_stay BEFORE UPDATE{columns} OR DELETE OR TRUNCATE ON {table}
                FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"""
        )
    made.append(
        """CREATE TRIGGER openings_own_hit BEFORE INSERT OR UPDATE OF assignment_id ON openings
            FOR EACH ROW WHEN (NEW.assignment_id IS NOT NULL) EXECUTE FUNCTION refuse_other_hit()"""
    )
    return made


def _raising(name: str, message: str, *, unless_own_hit: bool = False) -> str:
    refuse = f"RAISE EXCEPTION USING MESSAGE = '{message}', ERRCODE = 'integrity_constraint_violation';"
    body = f"IF {ELSEWHERE} THEN {refuse} END IF; RETURN NEW;" if unless_own_hit else refuse
    return f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$"

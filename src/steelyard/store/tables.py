"""The tables as queries see them.

The migrations make them, with their indexes and triggers; a test keeps the columns here in step.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    Integer,
    MetaData,
    Table,
    Text,
)
from sqlalchemy.types import TypeDecorator, TypeEngine


class Instant(TypeDecorator[datetime]):
    """A moment: aware UTC in and out. SQLite keeps it as text of fixed width, so that it sorts."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(Text() if dialect.name == "sqlite" else DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        if value.utcoffset() is None:
            raise ValueError(f"{value} has no time zone: pass an aware datetime, such as datetime.now(UTC)")
        moment = value.astimezone(UTC)
        return moment.isoformat(timespec="microseconds") if dialect.name == "sqlite" else moment

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        moment: datetime = datetime.fromisoformat(value) if dialect.name == "sqlite" else value
        return moment if moment.tzinfo is UTC else moment.astimezone(UTC)


metadata = MetaData()

schema_versions = Table(
    "schema_versions",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("applied_at", Instant, nullable=False),
)
campaigns = Table(
    "campaigns",
    metadata,
    Column("name", Text, primary_key=True),
    Column("title", Text, nullable=False),
    Column("protocol", Text, nullable=False),
    Column("attribute", Text, nullable=False),
    Column("source_language", Text, nullable=False),
    Column("target_language", Text, nullable=False),
    Column("check_name", Text, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("hit_size", Integer, nullable=False),
    Column("ratings_per_item", Integer, nullable=False),
    Column("presentation", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("created_with", Text, nullable=False),
    Column("design", Text, nullable=False),
    Column("state", Text, nullable=False),
    # JSON of `Rules`; what is left out is as usual.
    Column("rules", Text, nullable=False),
    # Where the campaign was last served, for links that are printed later.
    Column("url", Text),
    # Tells whether a secret is the one that the links were made with; it opens nothing.
    Column("secret_mark", Text),
)
revisions = Table(
    "revisions",
    metadata,
    Column("revision", Integer, primary_key=True, autoincrement=False),
    Column("title", Text, nullable=False),
    Column("presentation", Text, nullable=False),
    Column("made_at", Instant, nullable=False),
    Column("reason", Text, nullable=False),
)
systems = Table(
    "systems",
    metadata,
    Column("system_id", Text, primary_key=True),
    Column("is_human", Boolean, nullable=False),
    Column("number", Integer, nullable=False),
    Column("weight", Double, nullable=False),
)
segments = Table(
    "segments",
    metadata,
    Column("segment_id", Text, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("document_id", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("reference", Text, nullable=False),
    # Segments that came together: 1 for those of the beginning, 2 and so on for those added later.
    Column("part", Integer, nullable=False),
)
items = Table(
    "items",
    metadata,
    Column("item_id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("system_id", Text, ForeignKey("systems.system_id"), nullable=False),
    Column("segment_id", Text, ForeignKey("segments.segment_id"), nullable=False),
    Column("text", Text, nullable=False),
    Column("base_item_id", Text, ForeignKey("items.item_id")),
    Column("known", Double),
    Column("known_sd", Double),
)
# The further translations of items that show several; the first one is in `items`, at place 1.
item_translations = Table(
    "item_translations",
    metadata,
    Column("item_id", Text, ForeignKey("items.item_id"), primary_key=True),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("system_id", Text, ForeignKey("systems.system_id"), nullable=False),
    Column("segment_id", Text, ForeignKey("segments.segment_id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("text", Text, nullable=False),
    # A JSON list of further systems that gave this text; null: none.
    Column("credited", Text),
)
# Errors that are marked in an item's translations before any worker comes: a JSON list for each place.
prefilled = Table(
    "prefilled",
    metadata,
    Column("item_id", Text, ForeignKey("items.item_id"), primary_key=True),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("spans", Text, nullable=False),
)
# Other systems that gave exactly the text of an item: they share its ratings.
item_credits = Table(
    "credits",
    metadata,
    Column("item_id", Text, ForeignKey("items.item_id"), primary_key=True),
    Column("system_id", Text, ForeignKey("systems.system_id"), primary_key=True),
)
hits = Table(
    "hits",
    metadata,
    Column("hit_id", Text, primary_key=True),
    Column("round", Integer, nullable=False),
    Column("number", Integer, nullable=False),
    Column("part", Integer, nullable=False),
)
hit_items = Table(
    "hit_items",
    metadata,
    Column("hit_id", Text, ForeignKey("hits.hit_id"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("item_id", Text, ForeignKey("items.item_id"), nullable=False),
    Column("group_number", Integer, nullable=False),
    Column("is_padding", Boolean, nullable=False),
)
# Places of items that are in two HITs of one round: padding, and what it repeats.
shared_places = Table(
    "shared_places",
    metadata,
    Column("item_id", Text, ForeignKey("items.item_id"), primary_key=True),
    Column("hit_id", Text, ForeignKey("hits.hit_id"), primary_key=True),
)
workers = Table(
    "workers",
    metadata,
    Column("worker_id", Text, primary_key=True),
    Column("created_at", Instant, nullable=False),
    # A new version makes earlier links of this worker invalid.
    Column("link_version", Integer, nullable=False),
    Column("is_revoked", Boolean, nullable=False),
    Column("is_blocked", Boolean, nullable=False),
    Column("is_simulated", Boolean, nullable=False),
)
# Who a worker is, as far as the manager wrote it down: kept apart from everything that is exported.
people = Table(
    "people",
    metadata,
    Column("worker_id", Text, ForeignKey("workers.worker_id"), primary_key=True),
    Column("name", Text, nullable=False),
    Column("email", Text, nullable=False),
)
# Whom a crowd platform sent: kept apart like people.
participants = Table(
    "participants",
    metadata,
    Column("worker_id", Text, ForeignKey("workers.worker_id"), primary_key=True),
    Column("platform", Text, nullable=False),
    # A keyed hash of the id, by which somebody is known again; null: made with a secret that is gone.
    Column("pseudonym", Text),
    # The id on the platform, for paying; null: forgotten.
    Column("participant_id", Text),
    Column("joined_at", Instant, nullable=False),
)
platform_sessions = Table(
    "platform_sessions",
    metadata,
    Column("worker_id", Text, ForeignKey("participants.worker_id"), primary_key=True),
    # Empty where the platform does not say.
    Column("study_id", Text, primary_key=True),
    Column("session_id", Text, primary_key=True),
    Column("begun_at", Instant, nullable=False),
    # The set that was done in this session, and since when that is so: no other session has it.
    Column("assignment_id", Text, ForeignKey("assignments.assignment_id")),
    Column("finished_at", Instant),
)
# Who may not join, by the same keyed hash: mostly people of earlier campaigns.
barred_participants = Table(
    "barred_participants",
    metadata,
    Column("pseudonym", Text, primary_key=True),
    Column("made_at", Instant, nullable=False),
)
# What a campaign is on a platform. Money is in cents: `pay` is what people get if every place is taken, those
# who are screened out included, and `cost` the same with fees.
listings = Table(
    "listings",
    metadata,
    Column("tag", Text, primary_key=True),
    Column("platform", Text, nullable=False),
    # The platform's own id; null: no reply to the request to make it has come.
    Column("listing_id", Text),
    Column("state", Text, nullable=False),
    Column("places", Integer, nullable=False),
    Column("reward", BigInteger, nullable=False),
    Column("pay", BigInteger, nullable=False),
    Column("cost", BigInteger, nullable=False),
    Column("currency", Text, nullable=False),
    Column("made_at", Instant, nullable=False),
    Column("synced_at", Instant),
)
# What a platform says about a person's session, and the assignment that was done in it.
crowd_sessions = Table(
    "crowd_sessions",
    metadata,
    # A keyed hash of the platform's id once the person was erased or forgotten.
    Column("session_id", Text, primary_key=True),
    Column("tag", Text, ForeignKey("listings.tag"), nullable=False),
    # Null for those who never came here, and once they were erased.
    Column("worker_id", Text, ForeignKey("workers.worker_id")),
    Column("assignment_id", Text, ForeignKey("assignments.assignment_id")),
    Column("state", Text, nullable=False),
    # By the platform's clock; `seen_at` by ours.
    Column("changed_at", Instant, nullable=False),
    Column("seen_at", Instant, nullable=False),
    Column("code", Text),
    Column("reward", BigInteger, nullable=False),
    # What the platform takes for the reward that it has paid; null: not asked yet.
    Column("fee", BigInteger),
    # A JSON list of amounts.
    Column("bonuses", Text, nullable=False),
    Column("is_return_requested", Boolean, nullable=False),
)
# Bonuses, written down before the platform is asked to pay them.
transfers = Table(
    "transfers",
    metadata,
    Column("token", Text, primary_key=True),
    Column("tag", Text, ForeignKey("listings.tag"), nullable=False),
    Column("session_id", Text, nullable=False),
    Column("worker_id", Text, ForeignKey("workers.worker_id")),
    Column("amount", BigInteger, nullable=False),
    Column("fee", BigInteger, nullable=False),
    Column("reason", Text, nullable=False),
    Column("state", Text, nullable=False),
    # The platform's id of the order; null: not ordered yet, so certainly not paid.
    Column("order_id", Text),
    Column("made_at", Instant, nullable=False),
    Column("settled_at", Instant),
)
# What a platform told us by itself, so that nothing told twice counts twice.
notices = Table(
    "notices",
    metadata,
    Column("notice_id", Text, primary_key=True),
    Column("received_at", Instant, nullable=False),
)
# The versions of the links that belong to no worker: the manager's and the open one.
shared_links = Table(
    "shared_links",
    metadata,
    Column("role", Text, primary_key=True),
    Column("version", Integer, nullable=False),
)
# Tokens of databases made before links were derived from a secret; they hold until they are renewed.
links = Table(
    "links",
    metadata,
    Column("token", Text, primary_key=True),
    Column("role", Text, nullable=False),
    Column("worker_id", Text, ForeignKey("workers.worker_id")),
    Column("created_at", Instant, nullable=False),
)
assignments = Table(
    "assignments",
    metadata,
    Column("assignment_id", Text, primary_key=True),
    Column("hit_id", Text, ForeignKey("hits.hit_id"), nullable=False),
    Column("worker_id", Text, ForeignKey("workers.worker_id"), nullable=False),
    Column("status", Text, nullable=False),
    Column("accepted_at", Instant, nullable=False),
    Column("submitted_at", Instant),
    # When its place went back to the pool: by the worker, the manager, or after time without activity.
    # Set exactly while the assignment holds no opening.
    Column("released_at", Instant),
    # When the worker last came back to it after too long; null: never. Starts the lease anew.
    Column("resumed_at", Instant),
)
# An opening is one place for one worker on one HIT; it is taken once it names an assignment.
openings = Table(
    "openings",
    metadata,
    Column("opening_id", Integer, primary_key=True, autoincrement=False),
    Column("hit_id", Text, ForeignKey("hits.hit_id"), nullable=False),
    Column("assignment_id", Text, ForeignKey("assignments.assignment_id")),
    # Free places are given out in this order: see `laid_out.turn_of`.
    Column("turn", BigInteger, nullable=False, server_default="0"),
)
judgements = Table(
    "judgements",
    metadata,
    Column("judgement_id", Text, primary_key=True),
    Column("assignment_id", Text, ForeignKey("assignments.assignment_id"), nullable=False),
    Column("item_id", Text, ForeignKey("items.item_id"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("answer", Text, nullable=False),
    Column("shown_ms", BigInteger, nullable=False),
    Column("submitted_at", Instant, nullable=False),
    Column("replaces", Text, ForeignKey("judgements.judgement_id")),
    # A JSON list of places, as the worker saw the item's translations; null: as stored.
    Column("shown_order", Text),
    # The revision of the campaign's words that the worker saw.
    Column("revision", Integer, nullable=False),
    # Of the item as it was shown, and of this judgement with the one before it in its assignment; null in
    # databases made before there were such hashes.
    Column("item_hash", Text),
    Column("chain_hash", Text),
    # JSON of `Behaviour`; null where the campaign asks no consent to it.
    Column("behaviour", Text),
)
# What workers agreed to, answered and tried before their first set: `number` counts from 1 for each step.
entries = Table(
    "entries",
    metadata,
    Column("worker_id", Text, ForeignKey("workers.worker_id"), primary_key=True),
    Column("step", Text, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    # JSON, in the step's own shape: see `domain/entry.py`.
    Column("content", Text, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("made_at", Instant, nullable=False),
)
# What workers wrote to the organiser, about an item or in general.
remarks = Table(
    "remarks",
    metadata,
    Column("remark_id", Text, primary_key=True),
    Column("worker_id", Text, ForeignKey("workers.worker_id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("assignment_id", Text, ForeignKey("assignments.assignment_id")),
    Column("item_id", Text, ForeignKey("items.item_id")),
    Column("text", Text, nullable=False),
    Column("made_at", Instant, nullable=False),
)
# Who may look after the campaign besides those who have its own link.
managers = Table(
    "managers",
    metadata,
    Column("manager_id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("email", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("link_version", Integer, nullable=False),
    Column("is_revoked", Boolean, nullable=False),
    Column("created_at", Instant, nullable=False),
)
# What managers, workers and the server did, in order. Never changed.
actions = Table(
    "actions",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("done_at", Instant, nullable=False),
    Column("done_by", Text, nullable=False),
    Column("verb", Text, nullable=False),
    Column("worker_id", Text, ForeignKey("workers.worker_id")),
    Column("hit_id", Text, ForeignKey("hits.hit_id")),
    Column("reason", Text, nullable=False),
    Column("detail", Text, nullable=False),
    # Which of several managers it was; null: whoever has the campaign's own link.
    Column("manager_id", Text, ForeignKey("managers.manager_id")),
)

current_judgements = Table(
    "current_judgements",
    MetaData(),
    *(Column(column.name, column.type) for column in judgements.columns),
)


def could_be_key(text: str) -> bool:
    """Whether a database could hold this string as an id; some outsiders send NUL or half characters."""
    return text.isprintable()

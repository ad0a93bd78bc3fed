"""A toy campaign, and a store on each of the two databases."""

from __future__ import annotations

import gc
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import numpy as np
import polars as pl
import psycopg
import pytest
from hypothesis import settings
from psycopg import sql
from sqlalchemy import create_engine

import steelyard.protocols as protocols_package
from steelyard.aggregation import worker_model_gibbs
from steelyard.domain.campaign import Campaign, CampaignSettings, DesignSettings
from steelyard.domain.crowd import ListingState
from steelyard.domain.entry import CampaignEntry, Consent, EntryQuestion, TrainingItem
from steelyard.domain.text import Segment, System
from steelyard.domain.work import Hit, Item, ItemKind, PlacedItem
from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.links import add_workers
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.submit import Submission, submit
from steelyard.planning import search
from steelyard.planning.power import SimulatedTests, simulate_tests
from steelyard.protocols import protocols, words_in
from steelyard.stats.worker_model.gibbs import GibbsOptions
from steelyard.store import campaigns, engines
from steelyard.store import running as revised
from steelyard.store.crowd import StoredListing
from steelyard.store.database import Store, open_store

MoreProtocols = Callable[[Mapping[str, Mapping[str, str]]], AbstractContextManager[Path]]
PASSWORD = "toy-secret"
SCHEMAS = (
    "SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'"
)
# What a test may have changed besides rows and statistics: any definition (a changed one is a new row of its
# catalogue), or the size: the planner takes ten pages for granted, so that fewer make no difference.
SHAPE = """
SELECT count(*), sum(xmin::text::bigint) FROM pg_namespace
UNION ALL SELECT count(*), sum(xmin::text::bigint) FROM pg_proc WHERE oid >= 16384
UNION ALL SELECT count(*), sum(xmin::text::bigint) FROM pg_trigger WHERE oid >= 16384
UNION ALL SELECT count(*), sum(xmin::text::bigint) FROM pg_constraint WHERE oid >= 16384
UNION ALL SELECT count(*), sum(xmin::text::bigint) FROM pg_attribute WHERE attrelid >= 16384
UNION ALL SELECT count(*), sum(hashtext(ROW(oid, relname, relkind, relfilenode, reloptions)::text))
    FROM pg_class WHERE oid >= 16384
UNION ALL SELECT count(*), 0 FROM pg_class WHERE oid >= 16384 AND pg_relation_size(oid) > 10 * 8192
"""
EMPTY_TABLES = """
DO $$ DECLARE part record; BEGIN
    FOR part IN SELECT oid::regclass AS name, relkind FROM pg_class
        WHERE relnamespace = 'public'::regnamespace
    LOOP
        IF part.relkind = 'r' THEN EXECUTE format('DELETE FROM %s', part.name);
        ELSIF part.relkind = 'S' THEN PERFORM setval(part.name, 1, false);
        END IF;
    END LOOP;
END $$;
DELETE FROM pg_statistic WHERE starelid >= 16384;
UPDATE pg_class SET relpages = 0, reltuples = -1 WHERE oid >= 16384 AND relkind = 'r' AND reltuples <> -1;
UPDATE pg_class SET relpages = 1, reltuples = 0 WHERE oid >= 16384 AND relkind = 'i' AND reltuples <> 0;
"""
# One secret for all links, so that tests may copy databases; those about secrets put it aside.
os.environ["STEELYARD_SECRET"] = "a secret of the tests, and of nothing else"
NOON = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)
# Thousands of tests and modules stay for the whole run: to look through them again and again finds nothing.
gc.set_threshold(200_000, 50, 50)


# The gate gives the same answer every time, on slow machines too. To look further, with new examples each
# time, run `.venv/bin/pytest --hypothesis-profile=thorough`.
settings.register_profile("gate", derandomize=True, deadline=None, max_examples=40)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("gate")

ALLOWED_SKIP = "the folder of real data is absent"


class CompiledStatements(dict[Any, Any]):
    """What SQLAlchemy has compiled, for all engines of a database: tests have one each, and ask it alike."""

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get((key[0].driver, *key[1:]), default)

    def __setitem__(self, key: Any, compiled: Any) -> None:
        super().__setitem__((key[0].driver, *key[1:]), compiled)


engines.create_engine = partial(create_engine, execution_options={"compiled_cache": CompiledStatements()})


def _remembering(simulate: Callable[..., SimulatedTests]) -> Callable[..., SimulatedTests]:
    """Plans of tests differ in wages and the like far more often than in what is simulated for them."""
    known: dict[str, tuple[SimulatedTests, Any]] = {}

    def simulate_once(*given: Any, campaigns: int, rng: np.random.Generator, **more: Any) -> SimulatedTests:
        key = repr((given, campaigns, rng.bit_generator.state))
        if key not in known:
            known[key] = simulate(*given, campaigns=campaigns, rng=rng, **more), rng.bit_generator.state
        elif "step" in more:
            for _ in range(campaigns):
                more["step"](1)
        found, rng.bit_generator.state = known[key]
        return found

    return simulate_once


search.simulate_tests = _remembering(simulate_tests)


def pytest_configure(config: pytest.Config) -> None:
    """Compile the tests before several processes start, each of which would do it for itself."""
    if not config.getoption("numprocesses", None) or hasattr(config, "workerinput"):
        return
    if sys.dont_write_bytecode or config.getoption("assertmode") != "rewrite":
        return
    # By pytest's private functions: where another version has others, each process compiles for itself.
    with suppress(Exception):
        _compile_tests(config)


def _compile_tests(config: pytest.Config) -> None:
    from _pytest.assertion import rewrite

    folder = config.rootpath / "tests"
    for file in [*folder.rglob("test_*.py"), *folder.rglob("conftest.py")]:
        cache = rewrite.get_cache_dir(file)
        compiled = cache / f"{file.stem}{rewrite.PYC_TAIL}"
        if rewrite.try_makedirs(cache) and rewrite._read_pyc(file, compiled) is None:
            stamp, code = rewrite._rewrite_test(file, config)
            rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, stamp, compiled)


def pytest_collection_finish() -> None:
    """Nothing that is there now will ever be garbage."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """A test may be skipped for one reason only; any other skip fails."""
    report = yield
    if report.skipped and ALLOWED_SKIP not in str(report.longrepr):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped; the only reason allowed is that {ALLOWED_SKIP}"
    return report


@pytest.fixture
def noon() -> datetime:
    return NOON


@pytest.fixture(scope="session")
def with_attributes() -> Callable[..., pl.DataFrame]:
    """Gives every text of a frame several attributes, which go together but for a little noise."""

    def make(frame: pl.DataFrame, n: int, *, noise: float = 5.0, seed: int = 1) -> pl.DataFrame:
        rng = np.random.default_rng(seed)
        return pl.concat(
            frame.with_columns(
                attribute=pl.lit(f"attribute {k}"),
                rating=pl.col("rating") + pl.Series(rng.normal(0, noise, len(frame))),
            )
            for k in range(n)
        )

    return make


@pytest.fixture
def toy_campaign() -> Campaign:
    """Two systems, two documents, three segments."""
    segments = (
        Segment("s1", "news-1", "Der Hund schläft.", "The dog is asleep."),
        Segment("s2", "news-1", "Es regnet seit Tagen.", "It has been raining for days."),
        Segment("s3", "news-2", "Sie lacht laut.", "She laughs out loud."),
    )
    texts = {
        "alpha": ("The dog sleeps.", "It rains since days.", "She laughs loudly."),
        "beta": ("The hound is sleeping.", "It's been raining for days.", "She's laughing loud."),
    }
    return Campaign(
        settings=CampaignSettings(
            name="toy-de-en",
            title="A toy",
            protocol="da",
            attribute="adequacy",
            source_language="de",
            target_language="en",
            design=DesignSettings(hit_size=4, ratings_per_item=2),
        ),
        systems=(System("alpha"), System("beta", is_human=True)),
        segments=segments,
        translations=texts,
    )


@pytest.fixture
def toy_items(toy_campaign: Campaign) -> list[Item]:
    """A regular item i-<system>-<segment> for each translation, and two controls of the first."""
    regular = [
        Item(f"i-{t.system_id}-{t.segment_id}", ItemKind.REGULAR, t.system_id, t.segment_id, t.text)
        for t in toy_campaign.each_translation()
    ]
    base = regular[0].item_id
    # The controls come first: nothing may depend on the order of items.
    return [
        Item("i-degraded", ItemKind.DEGRADED, "alpha", "s1", "The tax sleeps.", base),
        Item("i-repeat", ItemKind.REPEAT, "alpha", "s1", regular[0].text, base),
        *regular,
    ]


@pytest.fixture
def toy_hits() -> list[Hit]:
    """Two rounds of two HITs with four items each; no item is in two HITs of one round."""

    def hit(hit_id: str, round_: int, number: int, item_ids: list[str]) -> Hit:
        placed = tuple(PlacedItem(item_id, position, 1) for position, item_id in enumerate(item_ids, start=1))
        return Hit(hit_id, round_, number, placed)

    controls = ["i-degraded", "i-repeat"]
    return [
        hit("h1", 1, 1, ["i-alpha-s1", "i-beta-s2", *controls]),
        hit("h2", 1, 2, ["i-beta-s1", "i-alpha-s2", "i-alpha-s3", "i-beta-s3"]),
        hit("h3", 2, 3, ["i-alpha-s2", "i-alpha-s1", *controls]),
        hit("h4", 2, 4, ["i-beta-s3", "i-beta-s2", "i-beta-s1", "i-alpha-s3"]),
    ]


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where an empty database can be made: once a SQLite file, once a PostgreSQL database.

    For a test that asks for a store it has our tables already: making them costs more than most tests.
    """
    has_tables = "store" in request.fixturenames
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_store" if has_tables else "postgres_address"))
    file = tmp_path / "toy.db"
    if has_tables:
        shutil.copy(request.getfixturevalue("sqlite_tables"), file)
    return str(file)


@pytest.fixture(scope="session")
def sqlite_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with our tables and nothing in them."""
    file = tmp_path_factory.mktemp("tables") / "empty.db"
    open_store(str(file), create=True).close()
    return file


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    """A store without a campaign, on each database in turn."""
    opened = open_store(address, create=True)
    yield opened
    opened.close()


@pytest.fixture
def toy_store(
    store: Store, toy_campaign: Campaign, toy_items: list[Item], toy_hits: list[Hit], noon: datetime
) -> Store:
    """A store that holds the toy campaign, with one opening per HIT."""
    with store.write() as connection:
        campaigns.add_campaign(
            connection,
            toy_campaign,
            items=toy_items,
            hits=toy_hits,
            openings_per_hit=1,
            now=noon,
            created_with="steelyard test",
        )
    return store


@pytest.fixture
def postgres_address(new_postgres_database: Callable[[], str]) -> str:
    """The address of a PostgreSQL database made for this test alone."""
    return new_postgres_database()


@pytest.fixture
def postgres_store(postgres_tables: PostgresTables) -> Iterator[str]:
    """The address of a PostgreSQL database for this test alone, with our tables and nothing in them."""
    name = postgres_tables.take()
    yield postgres_tables.databases.address_of(name)
    postgres_tables.give_back(name)


@pytest.fixture(scope="session")
def postgres_tables(postgres_databases: PostgresDatabases) -> PostgresTables:
    return PostgresTables(postgres_databases)


@pytest.fixture
def new_postgres_database(postgres_databases: PostgresDatabases) -> Iterator[Callable[[], str]]:
    """Makes empty PostgreSQL databases for this test alone; each call gives the address of another."""
    taken: list[str] = []

    def make() -> str:
        taken.append(postgres_databases.take())
        return postgres_databases.address_of(taken[-1])

    yield make
    for name in taken:
        postgres_databases.give_back(name)


@dataclass(frozen=True)
class PostgresDatabases:
    """Databases of one server. A test's database is emptied for the next test: making one costs much more."""

    folder: Path
    server: psycopg.Connection[Any]
    free: list[str] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=count)

    def address_of(self, name: str) -> str:
        return f"postgresql://postgres:{PASSWORD}@/{name}?host={self.folder}"

    def take(self) -> str:
        """The name of a database without tables."""
        if self.free:
            return self.free.pop()
        name = f"test_{next(self.numbers)}"
        self.server.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        return name

    def copy(self, template: str, name: str) -> None:
        """Let the database be a copy of another, which nobody may be connected to."""
        # Copying its files is the quickest way; before version 15 it was the only one.
        how = "STRATEGY file_copy" if self.server.info.server_version >= 150_000 else ""
        self.server.execute(f"DROP DATABASE {name} WITH (FORCE)")
        self.server.execute(f"CREATE DATABASE {name} TEMPLATE {template} {how}")

    def disconnect(self, name: str) -> None:
        self.server.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = %s", [name]
        )

    def give_back(self, name: str) -> None:
        """Disconnect everybody from the database and drop what is in it; or all of it, if it is closed."""
        self.disconnect(name)
        try:
            with psycopg.connect(self.address_of(name)) as database:
                for (schema,) in database.execute(SCHEMAS).fetchall():
                    database.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(schema)))
                database.execute("CREATE SCHEMA public")
        except psycopg.OperationalError:
            self.server.execute(f"DROP DATABASE {name} WITH (FORCE)")
        else:
            self.free.append(name)


@dataclass(frozen=True)
class PostgresTables:
    """Databases with our tables. A test's rows are deleted for the next test, if rows are all it has left."""

    databases: PostgresDatabases
    free: list[str] = field(default_factory=list)
    shapes: dict[str, list[Any]] = field(default_factory=dict)
    # The rows that tables are made with, in the format of COPY.
    first_rows: dict[str, bytes] = field(default_factory=dict)

    def take(self) -> str:
        """The name of a database as our migrations leave it."""
        if self.free:
            return self.free.pop()
        name = self.databases.take()
        open_store(self.databases.address_of(name), create=True).close()
        with psycopg.connect(self.databases.address_of(name)) as database:
            self.shapes[name] = database.execute(SHAPE).fetchall()
            tables = database.execute(
                "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
            ).fetchall()
            for (table,) in tables:
                command = sql.SQL("COPY {} TO STDOUT").format(sql.Identifier(table))
                with database.cursor().copy(command) as rows:
                    self.first_rows[table] = b"".join(map(bytes, rows))
        return name

    def give_back(self, name: str) -> None:
        self.databases.disconnect(name)
        try:
            # Triggers that keep rows from being deleted do not run for a replica.
            address = f"{self.databases.address_of(name)}&options=-csession_replication_role%3Dreplica"
            with psycopg.connect(address) as database:
                is_clean = database.execute(SHAPE).fetchall() == self.shapes[name]
                if is_clean:
                    self._empty(database)
        except psycopg.OperationalError:
            is_clean = False
        if is_clean:
            self.free.append(name)
        else:
            self.databases.give_back(name)

    def _empty(self, database: psycopg.Connection[Any]) -> None:
        database.execute(EMPTY_TABLES)
        for table, rows in self.first_rows.items():
            if rows:
                command = sql.SQL("COPY {} FROM STDIN").format(sql.Identifier(table))
                with database.cursor().copy(command) as target:
                    target.write(rows)


@pytest.fixture(scope="session")
def postgres_databases(postgres_folder: Path) -> Iterator[PostgresDatabases]:
    address = f"postgresql://postgres:{PASSWORD}@/postgres?host={postgres_folder}"
    with psycopg.connect(address, autocommit=True) as server:
        yield PostgresDatabases(postgres_folder, server)


@pytest.fixture(scope="session")
def postgres_folder() -> Iterator[Path]:
    """The socket folder of a PostgreSQL server that lives as long as the tests."""
    programs = _postgres_programs()
    with _folder_for_server() as (folder, user):
        password_file = folder / "password"
        password_file.write_text(PASSWORD)
        options = ["-D", folder / "data", "-U", "postgres", f"--pwfile={password_file}", "--no-sync"]
        options += ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"]
        _run([programs / "initdb", *options], folder=folder, user=user)
        with _running_server(programs, folder, user):
            yield folder


def _postgres_programs() -> Path:
    found = [shutil.which("initdb")]
    versions = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    found += sorted(versions, key=lambda program: int(program.parts[-3]), reverse=True)
    for program in filter(None, found):
        # A link in PATH may point to the folder that holds the other programs too.
        folder = Path(program).resolve().parent
        if (folder / "postgres").exists():
            return folder
    return pytest.fail("PostgreSQL is missing: run `make test`, or install Debian's postgresql package")


@contextmanager
def _folder_for_server() -> Iterator[tuple[Path, str | None]]:
    folder = Path(tempfile.mkdtemp(prefix="steelyard-", dir=_place_for_server()))
    user = None
    if os.geteuid() == 0:
        user = "postgres" if any(entry.pw_name == "postgres" for entry in pwd.getpwall()) else "nobody"
        shutil.chown(folder, user)
    folder.chmod(0o755)
    try:
        yield folder, user
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _place_for_server() -> Path:
    """Not pytest's own folder: under root the server runs as another user, who may not enter that."""
    place = Path(tempfile.gettempdir()).resolve()
    is_open_to_all = all(folder.stat().st_mode & 0o001 for folder in (place, *place.parents))
    # The path of a socket may not be long.
    return place if is_open_to_all and len(str(place)) < 60 else Path("/tmp")  # noqa: S108 (a folder is made in it)


@contextmanager
def _running_server(programs: Path, folder: Path, user: str | None) -> Iterator[None]:
    # Durability is what the tests of killed clients ask of us, not of the server's disk: no fsync.
    settings = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={folder}", "-c", "fsync=off"]
    settings += ["-c", "full_page_writes=off", "-c", "autovacuum=off", "-c", "wal_level=minimal"]
    settings += ["-c", "max_wal_senders=0"]
    log = folder / "server.log"
    with log.open("w") as output:
        server = subprocess.Popen(
            [programs / "postgres", "-D", folder / "data", *settings],
            cwd=folder,
            user=user,
            stdout=output,
            stderr=output,
        )
    try:
        _wait_for_server(server, folder, log)
        yield
    finally:
        # An immediate shutdown: nothing of this is wanted again.
        server.send_signal(signal.SIGQUIT)
        server.wait(timeout=30)


def _wait_for_server(server: subprocess.Popen[bytes], folder: Path, log: Path) -> None:
    deadline = time.monotonic() + 60
    address = f"postgresql://postgres:{PASSWORD}@/postgres?host={folder}"
    while time.monotonic() < deadline and server.poll() is None:
        with suppress(psycopg.OperationalError), psycopg.connect(address):
            return
        time.sleep(0.05)
    pytest.fail(f"PostgreSQL did not start:\n{log.read_text()}")


def _run(command: list[str | Path], *, folder: Path, user: str | None) -> None:
    done = subprocess.run(command, cwd=folder, user=user, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.fail(f"{Path(command[0]).name} failed:\n{done.stdout}{done.stderr}")


@pytest.fixture(scope="session")
def small_example() -> str:
    """The campaign file of the protocol da, with one rating per item in HITs of 50."""
    text = (protocols()["da"].folder / "example.toml").read_text("utf-8")
    text = text.replace("hit_size = 100", "hit_size = 50")
    return text.replace("ratings_per_item = 7", "ratings_per_item = 1")


@pytest.fixture
def campaign_file(small_example: str, tmp_path: Path) -> Path:
    path = tmp_path / "campaign.toml"
    path.write_text(small_example, "utf-8")
    return path


MARKING = '''
"""A score, and errors marked in the translation and in the source."""

from pathlib import Path

from steelyard.domain.judgement import RatingRow, Said, Span
from steelyard.domain.plugin import Protocol
from steelyard.domain.scale import Scale
from steelyard.protocols._answers import AnswerCheck, answer_object

SCHEMA = answer_object(
    {"rating": {"type": "integer"}, "spans": {"type": "array", "items": {"type": "object"}}},
    required=["rating", "spans"],
)


def rows(item, answer):
    spans = [Span(0, **span) for span in answer["spans"]] or [Span(0)]
    return Said((RatingRow(0, item.attribute, float(answer["rating"])),), (), tuple(spans))


PROTOCOL = Protocol(
    name="marking",
    title="Marking",
    cite=("Graham2013",),
    attributes=("overall",),
    scale=Scale(0, 100),
    presentation={},
    shows={"overall": ("text", "source")},
    seconds_per_item={"overall": 30.0},
    folder=Path(__file__).parent,
    answer_schema=SCHEMA,
    check=lambda item, answer: AnswerCheck(SCHEMA)(answer),
    rows=rows,
    simulate=lambda item, qualities, rng: {"rating": 50, "spans": []},
    gives=("ratings", "spans"),
)
'''
MARKING_WORDS = """
language = "en"
empty = "(no text)"
[attributes]
overall = "quality"
[statements]
overall = "the translation is good."
[instructions]
overall = ["Mark the errors."]
[severities]
minor = "Minor"
major = "Major"
[spans]
first = "Now choose the last word."
remove = "Remove"
adjust_start_back = "Begin earlier"
adjust_start_on = "Begin later"
adjust_end_back = "End earlier"
adjust_end_on = "End later"
start = "Start"
end = "End"
close = "Close"
mark_label = "Error {number} of {total}: {severity}, “{text}”"
none = "No errors marked"
some = "{n} errors marked"
removed = "Removed: {severity}, “{text}”"
undone = "Undone"
severity = "How serious is it?"
anew = "Mark here anew"
several = "Several errors here"
"""
# What three workers say of each translation of the toy campaign: their score, and start, end, severity,
# category, side of the errors. All agree on beta's, on nothing else.
MARKED: dict[str, tuple[tuple[int, list[tuple[Any, ...]]], ...]] = {
    "i-alpha-s1": (
        (40, [(4, 7, "major", "accuracy/mistranslation"), (None, None, "minor")]),
        (60, [(4, 14, "minor", "accuracy/addition")]),
        (90, []),
    ),
    "i-alpha-s2": (
        (20, [(0, 8, "major")]),
        (20, [(0, 8, "major"), (0, 9, "minor", None, "source")]),
        (50, []),
    ),
    "i-beta-s1": ((100, []), (100, []), (100, [])),
}


@pytest.fixture(scope="session")
def more_protocols(tmp_path_factory: pytest.TempPathFactory) -> MoreProtocols:
    """Makes a context with further protocols: by folder, their files. It gives the place of the folders."""

    @contextmanager
    def made(folders: Mapping[str, Mapping[str, str]]) -> Iterator[Path]:
        home = tmp_path_factory.mktemp("more-protocols")
        for folder, files in folders.items():
            for path, text in files.items():
                (home / folder / path).parent.mkdir(parents=True, exist_ok=True)
                (home / folder / path).write_text(text, "utf-8")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(protocols_package, "__path__", [*protocols_package.__path__, str(home)])
            protocols.cache_clear()
            yield home
        for folder in folders:
            sys.modules.pop(f"{protocols_package.__name__}.{folder}", None)
        protocols.cache_clear()

    return made


@pytest.fixture(scope="module")
def marking_protocol(more_protocols: MoreProtocols) -> Iterator[None]:
    """A protocol named marking, which the package does not have: a score and marked errors."""
    files = {"__init__.py": MARKING, "instructions/en.toml": MARKING_WORDS}
    files |= {"widget.js": "export function mount() {}", "widget.css": ""}
    with more_protocols({"marking": files}):
        yield


@pytest.fixture
def write_marked(
    marking_protocol: None, toy_campaign: Campaign, toy_items: list[Item], noon: datetime
) -> Callable[[str], None]:
    """Writes the toy campaign to an address, three of its translations marked by W0001 to W0003."""

    def write(address: str) -> None:
        words = words_in(protocols()["marking"], "en")
        settings = replace(
            toy_campaign.settings, protocol="marking", attribute="overall", presentation={"words": words}
        )
        places = tuple(PlacedItem(item_id, position, 1) for position, item_id in enumerate(MARKED, start=1))
        with open_store(address, create=True) as store, store.write() as connection:
            campaigns.add_campaign(
                connection,
                replace(toy_campaign, settings=settings),
                items=toy_items,
                hits=[Hit("h1", 1, 1, places)],
                openings_per_hit=5,
                now=noon,
                created_with="steelyard test",
            )
        with open_campaign(address) as campaign:
            for number, link in enumerate(add_workers(campaign, 3, base_url="", now=noon)):
                view = next_item(campaign, link.worker_id, now=noon)
                while isinstance(view, NextItem):
                    rating, spans = MARKED[view.item.item_id][number]
                    names = ("start", "end", "severity", "category", "side")
                    marks = [dict(zip(names, span, strict=False)) for span in spans]
                    answer = {"rating": rating, "spans": marks}
                    own = (str(uuid4()), view.assignment_id, view.item.item_id)
                    view = submit(campaign, link.worker_id, Submission(*own, answer, 9000), now=noon).next

    return write


@pytest.fixture(scope="session")
def asked() -> CampaignEntry:
    """A consent text, a question that screens and one that may be left out, two training items."""
    return CampaignEntry(
        Consent("We store your answers.\n\nYou may stop at any time."),
        (
            EntryQuestion("native", "Is English your first language?", "choice", ("Yes", "No"), ("Yes",)),
            EntryQuestion("age", "How old are you?", "number", optional=True, minimum=18, maximum=120),
        ),
        (
            TrainingItem(
                ("The dog sleeps.",), "The meaning is there.", "", "The dog is asleep.", ((70, 100),)
            ),
            TrainingItem(("It rains.",), "Judge as you like.", "", "It has been raining for days."),
        ),
    )


@pytest.fixture(scope="session")
def ask_first(asked: CampaignEntry) -> Callable[..., None]:
    """Lets a campaign ask its workers before their first set; by default, all there is to ask."""

    def ask(campaign: OpenCampaign, entry: CampaignEntry | None = None) -> None:
        with campaign.store.write() as connection:
            latest = revised.latest_revision(connection)
            shown = {**latest.presentation, "entry": (entry or asked).recorded}
            revised.add_revision(connection, latest.title, shown, now=NOON)

    return ask


@dataclass(frozen=True)
class RunningServer:
    """A `steelyard serve` process."""

    process: subprocess.Popen[str]
    base_url: str
    log: Path

    def errors(self) -> str:
        return self.log.read_text("utf-8")


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., RunningServer]]:
    """Start `steelyard serve` on a free port; all servers are stopped after the test."""
    running: list[RunningServer] = []

    def start(address: str, *options: str) -> RunningServer:
        log = tmp_path / f"server-{len(running)}.log"
        command = [sys.executable, "-m", "steelyard", "serve", address, "--port", "0"]
        # Workers of tests are scripts.
        command += ["--requests-per-second", "0", *options]
        with log.open("w") as errors:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        assert process.stdout is not None
        first_line = process.stdout.readline()
        found = re.search(r"http://\S+", first_line)
        assert found, f"the server did not start: {first_line}{log.read_text()}"
        server = RunningServer(process, found[0], log)
        running.append(server)
        _wait_until_it_answers(server)
        return server

    yield start
    for server in running:
        server.process.kill()
        server.process.wait()
        assert server.process.stdout is not None
        server.process.stdout.close()


def _wait_until_it_answers(server: RunningServer) -> None:
    for _ in range(300):
        try:
            httpx2.get(f"{server.base_url}/healthz", trust_env=False, timeout=5)
            return
        except httpx2.TransportError:
            assert server.process.poll() is None, server.errors()
            time.sleep(0.1)
    raise AssertionError("the server did not answer within 30 s")


@pytest.fixture
def short_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    """Samplers run a few hundred sweeps only."""
    monkeypatch.setattr(worker_model_gibbs, "OPTIONS", GibbsOptions(sweeps=500, warm_up=150, chains=2))


@pytest.fixture
def listing(noon: datetime) -> StoredListing:
    """Two places on Prolific."""
    return StoredListing(
        *("tag-1", "prolific", "study-1", ListingState.ACTIVE),
        places=2,
        reward=250,
        pay=500,
        cost=700,
        currency="GBP",
        made_at=noon,
    )

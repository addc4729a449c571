"""A shelf: the registry tables on any engine, filled by keeping records and read back as they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from stook.engine.ledger import Ledger, connect
from stook.engine.ledger.migrate import ENGINE_MIGRATIONS, migrate
from stook.engine.ledger.schema import POLL
from stook.engine.words import Written
from stook.registries.cargo.product import PRODUCT as CARGO
from stook.registries.cargo.records import Enrichment
from stook.registries.cargo.sources import QUEUES, CargoApi, CargoIndex
from stook.registries.cargo.tables import RUST_LIST, RUST_PRODUCT, RUST_VERSION
from stook.registries.golang.product import PRODUCT as GO
from stook.registries.store import HISTORY, PIN
from stook.testing import ManualClock

from .tables import Tables  # noqa: TID252

TABLES = {"list": RUST_LIST, "version": RUST_VERSION, "product": RUST_PRODUCT, "history": HISTORY}
INDEX_URL, API_URL = "http://index.test", "http://api.test"


class Shelf(Tables):
    """Keeps records as the loop does, one transaction each, an hour apart."""

    tables = TABLES
    order = ("PRODUCT_KEY", "CRATE_NAME", "VERSION", "SEEN_AT", "KIND")

    def __init__(self, ledger: Ledger, clock: ManualClock) -> None:
        super().__init__(ledger, clock)
        self.index = CargoIndex(INDEX_URL, 3600.0, 4, 50)
        self.api = CargoApi(API_URL)

    def keep(self, *records: Any) -> Written:
        """Keep records of one kind."""
        self.clock.advance(3600)
        source = self.api if isinstance(records[0], Enrichment) else self.index
        with self.ledger.transaction() as transaction:
            return source.keep(transaction, records, self.clock.now())

    def history(self) -> list[tuple[str, str]]:
        """Kind and version of each entry, oldest first."""
        return [(row["KIND"], row["VERSION"]) for row in self.entries()]

    def sql(self, statement: str, **values: Any) -> None:
        """What an operator does."""
        with self.ledger.transaction() as transaction:
            transaction.execute(sa.text(statement), values)


@pytest.fixture(scope="module")
def database(shared_database_url: str) -> Iterator[Any]:
    """Engine and dialect of a database with all tables, for the tests of a module."""
    engine, dialect = connect(shared_database_url)
    migrate(engine, list(dict.fromkeys([ENGINE_MIGRATIONS, *CARGO.migrations, *GO.migrations])))
    yield engine, dialect
    engine.dispose()


@pytest.fixture
def shelf(database: Any) -> Shelf:
    """An empty shelf, on each engine."""
    engine, dialect = database
    clock = ManualClock(datetime(2026, 11, 1) - timedelta(hours=1), jumps=False)
    with engine.begin() as connection:
        for table in (*TABLES.values(), POLL, PIN):
            connection.execute(sa.delete(table))
    return Shelf(Ledger(engine, dialect, QUEUES, clock), clock)


def make_snapshot(body: str, *, source: str = "seed", **more: Any) -> Any:
    """The index says `1.0.0`, `!1.0.0` yanked, `1.0.0#b` another checksum, `1.0.0?` unreadable, `~` garbage."""
    from stook.registries.cargo.index import read_index_file
    from stook.registries.cargo.records import Known, Snapshot

    name = more.pop("name", "Oar")
    rewrite = more.pop("rewrite", False)
    known = Known(name.lower(), source)
    file = read_index_file(known.name, b"".join(_line(name, word, more) for word in body.split()))
    return Snapshot(known, file.releases, file.unreadable, rewrite)


def _line(name: str, word: str, more: dict[str, Any]) -> bytes:
    import json
    from hashlib import sha256

    if word == "~":
        return b"{garbage\n"
    version, _, content = word.strip("!?").partition("#")
    facts: dict[str, Any] = {"name": name, "vers": version, "deps": [], "features": {}}
    facts |= {"cksum": sha256(f"{version}{content}".encode()).hexdigest(), "yanked": word.startswith("!")}
    if word.endswith("?"):
        facts["v"] = 3
    return json.dumps(facts | more).encode() + b"\n"


@pytest.fixture
def snapshot() -> Any:
    """Makes snapshots out of words: see `make_snapshot`."""
    return make_snapshot


def make_enrichment(versions: Sequence[str], name: str = "oar", **product: Any) -> Enrichment:
    """What the API would say of these versions."""
    from stook.registries.cargo.records import ProductFacts, VersionFacts

    facts = [
        VersionFacts(version, description=f"about {version}", license=f"LIC-{version}", published=datetime(2020, 1, 2))
        for version in versions
    ]
    return Enrichment(name, ProductFacts(**({"description": "An oar", "downloads": 5} | product)), facts)


@pytest.fixture
def enrichment() -> Any:
    """Makes enrichments: see `make_enrichment`."""
    return make_enrichment

"""The parts of a run, built from the settings and joined: ledger, door, sources."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog
from sqlalchemy.engine import URL

from stook.engine.clock import RealClock
from stook.engine.errors import EnvironmentFault, FailureCode, StookError
from stook.engine.ledger import Ledger, Queue, connect
from stook.engine.ledger.migrate import ENGINE_MIGRATIONS, migrate
from stook.run.product import Product
from stook.run.products import find_products
from stook.settings.model import options

if TYPE_CHECKING:
    from stook.engine.door import Door, LaneStore
    from stook.engine.words import Source
    from stook.settings import Settings

__all__ = ["announce_standing", "lane_store", "open_door", "open_ledger", "queues_of", "sources_of"]

LANE_BATCH = 4  # slots that a process takes at once when that many of its requests wait
log = structlog.get_logger(__name__)


@contextmanager
def open_ledger(settings: Settings, *, create: bool = True) -> Iterator[Ledger]:
    """The ledger of the settings' database, its schema up to date, with the queues of all products.

    Without `create` no database is made where there is none (EnvironmentFault): for commands that only read.
    A product whose queues cannot be made is left out, and logged; EnvironmentFault when the database is newer.
    """
    queues: dict[str, Queue] = {}
    folders: list[Path] = []
    for product in find_products().products.values():
        try:
            queues |= _new_queues(product, queues)
            folders += product.migrations
        except EnvironmentFault as fault:
            log.warning("a product is left out", product=product.name, reason=fault.reason)
    engine, dialect = connect(settings.db, reads_only=not create)
    try:
        if create:
            _make_folder(engine.url)
        migrate(engine, list(dict.fromkeys([ENGINE_MIGRATIONS, *folders])), create=create)
        yield Ledger(engine, dialect, list(queues.values()), RealClock(), settings.work.lease)
    finally:
        engine.dispose()


def queues_of(product: Product[Any]) -> Sequence[Queue]:
    """The product's queues; EnvironmentFault when its code fails."""
    try:
        return product.queues()
    except Exception as error:
        reason = f"the queues of {product.name} cannot be made: {type(error).__name__}: {error}"[:400]
        raise EnvironmentFault(reason, FailureCode.INTERNAL) from error


def _new_queues(product: Product[Any], others: Mapping[str, Queue]) -> dict[str, Queue]:
    found = {queue.name: queue for queue in queues_of(product)}
    if clash := sorted(set(found) & set(others)):
        reason = f"another product has a queue {clash[0]!r} already"
        raise EnvironmentFault(reason, FailureCode.INTERNAL)
    return found


def _make_folder(url: URL) -> None:
    if url.get_backend_name() == "sqlite":
        Path(str(url.database)).parent.mkdir(parents=True, exist_ok=True)


def open_door(settings: Settings, ledger: Ledger | None = None, run: str = "") -> Door:
    """The door, with the settings' guard, lanes and name. With a ledger, all processes on it share the lanes.

    `run` names the processes that share a closed lane too; a run of its own without it.
    """
    from stook.engine.door import BackOff, Door, Guard, Lanes, LaneSettings

    def lane_settings(name: str) -> LaneSettings:
        rule = settings.lane(name)
        back_off = BackOff(rule.throttle_base, rule.throttle_max, rule.throttle_giveup)
        return LaneSettings(rule.gap, back_off, rule.concurrency)

    clock = RealClock()
    guard = Guard(str(network) for network in settings.unsafe_allow_networks)
    lanes = Lanes(
        clock,
        {name: lane_settings(name) for name in settings.lane_names},
        default=lane_settings(""),
        store=lane_store(ledger, run),
        batch=LANE_BATCH,
    )
    return Door(guard, lanes, settings.user_agent, clock, tokens=_tokens(settings), proxy=settings.http_proxy)


def _tokens(settings: Settings) -> dict[str, str]:
    """The products' secrets by the base URL they are for: `NAME_token` of a section belongs to its `NAME_url`."""
    pairs = [
        (getattr(section, option.name.removesuffix("_token") + "_url", ""), getattr(section, option.name))
        for name, section in settings.products.items()
        for option in options({name: type(section)})
        if option.key.startswith(f"{name}.") and option.name.endswith("_token")
    ]
    return {url: token for url, token in pairs if url and token}


def lane_store(ledger: Ledger | None, run: str) -> LaneStore | None:
    """Where lanes live. Processes on one SQLite file find each other, so nobody has to say how many there are."""
    if ledger is None:
        return None
    from stook.engine.ledger.lanes import DatabaseLanes, Presence, ResidentLanes

    table = DatabaseLanes(ledger.engine, ledger.dialect, run or secrets.token_hex(8), ledger.clock)
    if ledger.dialect.name != "sqlite":
        return table
    return ResidentLanes(table, Presence(Path(f"{ledger.engine.url.database}-lanes")), ledger.clock)


def sources_of(
    product: Product[Any], settings: Settings, tasks: int | None = None, *, follows: bool = True
) -> Sequence[Source]:
    """The product's sources, made from its own section; `tasks` visits side by side, by default the settings'.

    Without `follows`, those that read a feed are left out.
    EnvironmentFault when the product's code fails.
    """
    try:
        sources = product.sources(product.options(settings), tasks or settings.work.tasks, settings.work.claim)
    except StookError:
        raise
    except Exception as error:
        reason = f"the sources of {product.name} cannot be made: {type(error).__name__}: {error}"[:400]
        raise EnvironmentFault(reason, FailureCode.INTERNAL) from error
    return [source for source in sources if follows or source.name not in product.feeds]


def announce_standing(ledger: Ledger, product: Product[Any], settings: Settings) -> None:
    """Make sure that the product's standing polls are in the queue."""
    ledger.announce(product.standing(product.options(settings)))

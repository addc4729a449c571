"""The public interface for packages that add products to Stook.

Every name in `__all__` is stable: within one major version it stays, keeps its meaning, and accepts the arguments that
it accepted before. A name that will be removed is deprecated for one minor version first. All other names of Stook may
change in any release.
Names are imported when they are first used, so that a product's module costs `stook --help` next to nothing.

A product is one object, `Product`. A package announces it by an entry point of the group `stook.products`, called like
the product. docs/guides/add-a-registry.md shows a whole package; `stook.testing` has the doubles for its tests.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from stook.engine.errors import (
        EnvironmentFault,
        FailureCode,
        LaneClosed,
        Malformed,
        Refused,
        StookError,
        Unavailable,
        UserError,
    )
    from stook.engine.ledger import Ledger, Queue, Transaction, poll_queue
    from stook.engine.ledger.schema import column, create_table, table
    from stook.engine.ledger.types import Binary, Identity, Json, LongText, Moment, big, small
    from stook.engine.words import (
        Announcement,
        Answer,
        Ask,
        Code,
        Compute,
        Cursor,
        Event,
        Found,
        Hop,
        Look,
        Outcome,
        Part,
        Reply,
        Request,
        Source,
        Validators,
        Visit,
        Written,
    )
    from stook.run.build import open_ledger
    from stook.run.collection import collect
    from stook.run.options import as_json, pass_settings
    from stook.run.product import LazyCommand, NoSettings, Product
    from stook.run.products import read_settings
    from stook.run.report import Report
    from stook.run.report_view import show_report
    from stook.settings import Settings, values
    from stook.settings.option import setting
    from stook.terminal.stage import Stage
    from stook.terminal.stdout import Page, print_json
    from stook.terminal.tables import fact, plain, plain_table

__all__ = [
    "Announcement",
    "Answer",
    "Ask",
    "Binary",
    "Code",
    "Compute",
    "Cursor",
    "EnvironmentFault",
    "Event",
    "FailureCode",
    "Found",
    "Hop",
    "Identity",
    "Json",
    "LaneClosed",
    "LazyCommand",
    "Ledger",
    "LongText",
    "Look",
    "Malformed",
    "Moment",
    "NoSettings",
    "Outcome",
    "Page",
    "Part",
    "Product",
    "Queue",
    "Refused",
    "Reply",
    "Report",
    "Request",
    "Settings",
    "Source",
    "Stage",
    "StookError",
    "Transaction",
    "Unavailable",
    "UserError",
    "Validators",
    "Visit",
    "Written",
    "as_json",
    "big",
    "collect",
    "column",
    "create_table",
    "fact",
    "open_ledger",
    "pass_settings",
    "plain",
    "plain_table",
    "poll_queue",
    "print_json",
    "read_settings",
    "setting",
    "show_report",
    "small",
    "table",
    "values",
]

_HOMES: Final = {
    "stook.engine.errors": "EnvironmentFault FailureCode LaneClosed Malformed Refused StookError Unavailable UserError",
    "stook.engine.ledger": "Ledger Queue Transaction poll_queue",
    "stook.engine.ledger.schema": "column create_table table",
    "stook.engine.ledger.types": "Binary Identity Json LongText Moment big small",
    "stook.engine.words": "Announcement Answer Ask Code Compute Cursor Event Found Hop Look Outcome Part Reply Request"
    " Source Validators Visit Written",
    "stook.run.build": "open_ledger",
    "stook.run.collection": "collect",
    "stook.run.options": "as_json pass_settings",
    "stook.run.product": "LazyCommand NoSettings Product",
    "stook.run.products": "read_settings",
    "stook.run.report": "Report",
    "stook.run.report_view": "show_report",
    "stook.settings": "Settings values",
    "stook.settings.option": "setting",
    "stook.terminal.stage": "Stage",
    "stook.terminal.stdout": "Page print_json",
    "stook.terminal.tables": "fact plain plain_table",
}
"""The module of each name; a test holds it equal to the imports above."""


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for (PEP 562)."""
    for module, names in _HOMES.items():
        if name in names.split():
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'stook.api' has no attribute {name!r}")

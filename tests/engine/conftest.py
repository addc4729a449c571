"""A ledger for the loop."""

from __future__ import annotations

import pytest

from stook.testing import ManualClock

from .loop import open_ledger  # noqa: TID252


@pytest.fixture
def ledger(sqlite_url):
    opened = open_ledger(sqlite_url, ManualClock(jumps=False))
    yield opened
    opened.close()

"""One normaliser of the default rows: it only remembers."""

from __future__ import annotations

import pytest

from stook.licences import Normaliser, default_rows


@pytest.fixture(scope="session")
def normaliser() -> Normaliser:
    return Normaliser(default_rows())

"""The condition that tells one registry's rows in a table."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import Table

__all__ = ["RegistryKey", "package_rows"]

RegistryKey = tuple[str, str]  # LANGUAGE, REPOSITORY


def package_rows(table: Table, registry: RegistryKey) -> list[sa.ColumnElement[bool]]:
    """The rows of a registry."""
    return [table.c["LANGUAGE"] == registry[0], table.c["REPOSITORY"] == registry[1]]

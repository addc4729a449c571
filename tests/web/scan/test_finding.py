"""Severities are ordered."""

from __future__ import annotations

from stook.web.scan import Severity


def test_order() -> None:
    """LOW is below MEDIUM, HIGH and CRITICAL."""
    assert sorted(Severity, key=lambda severity: severity.rank) == ["LOW", "MEDIUM", "HIGH", "CRITICAL"]

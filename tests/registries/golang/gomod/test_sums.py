"""The checksum of a go.mod."""

from __future__ import annotations

from stook.registries.golang.gomod.sums import mod_sum


def test_known_sum() -> None:
    """The sum is the one that go.sum holds for github.com/pkg/errors v0.8.0's made-up go.mod."""
    assert mod_sum(b"module github.com/pkg/errors\n") == "h1:bwawxfHBFNV+L2hUp1rHADufV3IMtnDRdf1r5NINEl0="

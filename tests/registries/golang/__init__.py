"""Tests of the Go registry; a package, so that they can share their generators."""

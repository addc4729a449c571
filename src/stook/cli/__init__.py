"""The command line: the only place that builds parts and joins them."""

from stook.cli.main import main

__all__ = ["main"]

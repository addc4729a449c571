"""Show what is stored of a package, or of one of its versions; each product brings its own view."""

from __future__ import annotations

import click

from stook.cli.lazy_group import ProductViews

__all__ = ["show"]


@click.group("show", cls=ProductViews)
def show() -> None:
    """Show what is stored of a package.

    \b
    Example:
      stook show PRODUCT NAME --json
    """

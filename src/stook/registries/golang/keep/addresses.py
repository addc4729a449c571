"""Where a module is found by people, and how a package URL names it."""

from __future__ import annotations

from urllib.parse import quote

__all__ = ["page_url", "purl"]


def page_url(path: str, version: str = "") -> str:
    """The module's page for people."""
    return f"https://pkg.go.dev/{path}@{version}" if version else f"https://pkg.go.dev/{path}"


def purl(path: str, version: str = "") -> str:
    """The package URL. The purl type `golang` would lower the case, which names another module; we keep it."""
    package = f"pkg:golang/{quote(path, safe='/')}"
    return f"{package}@{quote(version, safe='')}" if version else package

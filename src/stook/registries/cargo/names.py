"""A crate's three names: where its index file lies, what must be unique, and how it is spelt."""

from __future__ import annotations

import re
from urllib.parse import quote

__all__ = ["canonical", "index_path", "is_crate_name", "page_url", "purl", "uniqueness_key"]

# What crates.io accepts at publication; dependency aliases may also begin with an underscore.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


def is_crate_name(text: str) -> bool:
    """Whether crates.io could have a crate of this name (case and separators as given)."""
    return _NAME.fullmatch(text) is not None


def canonical(name: str) -> str:
    """The key of our rows: lower case, separators kept. `serde_json` and `serde-json` stay two names."""
    return name.lower()


def uniqueness_key(name: str) -> str:
    """What crates.io allows once: lower case with the separators folded. Never used for look-ups."""
    return canonical(name).replace("-", "_")


def index_path(name: str) -> str:
    """The path of a crate's file below the index (cargo book, "Index files")."""
    low = canonical(name)
    if len(low) <= 2:
        return f"{len(low)}/{low}"
    if len(low) == 3:
        return f"3/{low[0]}/{low}"
    return f"{low[:2]}/{low[2:4]}/{low}"


def page_url(display_name: str, version: str | None = None) -> str:
    """The registry's page for people."""
    page = f"https://crates.io/crates/{display_name}"
    return f"{page}/{quote(version, safe='+')}" if version else page


def purl(display_name: str, version: str | None = None) -> str:
    """The package URL (purl-spec, type `cargo`: the name's case is kept)."""
    package = f"pkg:cargo/{display_name}"
    return f"{package}@{quote(version, safe='')}" if version else package

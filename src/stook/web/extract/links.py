"""Addresses in a page: resolved, judged for display, decoded for the scanner."""

from __future__ import annotations

import base64
import binascii
import re
from urllib.parse import unquote, unquote_plus

import ada_url

__all__ = ["LinkResolver", "data_text", "readable"]

_MAX_LENGTH = 2048  # characters of an address that is shown
_DATA = re.compile(r"\s*data:([^,]{0,200}),", re.IGNORECASE)
# An address that no parser would change: no escape, no path of dots, no port, no user, no capital in the host.
_PLAIN = re.compile(
    r"https?://[a-z][a-z0-9-]{0,60}(?:\.[a-z][a-z0-9-]{0,60}){1,5}/(?:(?!\.)[\w.,;=+&$@~:-]+/?)*+(?:\?[\w.,;=+&/@~:-]*+)?",
    re.ASCII,
)
_TEXT_TYPE = re.compile(r"^$|^;|text/|svg|xml|json|javascript|ecmascript", re.IGNORECASE)
# What would end a link in Markdown, or begin something else.
_UNSAFE = str.maketrans({character: f"%{ord(character):02X}" for character in "()<>[]\\`\"' |"})


class LinkResolver:
    """Makes addresses absolute. A base element counts only within the page's own origin."""

    def __init__(self, url: str, base: str | None = None) -> None:
        self.url = url
        self._base = url
        self._known: dict[str, str | None] = {}
        resolved = _join(url, base) if base else None
        if resolved and _origin(resolved) == _origin(url):
            self._base = resolved
        self._origin = "/".join(_origin(url))

    def resolve(self, href: str) -> str | None:
        """Return the absolute address as it may stand in Markdown; None unless it is http(s) without user info."""
        if href not in self._known:
            self._known[href] = self._resolve(href)
        return self._known[href]

    def _resolve(self, href: str) -> str | None:
        whole = self._origin + href if href[:1] == "/" and href[1:2] != "/" else href
        if len(whole) <= _MAX_LENGTH and _PLAIN.fullmatch(whole):
            return whole
        joined = _join(self._base, href)
        if joined is None or len(joined) > _MAX_LENGTH or not joined.startswith(("http://", "https://")):
            return None
        if "@" in joined.split("/", 3)[2]:
            return None
        return joined.translate(_UNSAFE)


def _join(base: str, href: str) -> str | None:
    try:
        return str(ada_url.join_url(base, href.strip()))
    except ValueError:
        return None


def _origin(url: str) -> tuple[str, ...]:
    return tuple(url.split("/", 3)[:3])


def readable(url: str) -> str:
    """Return an address with its percent escapes decoded, for the scanner; of a data address, the text in it."""
    if url[:5].lower() == "data:":
        return data_text(url)
    if "%" not in url and "+" not in url:
        return url
    query = url.find("?")
    return unquote(url) if query < 0 else unquote(url[:query]) + unquote_plus(url[query:])


def data_text(url: str) -> str:
    """Return the text of a data address (RFC 2397); "" where it holds none, such as a picture."""
    found = _DATA.match(url)
    if found is None or not _TEXT_TYPE.search(found[1]):
        return ""
    payload = unquote(url[found.end() :])
    if not found[1].lower().replace(" ", "").endswith(";base64"):
        return payload
    try:
        raw = base64.b64decode(re.sub(r"[^A-Za-z0-9+/]", "", payload) + "==")
    except (binascii.Error, ValueError):
        return payload
    return raw.decode("utf-8", "replace")

"""Readers of settings: each turns the value in a file, a variable or an option into ours, or raises ValueError."""

from __future__ import annotations

import re
from collections.abc import Callable
from ipaddress import IPv4Network, IPv6Network, ip_network
from math import isfinite
from urllib.parse import urlsplit

__all__ = [
    "Network",
    "choice",
    "contact",
    "database",
    "flag",
    "gap",
    "mask_database",
    "mask_secret",
    "names",
    "networks",
    "proxy",
    "seconds",
    "secret",
    "text",
    "url",
    "whole",
]

Network = IPv4Network | IPv6Network

_DATABASES = ("sqlite", "postgresql", "mysql")
_FLAGS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


def text(value: object) -> str:
    """One line, spaces around it dropped."""
    if not isinstance(value, str):
        raise ValueError("must be text")
    if not value.isprintable():
        raise ValueError("must be one line without control characters")
    return value.strip()


def contact(value: object) -> str:
    """An address or page for the User-Agent: a header's comment, so ASCII without spaces or brackets."""
    found = text(value)
    if not re.fullmatch(r"[!-~]*", found) or set(found) & set("()\\"):
        raise ValueError("must be an e-mail address or a URL: ASCII without spaces, brackets or backslashes")
    return found


def url(value: object) -> str:
    """A base URL, without the slash at its end: `https://host[:port][/path]`."""
    found = text(value)
    try:
        parts = urlsplit(found)
        is_whole = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError as error:
        raise ValueError(f"is not a URL ({error})") from None
    if not is_whole or " " in found:
        raise ValueError("must be a URL like https://mirror.example/path")
    if parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError("must be a base URL: no query, no fragment, no user name")
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def secret(value: object) -> str:
    """The value of a header, such as `Bearer …`: ASCII without control characters. No message repeats it."""
    if not isinstance(value, str) or not re.fullmatch(r"[ -~]*", value):
        raise ValueError("must be ASCII text without control characters")
    return value.strip()


def proxy(value: object) -> str:
    """`http://[user:password@]host:port`, or empty for none."""
    found = text(value)
    try:
        parts = urlsplit(found)
        is_whole = parts.scheme == "http" and bool(parts.hostname) and parts.path in ("", "/") and parts.port != 0
        is_whole = is_whole and not (parts.query or parts.fragment)
    except ValueError:
        is_whole = False
    if found and not is_whole:
        raise ValueError("must be a proxy like http://proxy.example:3128")
    return found.rstrip("/")


def mask_secret(found: str) -> str:
    """A secret as it may be shown: whether there is one."""
    return "***" if found else ""


def database(value: object) -> str:
    """A database URL as SQLAlchemy reads it; of which kind, not whether it is there."""
    found = text(value)
    kind, separator, rest = found.partition("://")
    if not separator or kind.partition("+")[0] not in _DATABASES:
        raise ValueError("must begin with sqlite:///, postgresql:// or mysql:// (MySQL and MariaDB)")
    if kind.startswith("sqlite") and rest and not rest.startswith("/"):
        raise ValueError("needs three slashes before a relative path, four before an absolute one: sqlite:///stook.db")
    return found


def mask_database(found: str) -> str:
    """A database URL that can be shown: up to the last `@` everything after the user name may be the password."""
    shown = re.sub(r"://([^:@]*):.*@", r"://\1:***@", found)
    return re.sub(r"([?&][^=&]*passw(?:or)?d=)[^&]*", r"\1***", shown, flags=re.IGNORECASE)


def names(value: object) -> tuple[str, ...]:
    """A comma list, or a list in a file; doubles dropped, order kept."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, (list, tuple)):
        raise ValueError("must be a list, or names with commas between them")
    return tuple(dict.fromkeys(part for part in map(text, parts) if part))


def networks(value: object) -> tuple[Network, ...]:
    """A comma list of networks in CIDR notation."""
    return tuple(_network(part) for part in names(value))


def _network(part: str) -> Network:
    try:
        return ip_network(part)
    except ValueError as error:
        raise ValueError(f"must be networks like 10.1.0.0/16: {error}") from None


def seconds(least: float, most: float = 1e9) -> Callable[[object], float]:
    """A reader of durations."""
    return lambda value: _within(_number(value), least, most)


def gap(value: object) -> float:
    """Seconds between two request starts on a lane: 0 to an hour."""
    return _within(_number(value), 0, 3600)


def whole(least: int, most: int) -> Callable[[object], int]:
    """A reader of whole numbers."""
    return lambda value: int(_within(_whole_number(value), least, most))


def _number(value: object) -> float:
    if isinstance(value, (int, float, str)) and not isinstance(value, bool):
        try:
            return float(value)
        except ValueError:
            pass
    raise ValueError("must be a number")


def _whole_number(value: object) -> int:
    if isinstance(value, (int, str)) and not isinstance(value, bool):
        try:
            return int(value)
        except ValueError:
            pass
    raise ValueError("must be a whole number")


def _within(number: float, least: float, most: float) -> float:
    if not isfinite(number) or not least <= number <= most:
        raise ValueError(f"must lie between {least:g} and {most:g}")
    return number


def flag(value: object) -> bool:
    """True or false; the environment may say it in words."""
    found = value if isinstance(value, bool) else _FLAGS.get(str(value).strip().lower())
    if found is None:
        raise ValueError("must be true or false")
    return found


def choice(*choices: str) -> Callable[[object], str]:
    """A reader of one word out of `choices`."""

    def read(value: object) -> str:
        found = text(value).lower()
        if found not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return found

    return read

"""What the loopback registry is asked and what it answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import format_datetime
from hashlib import sha1
from http import HTTPStatus
from urllib.parse import parse_qs, unquote, urlsplit

__all__ = ["Answer", "Asked", "errors", "http_date", "json_answer"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as read from the wire; `target` is its path with the query, header names are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]

    @property
    def path(self) -> str:
        return unquote(urlsplit(self.target).path)

    @property
    def query(self) -> dict[str, str]:
        return {
            key: values[-1] for key, values in parse_qs(urlsplit(self.target).query, keep_blank_values=True).items()
        }

    @property
    def is_conditional(self) -> bool:
        return "if-none-match" in self.headers or "if-modified-since" in self.headers

    @classmethod
    def parse(cls, head: bytes) -> Asked:
        first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
        method, _, rest = first.partition(" ")
        target = rest.partition(" ")[0]
        pairs = (line.partition(":") for line in lines)
        return cls(method, target, {name.lower(): value.strip() for name, _, value in pairs})


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer; with `modified` it carries validators and can become a 304."""

    status: int
    body: bytes = b""
    content_type: str = "text/plain"
    headers: Mapping[str, str] = field(default_factory=dict)
    modified: datetime | None = None

    def validated(self) -> Answer:
        """The same with its validators, if it has a time of change."""
        if self.modified is None:
            return self
        etag = f'"{sha1(self.body, usedforsecurity=False).hexdigest()}"'
        return replace(self, headers={**self.headers, "ETag": etag, "Last-Modified": http_date(self.modified)})

    def to(self, asked: Asked) -> Answer:
        """The answer, or the 304 that a conditional request deserves; a known ETag outweighs the date."""
        if not asked.is_conditional or "ETag" not in self.headers:
            return self
        etags = asked.headers.get("if-none-match")
        since = asked.headers.get("if-modified-since")
        is_fresh = self.headers["ETag"] in etags if etags else since == self.headers["Last-Modified"]
        return replace(self, status=304, body=b"") if is_fresh else self

    def render(self, *, with_body: bool = True) -> bytes:
        """The bytes of the whole answer, with the length of its own body."""
        lines = [f"HTTP/1.1 {self.status} {_phrase(self.status)}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        if self.status != 304:
            lines += [f"Content-Type: {self.content_type}", f"Content-Length: {len(self.body)}"]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + (self.body if with_body else b"")


def json_answer(value: object, status: int = 200) -> Answer:
    body = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    return Answer(status, body, "application/json; charset=utf-8")


def errors(status: int, detail: str) -> Answer:
    """A refusal in the form of the crate registry's API."""
    return json_answer({"errors": [{"detail": detail}]}, status)


def http_date(moment: datetime) -> str:
    return format_datetime(moment.replace(microsecond=0, tzinfo=UTC), usegmt=True)


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "Unknown"

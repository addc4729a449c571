"""What of a request goes on to where a redirect points (Fetch standard, "HTTP-redirect fetch")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ada_url import join_url

from stook.engine.door.guard.guard import text_fault
from stook.engine.errors import FailureCode, Refused

__all__ = ["REDIRECTS", "SAFE", "Message", "joined", "redirected"]

REDIRECTS = frozenset({301, 302, 303, 307, 308})
SAFE = frozenset({"GET", "HEAD"})  # methods that change nothing (RFC 9110, 9.2.1)
_BODY_HEADERS = frozenset({"content-encoding", "content-language", "content-location", "content-type"})


@dataclass(frozen=True, slots=True)
class Message:
    """What is sent to a URL. `headers` are those meant for its origin, Accept apart.

    With an `offset` only the bytes from there on are asked for, as long as the ETag `if_range` still holds.
    """

    method: str
    accept: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)  # a value may be a secret
    body: bytes = field(default=b"", repr=False)
    offset: int = 0
    if_range: str = ""

    @property
    def is_repeatable(self) -> bool:
        """Whether sending it twice does no harm at the server."""
        return self.method in SAFE and not self.body

    def fields(self) -> dict[str, str]:
        """All header fields that it sets."""
        fields = {"Accept": self.accept, **self.headers}
        if self.offset:
            # Ranges count bytes of what is sent; those of a compressed form would not fit the file.
            fields |= {"Range": f"bytes={self.offset}-", "Accept-Encoding": "identity"}
            if self.if_range:
                fields["If-Range"] = self.if_range
        return fields


def redirected(message: Message, status: int, *, is_same_origin: bool) -> Message:
    """The message that follows a redirect.

    303 turns all but HEAD into GET, 301 and 302 turn POST into GET; 307 and 308 change nothing. A message that is not
    repeatable never goes to another origin: Refused. No header meant for one origin is sent to another.
    """
    becomes_get = (status == 303 and message.method != "HEAD") or (status in (301, 302) and message.method == "POST")
    if becomes_get and message.method != "GET":
        headers = {name: value for name, value in message.headers.items() if name.lower() not in _BODY_HEADERS}
        message = replace(message, method="GET", body=b"", headers=headers)
    elif not is_same_origin and not message.is_repeatable:
        raise Refused(f"redirect of a {message.method} to another origin", FailureCode.REDIRECT, status=status)
    return message if is_same_origin else replace(message, headers={})


def joined(base: str, location: str, status: int | None = None) -> str:
    """A redirect's target; the raw text is judged first, as joining would wash a trick away. Refused."""
    if fault := text_fault(location):
        raise Refused(f"redirect target: {fault}", FailureCode.REDIRECT, status=status)
    try:
        return join_url(base, location)
    except ValueError:
        raise Refused("redirect target is not a valid URL", FailureCode.REDIRECT, status=status) from None

"""Which method, body and headers follow a redirect."""

from __future__ import annotations

import pytest

from stook.engine.door.redirects import Message, joined, redirected
from stook.engine.errors import FailureCode, Refused

TOKEN = {"Authorization": "secret", "X-Mine": "1"}

FOLLOWED = [
    ("GET", 301, "GET"),
    ("GET", 302, "GET"),
    ("GET", 303, "GET"),
    ("GET", 307, "GET"),
    ("GET", 308, "GET"),
    ("HEAD", 301, "HEAD"),
    ("HEAD", 303, "HEAD"),
    ("POST", 301, "GET"),
    ("POST", 302, "GET"),
    ("POST", 303, "GET"),
    ("POST", 307, "POST"),
    ("POST", 308, "POST"),
    ("PUT", 301, "PUT"),
    ("PUT", 303, "GET"),
    ("DELETE", 302, "DELETE"),
    ("DELETE", 303, "GET"),
]


@pytest.mark.parametrize(("method", "status", "then"), FOLLOWED)
def test_same_origin(method: str, status: int, then: str) -> None:
    """On one origin headers go on, and the body as long as the method stays; headers about a body go with it."""
    headers = TOKEN | {"content-Type": "text/plain"}
    after = redirected(Message(method, "*/*", headers, b"body"), status, is_same_origin=True)
    stays = then == method
    assert (after.method, after.body) == (then, b"body" if stays else b"")
    assert after.headers == (headers if stays else TOKEN)


@pytest.mark.parametrize(("method", "status", "then"), FOLLOWED)
def test_other_origin(method: str, status: int, then: str) -> None:
    """To another origin only what does no harm goes on, and none of the headers."""
    body = b"" if method in ("GET", "HEAD") else b"body"
    message = Message(method, "text/html", TOKEN, body, offset=7, if_range='"v"')
    if then in ("GET", "HEAD"):
        after = redirected(message, status, is_same_origin=False)
        assert after == Message(then, "text/html", {}, b"", 7, '"v"')
    else:
        with pytest.raises(Refused, match="another origin") as caught:
            redirected(message, status, is_same_origin=False)
        assert caught.value.code is FailureCode.REDIRECT


def test_a_body_never_leaves_its_origin() -> None:
    """Also a GET may have a body, and with one it is not sent on to another origin."""
    with pytest.raises(Refused):
        redirected(Message("GET", "*/*", {}, b"query"), 307, is_same_origin=False)


def test_fields() -> None:
    """A message for the rest of a file names the range, the ETag it must still have, and no encoding."""
    assert Message("GET", "*/*", {"A": "b"}).fields() == {"Accept": "*/*", "A": "b"}
    rest = {"Range": "bytes=7-", "Accept-Encoding": "identity"}
    assert Message("GET", "*/*", offset=7).fields() == {"Accept": "*/*", **rest}
    assert Message("GET", "*/*", offset=7, if_range='"v"').fields()["If-Range"] == '"v"'


def test_secrets_are_not_shown() -> None:
    """What is sent may be a secret, so a message does not print it."""
    assert "secret" not in repr(Message("POST", "*/*", TOKEN, b"secret"))


@pytest.mark.parametrize(
    ("location", "url"),
    [("b?c", "https://a.example/b?c"), ("//b.example", "https://b.example/"), ("http://[", None), ("a\\b", None)],
)
def test_joined(location: str, url: str | None) -> None:
    """A target is joined by the WHATWG rules; a trick is refused before joining would wash it away."""
    if url is None:
        with pytest.raises(Refused) as caught:
            joined("https://a.example/a", location)
        assert caught.value.code is FailureCode.REDIRECT
    else:
        assert joined("https://a.example/a", location) == url

"""Requests are read leniently, answers written exactly."""

from datetime import datetime

import pytest

from stook.testing.answer import Answer, Asked

WHOLE = Answer(200, b"tide\n", modified=datetime(2026, 1, 2, 3, 4, 5, 678_901)).validated()


def ask(**headers):
    """A request with these headers."""
    return Asked("GET", "/x", {name.replace("_", "-"): value for name, value in headers.items()})


def test_a_request_is_parsed():
    """Header names lose their case, the path its escapes, the query its order."""
    asked = Asked.parse(b"GET /a%21b/c?since=1&include= HTTP/1.1\r\nHost: h:1\r\nUser-AGENT:  x y \r\n\r\n")
    assert (asked.method, asked.path, asked.query) == ("GET", "/a!b/c", {"since": "1", "include": ""})
    assert asked.headers == {"host": "h:1", "user-agent": "x y"}


def test_a_changed_body_has_another_validator():
    """Equal bytes, equal ETag; other bytes, another."""
    other = Answer(200, b"ebb\n", modified=datetime(2026, 1, 2)).validated()
    assert WHOLE.headers["ETag"] == Answer(200, b"tide\n", modified=datetime(1999, 1, 1)).validated().headers["ETag"]
    assert WHOLE.headers["ETag"] != other.headers["ETag"]
    assert WHOLE.headers["Last-Modified"] == "Fri, 02 Jan 2026 03:04:05 GMT"


@pytest.mark.parametrize(
    ("etag", "since", "status"),
    [
        (WHOLE.headers["ETag"], None, 304),
        ("W/" + WHOLE.headers["ETag"], None, 304),
        (None, WHOLE.headers["Last-Modified"], 304),
        ('"other"', WHOLE.headers["Last-Modified"], 200),
        (None, "Thu, 01 Jan 2026 00:00:00 GMT", 200),
        (None, None, 200),
    ],
)
def test_conditional_requests(etag, since, status):
    """The ETag decides where one is sent, the date only without it."""
    headers = {"if_none_match": etag, "if_modified_since": since}
    answer = WHOLE.to(ask(**{name: value for name, value in headers.items() if value}))
    assert answer.status == status
    assert answer.body == (b"" if status == 304 else b"tide\n")
    assert answer.headers["ETag"] == WHOLE.headers["ETag"]


def test_answers_without_validators_are_always_whole():
    """An answer that cannot be compared never becomes a 304."""
    assert Answer(200, b"x").to(ask(if_none_match="*")).status == 200


def test_rendering():
    """One head, the length of the body, and no body for a 304."""
    assert Answer(404, b"gone").render() == (
        b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\ngone"
    )
    assert Answer(304).render() == b"HTTP/1.1 304 Not Modified\r\n\r\n"
    assert Answer(200, b"x").render(with_body=False).endswith(b"Content-Length: 1\r\n\r\n")
    assert Answer(799).render().startswith(b"HTTP/1.1 799 Unknown\r\n")

"""What is remembered, and what is asked with it."""

from __future__ import annotations

import hashlib

import pytest

from stook.engine.door import Validators, conditional_headers, validators_of
from stook.engine.words import Reply

DATE = "Sat, 01 Aug 2026 00:00:00 GMT"


@pytest.mark.parametrize(
    ("validators", "headers"),
    [
        (Validators('W/"a"', DATE), {"If-None-Match": 'W/"a"'}),
        (Validators("", DATE), {"If-Modified-Since": DATE}),
        (Validators("", "", b"x"), {}),
    ],
)
def test_conditional_headers(validators: Validators, headers: dict[str, str]) -> None:
    """The ETag is asked with where there is one, the date where there is none."""
    assert conditional_headers(validators) == headers


def test_validators_of() -> None:
    """The header pair is kept as written, and the digest is that of the body."""
    reply = Reply("http://example.com/", 200, b"body", {"etag": 'W/"a b"', "last-modified": DATE})
    assert validators_of(reply) == Validators('W/"a b"', DATE, hashlib.sha256(b"body").digest())
    assert validators_of(Reply("http://example.com/", 304)) == Validators()
    assert validators_of(Reply("http://example.com/", 404, b"", {"etag": '"\udcff"'})) == Validators()

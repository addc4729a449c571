"""Each fault spoils an answer in its own way, on the wire."""

import pytest

from stook.testing.answer import Answer, Asked
from stook.testing.faults import Fault, spoil

ASKED = Asked("GET", "/crates-index/1/o", {})
ANSWER = Answer(200, b'{"a":1}\n{"b":2}\n', headers={"ETag": '"x"'})


def wire(kind, **options):
    """The good answer as spoilt by one rule."""
    return spoil(Fault("o", kind, **options), ANSWER, ASKED)


def test_no_fault_changes_nothing():
    """A good answer goes out in one piece, with its length."""
    sending = spoil(None, ANSWER, ASKED)
    assert (sending.status, sending.ending, len(sending.pieces)) == (200, "keep", 1)
    assert b"Content-Length: 16\r\n" in sending.pieces[0]
    assert sending.pieces[0].endswith(b'\r\n\r\n{"a":1}\n{"b":2}\n')


def test_status_replaces_the_answer():
    """Status and headers are the rule's."""
    sending = wire("status", status=429, headers={"Retry-After": "7"})
    assert sending.status == 429
    assert sending.pieces[0].startswith(b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\n")


def test_truncate_promises_more_than_it_sends():
    """The length is that of the whole, half of the body comes, then the connection closes."""
    sending = wire("truncate")
    assert b"Content-Length: 16\r\n" in sending.pieces[0]
    assert sending.pieces[0].endswith(b'\r\n\r\n{"a":1}\n')
    assert sending.ending == "close"


def test_garbage_keeps_the_good_answers_validator():
    """One line nobody can read, in the middle; the ETag does not tell."""
    sending = wire("garbage", text=b"~~~")
    assert sending.pieces[0].endswith(b'{"a":1}\n~~~\n{"b":2}\n')
    assert b'ETag: "x"' in sending.pieces[0]


def test_wrong_type_is_a_page_with_status_200():
    """As a sign-in page of a hotel's network would come."""
    sending = wire("wrong_type")
    assert sending.status == 200
    assert b"Content-Type: text/html" in sending.pieces[0]


def test_redirect_leads_back_to_itself():
    """A client that follows would never end."""
    assert b"302 Found\r\nLocation: /crates-index/1/o\r\n" in wire("redirect").pieces[0]


def test_drip_and_latency_take_their_time():
    """A drip is many pieces with pauses, latency one pause before the whole."""
    drip, late = wire("drip", seconds=0.8), wire("latency", seconds=0.8)
    assert len(drip.pieces) == 8
    assert drip.pause == pytest.approx(0.1)
    assert (len(late.pieces), late.pause) == (1, 0.8)
    assert b"".join(drip.pieces) == late.pieces[0]


def test_reset_sends_nothing():
    """No byte, status 0 in the log."""
    assert (wire("reset").status, wire("reset").pieces, wire("reset").ending) == (0, (), "reset")


def test_first_n_then_none():
    """A rule with `first` meets so many requests and then rests; others it never meets."""
    fault = Fault("/o$", "reset", first=2)
    assert [fault.meets(target) for target in ("/x", "/o", "/o", "/o")] == [False, True, True, False]

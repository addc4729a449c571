"""A visit is driven by its script alone, and told clearly where the script ends."""

import pytest

from stook.engine.errors import Unavailable
from stook.engine.words import Code, Found, Outcome, Reply, Request
from stook.testing import Unscripted, run_visit

A, B = "https://index.example/a", "https://index.example/b"


def visit(*urls):
    """Ask for these, and find the bodies and errors that came."""
    bodies = []
    for url in urls:
        try:
            reply = yield Request(url)
            bodies.append(reply.body)
        except Unavailable as error:
            bodies.append(error)
    return Found(Outcome(Code.COMPLETE), records=bodies)


def test_gives_back_what_was_found_and_asked():
    """The result is the visit's Found and its requests in order."""
    found, asked = run_visit(visit(A, B), {A: Reply(A, 200, b"1"), B: Reply(B, 200, b"2")})
    assert found.records == [b"1", b"2"]
    assert [request.url for request in asked] == [A, B]


def test_a_visit_may_ask_nothing():
    """A visit that returns at once is complete."""
    assert run_visit(visit(), {}) == (Found(Outcome(Code.COMPLETE), records=[]), [])


def test_lists_answer_in_turn_and_lone_replies_always():
    """A list is used up; a lone reply serves every time."""
    script = {A: [Reply(A, 404), Reply(A, 200, b"now")], B: Reply(B, 200, b"same")}
    found, _ = run_visit(visit(A, B, A, B), script)
    assert found.records == [b"", b"same", b"now", b"same"]


def test_exceptions_are_raised_inside_the_visit():
    """A visit can catch what the door would raise; what it does not catch reaches the caller."""
    error = Unavailable("timed out")
    found, asked = run_visit(visit(A, B), {A: [error], B: Reply(B, 200)})
    assert found.records == [error, b""]
    assert len(asked) == 2
    with pytest.raises(KeyError):
        run_visit(visit(A), {A: KeyError("not the visit's business")})


def test_an_unscripted_request_is_named():
    """The failure shows the URL and the nearest scripted one, and ends the visit."""
    generator = visit(A + "x")
    with pytest.raises(Unscripted, match=f"nothing scripted for {A}x; did you mean {A}"):
        run_visit(generator, {A: Reply(A, 200)})
    assert generator.gi_frame is None


def test_a_used_up_list_is_a_failure():
    """Asking once more than scripted does not repeat the last answer."""
    with pytest.raises(Unscripted, match="asked 2 times, but 1 answers"):
        run_visit(visit(A, A), {A: [Reply(A, 304)]})


def test_an_endless_visit_is_stopped():
    """A visit that asks for ever fails instead of hanging."""
    with pytest.raises(Unscripted, match="asked 5 times and did not end"):
        run_visit(visit(*[A] * 9), {A: Reply(A, 200)}, at_most=5)

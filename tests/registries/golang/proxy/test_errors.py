"""What a proxy's 404 means, and when to ask again."""

from __future__ import annotations

import pytest

from stook.registries.golang.proxy.errors import FRESH_DELAY, Absence, judge

LS_REMOTE = "not found: module m: git ls-remote -q origin in /tmp: exit status 128:\n\tfatal: "
MESSAGES = [
    ("not found: fetch timed out", Absence.TIMED_OUT),
    ("not found: m@v1: invalid version: git fetch: fetch timed out", Absence.TIMED_OUT),
    ("not found: temporarily unavailable", Absence.NOT_CACHED),
    ("bad request: invalid escaped version", Absence.BAD_REQUEST),
    ("not found: create zip: a.go and A.go: case-insensitive file name collision", Absence.BAD_ZIP),
    (
        'not found: m@v2.0.0: invalid version: go.mod has post-v0 module path "m/v2" at revision v2',
        Absence.PATH_MISMATCH,
    ),
    ("not found: m: go.mod has malformed module path at revision v1", Absence.PATH_MISMATCH),
    ("not found: m: invalid version: missing m/go.mod and .../v2/go.mod at revision v2", Absence.NO_GO_MOD),
    ('not found: unrecognized import path "x.y/z": reading https://x.y/z?go-get=1: 404', Absence.NO_IMPORT_META),
    ("not found: m@v1.0.0: invalid version: unknown revision v1.0.0", Absence.UNKNOWN_REVISION),
    ("not found: module m: git ls-remote -q origin in /tmp: exit status 128: fatal: x", Absence.REPOSITORY_GONE),
    (LS_REMOTE + "unable to access 'https://g.io/m/': Could not resolve host: g.io", Absence.HOST_UNREACHABLE),
    (LS_REMOTE + "unable to access 'https://g.io/m/': Failed to connect to g.io", Absence.HOST_UNREACHABLE),
    (LS_REMOTE + "unable to access 'https://g.io/m/': error: 503", Absence.HOST_UNREACHABLE),
    (LS_REMOTE + "unable to access 'https://g.io/m/': error: 403", Absence.REPOSITORY_GONE),
    (LS_REMOTE + "connect to host g.io port 22: Connection refused", Absence.HOST_UNREACHABLE),
    ("not found: fatal: could not read Username: terminal prompts disabled", Absence.REPOSITORY_GONE),
    ("not found: m@v9: invalid version: should be v0 or v1, not v9", Absence.INVALID_VERSION),
    ("not found: bad upstream", Absence.BAD_UPSTREAM),
    ("<html>gone</html>", Absence.OTHER),
    ("", Absence.OTHER),
]
FINAL = {Absence.BAD_REQUEST, Absence.BAD_ZIP, Absence.PATH_MISMATCH, Absence.NO_GO_MOD}
FINAL_LATER = FINAL | {Absence.UNKNOWN_REVISION, Absence.INVALID_VERSION, Absence.REPOSITORY_GONE}


@pytest.mark.parametrize("status", [404, 410])
@pytest.mark.parametrize(("message", "kind"), MESSAGES)
def test_first_answer(message: str, kind: Absence, status: int) -> None:
    """A first answer is asked again after the mirror has forgotten it, unless it speaks of what cannot change."""
    found = judge(status, message.encode(), is_fresh=True)
    assert found.kind is kind
    assert found.is_terminal == (kind in FINAL)
    assert found.delay == (None if kind in FINAL else FRESH_DELAY)


@pytest.mark.parametrize(("message", "kind"), MESSAGES)
def test_later_answer(message: str, kind: Absence) -> None:
    """A repeated answer ends the event where it is about existence; the rest climbs the ladder."""
    found = judge(404, message.encode(), is_fresh=False)
    assert (found.kind, found.delay) == (kind, None)
    assert found.is_terminal == (kind in FINAL_LATER)


def test_message_is_short() -> None:
    """The message is kept without its prefix, cut, whatever its bytes."""
    found = judge(404, b"not found: " + b"\xff" * 5000, is_fresh=True)
    assert found.message == "\ufffd" * 300


def test_other_statuses_are_not_absence() -> None:
    """A status that says nothing about existence is not judged here."""
    with pytest.raises(ValueError, match="403"):
        judge(403, b"", is_fresh=True)

"""Identity of events."""

from __future__ import annotations

from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from stook.engine.ledger import event_id, poll_queue

name = st.text(st.characters(codec="ascii", exclude_characters="@"), min_size=1, max_size=20)


@given(name, name, name, name)
def test_ids_differ_where_events_do(one, version, other, another):
    """`@` occurs in neither part, so two events have one id only if name and version are equal."""
    assert (event_id(one, version) == event_id(other, another)) == ((one, version) == (other, another))


@given(name, name, name)
def test_a_package_lies_side_by_side(package, one, other):
    """All events of a package begin alike, so that they are neighbours in a clustered table."""
    assert event_id(package, one)[:8] == event_id(package, other)[:8] == sha256(package.encode()).digest()[:8]


def test_the_layout_is_fixed():
    """Rows of earlier versions of Stook are found again: 8 bytes of the package, 16 of `name@version`."""
    assert event_id("serde", "1.0.0") == (sha256(b"serde").digest()[:8] + sha256(b"serde@1.0.0").digest()[:16])


def test_queues_of_one_table_have_ids_of_their_own():
    """The same name in two queues of the poll table has two ids."""
    assert poll_queue("a", "x").id_of("n", "") != poll_queue("b", "x").id_of("n", "")

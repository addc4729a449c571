"""Names are reserved in any order and settled as if there were none."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stook.datasets.names import assign_names, digest_name, plain_name
from stook.datasets.tree.name_table import NameTable

CLOSE = st.lists(st.text(alphabet="aA-/. ", min_size=1, max_size=4), unique=True)


@given(CLOSE, CLOSE)
def test_settled_names_are_those_of_the_set(before: list[str], now: list[str]) -> None:
    """After any order of arrival the names are the ones that the rule gives to the set; old ones stay."""
    previous = assign_names(before, "yaml")
    table = NameTable("yaml", previous)
    for docid in now:
        table.reserve(docid)
    moves = table.settle()
    owners = {name: docid for docid, name in previous.items()}
    expected = assign_names([docid for docid in now if docid not in previous], "yaml", owners)
    assert dict(table.names) == expected | {docid: previous[docid] for docid in now if docid in previous}
    assert len(set(table.names.values())) == len(table.names)
    assert all(old != new for old, new in moves.items())


@given(CLOSE)
def test_reserving_again_changes_nothing(docids: list[str]) -> None:
    """A document gets its name at every call."""
    table = NameTable("yaml")
    assert [table.reserve(docid) for docid in docids] == [table.reserve(docid) for docid in docids]


def test_crafted_names_do_not_push_others_away() -> None:
    """Whoever comes first, a document whose plain name is another's digest name gets it."""
    crafted = digest_name("a/b", "yaml").removesuffix(".yaml")
    for order in (["a/b", "a b", crafted], [crafted, "a b", "a/b"], ["a b", "a/b", crafted]):
        table = NameTable("yaml")
        for docid in order:
            table.reserve(docid)
        table.settle()
        assert table.names[crafted] == f"{crafted}.yaml"
        assert table.names["a b"] == "a-b.yaml"


def test_a_name_of_another_rule_is_given_up() -> None:
    """A document that an older rule named gets the name of this one, and its old name is free."""
    table = NameTable("yaml", {"a/b": "a_b.yaml", "c": "c.yaml"})
    assert table.reserve("a/b") == "a-b.yaml"
    assert table.reserve("a_b") == "a_b.yaml"
    assert table.keep("c") == "c.yaml"


def test_two_rows_of_one_file_have_one_owner() -> None:
    """Of two documents that an old index puts into one file, the first keeps it."""
    table = NameTable("yaml", {"a-b": "a-b.yaml", "a/b": "a-b.yaml"})
    assert table.reserve("a/b") == digest_name("a/b", "yaml")
    assert table.reserve("a-b") == plain_name("a-b", "yaml")


def test_a_document_that_was_not_written_frees_its_name() -> None:
    """A broken write leaves no owner."""
    table = NameTable("yaml")
    table.reserve("a/b")
    table.forget("a/b")
    assert table.reserve("a b") == "a-b.yaml"

"""File names follow Relaton's rule, are never shared, and never leave the folder."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stook.datasets.names import assign_names, case_clashes, digest_name, name_candidates, plain_name
from stook.engine.errors import Malformed

VECTORS = [
    ("ISO/IEC 123-4 Amd. 2", "iso-iec-123-4-amd-2", "iso-iec-123-4-amd-2-91157284132d"),
    ("ITU-R 1-3/8:", "itu-r-1-3-8", "itu-r-1-3-8-ff2c676843f9"),
    ("rpki/signed-objects", "rpki-signed-objects", "rpki-signed-objects-80b6a7bf1b0a"),
    ("rpki-signed-objects", "rpki-signed-objects", "rpki-signed-objects-bbeb451e1924"),
    ("draft--pale-email-00", "draft-pale-email-00", "draft-pale-email-00-75c3e27b0483"),
    (".hidden", "-hidden", "-hidden-92f73832be5a"),
    ("x\N{NO-BREAK SPACE}y", "x\N{NO-BREAK SPACE}y", "x\N{NO-BREAK SPACE}y-fcdf3861750e"),
    ("Ünïcode Ä", "ünïcode-ä", "ünïcode-ä-b4c3ee821ae9"),
    ("a_b#c", "a_b#c", "a_b#c-c7ad30d7296a"),
    ("ΑΣ", "ας"[:1] + "σ", None),
    ("a \t\r\n\f\v b", "a-b", None),
]

DOCIDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
CLOSE = st.text(alphabet="aA-/. :é", min_size=1, max_size=5)


@pytest.mark.parametrize(("docid", "plain", "digest"), VECTORS)
def test_rule(docid: str, plain: str, digest: str | None) -> None:
    """Names equal the ones that the original gives."""
    assert plain_name(docid, "yaml") == f"{plain}.yaml"
    assert digest is None or digest_name(docid, "yaml") == f"{digest}.yaml"


def test_long_names_are_cut_between_characters() -> None:
    """A name of too many bytes keeps its head, loses the broken character and ends in the digest."""
    docid = "café-" + "é" * 300
    name = plain_name(docid, "xml")
    assert len(name.encode()) == 255
    assert name.endswith("é-096191f65bb5.xml")
    assert digest_name(docid, "xml") == name


@pytest.mark.parametrize(("length", "is_cut"), [(250, False), (251, True)])
def test_limit_is_255_bytes(length: int, is_cut: bool) -> None:
    """A name of exactly 255 bytes is left whole, one more byte is not."""
    assert ("-" in plain_name("A" * length, "yaml")) == is_cut


@pytest.mark.parametrize("docid", ["...", "-", " / ", "():"])
def test_separators_alone_are_named_by_their_digest(docid: str) -> None:
    """No record gets a hidden file or the empty name."""
    name = plain_name(docid, "yaml")
    assert len(name) == len("0123456789ab.yaml")
    assert not name.startswith((".", "-"))


@pytest.mark.parametrize("docid", ["a\0b", "a\ud800"])
def test_what_no_file_system_can_hold_is_refused(docid: str) -> None:
    """NUL and lone surrogates are an error with the reason, not a crash of the write."""
    with pytest.raises(Malformed, match="identifier"):
        plain_name(docid, "yaml")


@given(DOCIDS, st.sampled_from(["yaml", "xml", "json"]))
@example("..", "yaml")
@example("../../etc/passwd", "yaml")
@example("İ" * 200, "yaml")
def test_every_name_is_one_safe_component(docid: str, extension: str) -> None:
    """Each candidate is valid UTF-8 of at most 255 bytes, without a slash, never hidden, with its extension."""
    for _, name in zip(range(4), name_candidates(docid, extension), strict=False):
        assert len(name.encode()) <= 255
        assert PurePosixPath(name).name == name
        assert not name.startswith(".")
        assert name.endswith(f".{extension}")


@given(st.lists(CLOSE, unique=True), st.randoms(use_true_random=False), st.data())
def test_names_are_unique_whatever_the_order(docids: list[str], random: object, data: st.DataObject) -> None:
    """Each document has a file of its own, and shuffling the documents changes nothing."""
    names = assign_names(docids, "yaml")
    assert sorted(names) == sorted(docids)
    assert len(set(names.values())) == len(docids)
    assert assign_names(data.draw(st.permutations(docids)), "yaml") == names


@given(st.lists(CLOSE, unique=True), st.lists(CLOSE, unique=True))
def test_taken_names_stay_with_their_owners(first: list[str], second: list[str]) -> None:
    """Documents that come later never take a name that has an owner."""
    before = assign_names(first, "yaml")
    owners = {name: docid for docid, name in before.items()}
    later = assign_names([docid for docid in second if docid not in before], "yaml", owners)
    assert not set(later.values()) & set(owners)


def test_a_crafted_digest_name_is_not_shared() -> None:
    """A document whose plain name is another's digest name costs that one its short digest, not its file."""
    crafted = digest_name("a.b", "yaml").removesuffix(".yaml")
    names = assign_names(["a-b", "a.b", crafted], "yaml")
    assert len(set(names.values())) == 3
    assert names[crafted] == f"{crafted}.yaml"


def test_first_in_text_order_keeps_the_plain_name() -> None:
    """Of three documents that want one name, the first in text order has it."""
    names = assign_names(["a/b", "a b", "a.b"], "yaml")
    assert names["a b"] == "a-b.yaml"
    assert names["a/b"] == digest_name("a/b", "yaml")


@pytest.mark.parametrize(
    ("names", "clashes"),
    [
        (["straße.yaml", "strasse.yaml", "x.yaml"], [["strasse.yaml", "straße.yaml"]]),
        (["e\u0301.yaml", "é.yaml"], [["e\u0301.yaml", "é.yaml"]]),
        (["a.yaml", "b.yaml", "é.yaml"], []),
    ],
)
def test_case_clashes(names: list[str], clashes: list[list[str]]) -> None:
    """Names that a file system without case takes for one are found."""
    assert case_clashes(names) == clashes

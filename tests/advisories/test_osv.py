"""OSV records: decoding, tolerance, limits."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from hashlib import sha256

import pytest

from stook.advisories import UnreadableRecord, decode_record, read_records
from stook.advisories.osv import MAX_NESTED, MAX_PACKAGES, MAX_RECORD_BYTES, MAX_VERSIONS
from stook.engine.errors import Malformed

from .records import affected, data  # noqa: TID252


def test_a_record() -> None:
    """Known fields become values, unknown ones are ignored, nulls are nothing, and the bytes have their digest."""
    text = data(
        "GO-2024-0001",
        affected("example.com/oar", {"introduced": "0"}, {"fixed": "1.2.3"}, ecosystem="Go", versions=None),
        aliases=["CVE-2024-0001"],
        severity=None,
        published="2024-04-01T10:00:00.123456789Z",
        from_the_future={"deep": [1]},
    )
    record = decode_record(text)
    assert record.id == "GO-2024-0001"
    assert record.modified == datetime(2024, 5, 1, 12, tzinfo=UTC)
    assert record.published
    assert record.affected
    assert [event.fixed for event in (record.affected[0].ranges or [])[0].events or []] == [None, "1.2.3"]
    assert record.digest == sha256(text).digest()


def test_the_year_one_is_read() -> None:
    """The Go database's unknown time is no error."""
    assert decode_record(data(modified="0001-01-01T00:00:00Z")).modified.year == 1


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"null",
        b"[]",
        b'{"id": "GO-2024-0001"}',
        b'{"modified": "2024-05-01T12:00:00Z"}',
        data(modified="yesterday"),
        data(modified="2024-05-01T12:00:00"),
        data("../../etc/passwd"),
        data("GO 1"),
        data("GO-1\n"),
        data(affected={}),
        data(aliases=[1]),
        data(withdrawn="soon"),
        data("GO-2024-0001", affected("x" * 501, {"introduced": "0"})),
        data("GO-2024-0001", affected("oar", {"introduced": "1" * 501})),
        b'{"id": "GO-1", "modified": "2024-05-01T12:00:00Z", "x": ' + b"[" * 30_000,
        b'{"id": "GO-1", "modified": "2024-05-01T12:00:00Z", "x": ' + b"[" * 30_000 + b"]" * 30_000 + b"}",
        b'{"id": "GO-1", "modified": "2024-05-01T12:00:00Z", "affected": [' + b'{"a":' * 30_000 + b"1" + b"}" * 30_000,
        b'{"id": "GO-1\xff", "modified": "2024-05-01T12:00:00Z"}',
    ],
)
def test_bad_records_are_refused_with_a_short_reason(text: bytes) -> None:
    """Whatever is wrong, the error is ours, says why, and never carries the record."""
    with pytest.raises(Malformed) as caught:
        decode_record(text)
    assert 0 < len(caught.value.reason) <= 300


def test_limits_of_a_record() -> None:
    """A record may have so many bytes, and so many objects and lists, and not one more."""
    assert decode_record(data().ljust(MAX_RECORD_BYTES))
    with pytest.raises(Malformed, match="bytes"):
        decode_record(data().ljust(MAX_RECORD_BYTES + 1))
    lists = MAX_NESTED - data(x=[]).count(b"[") - data(x=[]).count(b"{")
    assert decode_record(data(x=[[]] * lists))
    with pytest.raises(Malformed, match="objects and lists"):
        decode_record(data(x=[[]] * (lists + 1)))
    assert decode_record(data("GO-1", *[{}] * MAX_PACKAGES))
    with pytest.raises(Malformed, match="packages"):
        decode_record(data("GO-1", *[{}] * (MAX_PACKAGES + 1)))
    half = {"versions": ["1.0.0"] * (MAX_VERSIONS // 2)}
    assert decode_record(data("GO-1", half, half))
    with pytest.raises(Malformed, match="versions"):
        decode_record(data("GO-1", half, half, {"versions": ["1.0.0"]}))


def test_one_bad_record_costs_no_other() -> None:
    """The stream goes on, in order, with the bad record's name and reason."""
    entries = [("a.json", data("GO-2024-0001")), ("b.json", b"{"), ("c.json", data("GO-2024-0003"))]
    aside = UnreadableRecord("d.json", "the member is encrypted")
    found = list(read_records([*entries, aside]))
    assert [type(one).__name__ for one in found] == ["OsvRecord", "UnreadableRecord", "OsvRecord", "UnreadableRecord"]
    assert isinstance(found[1], UnreadableRecord)
    assert found[1].name == "b.json"
    assert found[3] == aside


def test_shapes_of_free_fields_do_not_matter_here() -> None:
    """A database may write what it likes into its own fields; the record is read all the same."""
    text = json.loads(data("GO-2024-0001", affected("oar", {"introduced": "0"})))
    text["affected"][0]["ecosystem_specific"] = ["anything"]
    text["affected"][0]["database_specific"] = 7
    assert decode_record(json.dumps(text).encode()).affected

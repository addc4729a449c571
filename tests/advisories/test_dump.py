"""The zip of records: a stream, and nothing that a hostile file could do with it."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

import pytest

import stook.advisories.dump as dump_module
from stook.advisories import UnreadableRecord, read_dump
from stook.advisories.dump import MAX_MEMBERS
from stook.advisories.osv import MAX_RECORD_BYTES
from stook.engine.errors import Malformed

from .records import data  # noqa: TID252

RECORD = data("GO-2024-0001")


def archive(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return buffer.getvalue()


def names(content: bytes) -> list[str]:
    """Names of what was read; of what was not, the reason."""
    found = read_dump(io.BytesIO(content))
    return [one.reason if isinstance(one, UnreadableRecord) else one[0] for one in found]


def test_members_in_their_order(tmp_path: Path) -> None:
    """A path and a file object give the same texts; folders and other files are passed over."""
    content = archive({"GO-1.json": RECORD, "README": b"hello", "folder/": b"", "folder/GO-2.json": RECORD})
    path = tmp_path / "all.zip"
    path.write_bytes(content)
    expected = [("GO-1.json", RECORD), ("folder/GO-2.json", RECORD)]
    assert list(read_dump(path)) == expected == list(read_dump(io.BytesIO(content)))


@pytest.mark.parametrize("name", ["../a.json", "/etc/a.json", "a/../../b.json", "C:/a.json", "a\\b.json"])
def test_names_that_lead_out(name: str) -> None:
    """Nothing is extracted, and still such a member is not read."""
    assert names(archive({name: RECORD, "GO-1.json": RECORD})) == ["the name leads out of the dump", "GO-1.json"]


def test_a_bomb_is_not_unpacked() -> None:
    """Neither too large a member nor one that is packed too tightly; the others are read."""
    content = archive({"big.json": b" " * (MAX_RECORD_BYTES + 1), "tight.json": b" " * 1_000_000, "GO-1.json": RECORD})
    large, tight, good = names(content)
    assert "bytes" in large
    assert "packed" in tight
    assert good == "GO-1.json"


def test_a_size_that_lies() -> None:
    """A header that promises a small member does not make the rest of it come out."""
    content = bytearray(archive({"a.json": b" " * 50_000 + RECORD, "GO-1.json": RECORD}))
    entry = content.index(b"PK\x01\x02")
    struct.pack_into("<L", content, entry + 24, 10)  # the uncompressed size in the central directory
    struct.pack_into("<L", content, 22, 10)  # and in the member's own header
    first, second = read_dump(io.BytesIO(bytes(content)))
    assert isinstance(first, UnreadableRecord)
    assert second == ("GO-1.json", RECORD)


def test_a_broken_member() -> None:
    """A wrong checksum costs the member, not the dump."""
    content = bytearray(archive({"a.json": RECORD, "GO-1.json": RECORD}, zipfile.ZIP_STORED))
    content[content.index(RECORD[:20]) + 5] ^= 1
    first, second = read_dump(io.BytesIO(bytes(content)))
    assert isinstance(first, UnreadableRecord)
    assert "CRC" in first.reason
    assert second == ("GO-1.json", RECORD)


def test_a_broken_stream() -> None:
    """Bytes that do not unpack cost the member, not the dump."""
    content = bytearray(archive({"a.json": RECORD * 50, "GO-1.json": RECORD}))
    content[30 + len("a.json")] = 0xFF
    first, second = read_dump(io.BytesIO(bytes(content)))
    assert isinstance(first, UnreadableRecord)
    assert second == ("GO-1.json", RECORD)


@pytest.mark.parametrize("end", [0, 10, 100, 400])
def test_cut_short(end: int) -> None:
    """A dump without its end is an error, not a short list."""
    content = archive({f"GO-{number}.json": RECORD for number in range(5)})
    with pytest.raises(Malformed):
        list(read_dump(io.BytesIO(content[:end])))
    with pytest.raises(Malformed):
        list(read_dump(io.BytesIO(content[:-1])))


def test_what_dumps_never_use() -> None:
    """Encrypted members and other compression methods are not opened."""
    content = bytearray(archive({"a.json": RECORD}))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    assert names(bytes(content)) == ["the member is encrypted"]
    assert "method" in names(archive({"a.json": RECORD}, zipfile.ZIP_BZIP2))[0]


def test_more_members_than_any_dump_has() -> None:
    """They are counted before the zip module makes an object of each."""
    header = b"PK\x01\x02" + bytes(42)
    with pytest.raises(Malformed, match="members"):
        list(read_dump(io.BytesIO(header * (MAX_MEMBERS + 1))))


def test_marks_across_blocks_are_counted() -> None:
    """A header that begins in one block and ends in the next counts once."""
    content = bytes(dump_module._BLOCK - 2) + b"PK\x01\x02" * (MAX_MEMBERS + 1)
    with pytest.raises(Malformed, match="members"):
        list(read_dump(io.BytesIO(content)))
    with pytest.raises(Malformed, match="cannot be read"):  # one less is not too many, only no zip
        list(read_dump(io.BytesIO(bytes(dump_module._BLOCK - 2) + b"PK\x01\x02" * MAX_MEMBERS)))


def test_too_much_altogether() -> None:
    """Members that overlap, all of one block of data, are read until their sum is too large."""
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    text = RECORD.ljust(MAX_RECORD_BYTES // 64, b" ") + bytes(range(256)) * 4
    body = packed.compress(text) + packed.flush()
    head = struct.pack("<HHHHHLLLHH", 20, 0, 8, 0, 0, zlib.crc32(text), len(body), len(text), 6, 0)
    content = b"PK\x03\x04" + head + b"a.json" + body
    count = 10
    entry = struct.pack("<HHHHHHLLLHHHHHLL", 20, 20, 0, 8, 0, 0, zlib.crc32(text), len(body), len(text), 6, *[0] * 6)
    directory = (b"PK\x01\x02" + entry + b"a.json") * count
    end = struct.pack("<HHHHLLH", 0, 0, count % 65536, count % 65536, len(directory), len(content), 0)
    whole = content + directory + b"PK\x05\x06" + end
    stream = read_dump(io.BytesIO(whole), max_total=9 * len(text))
    with pytest.raises(Malformed, match=r"unpacks to more|Overlapped"):
        for _ in stream:
            pass

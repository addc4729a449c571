"""The name of a record's file, from its identifier alone: Relaton's rule, and what decides when two want one name."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import count

from stook.engine.errors import Malformed

__all__ = ["assign_names", "case_clashes", "digest_name", "name_candidates", "plain_name"]

NAME_BYTES = 255  # the limit of common file systems, for the whole name in UTF-8
_DIGITS = 12
_SEPARATORS = re.compile(r"[.,\s/:()-]+", re.ASCII)  # Ruby's \s is ASCII only: a no-break space stays


def plain_name(docid: str, extension: str) -> str:
    """The name that a document gets when no other has it; at most 255 bytes.

    Relaton's rule: lower case, each run of `. , white space / : ( ) -` is one `-`, one `-` at the end goes; what is too
    long is cut and ends in 12 digits of the SHA-1 of the identifier. An identifier of separators alone is named by
    those digits. Raises Malformed for an identifier that no file system can hold.
    """
    stem = _stem(docid)
    if len(stem.encode()) > _room(extension):
        stem = _cut(stem, _digest(docid), extension)
    return f"{stem}.{extension}"


def digest_name(docid: str, extension: str) -> str:
    """The name of a document whose plain name is another's: the stem and 12 digits of the identifier's SHA-1."""
    return f"{_cut(_stem(docid), _digest(docid), extension)}.{extension}"


def name_candidates(docid: str, extension: str) -> Iterator[str]:
    """The names that a document may get, in the order in which it takes them; they have no end."""
    yield plain_name(docid, extension)
    yield digest_name(docid, extension)
    stem = _stem(docid)
    for number in count():
        digest = hashlib.sha256(f"{number}:{docid}".encode()).hexdigest()
        yield f"{_cut(stem, digest, extension)}.{extension}"


def assign_names(docids: Iterable[str], extension: str, owners: Mapping[str, str] | None = None) -> dict[str, str]:
    """A name for each document, no two alike; the order of the documents does not matter.

    `owners` maps names that are taken to the documents that have them. Of the documents that want a free plain name,
    the first in text order gets it; the others take, in text order, their next free candidate.
    """
    taken = dict(owners or {})
    names: dict[str, str] = {}
    losers: list[str] = []
    for docid in sorted(set(docids)):
        plain = plain_name(docid, extension)
        if taken.setdefault(plain, docid) == docid:
            names[docid] = plain
        else:
            losers.append(docid)
    for docid in losers:
        names[docid] = next(name for name in name_candidates(docid, extension) if name not in taken)
        taken[names[docid]] = docid
    return names


def case_clashes(names: Collection[str]) -> list[list[str]]:
    """Groups of names that are one file where case, or the way an accent is written, does not count."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        if not name.isascii():
            groups[_folded(name)].append(name)
    if not groups:
        return []
    for name in names:
        if name.isascii() and name in groups:
            groups[name].append(name)
    return sorted(sorted(set(group)) for group in groups.values() if len(set(group)) > 1)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _stem(docid: str) -> str:
    if "\0" in docid:
        raise Malformed(f"identifier {docid[:80]!r} holds a NUL character, which no file name can")
    try:
        docid.encode()
    except UnicodeEncodeError:
        raise Malformed(f"identifier {docid[:80]!r} is not valid text") from None
    # Ruby lowers each letter alone; Python makes a sigma at the end of a word another letter.
    lowered = docid.replace("Σ", "σ").lower()
    return _SEPARATORS.sub("-", lowered).removesuffix("-") or _digest(docid)


def _digest(docid: str) -> str:
    return hashlib.sha1(docid.encode(), usedforsecurity=False).hexdigest()[:_DIGITS]


def _room(extension: str) -> int:
    """Bytes for the stem."""
    return NAME_BYTES - len(f".{extension}".encode())


def _cut(stem: str, digest: str, extension: str) -> str:
    room = _room(extension) - len(digest) - 1
    data = stem.encode()
    if len(data) > room:
        stem = data[:room].decode(errors="ignore").removesuffix("-")
    return f"{stem}-{digest}"

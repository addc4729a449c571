"""Go's own lists as inventories: go.mod, and the output of `go list -m all`.

The reference is https://go.dev/ref/mod#go-mod-file. A go.mod of Go 1.17 and later names every module that the build
needs; an older one names only direct requirements, and `go list -m all` says more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from stook.advisories.ecosystems import Ecosystem, PackageVersion
from stook.advisories.formats.inventory import Inventory, ListedPackage, Unlisted
from stook.engine.errors import Malformed

__all__ = ["read_go_list", "read_go_mod"]

MAX_BYTES = 16 * 1024 * 1024  # golang.org/x/mod/zip allows a go.mod no more
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|`[^`\n]*`|//[^\n]*|=>|[()]|[^\s()"`]+')
_LIST_LINE = re.compile(r"(\S+) (\S+)(?: => (\S+)(?: (\S+))?)?(?: \([^)]*\)| \[[^\]]*\])*")


class _GoModLine(NamedTuple):
    verb: str
    words: list[str]
    line: int


def read_go_mod(data: bytes) -> Inventory:
    """The required modules, replacements applied. Raises Malformed; an unreadable line goes to `unlisted`.

    The `go` line names a language version, and the `toolchain` line a lower bound: neither says which Go compiles, so
    neither is listed as `stdlib`.
    """
    packages: list[ListedPackage] = []
    unlisted: list[Unlisted] = []
    statements = list(_statements(_decoded(data, "go.mod")))
    replacements = _replacements(statements)
    for verb, words, line in statements:
        if verb != "require":
            continue
        if len(words) != 2:
            unlisted.append(Unlisted(f"line {line}", f"not a requirement: {' '.join(words)[:100]}"))
            continue
        path, version = words
        new = replacements.get((path, version)) or replacements.get((path, ""))
        packages.append(_listed(path, version, new, line))
    return Inventory(tuple(packages), tuple(unlisted))


def read_go_list(data: bytes) -> Inventory:
    """The modules of `go list -m all`; the main module has no version and is left out, with the reason."""
    packages: list[ListedPackage] = []
    unlisted: list[Unlisted] = []
    for number, line in enumerate(_decoded(data, "the list of modules").splitlines(), 1):
        match = _LIST_LINE.fullmatch(line.strip())
        if match:
            path, version, new_path, new_version = match.groups()
            new = (new_path, new_version or "") if new_path else None
            packages.append(_listed(path, version, new, number))
        elif line.strip():
            reason = "no version: the main module" if " " not in line.strip() else "not a module with its version"
            unlisted.append(Unlisted(line.strip()[:200], reason))
    return Inventory(tuple(packages), tuple(unlisted))


def _decoded(data: bytes, title: str) -> str:
    if len(data) > MAX_BYTES:
        raise Malformed(f"{title} has more than {MAX_BYTES} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Malformed(f"{title} is not UTF-8") from error


def _statements(text: str) -> Iterator[_GoModLine]:
    """Each line as verb and words, those of a block under the block's verb; comments are dropped."""
    block = ""
    for number, line in enumerate(text.split("\n"), 1):
        words = [_unquote(word) for word in _TOKEN.findall(line) if not word.startswith("//")]
        if not words:
            continue
        if block and words == [")"]:
            block = ""
        elif block:
            yield _GoModLine(block, words, number)
        elif words[1:] == ["("]:
            block = words[0]
        else:
            yield _GoModLine(words[0], words[1:], number)
    if block:
        raise Malformed(f"go.mod: the block {block[:40]!r} has no end")


def _unquote(word: str) -> str:
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in '"`' else word


def _replacements(statements: list[_GoModLine]) -> dict[tuple[str, str], tuple[str, str]]:
    """(old path, version or empty) to (new path, version or empty for a folder)."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for verb, words, _ in statements:
        if verb == "replace" and "=>" in words:
            at = words.index("=>")
            old, new = words[:at], words[at + 1 :]
            if len(old) in (1, 2) and len(new) in (1, 2):
                found[old[0], "".join(old[1:])] = (new[0], "".join(new[1:]))
    return found


def _listed(path: str, version: str, new: tuple[str, str] | None, line: int) -> ListedPackage:
    if new is None:
        return ListedPackage(PackageVersion(Ecosystem.GO, path, version), line)
    if not new[1]:  # a folder
        return ListedPackage(PackageVersion(Ecosystem.GO, path, version), line, other_source=f"replaced by {new[0]}")
    return ListedPackage(PackageVersion(Ecosystem.GO, *new), line)

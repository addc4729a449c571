"""What pins the modules of a Go project: go.mod with go.sum, a workspace, or what `go list -m all` prints."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from stook.engine.errors import Malformed, UserError
from stook.registries.golang.gomod import GoMod, parse_strict
from stook.registries.golang.gomod.syntax import decode
from stook.registries.golang.paths import path_problem
from stook.registries.golang.versions import is_valid

__all__ = ["GoLock", "LockedModule", "parse_list", "parse_sums", "pinned_by", "read_folder", "read_text"]

LIMIT = 16 << 20  # bytes of one file
MOST_USED = 500  # modules of one workspace
_CONFLICT = re.compile(r"^(<{7}|={7}|>{7})( |$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LockedModule:
    """A module at the version that a project builds with; `is_local`: it is a folder, and the proxy has no part in it.

    `mod_sum` is the checksum of its go.mod as go.sum has it; `is_direct` is None where nothing tells.
    """

    path: str
    version: str
    is_local: bool = False
    mod_sum: str = ""
    is_direct: bool | None = None


@dataclass(frozen=True, slots=True)
class GoLock:
    """A project: the path of its main module, or its folder's name, and the modules that it pins, each once."""

    name: str
    modules: tuple[LockedModule, ...]


def read_folder(path: Path) -> GoLock:
    """A project's folder, go.mod or go.work, or a file with the output of `go list -m all`.

    Raises UserError where there is none, Malformed for one that cannot be read.
    """
    if path.is_dir():
        found = next((path / name for name in ("go.work", "go.mod") if (path / name).is_file()), None)
        if found is None:
            raise UserError(f"{path} has neither a go.mod nor a go.work")
        path = found
    if not path.is_file():
        raise UserError(f"there is no such file or folder: {path}")
    if path.name == "go.work":
        return _workspace(path)
    sums = path.with_name("go.sum")
    return read_text(path.name, _bytes(path), _bytes(sums) if sums.is_file() else b"")


def read_text(name: str, body: bytes, sums: bytes = b"") -> GoLock:
    """A go.mod, if the file is called so, with the text of its go.sum; else the output of `go list -m all`."""
    _check_merged(name, body)
    if not name.endswith(".mod"):
        return parse_list(decode(body))
    mod = parse_strict(body)
    return GoLock(mod.module, tuple(_distinct(pinned_by(mod, parse_sums(decode(sums))))))


def pinned_by(mod: GoMod, sums: Mapping[tuple[str, str], str]) -> Iterator[LockedModule]:
    """What a go.mod requires, replacements applied: a fork stands in place of a module, a folder for what is local."""
    replaced = {(each.old.path, each.old.version): each.new for each in mod.replaces}
    for each in mod.requires:
        new = replaced.get((each.path, each.version)) or replaced.get((each.path, ""))
        if new is not None and not new.version:
            yield LockedModule(each.path, each.version, True, "", not each.is_indirect)
            continue
        path, version = (new.path, new.version) if new else (each.path, each.version)
        yield LockedModule(path, version, False, sums.get((path, version), ""), not each.is_indirect)


def parse_sums(text: str) -> dict[tuple[str, str], str]:
    """The checksums of go.mod files in a go.sum, by module and version; other lines are left out."""
    found: dict[tuple[str, str], str] = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 3 and words[1].endswith("/go.mod") and words[2].startswith("h1:"):
            found[words[0], words[1].removesuffix("/go.mod")] = words[2]
    return found


def parse_list(text: str) -> GoLock:
    """`module version`, `module version => module version` or `=> folder` a line; the first line is the main module."""
    name, modules = "", []
    for number, line in enumerate(text.splitlines(), 1):
        left, arrow, right = line.partition("=>")
        words, new = left.split(), right.split()
        if not words:
            continue
        if path_problem(words[0]) or len(words) > 2 or (len(words) == 2 and not is_valid(words[1])):
            raise Malformed(f"line {number} is none of `go list -m all`: {line[:100]!r}")
        if len(words) == 1 and not arrow:
            name = name or words[0]
        elif len(new) == 2:
            modules.append(LockedModule(new[0], new[1]))
        elif len(words) == 2:
            modules.append(LockedModule(words[0], words[1], is_local=bool(arrow)))
    if not modules and not name:
        raise Malformed("the file names no module")
    return GoLock(name, tuple(_distinct(modules)))


def _workspace(path: Path) -> GoLock:
    """All modules that a go.work uses. In a build the highest requirement of a module wins; here all are kept."""
    body = _bytes(path)
    _check_merged(path.name, body)
    used = [str(tokens[1]) for tokens in _statements(body) if len(tokens) == 2 and tokens[0] == "use"]
    if len(used) > MOST_USED:
        raise Malformed(f"go.work uses more than {MOST_USED} modules")
    locks = [read_folder(path.parent / folder / "go.mod") for folder in used]
    own = {lock.name for lock in locks}
    modules = [module for lock in locks for module in lock.modules if module.path not in own]
    return GoLock(path.parent.resolve().name, tuple(_distinct(modules)))


def _statements(body: bytes) -> Iterator[list[str]]:
    """The statements of a go.work as words: those of a block with the block's verb before them."""
    verb = ""
    for raw in decode(body).splitlines():
        words = raw.partition("//")[0].split()
        if not words:
            continue
        if verb:
            if words == [")"]:
                verb = ""
            else:
                yield [verb, *(word.strip('"`') for word in words)]
        elif words[-1] == "(":
            verb = words[0]
        else:
            yield [word.strip('"`') for word in words]


def _distinct(modules: Iterable[LockedModule]) -> list[LockedModule]:
    """One of each module and version; direct if any is."""
    found: dict[tuple[str, str, bool], LockedModule] = {}
    for module in modules:
        key = (module.path, module.version, module.is_local)
        if key not in found or (module.is_direct and not found[key].is_direct):
            found[key] = module
    return [found[key] for key in sorted(found)]


def _check_merged(name: str, body: bytes) -> None:
    text = decode(body)
    if marker := _CONFLICT.search(text):
        line = text.count("\n", 0, marker.start()) + 1
        raise Malformed(f"{name} has conflict markers (line {line}): a merge is not finished")


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            body = file.read(LIMIT + 1)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None
    if len(body) > LIMIT:
        raise Malformed(f"{path} is longer than {LIMIT} bytes")
    return body

"""The real go command agrees with us: run only where there is one."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from stook.engine.errors import Malformed
from stook.registries.golang import paths
from stook.registries.golang.gomod import gomod, sums
from stook.registries.golang.latest import Latest, find_latest, reasons, tagged_versions
from stook.registries.golang.versions import pseudo, versions

from . import samples  # noqa: TID252
from .answering import answer  # noqa: TID252
from .gocommand import Go, write_module  # noqa: TID252
from .modules import Module, generate  # noqa: TID252

SEED = 20260
MODULES = 400


def _or_none(function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except Malformed:
        return None


def _objects(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder()
    while text := text.lstrip():
        value, end = decoder.raw_decode(text)
        yield value
        text = text[end:]


def _list(go: Go, proxy: Path, flags: Iterable[str], queries: Iterable[str]) -> dict[str, dict[str, Any]]:
    cwd = proxy.parent / "main"
    cwd.mkdir(exist_ok=True)
    (cwd / "go.mod").write_text("module main\n\ngo 1.21\n")
    names = list(queries)
    found = list(_objects(go.run("list", "-m", "-e", "-json", *flags, *names, cwd=cwd, proxy=proxy)))
    assert len(found) == len(names)
    return dict(zip(names, found, strict=True))


@pytest.fixture(scope="module")
def tree(go: Go, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[tuple[Module, Latest]]]:
    """A proxy of generated modules, with our answer for each."""
    proxy = tmp_path_factory.mktemp("tree") / "proxy"
    random = Random(SEED)
    found = []
    for number in range(MODULES):
        module = generate(random, number)
        write_module(proxy, module.path, module.listing, module.mods, module.latest)
        found.append((module, answer(find_latest(module.path, module.listing.encode()), module.mods, module.latest)))
    return proxy, found


@pytest.mark.parametrize("flags", [(), ("-retracted",)], ids=["heeding retractions", "ignoring them"])
def test_latest(go: Go, tree: tuple[Path, list[tuple[Module, Latest]]], flags: tuple[str, ...]) -> None:
    """The latest version of every generated module is the go command's, or both have none."""
    proxy, found = tree
    told = _list(go, proxy, flags, [f"{module.path}@latest" for module, _ in found])
    for module, ours in found:
        theirs = told[f"{module.path}@latest"]
        version = ours.raw if flags else ours.version
        if theirs.get("Version") == "latest" or "Version" not in theirs:
            assert "Error" in theirs
            assert not version or ours.problem or version not in module.mods, (module, theirs, ours)
        elif "Error" in theirs:
            assert ours.problem, (module, theirs, ours)
        else:
            assert version == theirs["Version"], (module, theirs, ours)


def test_retractions_and_deprecation(go: Go, tree: tuple[Path, list[tuple[Module, Latest]]]) -> None:
    """Every version's reasons of retraction and its module's deprecation are the go command's."""
    proxy, found = tree
    pairs = [(module, ours, version) for module, ours in found for version in sorted(module.mods)]
    told = _list(go, proxy, ("-u", "-retracted"), [f"{module.path}@{version}" for module, _, version in pairs])
    for module, ours, version in pairs:
        theirs = told[f"{module.path}@{version}"]
        if "Error" in theirs:
            assert ours.problem, (module, theirs, ours)
            continue
        assert reasons(version, ours.retractions) == tuple(theirs.get("Retracted", ())), (module, version, theirs, ours)
        assert ours.deprecated == theirs.get("Deprecated", ""), (module, theirs, ours)


def test_order_of_lists(go: Go, tree: tuple[Path, list[tuple[Module, Latest]]]) -> None:
    """`go list -m -versions` shows the versions of a list in our order, without what is retracted."""
    proxy, found = tree
    for flags in (("-versions", "-retracted"), ("-versions",)):
        told = _list(go, proxy, flags, [f"{module.path}@latest" for module, _ in found])
        for module, ours in found:
            theirs = told[f"{module.path}@latest"]
            if "Error" in theirs:
                continue
            tagged = tagged_versions(module.listing.encode())
            expected = tagged if len(flags) == 2 else [v for v in tagged if not reasons(v, ours.retractions)]
            assert theirs.get("Versions", []) == expected, (module, theirs)


def test_versions(go: Go) -> None:
    """golang.org/x/mod judges, orders, takes apart and escapes generated versions as we do."""
    pairs = samples.version_pairs(Random(SEED), 20_000)
    questions = [{"Kind": "version", "Version": version, "Other": other} for version, other in pairs]
    for (version, other), theirs in zip(pairs, go.ask(questions), strict=True):
        assert _about_version(version, other) == theirs, (version, other)


def test_paths(go: Go) -> None:
    """golang.org/x/mod judges, splits and escapes generated paths as we do."""
    pairs = samples.path_pairs(Random(SEED), 20_000)
    questions = [{"Kind": "path", "Path": path, "Version": version} for path, version in pairs]
    for (path, version), theirs in zip(pairs, go.ask(questions), strict=True):
        assert _about_path(path, version) == theirs, (path, version)


def test_go_mod(go: Go) -> None:
    """golang.org/x/mod reads generated go.mod files as we do, in all three ways, and sums them alike."""
    bodies = samples.go_mods(Random(SEED), 20_000)
    questions = [{"Kind": "mod", "Body": b64encode(body).decode()} for body in bodies]
    for body, theirs in zip(bodies, go.ask(questions), strict=True):
        assert _about_mod(body) == theirs, body


def test_mod_edit(go: Go, tmp_path: Path) -> None:
    """`go mod edit -json` refuses the files that we refuse, and shows what we show of the others."""
    file = tmp_path / "go.mod"
    for body in samples.go_mods(Random(SEED), 150):
        file.write_bytes(body)
        ours = _or_none(gomod.parse_strict, body)
        if ours is None:
            with pytest.raises(RuntimeError):
                go.run("mod", "edit", "-json", str(file), cwd=tmp_path)
        else:
            assert _edited(ours) == _without_ours(
                json.loads(go.run("mod", "edit", "-json", str(file), cwd=tmp_path))
            ), body


def _edited(found: gomod.GoMod) -> dict[str, Any]:
    """As `go mod edit -json` prints it: nothing that is empty."""
    whole = {
        "Module": _filled(Path=found.module, Deprecated=found.deprecated) or {"Path": ""},
        "Go": found.go,
        "Toolchain": found.toolchain,
        "Require": [_filled(Path=r.path, Version=r.version, Indirect=r.is_indirect) for r in found.requires],
        "Exclude": [_filled(Path=x.path, Version=x.version) for x in found.excludes],
        "Replace": [
            {
                "Old": _filled(Path=r.old.path, Version=r.old.version),
                "New": _filled(Path=r.new.path, Version=r.new.version),
            }
            for r in found.replaces
        ],
        "Retract": [_filled(Low=r.low, High=r.high, Rationale=r.rationale) for r in found.retracts],
    }
    return _filled(**whole)


def _without_ours(theirs: dict[str, Any]) -> dict[str, Any]:
    """Without the directives that we check, but do not keep."""
    return {key: value for key, value in theirs.items() if value and key not in ("GoDebug", "Tool", "Ignore")}


def _filled(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value}


def _about_version(version: str, other: str) -> dict[str, Any]:
    parts = _or_none(pseudo.parse_pseudo, version)
    one, two = versions.version_key(version), versions.version_key(other)
    assert (one > two) - (one < two) == versions.compare(version, other)
    return {
        "valid": versions.is_valid(version),
        "canonical": versions.canonical(version),
        "major": versions.major(version),
        "build": versions.build(version),
        "pre": versions.is_prerelease(version),
        "pseudo": versions.is_pseudo(version),
        "compare": versions.compare(version, other),
        "escaped": _or_none(paths.escape_version, version),
        "unescaped": _or_none(paths.unescape_version, version),
        "base": None if parts is None or parts.problem else parts.base,
        "rev": parts and parts.revision,
        "time": parts and parts.time and parts.time.isoformat() + "Z",
    }


def _about_path(path: str, version: str) -> dict[str, Any]:
    assert paths.is_valid_path(path) == (paths.path_problem(path) == "")
    return {
        "valid": paths.is_valid_path(path),
        "split": list(paths.split_path(path)),
        "escaped": _or_none(paths.escape_path, path),
        "unescaped": _or_none(paths.unescape_path, path),
        "belongs": paths.major_problem(path, version) == "",
    }


def _about_mod(body: bytes) -> dict[str, Any]:
    lax, strict = _or_none(gomod.parse_lax, body), _or_none(gomod.parse_strict, body)
    return {
        "path": gomod.module_path(body),
        "lax": lax and _told(lax, is_strict=False),
        "strict": strict and _told(strict, is_strict=True),
        "sum": sums.mod_sum(body),
    }


def _told(found: gomod.GoMod, *, is_strict: bool) -> dict[str, Any]:
    """As the oracle prints it; ParseLax leaves out what we keep as facts."""
    return {
        "module": found.module,
        "deprecated": found.deprecated,
        "go": found.go,
        "toolchain": found.toolchain if is_strict else "",
        "requires": [[r.path, r.version, r.is_indirect] for r in found.requires],
        "excludes": [[x.path, x.version] for x in found.excludes if is_strict],
        "replaces": [[r.old.path, r.old.version, r.new.path, r.new.version] for r in found.replaces if is_strict],
        "retracts": [[r.low, r.high, r.rationale] for r in found.retracts],
    }

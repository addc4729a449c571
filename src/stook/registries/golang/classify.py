"""How the path in the index relates to the path that go.mod declares: RESOLVE_KIND of the event list."""

from __future__ import annotations

import re
from enum import StrEnum

from stook.registries.golang.paths import is_valid_path, split_path

__all__ = ["CODE_HOSTS", "ResolveKind", "resolve_kind"]

CODE_HOSTS = frozenset(
    {
        "bitbucket.org",
        "codeberg.org",
        "git.sr.ht",
        "gitea.com",
        "gitee.com",
        "github.com",
        "gitlab.com",
        "go.googlesource.com",
        "launchpad.net",
    }
)

_QUALIFIER = re.compile(r"\.(?:git|hg|svn|bzr|fossil)(?=/|\Z)")


class ResolveKind(StrEnum):
    """In the order they are tried; the first that fits wins."""

    SYNTHETIC = "synthetic"
    SAME = "same"
    CASE_ONLY = "case_only"
    ALIAS_GIT = "alias_git"
    SUFFIX_ONLY = "suffix_only"
    SUBPATH = "subpath"
    HOST_MIRROR = "host_mirror"
    VANITY = "vanity"
    FORK = "fork"
    INVALID_DECLARED = "invalid_declared"
    DECLARED_DIFF = "declared_diff"


def resolve_kind(index_path: str, declared: str, *, is_synthetic: bool = False) -> ResolveKind:
    """Name the relation. `is_synthetic` means the proxy made the .mod up, so that it declares nothing.

    Kinds up to `host_mirror` compare texts and may hold for a declared path that is invalid: check it before asking a
    proxy for it. `vanity` and `fork` claim another module and are given to valid paths only.
    """
    if is_synthetic:
        return ResolveKind.SYNTHETIC
    return _same_name(index_path, declared) or _same_place(index_path, declared) or _elsewhere(index_path, declared)


def _same_name(index_path: str, declared: str) -> ResolveKind | None:
    """One name written in two ways."""
    if declared == index_path:
        return ResolveKind.SAME
    if _lower(declared) == _lower(index_path):
        return ResolveKind.CASE_ONLY
    if _QUALIFIER.sub("", index_path, count=1) == declared:
        return ResolveKind.ALIAS_GIT
    return None


def _same_place(index_path: str, declared: str) -> ResolveKind | None:
    """Two names that share a series, a repository or all but the host."""
    if split_path(declared)[0] == split_path(index_path)[0]:
        return ResolveKind.SUFFIX_ONLY
    if declared and (index_path.startswith(declared + "/") or declared.startswith(index_path + "/")):
        return ResolveKind.SUBPATH
    _, _, rest = index_path.partition("/")
    if rest and declared.partition("/")[2] == rest:
        return ResolveKind.HOST_MIRROR
    return None


def _elsewhere(index_path: str, declared: str) -> ResolveKind:
    if not is_valid_path(declared):
        return ResolveKind.INVALID_DECLARED
    host, owner = [*declared.split("/"), ""][:2]
    index_host, index_owner = [*index_path.split("/"), ""][:2]
    if host not in CODE_HOSTS:
        return ResolveKind.VANITY
    if host == index_host and owner != index_owner:
        return ResolveKind.FORK
    return ResolveKind.DECLARED_DIFF


def _lower(text: str) -> str:
    """ASCII letters only: other cases are no rule of Go's."""
    return re.sub("[A-Z]", lambda match: match[0].lower(), text)

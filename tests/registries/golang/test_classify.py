"""The relation of an index path and the path its go.mod declares."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.registries.golang.classify import ResolveKind, resolve_kind

TABLE = [
    ("github.com/pkg/errors", "github.com/pkg/errors", "same"),
    ("github.com/Sirupsen/logrus", "github.com/sirupsen/logrus", "case_only"),
    ("github.com/Consensys/gnark", "github.com/consensys/gnark", "case_only"),
    ("github.com/a/b.git", "github.com/a/b", "alias_git"),
    ("example.com/a.hg/sub", "example.com/a/sub", "alias_git"),
    ("github.com/a/b.git/v2", "github.com/a/b/v2", "alias_git"),
    ("github.com/a/b.gitx", "github.com/a/b", "declared_diff"),
    ("github.com/a/b", "github.com/a/b/v2", "suffix_only"),
    ("github.com/a/b/v2", "github.com/a/b/v3", "suffix_only"),
    ("gopkg.in/yaml.v2", "gopkg.in/yaml.v3", "suffix_only"),
    ("github.com/a/b", "github.com/a/b/sub", "subpath"),
    ("github.com/a/b/sub", "github.com/a/b", "subpath"),
    ("gitlab.com/a/b", "github.com/a/b", "host_mirror"),
    ("git.example.com/a/b", "git.example.org/a/b", "host_mirror"),
    ("github.com/kubernetes/kubernetes", "k8s.io/kubernetes", "vanity"),
    ("github.com/golang/vulndb", "golang.org/x/vulndb", "vanity"),
    ("github.com/go-yaml/yaml", "gopkg.in/yaml.v3", "vanity"),
    ("github.com/me/errors", "github.com/pkg/errors", "fork"),
    ("github.com/me/errors-fork", "github.com/pkg/errors", "fork"),
    ("github.com/a/b", "github.com/a/c", "declared_diff"),
    ("example.com/a/b", "github.com/c/d", "declared_diff"),
    ("github.com/a/b", "", "invalid_declared"),
    ("github.com/a/b", "(", "invalid_declared"),
    ("github.com/a/b", "https:", "invalid_declared"),
    ("github.com/a/b", "b", "invalid_declared"),
    ("github.com/a/b", "github.com/c/b extra", "invalid_declared"),
]


@pytest.mark.parametrize(("index_path", "declared", "kind"), TABLE)
def test_kinds(index_path: str, declared: str, kind: str) -> None:
    """Each relation has its name."""
    assert resolve_kind(index_path, declared) == kind


def test_synthetic_comes_first() -> None:
    """A made-up .mod repeats the path that was asked for, and so proves nothing."""
    assert resolve_kind("github.com/a/b", "github.com/a/b", is_synthetic=True) is ResolveKind.SYNTHETIC


@given(st.text("ab./AB", max_size=12), st.text("ab./AB", max_size=12))
def test_every_pair_has_a_kind(index_path: str, declared: str) -> None:
    """Any two texts are classified, and only equal ones as the same."""
    kind = resolve_kind(index_path, declared)
    assert (kind is ResolveKind.SAME) == (index_path == declared)

"""A git repository, read by plumbing: no checkout, no hook, no filter, no submodule, no file written into it."""

from __future__ import annotations

import difflib
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from stook.engine.errors import FailureCode, Malformed, Refused, Unavailable, UserError
from stook.registries.cargo.locks.child import one_sentence, run

__all__ = ["HEAD", "GitTree", "Repository", "open_local", "open_remote"]

HEAD = "HEAD"
"""Stands for a tag where none was named."""
LISTING = 64 << 20
KEPT = ("GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "SSH_AUTH_SOCK")
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
SAFE = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "credential.helper=", "submodule.recurse=false")
REGULAR = ("100644", "100755", "100664")
# What git's check-ref-format forbids, and a leading dash on top.
NOT_A_TAG = re.compile(r"^[-/.]|[\x00-\x20\x7f~^:?*\[\\]|\.\.|//|@\{|/\.|\.lock(/|$)|[/.]$|^@?$")


class Repository:
    """Reads commits and trees; `remote` means a scratch repository of ours that fetches what it lacks."""

    def __init__(self, git: str, directory: Path, environment: Mapping[str, str], *, remote: bool = False) -> None:
        self._git = git
        self._directory = directory
        self._environment = environment
        self._remote = remote
        self._tags: frozenset[str] | None = None

    def call(self, *arguments: str, until: float, limit: int = 1 << 20) -> bytes:
        """Standard output of one git command; raises Unavailable with git's last sentence."""
        options = [part for setting in SAFE for part in ("-c", setting)]
        command = [self._git, "--no-pager", *options, f"--git-dir={self._directory}", *arguments]
        ended = run(command, environment=self._environment, until=until, limit=limit)
        if ended.code:
            raise Unavailable(f"git {arguments[0]}: {_complaint(ended.stderr)}", FailureCode.PROCESS)
        return ended.stdout

    def list_tags(self, until: float) -> frozenset[str]:
        """All tags; asked once, and the first thing that an unreachable repository fails at."""
        if self._tags is None:
            local = ("for-each-ref", "--format=%(objectname)%09%(refname)", "refs/tags")
            listing = ("ls-remote", "--refs", "origin", "refs/tags/*") if self._remote else local
            lines = self.call(*listing, until=until, limit=LISTING).decode(errors="replace").splitlines()
            self._tags = frozenset(line.split("\t", 1)[1].removeprefix("refs/tags/") for line in lines)
        return self._tags

    def commit(self, tag: str, until: float) -> str:
        """The commit behind a tag or HEAD, fetched if need be; raises Refused or Malformed for a tag that cannot be."""
        if tag != HEAD:
            self._check(tag, until)
        name = HEAD if tag == HEAD else f"refs/tags/{tag}"
        if self._remote:
            name, wanted = f"refs/stook/{tag}", name
            options = ("--quiet", "--depth=1", "--filter=blob:none", "--no-tags", "--no-recurse-submodules")
            self.call("fetch", *options, "origin", f"+{wanted}:{name}", until=until)
        return self.call("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", until=until).decode().strip()

    def _check(self, tag: str, until: float) -> None:
        if NOT_A_TAG.search(tag):
            raise Refused(f"{one_sentence(tag, most=100)!r} is not a possible tag name", FailureCode.MALFORMED)
        known = self.list_tags(until)
        if tag not in known:
            near = difflib.get_close_matches(tag, sorted(known), n=1)
            hint = f"; the nearest is {near[0]}" if near else ""
            raise Malformed(f"the repository has no tag {tag[:100]}{hint}")

    def tree(self, commit: str, until: float) -> GitTree:
        """All files of a commit."""
        listing = self.call("ls-tree", "-r", "-z", "--full-tree", commit, until=until, limit=LISTING)
        return GitTree(self, listing.decode(errors="surrogateescape"), until)


class GitTree:
    """The files of one commit; blobs are read raw, so that no attribute or filter of the tree acts."""

    def __init__(self, repository: Repository, listing: str, until: float) -> None:
        self._repository = repository
        self._until = until
        self._objects: dict[str, str] = {}
        self.names: set[str] = set()
        for entry in filter(None, listing.split("\0")):
            facts, path = entry.split("\t", 1)
            mode, kind, name = facts.split(" ")
            self._add(mode, kind, name, path)
        self.files = self._objects.keys()

    def _add(self, mode: str, kind: str, name: str, path: str) -> None:
        # A tree made by hand may hold any name; one that would leave the folder is no file of the project.
        if kind != "blob" or {"", ".", ".."} & set(path.split("/")):
            return
        self.names.add(path)
        if mode in REGULAR:
            self._objects[path] = name

    def read(self, path: str, limit: int) -> bytes:
        return self._repository.call("cat-file", "blob", self._objects[path], until=self._until, limit=limit)


def open_local(git: str, path: Path) -> Repository:
    """A clone on this machine, read in place; nothing is fetched, whatever its configuration says."""
    directory = path / ".git" if (path / ".git").exists() else path
    return Repository(_program(git), directory, _environment("none", home="/nonexistent"))


def open_remote(git: str, url: str, scratch: Path, until: float) -> Repository:
    """An empty repository of our own, with `url` as its origin; raises Unavailable if the URL does not answer."""
    home = os.environ.get("HOME", "/nonexistent") if url.startswith("ssh://") or "://" not in url else "/nonexistent"
    repository = Repository(_program(git), scratch, _environment("https:http:ssh", home=home), remote=True)
    repository.call("init", "--quiet", "--bare", "--template=", str(scratch), until=until)
    repository.call("config", "remote.origin.url", url, until=until)
    repository.list_tags(until)
    return repository


def _program(git: str) -> str:
    found = shutil.which(git)
    if not found:
        raise UserError(f"{git} was not found: install git, or name a folder, a Cargo.toml or a Cargo.lock instead")
    return found


def _environment(protocols: str, *, home: str) -> dict[str, str]:
    """An allow list: GIT_DIR, GIT_SSH_COMMAND, GIT_TRACE and their like never reach git."""
    kept = {name: os.environ[name] for name in (*KEPT, *PROXIES) if name in os.environ}
    return (
        kept
        | {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": home,
            "LC_ALL": "C",
            "GIT_ALLOW_PROTOCOL": protocols,
            "GIT_ASKPASS": "",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
            "GIT_TERMINAL_PROMPT": "0",
        }
        | ({"GIT_NO_LAZY_FETCH": "1"} if protocols == "none" else {})
    )


def _complaint(stderr: bytes) -> str:
    lines = [line.strip() for line in stderr.decode(errors="replace").splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
    return one_sentence((fatal or lines or ["no reason given"])[-1])

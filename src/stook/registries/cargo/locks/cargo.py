"""Resolve a project with cargo, where nothing of the project can act and only the index can be reached."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from stook.engine.errors import FailureCode, Malformed, Unavailable, UserError
from stook.registries.cargo.locks.child import one_sentence, run

__all__ = ["Resolver", "Toolchain", "find_toolchain"]

PUBLIC_INDEX = "https://index.crates.io/"
KEPT = ("SSL_CERT_FILE", "SSL_CERT_DIR", "CARGO_HTTP_CAINFO")
NOWHERE = "http://127.0.0.1:9"
"""A proxy that does not exist: every host but the index's fails at it."""
NOISE = ("warning:", "note:", "Updating", "Blocking", "Locking", "Adding", "Downloading", "Caused by:")


@dataclass(frozen=True, slots=True)
class Toolchain:
    """The programs themselves, not rustup's stand-ins, which would obey a rust-toolchain file."""

    cargo: Path
    rustc: Path


def find_toolchain(cargo: str, *, seconds: float = 30) -> Toolchain:
    """The active toolchain as it is outside of any project; raises UserError if there is none."""
    found = shutil.which(cargo)
    if not found:
        raise UserError(
            f"{cargo} was not found: install Rust (https://rustup.rs), or use --lock with a Cargo.lock file"
        )
    program = Path(found)
    if program.resolve().name.startswith("rustup"):
        program = _behind_rustup(program.resolve(), seconds)
    rustc = program.with_name("rustc")
    return Toolchain(program, rustc if rustc.exists() else Path(shutil.which("rustc") or rustc))


def _behind_rustup(rustup: Path, seconds: float) -> Path:
    kept = ("HOME", "PATH", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "CARGO_HOME")
    environment = {name: os.environ[name] for name in kept if name in os.environ} | {"RUSTUP_AUTO_INSTALL": "0"}
    command = [str(rustup), "which", "cargo"]
    ended = run(command, environment=environment, until=time.monotonic() + seconds)
    path = Path(ended.stdout.decode(errors="replace").strip())
    if ended.code or not path.is_absolute():
        reason = one_sentence(ended.stderr.decode(errors="replace"), most=200)
        raise UserError(f"rustup has no cargo to run ({reason}): try `rustup default stable`")
    return path


class Resolver:
    """Runs cargo for one run of ours: the trees of all tags share one empty CARGO_HOME, and so one index cache."""

    def __init__(self, toolchain: Toolchain, scratch: Path, index_url: str, *, retries: int = 3) -> None:
        self._toolchain = toolchain
        self._home = scratch / "cargo-home"
        self._home.mkdir(parents=True)
        self._settings = scratch / "cargo-settings.toml"
        self._settings.write_text(_settings(index_url, retries), encoding="utf-8")
        self._environment = _environment(toolchain, self._home, urlsplit(index_url).hostname or "")
        self._count = 0

    def resolve(self, files: Mapping[str, bytes], until: float) -> bytes:
        """The lock that cargo picks for these files. Raises Malformed with cargo's reason, Unavailable when late."""
        self._count += 1
        # Cargo looks for a workspace in the folders above a manifest, and stops at CARGO_HOME: hence inside of it.
        tree = self._home / "projects" / str(self._count)
        try:
            _write(tree, files)
            return self._lock(tree, until)
        finally:
            shutil.rmtree(tree, ignore_errors=True)

    def _lock(self, tree: Path, until: float) -> bytes:
        # Settings given this way win over any file; the child runs in `/`, so no folder of the project is searched.
        options = ("--manifest-path", str(tree / "Cargo.toml"), "--config", str(self._settings), "--color", "never")
        command = [str(self._toolchain.cargo), "generate-lockfile", *options]
        ended = run(command, environment=self._environment, until=until)
        if ended.code:
            said = ended.stderr.decode(errors="replace").replace(f"{tree}/", "").replace(str(tree), ".")
            raise Malformed(_complaint(said.replace(str(self._home), "CARGO_HOME")))
        locks = list(tree.rglob("Cargo.lock"))
        if not locks:
            raise Unavailable("cargo ended well, but wrote no Cargo.lock", FailureCode.PROCESS)
        return locks[0].read_bytes()


def _write(tree: Path, files: Mapping[str, bytes]) -> None:
    tree.mkdir(parents=True)
    for name, content in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _settings(index_url: str, retries: int) -> str:
    lines = [f"net.retry = {retries}", "net.git-fetch-with-cli = true"]
    lines += ['build.rustc-wrapper = ""', 'build.rustc-workspace-wrapper = ""']
    if index_url != PUBLIC_INDEX:
        lines.append('source.crates-io.replace-with = "stook-index"')
        lines.append(f"source.stook-index.registry = {json.dumps('sparse+' + index_url)}")
    return "\n".join(lines) + "\n"


def _environment(toolchain: Toolchain, home: Path, index_host: str) -> dict[str, str]:
    """An allow list: RUSTC_WRAPPER, CARGO_…, RUSTUP_… and proxies of ours never reach cargo."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    proxies = ("http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY")
    return (
        kept
        | dict.fromkeys(proxies, NOWHERE)
        | {
            "no_proxy": index_host,
            "PATH": str(toolchain.cargo.parent),
            "HOME": str(home),
            "TMPDIR": str(home),
            "LC_ALL": "C",
            "CARGO_HOME": str(home),
            "RUSTC": str(toolchain.rustc),
            "RUSTC_WRAPPER": "",
            "RUSTC_WORKSPACE_WRAPPER": "",
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
        }
    )


def _complaint(stderr: str) -> str:
    """Cargo's error and what caused it, without noise and blank lines."""
    lines = [line.strip() for line in stderr[max(0, stderr.find("error:")) :].splitlines()]
    kept = [line for line in lines if line and not line.startswith(NOISE)]
    return one_sentence("; ".join(kept) or "cargo failed and gave no reason")

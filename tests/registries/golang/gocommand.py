"""The real go command as an oracle: run on folders or loopback, never on the network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stook.registries.golang.paths import escape_path, escape_version

ORACLE = Path(__file__).parent / "oracle" / "main.go"


@dataclass(frozen=True)
class Go:
    """A go command with a scratch folder for its caches."""

    binary: Path
    scratch: Path

    def run(self, *arguments: str, cwd: Path, proxy: Path | str | None = None, stdin: str = "") -> str:
        """Standard output; the exit code is the caller's to judge by what is printed."""
        place = os.pathsep.join([str(self.binary.parent), os.environ.get("PATH", "")])
        served = proxy if isinstance(proxy, str) else f"file://{proxy}" if proxy else "off"
        environment = {
            "PATH": place,
            "HOME": str(self.scratch),
            "GOPATH": str(self.scratch / "path"),
            "GOCACHE": str(self.scratch / "cache"),
            "GOPROXY": served,
            "GOSUMDB": "off",
            "GONOSUMDB": "*",
            "GOFLAGS": "-mod=mod -modcacherw",
            "GOTOOLCHAIN": "local",
            "GOVCS": "*:off",
            "GO111MODULE": "on",
        }
        command = [str(self.binary), *arguments]
        result = subprocess.run(
            command,
            cwd=cwd,
            env=environment,
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        if not result.stdout and result.returncode:
            raise RuntimeError(result.stderr)
        return result.stdout

    def ask(self, questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Put questions to golang.org/x/mod, as vendored by this go command."""
        built = self.scratch / "oracle" / "oracle"
        if not built.exists():
            self._build(built)
        result = subprocess.run([str(built)], input=json.dumps(questions), capture_output=True, text=True, check=True)
        answers: list[dict[str, Any]] = json.loads(result.stdout)
        return answers

    def _build(self, built: Path) -> None:
        root = built.parent
        place, release = self.run("env", "GOROOT", "GOVERSION", cwd=self.scratch).split()
        line = f"go {release.removeprefix('go')}"
        shutil.copytree(Path(place) / "src/cmd/vendor/golang.org/x/mod", root / "mod")
        (root / "mod" / "go.mod").write_text(f"module golang.org/x/mod\n{line}\n")
        need = "require golang.org/x/mod v0.0.0\nreplace golang.org/x/mod => ./mod\n"
        (root / "go.mod").write_text(f"module oracle\n{line}\n{need}")
        shutil.copy(ORACLE, root / "main.go")
        self.run("build", "-o", str(built), ".", cwd=root)
        assert built.exists(), "the oracle was not built"


def write_module(proxy: Path, path: str, listing: str, mods: dict[str, bytes], latest: str = "") -> None:
    """One module of a file:// proxy tree: `@v/list`, and `.info` and `.mod` of each version; `@latest` if named."""
    folder = proxy / escape_path(path) / "@v"
    folder.mkdir(parents=True)
    (folder / "list").write_text(listing)
    for version, body in mods.items():
        name = escape_version(version)
        (folder / f"{name}.info").write_text(json.dumps({"Version": version, "Time": "2020-01-01T00:00:00Z"}))
        (folder / f"{name}.mod").write_bytes(body)
    if latest:
        (folder.parent / "@latest").write_text(json.dumps({"Version": latest, "Time": "2020-01-01T00:00:00Z"}))

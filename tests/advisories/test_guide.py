"""The guide's example runs as it stands there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import stook

from .formats.test_cargo_lock import LOCK  # noqa: TID252
from .records import affected, data  # noqa: TID252

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "advisories.md"


def test_example(tmp_path: Path) -> None:
    """In a folder with a dump and a lock it prints the finding with its fix, and writes the SARIF."""
    (tmp_path / "osv" / "crates.io").mkdir(parents=True)
    with zipfile.ZipFile(tmp_path / "osv" / "crates.io" / "all.zip", "w") as dump:
        record = data("RUSTSEC-2024-0001", affected("oar", {"introduced": "0"}, {"fixed": "1.0.1"}))
        dump.writestr("RUSTSEC-2024-0001.json", record)
    (tmp_path / "Cargo.lock").write_text(LOCK, encoding="utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    ended = subprocess.run(
        [sys.executable, "-c", example],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(stook.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.stdout == "oar 1.0.0 is in <1.0.1 (range 1 of RUSTSEC-2024-0001) 1.0.1\n", ended.stderr
    assert (tmp_path / "advisories.sarif").stat().st_size > 500

"""The guide's programs run and print what its text says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guides" / "licences.md"


def test_programs_of_the_guide() -> None:
    """Each block is a whole program; a plain name, a row of one's own and a policy work as they are told."""
    programs = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    printed = [
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT / "src"
        ).stdout
        for program in programs
    ]
    assert printed == ["MIT OR Apache-2.0 split\nMIT is allowed\n()\n", "LicenseRef-House OR MIT\n"]

"""Generated modules for the comparison with the go command: the shapes that its latest rule tells apart."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

__all__ = ["Module", "generate"]

TAGS = [
    "v0.1.0", "v0.9.0", "v0.10.0", "v1.0.0", "v1.0.0-alpha", "v1.0.0-alpha.1", "v1.0.0-RC1", "v1.0.0-rc.2",
    "v1.0.0-rc.10", "v1.2.0", "v1.2.99999999999999999999", "v1.10.0", "v1.9.0", "v1.11.0-pre",
    "v1.11.0-0.20200101000000-abcdefabcdef", "v2.0.0+incompatible", "v2.1.0-pre+incompatible",
    "v3.0.0+incompatible", "v10.0.0+incompatible",
]  # fmt: skip
PSEUDO = [
    "v0.0.0-20190101000000-abcdefabcdef",
    "v0.0.0-20200101000000-abcdefabcdef",
    "v1.2.1-0.20210101000000-abcdefabcdef",
    "v0.0.0-20191399000000-abcdefabcdef",
]
JUNK = ["", "master", "1.0.0", "v01.0.0", "v1.0.0 2020-01-01T00:00:00Z", "v1.x"]
RETRACTIONS = [
    "retract v1.10.0",
    "retract v1.2.0 // too early",
    "// whole line\nretract [v0.0.0-0, v1.0.0]",
    "// for both\nretract (\n\tv0.9.0\n\n\tv1.9.0 // own\n)",
    "retract [v0.0.0-0, v99.0.0]",
    "retract v1.11.0-pre\nretract [v1.11.0-alpha, v1.12.0] // twice",
    "retract (v1.0.0, v2.0.0]",
]
DEPRECATIONS = [
    "// Deprecated: use example.org/x\n",
    "// Deprecated:\n",
    "// Note.\n//\n// Deprecated: in\n// two lines\n",
    "// deprecated: no\n",
]


@dataclass(frozen=True)
class Module:
    """What one module's folder in a proxy holds; `latest` is empty where there is no `@latest`."""

    path: str
    listing: str
    mods: dict[str, bytes]
    latest: str


def generate(random: Random, number: int) -> Module:
    """One module; every part of it may be there or not."""
    path = f"example.com/m{number}"
    tags = random.sample(TAGS, random.choice([0, 1, 2, 3, 5, 8, 12]))
    pseudo = random.sample(PSEUDO, random.choice([0, 0, 1, 2, 3]))
    lines = [*tags, *pseudo, *random.sample(JUNK, random.choice([0, 0, 1, 2]))]
    random.shuffle(lines)
    versions = {line.split()[0] for line in lines if line.startswith("v")} - {"v01.0.0", "v1.x"}
    mods = {version: _mod(random, path) for version in sorted(versions)}
    latest = random.choice(["", "", *pseudo, *tags])
    if latest == "" and random.random() < 0.5:
        latest = PSEUDO[1]
        mods[latest] = _mod(random, path)
    if mods and random.random() < 0.1:
        mods.pop(random.choice(sorted(mods)))
    return Module(path, "\n".join(lines), mods, latest)


def _mod(random: Random, path: str) -> bytes:
    if random.random() < 0.4:
        return f"module {path}\n".encode()
    note = random.choice(["", "", *DEPRECATIONS])
    declared = random.choice([path, path, "example.org/renamed"])
    retractions = "\n".join(random.sample(RETRACTIONS, random.choice([0, 1, 1, 2])))
    broken = "module twice\n" if random.random() < 0.05 else ""
    return f"{note}module {declared}\n\ngo 1.21\n\n{retractions}\n{broken}".encode()

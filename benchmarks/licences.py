"""How fast licence strings and texts are read, and how sure.

    python benchmarks/licences.py
    python benchmarks/licences.py --strings strings.txt --texts folder-of-texts

Strings are made up from the list: no two are the same, so that every one is read and none remembered. `cold` is a
process of its own that imports, builds its normaliser and reads 10,000 strings of all kinds. A file of strings has one
a line; a folder of texts holds `<SPDX id>.txt`, and each is also tried with foreign words around it, which the digests
do not know.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from stook.licences import Normaliser, default_rows, identify

SHORTS = [row.name_short for row in default_rows() if "xception" not in row.name_short]
NAMES = [row.name for row in default_rows() if "xception" not in row.name]
COUNT = 20_000
COLD = """
import sys, time
strings = sys.stdin.read().splitlines()
started = time.perf_counter()
from stook.licences import Normaliser, default_rows
normaliser = Normaliser(default_rows())
built = time.perf_counter()
for string in strings:
    normaliser.normalise(string)
print(built - started, time.perf_counter() - built)
"""


def three(sign: str) -> Callable[[], str]:
    return lambda: sign.join(random.sample(SHORTS, 3))


KINDS: dict[str, Callable[[], str]] = {
    "MIT OR ISC OR Zlib": three(" OR "),
    "MIT/ISC/Zlib": three("/"),
    "mit and isc and zlib": lambda: " and ".join(random.sample(SHORTS, 3)).lower(),
    "(MIT OR ISC) AND Zlib": lambda: "({} OR {}) AND {}".format(*random.sample(SHORTS, 3)),
    "two full names": lambda: " or ".join(random.sample(NAMES, 2)),
    "commas": lambda: ", ".join(random.sample(SHORTS, 3)),
    "unknown": lambda: f"{random.getrandbits(40):x} public license {random.randint(0, 99)}",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strings", type=Path)
    parser.add_argument("--texts", type=Path)
    options = parser.parse_args()
    random.seed(1)
    kinds = {kind: list(distinct(make)) for kind, make in KINDS.items()}
    for kind, strings in kinds.items():
        print(f"{kind:24} {rate(strings):>9,.0f} distinct strings/s")
    mixed = [string for strings in kinds.values() for string in strings]
    random.shuffle(mixed)
    cold("cold, all kinds", mixed[:10_000])
    cold("cold, MIT OR ISC OR Zlib", kinds["MIT OR ISC OR Zlib"][:10_000])
    if options.strings:
        coverage(options.strings.read_text(encoding="utf-8").splitlines())
    if options.texts:
        texts(sorted(options.texts.glob("*.txt")))


def distinct(make: Callable[[], str]) -> Iterable[str]:
    return dict.fromkeys(make() for _ in range(COUNT))


def rate(strings: list[str]) -> float:
    """Strings a second, the best of three fresh normalisers whose names are warm."""
    best = 0.0
    for _ in range(3):
        normaliser = Normaliser(default_rows())
        for short in (*SHORTS, *NAMES):
            normaliser.normalise(short)
        started = time.process_time()
        for string in strings:
            normaliser.normalise(string)
        best = max(best, len(strings) / (time.process_time() - started))
    return best


def cold(label: str, strings: list[str]) -> None:
    command = [sys.executable, "-c", COLD]
    found = [
        subprocess.run(command, input="\n".join(strings), capture_output=True, text=True, check=True).stdout.split()
        for _ in range(3)
    ]
    build, read = min(([float(part) for part in one] for one in found), key=sum)
    print(f"{label:24} {build:.3f} s to import and build, {read:.3f} s for {len(strings):,} strings")


def coverage(strings: list[str]) -> None:
    normaliser = Normaliser(default_rows())
    answers = [normaliser.normalise(string) for string in strings]
    read = sum(answer.expression is not None for answer in answers)
    codes = Counter(part.code.value for answer in answers for part in answer.unknown)
    print(f"{'strings':24} {read} of {len(strings)} have an expression; unknown parts: {dict(codes)}")


def texts(paths: list[Path]) -> None:
    changes: dict[str, Callable[[str], str]] = {
        "as they are": lambda text: text,
        "in a file with a head": lambda text: f"Example\n\nCopyright (c) 2020 Jane Doe\n\n{text}\n\nThe end of it.\n",
    }
    identify("The first call of the classifier loads its patterns. " * 3)
    for change, apply in changes.items():
        outcomes: Counter[str] = Counter()
        times = []
        for path in paths:
            text = apply(path.read_text(encoding="utf-8"))
            started = time.process_time()
            found = identify(text)
            times.append(time.process_time() - started)
            ids = {short for match in found for short in (match.id, *match.others)}
            outcomes["none" if not found else "right" if path.stem in ids else "wrong"] += 1
        mean, most = sum(times) / len(times) * 1000, max(times) * 1000
        print(f"{'texts ' + change:30} {dict(outcomes)}, {mean:.1f} ms on average, {most:.1f} ms at most")


if __name__ == "__main__":
    main()

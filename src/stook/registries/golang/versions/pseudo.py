"""Pseudo-versions taken apart: base, moment, revision.

The rules are those of golang.org/x/mod/module (PseudoVersionBase, PseudoVersionTime, PseudoVersionRev).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from stook.engine.errors import Malformed
from stook.registries.golang.versions.versions import is_pseudo

__all__ = ["Pseudo", "parse_pseudo"]


@dataclass(frozen=True, slots=True)
class Pseudo:
    """A pseudo-version taken apart.

    `base` is the tagged version before it, empty where there is none; `problem` says why the base cannot be told
    (forms seen in the index though nonsensical, golang/go#27173). `time` is UTC without a zone, None when the
    fourteen digits are no date.
    """

    base: str
    timestamp: str
    time: datetime | None
    revision: str
    problem: str = ""


def parse_pseudo(version: str) -> Pseudo:
    """Take a pseudo-version apart; raises Malformed when it is none."""
    if not is_pseudo(version):
        raise Malformed(f"not a pseudo-version: {version[:120]!r}")
    body, plus, meta = version.partition("+")
    head, _, revision = body.rpartition("-")
    dash, dot = head.rfind("-"), head.rfind(".")
    cut = max(dash, dot)
    base, problem = _pseudo_base(head[:cut], plus + meta, is_untagged=dash > dot)
    return Pseudo(base, head[cut + 1 :], _moment(head[cut + 1 :]), revision, problem)


def _pseudo_base(base: str, meta: str, *, is_untagged: bool) -> tuple[str, str]:
    """The tagged version that a pseudo-version's first part stands for, or what is wrong (PseudoVersionBase)."""
    if is_untagged:
        return "", f"no base version, yet build {meta!r}" if meta else ""
    if not base.endswith("-0"):
        return base.removesuffix(".0") + meta, ""
    head, _, patch = base.removesuffix("-0").rpartition(".")
    if patch == "0":
        return "", "base version would have a negative patch number"
    return f"{head}.{_one_less(patch)}{meta}", ""


def _one_less(digits: str) -> str:
    """Decimal text minus one, free of the interpreter's limit on long integers."""
    kept = digits.rstrip("0")
    result = kept[:-1] + str(int(kept[-1]) - 1) + "9" * (len(digits) - len(kept))
    return result.lstrip("0") or "0"


def _moment(digits: str) -> datetime | None:
    parts = [int(digits[:4]), *(int(digits[i : i + 2]) for i in range(4, 14, 2))]
    try:
        return datetime(parts[0], parts[1], parts[2], parts[3], parts[4], parts[5])
    except ValueError:
        return None

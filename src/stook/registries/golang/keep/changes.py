"""What a visit changes in a module's rows: decided here, written elsewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from datetime import datetime

import msgspec

from stook.registries.golang.feed import LONGEST_VERSION
from stook.registries.golang.gomod.syntax import cut
from stook.registries.golang.keep.rows import Announced, Facts, ModuleRow, Row
from stook.registries.golang.latest import NO_MATCH, Latest
from stook.registries.golang.records import GoModule, GoRelease
from stook.registries.golang.retractions import RetractedRanges
from stook.registries.golang.versions.versions import VersionClass, is_valid, order_key, version_class, version_key
from stook.registries.store import Past

__all__ = ["Changes", "Known", "changes"]

LONGEST_REASON = 500


@dataclass(frozen=True, slots=True)
class Known:
    """What is stored of a module, locked; `product` is None at its first version."""

    versions: Mapping[str, Row]
    product: ModuleRow | None
    created: datetime | None

    @property
    def is_described(self) -> bool:
        """Whether latest, retractions and deprecation were ever written: only then can they change."""
        return self.product is not None and self.product.status != 0

    def is_new(self, announced: Announced | None, published: datetime | None) -> bool:
        """Whether a version that is not stored yet appeared after our first look.

        What the index announced goes by its time. Of others, all are news that were learnt of after a list was whole;
        before there is such a list they go by their commit.
        """
        if announced and self.product and self.product.listed_since and announced.learnt > self.product.listed_since:
            return True
        since = (announced and announced.at) or published
        return bool(self.created and since and since > self.created)


@dataclass(slots=True)
class Changes:
    """Rows to write for one module; `product` is None where it stays as it is."""

    releases: list[tuple[GoRelease, bytes, Facts]] = field(default_factory=list)
    facts: dict[str, Facts] = field(default_factory=dict)
    tombstones: list[str] = field(default_factory=list)
    history: list[Past] = field(default_factory=list)
    product: ModuleRow | None = None
    unchanged: int = 0


def changes(
    known: Known,
    releases: Mapping[str, GoRelease],
    absent: Iterable[str],
    module: GoModule | None,
    announced: Mapping[str, Announced],
    now: datetime,
) -> Changes:
    """Compare; the first look at a module is where its history begins, and writes none.

    `announced` says when versions that are not stored were announced (see `Known.is_new`).
    """
    told = Changes()
    latest = module.latest if module else None
    rows = dict(known.versions)
    changed: dict[str, tuple[GoRelease, bytes]] = {}
    for version, one in releases.items():
        digest, row = _digest(one), rows.get(version)
        if row and row.digest == digest and not row.is_gone and not one.rewrite:
            told.unchanged += 1
            continue
        changed[version] = one, digest
        told.history += _news(known, one, row, announced.get(version))
        facts = row.facts if row else _inherited(known.product)
        rows[version] = Row(version, version_key(version), digest, one.mod_sum, False, facts)
    for version in absent:
        if (row := rows.get(version)) and not row.is_gone and version not in releases:
            told.tombstones.append(version)
            told.history.append(Past(version, "deleted", row.mod_sum))
            rows[version] = replace(row, is_gone=True)
    after = _facts(rows, latest if latest and latest.is_read else None)
    _sort_out(told, known, changed, after)
    _compare_product(told, known, rows, after, module, now)
    return told


def _news(known: Known, one: GoRelease, row: Row | None, announced: Announced | None) -> Iterable[Past]:
    if row is None:
        if known.is_new(announced, one.published):
            yield Past(one.version, "published", None, one.mod_sum)
        return
    if row.is_gone:
        yield Past(one.version, "restored")
    if row.mod_sum != one.mod_sum:
        yield Past(one.version, "checksum_changed", row.mod_sum, one.mod_sum)


def _inherited(product: ModuleRow | None) -> Facts:
    """What is known of a new version before the module is described again."""
    if product is None:
        return Facts(None, False, None, False, None)
    return Facts(None, False, None, bool(product.deprecated), product.deprecated_reason)


def _facts(rows: Mapping[str, Row], latest: Latest | None) -> dict[str, Facts]:
    """Each version's place in the order, and what the module says of it now."""
    found = {}
    reasons = RetractedRanges(latest.retractions).reasons(rows) if latest else {}
    for place, row in enumerate(sorted(rows.values(), key=lambda row: (row.key, row.version))):
        if latest is None:
            found[row.version] = row.facts._replace(rank=place)
            continue
        why = reasons.get(row.version, ())
        reason = _plain(cut("; ".join(why))) or None
        found[row.version] = Facts(place, bool(why), reason, bool(latest.deprecated), _plain(latest.deprecated) or None)
    return found


def _sort_out(
    told: Changes, known: Known, changed: Mapping[str, tuple[GoRelease, bytes]], after: Mapping[str, Facts]
) -> None:
    for version, facts in after.items():
        row = known.versions.get(version)
        if version in changed:
            told.releases.append((*changed[version], facts))
        elif row and row.facts != facts:
            told.facts[version] = facts
        if row and known.is_described and row.facts.retracted != facts.retracted:
            told.history.append(Past(version, "retracted", row.facts.reason, facts.reason))


def _compare_product(
    told: Changes,
    known: Known,
    rows: Mapping[str, Row],
    facts: Mapping[str, Facts],
    module: GoModule | None,
    now: datetime,
) -> None:
    """A product row stands where a version row does."""
    if not rows and known.product is None:
        return
    living = {version for version, row in rows.items() if not row.is_gone}
    after = _product(known.product, module, living, sum(facts[version].retracted for version in living), now)
    if after == known.product:
        return
    told.product = after
    before = known.product
    if before and before.latest and after.latest and before.latest != after.latest:
        told.history.append(Past(after.latest, "latest_changed", before.latest, after.latest))
    if before and known.is_described and before.deprecated != after.deprecated:
        told.history.append(Past("", "deprecated", before.deprecated_reason, after.deprecated_reason))


def _product(
    before: ModuleRow | None, module: GoModule | None, living: Set[str], retracted: int, now: datetime
) -> ModuleRow:
    """Where the rule was not asked, or could not be carried out, its last answer stays, as long as a version does."""
    latest, count = module.latest if module else None, len(living)
    chosen: tuple[str | None, str | None, str | None] = (
        (before.latest, before.stable, before.raw) if before else (None,) * 3
    )
    if latest and (latest.version or latest.problem == NO_MATCH or not before):
        version = _kept(latest.version)
        chosen = (version, _stable(version or ""), _kept(latest.raw))
    if not living:
        chosen = (None, None, None)
    deprecated = (before.deprecated, before.deprecated_reason) if before else (0, None)
    if latest and latest.is_read:
        deprecated = (int(bool(latest.deprecated)), _plain(latest.deprecated) or None)
    is_described = latest is not None or bool(before and before.status)
    status = 9 if not count else int(is_described)
    listed = module.listed if module and module.listed is not None else before and before.listed
    move = _move(before, module)
    reason = _latest_reason(chosen[0], latest, before, living, move)
    listed_since = (before and before.listed_since) or (now if module and module.is_whole else None)
    return ModuleRow(*chosen, count, retracted, *deprecated, status, reason, listed, *move, listed_since)


def _move(before: ModuleRow | None, module: GoModule | None) -> tuple[str | None, str | None]:
    """Where the module moved, and since which version, as far as the versions tell that were looked at."""
    old, new = ((part.moved_to, part.moved_since) if part else (None, None) for part in (before, module))
    if not (new[0] and new[1]):
        return old
    return new if old[0] != new[0] or not old[1] else (new[0], min(old[1], new[1], key=order_key))


def _latest_reason(
    version: str | None,
    latest: Latest | None,
    before: ModuleRow | None,
    living: Set[str],
    move: tuple[str | None, str | None],
) -> str | None:
    """Why there is no latest version, or why it has no row; None where it has one."""
    if not living:
        return "the proxy has no version of this module any more"
    if version is None:
        return _plain(latest.problem)[:LONGEST_REASON] if latest else before and before.latest_reason
    if version in living:
        return None
    moved_to, since = move
    if moved_to and since and order_key(version) >= order_key(since):
        return f"its go.mod declares {moved_to}, where it is filed if the proxy has it there"
    return "it is not collected yet, or the proxy no longer has it"


def _kept(version: str) -> str | None:
    """A list may name a version longer than any that we keep; it is no row, and nobody's latest here."""
    return version if 0 < len(version) <= LONGEST_VERSION else None


def _stable(version: str) -> str | None:
    return version if is_valid(version) and version_class(version) is VersionClass.RELEASE else None


def _plain(text: str) -> str:
    """PostgreSQL keeps no NUL."""
    return text.replace("\0", "\ufffd")


def _digest(one: GoRelease) -> bytes:
    return hashlib.sha256(msgspec.json.encode(replace(one, rewrite=False))).digest()[:16]

"""Where to go from an affected version: the first fixed one of its compatible series, and the first beyond."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from stook.advisories.ecosystems import PackageVersion, VersionOrder, bare_version, series
from stook.advisories.exposure import Exposure
from stook.advisories.ranges import Intervals, contains, merge

__all__ = ["Remedy", "find_remedy"]


@dataclass(frozen=True, slots=True)
class Remedy:
    """Empty texts where there is none. `unfixed` are the advisories that no later version escapes, sorted by id."""

    compatible: str = ""
    beyond: str = ""
    unfixed: tuple[str, ...] = ()


def find_remedy(
    package: PackageVersion, exposures: Iterable[Exposure], order: VersionOrder, known: Iterable[str] = ()
) -> Remedy:
    """The lowest later versions that none of the exposures affects, but for those that have no fix at all.

    Without `known` versions, a bound that a record calls fixed stands for the version; RustSec's `1.2.3-0` for
    `1.2.3`. With them, the answer is one of them, and a release unless there are only pre-releases.
    """
    version = bare_version(package.ecosystem, package.name, package.version)
    key = order(version)
    if key is None:
        return Remedy()
    unfixed = sorted({entry.advisory_id for entry in exposures if _is_unfixed(entry, key)})
    fixable = [entry.intervals for entry in exposures if entry.advisory_id not in unfixed]
    affected = merge(chain.from_iterable(fixable))
    texts = [bare_version(package.ecosystem, package.name, text) for text in known]
    candidates = list(_known(texts, key, affected, order) if texts else _bounds(affected, key, order))
    own = series(package.ecosystem, package.name, version)
    alike = {text: series(package.ecosystem, package.name, text) == own for text in candidates}
    return Remedy(
        compatible=next((text for text in candidates if alike[text]), ""),
        beyond=next((text for text in candidates if not alike[text]), ""),
        unfixed=tuple(unfixed),
    )


def _is_unfixed(exposure: Exposure, key: bytes) -> bool:
    last = exposure.intervals[-1] if exposure.intervals else None
    return last is not None and last.is_open_above and key in last


def _bounds(affected: Intervals, key: bytes, order: VersionOrder) -> Iterator[str]:
    for interval in affected:
        high = interval.high
        if high.key > key and not high.is_after and not interval.is_open_above:
            release = high.text.removesuffix("-0")
            release_key = order(release)
            yield high.text if release_key is None or contains(affected, release_key) else release


def _known(versions: Sequence[str], key: bytes, affected: Intervals, order: VersionOrder) -> list[str]:
    keyed = sorted((found, text) for text in versions if (found := order(text)) is not None and found > key)
    safe = [text for found, text in keyed if not contains(affected, found)]
    return [text for text in safe if "-" not in text.partition("+")[0]] or safe

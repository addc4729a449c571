"""A small registry in memory that tests and the demo can change while it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import RLock

from stook.testing.crates import Crate, Dependency, Release, checksum, fold
from stook.testing.modules import Fate, GoModules, GoVersion, synthetic_mod

__all__ = ["World"]

_TICK = timedelta(seconds=67, microseconds=123_457)  # between two changes that are not given a time


@dataclass(slots=True)
class World:
    """Crates by folded name, and Go modules. `now` is its own time, moved by its own changes, so runs repeat.

    Change it through its methods, or change a `Crate` or `Release` in place and call `touch`. `lock` is held while
    an answer is made; `revision` counts changes.
    """

    now: datetime = datetime(2026, 11, 1, 8, 0, 0)
    crates: dict[str, Crate] = field(default_factory=dict)
    go: GoModules = field(default_factory=GoModules)
    revision: int = 0
    lock: RLock = field(default_factory=RLock, repr=False)
    _last_id: int = 0

    def crate(self, name: str) -> Crate:
        """The crate of that name, whatever its case and separators; KeyError if there is none."""
        return self.crates[fold(name)]

    def publish(
        self,
        name: str,
        version: str,
        *,
        deps: Iterable[str | Dependency] = (),
        features: Mapping[str, list[str]] | None = None,
        features2: Mapping[str, list[str]] | None = None,
        license: str | None = "MIT OR Apache-2.0",
        links: str | None = None,
        rust_version: str | None = None,
        description: str | None = None,
        time: datetime | None = None,
    ) -> Release:
        """Add a version, and the crate if it is new; `deps` in the notation of `Dependency.parse`."""
        with self.lock:
            moment = self._tick(time)
            crate = self.crates.get(fold(name)) or self._found(name, moment)
            if any(release.version == version for release in crate.releases):
                raise ValueError(f"{name} {version} is already published")
            release = Release(version, moment, checksum(crate.name, version), self._next_id(), license=license)
            release.deps = tuple(Dependency.parse(dep) if isinstance(dep, str) else dep for dep in deps)
            release.features, release.features2 = dict(features or {}), dict(features2 or {})
            release.links, release.rust_version = links, rust_version
            crate.description = crate.description if description is None else description
            crate.releases.append(release)
            self._touched(crate, moment)
            return release

    def yank(self, name: str, version: str, message: str | None = None, *, time: datetime | None = None) -> None:
        def change(release: Release, moment: datetime) -> None:
            release.is_yanked, release.yank_message, release.yank_changed = True, message, moment

        self._change(name, version, change, time)

    def unyank(self, name: str, version: str, *, time: datetime | None = None) -> None:
        def change(release: Release, moment: datetime) -> None:
            release.is_yanked, release.yank_message, release.yank_changed = False, None, moment

        self._change(name, version, change, time)

    def replace_checksum(self, name: str, version: str, to: str | None = None) -> str:
        """The same version with other content, as after a deletion and a new publish; gives the new checksum."""
        new = to or checksum(name, f"{version} again")

        def change(release: Release, _moment: datetime) -> None:
            release.checksum = new

        self._change(name, version, change, None)
        return new

    def delete_version(self, name: str, version: str) -> None:
        """As if it had never been."""
        with self.lock:
            crate = self.crate(name)
            crate.releases.remove(crate.release(version))
            self._touched(crate, self._tick(None))

    def delete_crate(self, name: str) -> None:
        with self.lock:
            del self.crates[fold(name)]
            self.revision += 1

    def touch(self, name: str, *, time: datetime | None = None) -> None:
        """Say that a crate was changed in place."""
        with self.lock:
            self._touched(self.crate(name), self._tick(time))

    def announce(
        self,
        path: str,
        version: str,
        *,
        declares: str | None = None,
        mod: str | None = None,
        time: datetime | None = None,
        committed: datetime | None = None,
        fate: Fate = "ok",
        reason: str = "",
    ) -> GoVersion:
        """Add a Go event, in the place of one of the same path and version.

        `mod` is the go.mod text. Without it, one is written that declares `declares`; without that too, the proxy
        serves its synthetic one.
        """
        with self.lock:
            moment = self._tick(time)
            text = mod or (f"module {declares}\n\ngo 1.22\n" if declares else synthetic_mod(path))
            event = GoVersion(path, version, moment, committed or moment.replace(microsecond=0), text, fate, reason)
            others = [other for other in self.go.events if (other.path, other.version) != (path, version)]
            self.go.events = sorted([*others, event], key=lambda other: other.announced)
            self.revision += 1
            return event

    def _change(
        self, name: str, version: str, change: Callable[[Release, datetime], None], time: datetime | None
    ) -> None:
        with self.lock:
            crate, moment = self.crate(name), self._tick(time)
            change(crate.release(version), moment)
            self._touched(crate, moment)

    def _found(self, name: str, moment: datetime) -> Crate:
        self.crates[fold(name)] = crate = Crate(name, self._next_id(), created=moment, updated=moment)
        return crate

    def _touched(self, crate: Crate, moment: datetime) -> None:
        # The registry writes `pubtime` into all lines of a crate the next time that any of them changes.
        crate.updated, crate.has_pubtime = max(moment, crate.updated), True
        self.revision += 1

    def _tick(self, time: datetime | None) -> datetime:
        moment = time or self.now + _TICK
        self.now = max(self.now, moment)
        return moment

    def _next_id(self) -> int:
        self._last_id += 1
        return self._last_id

"""Package URLs of the types `cargo` and `golang`, in and out (https://github.com/package-url/purl-spec).

Written here and not taken from a library: two types need a page, and a Go path must keep its case, although the
purl definition of `golang` asks for lower case, which names another module.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote

from stook.advisories.ecosystems import Ecosystem, PackageVersion, package_type
from stook.engine.errors import Malformed

__all__ = ["PackageUrl", "parse_purl", "purl_of"]

MAX_PURL = 4_000  # characters
_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9.+-]*", re.ASCII)
_MAJOR = re.compile(r"v([0-9]+)", re.ASCII)
_ECOSYSTEMS = {package_type(ecosystem): ecosystem for ecosystem in Ecosystem}


@dataclass(frozen=True, slots=True)
class PackageUrl:
    """A parsed purl: `name` holds the namespace, too, as `github.com/owner/module`; parts that are absent are empty."""

    type: str
    name: str
    version: str
    qualifiers: Mapping[str, str]
    subpath: str

    @property
    def package(self) -> PackageVersion | None:
        """The package for advisories; None for another type.

        Some tools write the major version of a module as a subpath: `#v5` with a version `v5.…` is part of the path.
        """
        ecosystem = _ECOSYSTEMS.get(self.type)
        if ecosystem is None:
            return None
        name = self.name
        if ecosystem is Ecosystem.GO:
            first = self.subpath.partition("/")[0]
            match = _MAJOR.fullmatch(first)
            if match and self.version.removeprefix("v").startswith(f"{match[1]}.") and not name.endswith(f"/{first}"):
                name = f"{name}/{first}"
            name = "stdlib" if name == "std" else name
        return PackageVersion(ecosystem, name, self.version)

    @property
    def other_source(self) -> str:
        """Where the package comes from if a qualifier says that it is not the public registry."""
        keys = ("repository_url", "download_url", "vcs_url")
        found = (self.qualifiers.get(key, "") for key in keys)
        return next((url[:200] for url in found if url and not _is_public(url)), "")


def _is_public(url: str) -> bool:
    host = url.partition("://")[2].partition("/")[0] if "://" in url else url.partition("/")[0]
    return host in ("crates.io", "static.crates.io", "index.crates.io", "proxy.golang.org")


def parse_purl(text: str) -> PackageUrl:
    """A purl of any type, by the steps of the specification. Raises Malformed."""
    if len(text) > MAX_PURL:
        raise Malformed(f"the package URL has more than {MAX_PURL} characters")
    rest, _, subpath = text.strip().partition("#")
    rest, _, query = rest.partition("?")
    scheme, colon, rest = rest.partition(":")
    kind, slash, rest = rest.lstrip("/").partition("/")
    if scheme.lower() != "pkg" or not colon or not slash or _TYPE.fullmatch(kind) is None:
        raise Malformed(f"not a package URL: {text[:100]!r}")
    path, _, version = _split_version(rest)
    segments = [unquote(segment) for segment in path.split("/") if segment]
    if not segments or any("/" in segment for segment in segments):
        raise Malformed(f"a package URL without a name: {text[:100]!r}")
    if kind.lower() == "cargo" and len(segments) > 1:
        raise Malformed(f"a crate has no namespace: {text[:100]!r}")
    within = "/".join(unquote(part) for part in subpath.split("/") if part not in ("", ".", ".."))
    return PackageUrl(kind.lower(), "/".join(segments), unquote(version), _qualifiers(query), within)


def _split_version(rest: str) -> tuple[str, str, str]:
    """The version begins at the last `@`, if that stands in the last segment."""
    path, at, version = rest.rpartition("@")
    return (path, at, version) if at and "/" not in version else (rest.rstrip("/"), "", "")


def _qualifiers(query: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in query.split("&") if part)
    return {key.lower(): unquote(value) for key, _, value in pairs if value}


def purl_of(package: PackageVersion) -> str:
    """The canonical purl of a crate or module; raises Malformed for another ecosystem. Go versions begin with `v`."""
    if package.ecosystem not in tuple(Ecosystem):
        raise Malformed(f"no package URL for the ecosystem {package.ecosystem[:60]!r}")
    ecosystem = Ecosystem(package.ecosystem)
    version = package.version
    if ecosystem is Ecosystem.GO and version[:1].isdigit():
        version = f"v{version}"
    name = "/".join(quote(segment, safe=":") for segment in package.name.split("/"))
    return f"pkg:{package_type(ecosystem)}/{name}" + (f"@{quote(version, safe=':')}" if version else "")

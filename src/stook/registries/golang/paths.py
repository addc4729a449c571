"""Module paths: which are valid, how they split, and how they are written in a proxy's URL.

The rules are those of golang.org/x/mod/module (CheckPath, SplitPathVersion, CheckPathMajor, EscapePath).
"""

from __future__ import annotations

import re
from urllib.parse import quote

from stook.engine.errors import Malformed
from stook.registries.golang.versions.versions import build, major

__all__ = [
    "check_path",
    "escape_path",
    "escape_version",
    "is_valid_path",
    "major_problem",
    "path_problem",
    "proxy_path",
    "split_path",
    "unescape_path",
    "unescape_version",
]

_WINDOWS = r"(?:con|prn|aux|nul|com[1-9]|lpt[1-9])"
_RESERVED = re.compile(_WINDOWS, re.IGNORECASE | re.ASCII)
_SHORT_NAME = re.compile(r"~[0-9]+")
_ELEMENT = re.compile(r"[-._~0-9A-Za-z]+")
_HOST = re.compile(r"[-.0-9a-z]+")
_FILE_NAME = re.compile(r"[-!#$%&()+,.=@\[\]^_{}~ 0-9A-Za-z]+")
# The plain majority, in one match: no tilde, no device name, no version-like last element but /v2 and up.
_PLAIN = re.compile(
    rf"(?!gopkg\.in/)(?!(?=[aclnp])(?i:{_WINDOWS})\.)[a-z0-9][-a-z0-9]*(?:\.[-a-z0-9]+)+"
    rf"(?:/(?!v[0-9.]*\Z)(?!(?=[ACLNPaclnp])(?i:{_WINDOWS})(?:[./]|\Z))[-_0-9A-Za-z][-._0-9A-Za-z]*(?<!\.))*"
    r"(?:/v(?:[2-9]|[1-9][0-9]+))?",
    re.ASCII,
)
_MAJOR = re.compile(r"(.*)(/v([0-9.]*))", re.DOTALL)
# `.v-unstable` without a number passes in golang.org/x/mod too; no version ever matches it.
_GOPKG = re.compile(r"(.*)(\.v(?:0|[1-9][0-9]*|(?:[1-9][0-9]*)?-unstable))", re.DOTALL)
_URL_SAFE = "/+~@$&="  # what Go's url.PathEscape leaves alone, as far as versions can hold it


def is_valid_path(path: str) -> bool:
    """Whether the go command accepts this as a module path (module.CheckPath)."""
    return _PLAIN.fullmatch(path) is not None or path_problem(path) == ""


def path_problem(path: str) -> str:
    """What module.CheckPath has against this path, in our words; empty when nothing."""
    if not path:
        return "path is empty"
    if not path.isascii():
        return "path is not ASCII"
    elements = path.split("/")
    for element in elements:
        if problem := _element_problem(element):
            return problem
    return _host_problem(elements[0]) or ("" if split_path(path)[2] else "path ends in an invalid major version")


def check_path(path: str) -> None:
    """Raise Malformed unless the path is valid."""
    if not is_valid_path(path):
        raise Malformed(f"invalid module path {path[:120]!r}: {path_problem(path)}")


def split_path(path: str) -> tuple[str, str, bool]:
    """Prefix, major suffix (`/v2`, `.v1`, or empty) and whether the end is well formed (module.SplitPathVersion)."""
    if path.startswith("gopkg.in/"):
        match = _GOPKG.fullmatch(path)
        return (match[1], match[2], True) if match else (path, "", False)
    match = _MAJOR.fullmatch(path)
    if match is None or not match[3]:
        return path, "", True
    number = match[3]
    if "." in number or number[0] == "0" or number == "1":
        return path, "", False
    return match[1], match[2], True


def major_problem(path: str, version: str) -> str:
    """Why this version cannot belong to this path; empty when it can (module.CheckPathMajor).

    `.v1` also takes `v0.0.0-` pseudo-versions, an old bug that stays; `+incompatible` needs a path without suffix.
    """
    _, suffix, is_well_formed = split_path(path)
    if not is_well_formed:
        return "path ends in an invalid major version"
    suffix = suffix.removesuffix("-unstable")
    if suffix == ".v1" and version.startswith("v0.0.0-"):
        return ""
    found = major(version)
    wanted = (suffix[1:],) if suffix else ("v0", "v1")
    if found in wanted or (not suffix and build(version) == "+incompatible"):
        return ""
    return f"major should be {' or '.join(wanted)}, not {found or 'unreadable'}"


def escape_path(path: str) -> str:
    """The path with `!` before each letter that was a capital; raises Malformed for an invalid one (EscapePath)."""
    check_path(path)
    return _escape(path)


def escape_version(version: str) -> str:
    """The version likewise; raises Malformed unless it is an ASCII file name without `!` (EscapeVersion)."""
    if "!" in version or _file_name_problem(version):
        raise Malformed(f"version cannot be asked for: {version[:120]!r}")
    return _escape(version)


def unescape_path(escaped: str) -> str:
    """The inverse of escape_path; raises Malformed (UnescapePath)."""
    path = _unescape(escaped)
    check_path(path)
    return path


def unescape_version(escaped: str) -> str:
    """The inverse of escape_version; raises Malformed (UnescapeVersion)."""
    version = _unescape(escaped)
    if problem := _file_name_problem(version):
        raise Malformed(f"invalid escaped version {escaped[:120]!r}: {problem}")
    return version


def proxy_path(path: str, endpoint: str, version: str = "") -> str:
    """What follows a proxy's base URL, quoted as the go command does (`%21` for `!`).

    `endpoint` is `list`, `latest`, `info`, `mod` or `zip`; the last three need a version.
    """
    if endpoint == "latest":
        return quote(f"/{escape_path(path)}/@latest", safe=_URL_SAFE)
    name = f"{escape_version(version)}.{endpoint}" if version else endpoint
    return quote(f"/{escape_path(path)}/@v/{name}", safe=_URL_SAFE)


def _element_problem(element: str) -> str:
    if not element:
        return "path has an empty element"
    if not _ELEMENT.fullmatch(element):
        return "path has a character that module paths cannot hold"
    if element[0] == "." or element[-1] == ".":
        return "path element begins or ends with a dot"
    short = element.partition(".")[0]
    if _RESERVED.fullmatch(short):
        return "path element is a device name on Windows"
    if _SHORT_NAME.fullmatch(short[short.rfind("~") :] if "~" in short else ""):
        return "path element looks like a Windows short name"
    return ""


def _host_problem(host: str) -> str:
    if host[0] == "-":
        return "path begins with a dash"
    if not _HOST.fullmatch(host):
        return "path's first element is not a lower-case host name"
    return "" if "." in host else "path's first element has no dot"


def _file_name_problem(name: str) -> str:
    if not _FILE_NAME.fullmatch(name) or name[-1] == ".":
        return "not a file name"
    return "a device name on Windows" if _RESERVED.fullmatch(name.partition(".")[0]) else ""


def _escape(text: str) -> str:
    return re.sub("[A-Z]", lambda match: "!" + match[0].lower(), text)


def _unescape(escaped: str) -> str:
    if not escaped.isascii() or re.search(r"[A-Z]|!(?![a-z])", escaped):
        raise Malformed(f"invalid escape: {escaped[:120]!r}")
    return re.sub("!([a-z])", lambda match: match[1].upper(), escaped)

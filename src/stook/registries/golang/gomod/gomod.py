"""What a go.mod says: module, go version, requirements, retractions, deprecation.

Three readings exist in Go and disagree; all three are here: `module_path` (modfile.ModulePath, which the proxy uses to
judge a repository), `parse_lax` (modfile.ParseLax, for dependencies) and `parse_strict` (modfile.Parse, for one's own
module). `read` is ours: lax, and the crude path where that fails.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from stook.engine.errors import Malformed
from stook.registries.golang.gomod.syntax import Block, Line, cut, decode, fields, parse_statements, trim, unquote
from stook.registries.golang.paths import major_problem, split_path
from stook.registries.golang.versions.versions import canonical

__all__ = [
    "GoMod",
    "ModuleVersion",
    "Replacement",
    "Requirement",
    "Retraction",
    "declared_path",
    "is_synthetic",
    "module_path",
    "parse_lax",
    "parse_strict",
    "read",
]

_GO_VERSION = re.compile(r"[1-9][0-9]*\.(?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*))?(?:[a-z]+[0-9]+)?")
_LAX_GO_VERSION = re.compile(r"v?([1-9][0-9]*\.(?:0|[1-9][0-9]*))[^0-9].*")
_DEPRECATED = re.compile(r"(?:\A|\n\n)Deprecated: *(.*?)(?:\Z|\n\n)", re.DOTALL)
_DIRECTORY = re.compile(r"\.{1,2}(?:[/\\]|\Z)|[/\\]|[A-Za-z]:")
_BLOCKS = frozenset({"module", "godebug", "require", "exclude", "replace", "retract", "tool", "ignore"})
LONGEST_PATH = 20_000  # characters of a declared path that is looked at; the longest that is kept has 500
_LAX = frozenset({"go", "module", "retract", "require", "ignore"})


@dataclass(frozen=True, slots=True)
class ModuleVersion:
    """A module at one version; `version` is empty for all of them."""

    path: str
    version: str


@dataclass(frozen=True, slots=True)
class Requirement:
    """A `require` line; indirect when its comment says so."""

    path: str
    version: str
    is_indirect: bool = False


@dataclass(frozen=True, slots=True)
class Replacement:
    """A `replace` line; the new version is empty for a directory."""

    old: ModuleVersion
    new: ModuleVersion


@dataclass(frozen=True, slots=True)
class Retraction:
    """A closed range of versions the author took back, with the reason; bounds as written, canonical or not."""

    low: str
    high: str
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class GoMod:
    """A go.mod as read. `crude` is the module path by modfile.ModulePath; `note` says why the lax reading failed."""

    module: str = ""
    go: str = ""
    toolchain: str = ""
    deprecated: str = ""
    requires: tuple[Requirement, ...] = ()
    excludes: tuple[ModuleVersion, ...] = ()
    replaces: tuple[Replacement, ...] = ()
    retracts: tuple[Retraction, ...] = ()
    tools: tuple[str, ...] = ()
    crude: str = ""
    note: str = ""


def module_path(body: bytes) -> str:
    """The path that the go command and the proxy see when they look for one line only; empty when they see none.

    Comments are cut first, wherever they stand; a block gives `(`.
    """
    for raw in decode(body).split("\n"):
        line = trim(raw.partition("//")[0])
        rest = line.removeprefix("module")
        value = trim(rest)
        if rest == line or not value or value == rest:
            continue
        if len(value) > LONGEST_PATH:
            return ""
        return (unquote(value) or "") if value[0] in '"`' else value
    return ""


def is_synthetic(path: str, body: bytes) -> bool:
    """Whether a `.mod` is the one the proxy makes up for a version without go.mod (modfetch.LegacyGoMod).

    A real file of that one line is misread as made up, here as in the go command. Valid paths never need quotes.
    """
    return body == b"module " + path.encode() + b"\n"


def parse_lax(body: bytes) -> GoMod:
    """As the go command reads a dependency's go.mod; raises Malformed where it gives up.

    It ignores exclude, replace and toolchain here; they are kept as facts when well formed, and never cause an error.
    """
    return _parse(body, is_strict=False)


def parse_strict(body: bytes) -> GoMod:
    """As the go command reads the main module's go.mod; raises Malformed."""
    return _parse(body, is_strict=True)


def read(body: bytes) -> GoMod:
    """The lax reading, or, where that fails, the crude path with the reason as `note`."""
    crude = module_path(body)
    try:
        return replace(parse_lax(body), crude=crude)
    except Malformed as error:
        return GoMod(module=crude, crude=crude, note=error.reason)


def declared_path(body: bytes) -> str:
    """The path that this file gives its module, however badly the rest of it reads; empty where there is none."""
    return read(body).module


def _parse(body: bytes, *, is_strict: bool) -> GoMod:
    builder = _Builder(is_strict)
    for statement in parse_statements(decode(body)):
        builder.add(statement)
    return builder.result()


@dataclass(slots=True)
class _Builder:
    """What was read so far; one method a directive."""

    is_strict: bool
    module: str | None = None
    go: str = ""
    toolchain: str = ""
    deprecated: str = ""
    requires: list[Requirement] = field(default_factory=list)
    excludes: list[ModuleVersion] = field(default_factory=list)
    replaces: list[Replacement] = field(default_factory=list)
    retracts: list[Retraction] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)

    def result(self) -> GoMod:
        return GoMod(
            module=self.module or "",
            go=self.go,
            toolchain=self.toolchain,
            deprecated=self.deprecated,
            requires=tuple(self.requires),
            excludes=tuple(self.excludes),
            replaces=tuple(self.replaces),
            retracts=tuple(self.retracts),
            tools=tuple(self.tools),
        )

    def add(self, statement: Line | Block) -> None:
        verb = statement.tokens[0]
        if isinstance(statement, Line):
            self.line(verb, statement.tokens[1:], statement, None)
        elif len(statement.tokens) == 1 and verb in _BLOCKS:
            for line in statement.lines:
                self.line(verb, line.tokens, line, statement)
        elif self.is_strict:
            raise Malformed(f"go.mod line {statement.number}: unknown block {verb[:40]!r}")

    def line(self, verb: str, arguments: list[str], line: Line, block: Block | None) -> None:
        directive = _DIRECTIVES.get(verb)
        try:
            if directive is None:
                raise Malformed(f"unknown directive {verb[:40]!r}")
            directive(self, arguments, line, block)
        except Malformed as error:
            if self.is_strict or verb in _LAX:
                raise Malformed(f"go.mod line {line.number}: {error.reason}") from None

    def add_module(self, arguments: list[str], line: Line, block: Block | None) -> None:
        if self.module is not None:
            raise Malformed("a second module directive")
        (path,) = _expect(arguments, "module", 1)
        self.module = _string(path)
        found = _DEPRECATED.search(_comments(line, block))
        self.deprecated = cut(found[1]) if found else ""

    def add_go(self, arguments: list[str], line: Line, block: Block | None) -> None:
        if self.go:
            raise Malformed("a second go directive")
        (version,) = _expect(arguments, "go", 1)
        if not _GO_VERSION.fullmatch(version):
            loose = None if self.is_strict else _LAX_GO_VERSION.fullmatch(version)
            if loose is None:
                raise Malformed(f"not a go version: {version[:40]!r}")
            version = loose[1]
        self.go = version

    def add_toolchain(self, arguments: list[str], line: Line, block: Block | None) -> None:
        if self.toolchain:
            raise Malformed("a second toolchain directive")
        (name,) = _expect(arguments, "toolchain", 1)
        if name not in ("default", "go1") and not name.startswith("go1."):
            raise Malformed(f"not a toolchain: {name[:40]!r}")
        self.toolchain = name

    def add_require(self, arguments: list[str], line: Line, block: Block | None) -> None:
        path, version = _module_version(arguments, "require")
        words = fields(line.suffix[0]) if line.suffix else []
        is_indirect = words == ["indirect"] or (len(words) > 1 and words[0] == "indirect;")
        self.requires.append(Requirement(path, version, is_indirect))

    def add_exclude(self, arguments: list[str], line: Line, block: Block | None) -> None:
        self.excludes.append(ModuleVersion(*_module_version(arguments, "exclude")))

    def add_replace(self, arguments: list[str], line: Line, block: Block | None) -> None:
        arrow = 1 if arguments[1:2] == ["=>"] else 2
        old, new = arguments[:arrow], arguments[arrow + 1 :]
        if arguments[arrow : arrow + 1] != ["=>"] or len(new) not in (1, 2):
            raise Malformed("replace needs: old [version] => new [version]")
        path, version = _module_version(old, "replace") if arrow == 2 else (_string(old[0]), "")
        if not split_path(path)[2]:
            raise Malformed(f"path ends in an invalid major version: {path[:120]!r}")
        self.replaces.append(Replacement(ModuleVersion(path, version), _replacement(new)))

    def add_retract(self, arguments: list[str], line: Line, block: Block | None) -> None:
        try:
            low, high, rest = _interval(arguments)
        except Malformed:
            if self.is_strict:
                raise
            return  # syntax to come, such as open ranges, must not break readers of today
        if rest and self.is_strict:
            raise Malformed(f"text after a retracted version: {rest[0][:40]!r}")
        self.retracts.append(Retraction(low, high, _rationale(line, block)))

    def add_tool(self, arguments: list[str], line: Line, block: Block | None) -> None:
        self.tools.append(_string(_expect(arguments, "tool", 1)[0]))

    def check_one_string(self, arguments: list[str], line: Line, block: Block | None) -> None:
        _string(_expect(arguments, "tool or ignore", 1)[0])

    def check_godebug(self, arguments: list[str], line: Line, block: Block | None) -> None:
        (pair,) = _expect(arguments, "godebug", 1)
        if "=" not in pair or set(pair) & set("\"`',"):
            raise Malformed("godebug needs: key=value")


_DIRECTIVES: dict[str, Callable[[_Builder, list[str], Line, Block | None], None]] = {
    "module": _Builder.add_module,
    "go": _Builder.add_go,
    "toolchain": _Builder.add_toolchain,
    "require": _Builder.add_require,
    "exclude": _Builder.add_exclude,
    "replace": _Builder.add_replace,
    "retract": _Builder.add_retract,
    "tool": _Builder.add_tool,
    "ignore": _Builder.check_one_string,
    "godebug": _Builder.check_godebug,
}


def _expect(arguments: list[str], verb: str, count: int) -> list[str]:
    if len(arguments) != count:
        raise Malformed(f"{verb} needs {count} argument(s), not {len(arguments)}")
    return arguments


def _string(token: str) -> str:
    if token.startswith('"'):
        value = unquote(token)
        if value is None:
            raise Malformed(f"malformed string {token[:120]}")
        return value
    if set(token) & set("\"'`"):
        raise Malformed(f"quote in an unquoted word: {token[:120]}")
    return token


def _version(token: str) -> str:
    version = canonical(_string(token))
    if not version:
        raise Malformed(f"not a version: {token[:120]!r}")
    return version


def _module_version(arguments: list[str], verb: str) -> tuple[str, str]:
    path, version = _expect(arguments, verb, 2)
    path, version = _string(path), _version(version)
    if problem := major_problem(path, version):
        raise Malformed(f"{path[:120]} {version[:60]}: {problem}")
    return path, version


def _replacement(arguments: list[str]) -> ModuleVersion:
    path = _string(arguments[0])
    is_directory = _DIRECTORY.match(path) is not None
    if is_directory != (len(arguments) == 1):
        raise Malformed("a replacement is either a directory, or a module with a version")
    if is_directory and "\\" in path:
        raise Malformed(f"a directory written the Windows way: {path[:120]!r}")
    return ModuleVersion(path, "" if is_directory else _version(arguments[1]))


def _interval(arguments: list[str]) -> tuple[str, str, list[str]]:
    """Both bounds, and what follows them. Bounds need not be canonical: modfile leaves them alone."""
    if not arguments or arguments[0] == "(":
        raise Malformed("retract needs a version or a range")
    if arguments[0] != "[":
        return _string(arguments[0]), _string(arguments[0]), arguments[1:]
    if len(arguments) < 5 or arguments[2] != "," or arguments[4] != "]":
        raise Malformed("a retracted range needs: [low, high]")
    return _string(arguments[1]), _string(arguments[3]), arguments[5:]


def _rationale(line: Line, block: Block | None) -> str:
    if block is not None and not line.before and not line.suffix:
        return block.short_comment
    return cut(_comments(line, block))


def _comments(line: Line, block: Block | None) -> str:
    """The comments above and behind the line; its block's where it has none at all (a blank line above counts)."""
    if block is not None and not line.before and not line.suffix:
        return block.comment
    return "\n".join(text for text in [*line.before, *line.suffix] if text is not None)

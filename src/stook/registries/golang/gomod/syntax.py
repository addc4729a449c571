"""The syntax of go.mod: tokens, lines, blocks, and which comment belongs to which line.

Written after the behaviour of golang.org/x/mod/modfile (read.go); the Go modules reference describes it in part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from stook.engine.errors import FailureCode, Malformed

__all__ = ["Block", "Line", "cut", "decode", "fields", "parse_statements", "trim", "unquote"]

MOST_LINES = 100_000
MOST_TOKENS = 400_000
LONGEST_LINE = 1 << 20  # characters; a quoted word takes sixty times its own length while it is read
LONGEST_TEXT = 10_000  # characters of a rationale or a deprecation

# unicode.IsSpace; str.strip and str.split alone would also take 0x1c to 0x1f.
_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_WORD = re.compile(f"[^{_SPACE}]+")

_TOKEN = re.compile(
    r"""[ \t\r]*(?:
      (?P<comment>//[^\n]*\n?)
    | (?P<mark>[\n()\[\]{},])
    | (?P<string>"(?:[^"\\\n]|\\.)*"|`[^`\n]*`)
    | (?P<word>[^\s()\[\]{},]+)
    | (?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
_WORD_STOP = re.compile(r"//|/\*")
_ESCAPE = re.compile(
    r"\\(?:([abfnrtv\\\"])|x([0-9a-fA-F]{2})|([0-3][0-7]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))|[^\\\"\n]", re.DOTALL
)
_LETTERS = dict(zip('abfnrtv\\"', '\a\b\f\n\r\t\v\\"', strict=True))


@dataclass(slots=True)
class Line:
    """The tokens of one line, quotes still on; comments without their slashes, `None` for a blank line above."""

    tokens: list[str]
    number: int
    before: list[str | None] = field(default_factory=list)
    suffix: list[str] = field(default_factory=list)


@dataclass
class Block:
    """`verb ( … )`: what stands before the parenthesis, the comments above it, and its lines."""

    tokens: list[str]
    number: int
    before: list[str | None] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)

    @cached_property
    def comment(self) -> str:
        """The comments above the block, joined once for all of its lines."""
        return "\n".join(text for text in self.before if text is not None)

    @cached_property
    def short_comment(self) -> str:
        """The comment, cut once for all lines that share it."""
        return cut(self.comment)


class _Token(NamedTuple):
    kind: str  # comment (alone on its line), suffix, newline, end, or word for all that a line is made of
    text: str
    number: int


def decode(body: bytes) -> str:
    """UTF-8, each wrong byte as U+FFFD, as Go prints it."""
    text = body.decode("utf-8", "surrogateescape")
    return re.sub("[\udc80-\udcff]", "\ufffd", text)


def cut(text: str) -> str:
    """A rationale or a deprecation as it is kept: every version of a module may carry it."""
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "…"


def trim(text: str) -> str:
    """strings.TrimSpace."""
    return text.strip(_SPACE)


def fields(text: str) -> list[str]:
    """strings.Fields."""
    return _WORD.findall(text)


def unquote(text: str) -> str | None:
    """The value of a double-quoted or backtick literal; None where it is malformed (strconv.Unquote)."""
    if len(text) < 2 or text[0] != text[-1]:
        return None
    inner = text[1:-1]
    if text[0] == "`":
        return None if "`" in inner else inner.replace("\r", "")
    parts, position = [], 0
    while position < len(inner):
        match = _ESCAPE.match(inner, position)
        piece = _unescape(match) if match else None
        if match is None or piece is None:
            return None
        parts.append(piece)
        position = match.end()
    return decode(b"".join(parts))


def parse_statements(text: str) -> list[Line | Block]:
    """All statements in order; raises Malformed with the line number where the text is no go.mod.

    A text with more than MOST_LINES lines or MOST_TOKENS tokens is refused: no module needs them, and each costs
    a hundred times its own length in memory.
    """
    if text.count("\n") > MOST_LINES:
        raise Malformed(f"go.mod has more than {MOST_LINES} lines", FailureCode.TOO_LARGE)
    if len(text) > LONGEST_LINE and any(len(line) > LONGEST_LINE for line in text.split("\n")):
        raise Malformed(f"go.mod has a line of more than {LONGEST_LINE} characters", FailureCode.TOO_LARGE)
    return _Parser(_tokens(text)).file()


def _unescape(match: re.Match[str]) -> bytes | None:
    letter, hexadecimal, octal, short, long = match.groups()
    if letter:
        return _LETTERS[letter].encode()
    if hexadecimal or octal:
        return bytes((int(hexadecimal or octal, 16 if hexadecimal else 8),))
    if not (short or long):
        return match[0].encode()
    point = int(short or long, 16)
    return None if point > 0x10FFFF or 0xD800 <= point < 0xE000 else chr(point).encode()


def _tokens(text: str) -> Iterator[_Token]:
    position, number, is_line_begun, count = 0, 1, False, 0
    while True:
        match = _TOKEN.match(text, position)
        if match is None:
            raise Malformed(f"go.mod line {number}: unexpected character {text[position:].lstrip()[:1]!r}")
        kind = match.lastgroup or ""
        found = match[kind]
        if kind == "word":
            found = _word(found, number)
        yield _token(kind, found, number, is_line_begun)
        count += 1
        if kind == "end":
            return
        if count > MOST_TOKENS:
            raise Malformed(f"go.mod has more than {MOST_TOKENS} words", FailureCode.TOO_LARGE)
        position = match.start(kind) + len(found)
        is_line_begun = kind != "comment" and found != "\n"
        number += found.count("\n")


def _token(kind: str, found: str, number: int, is_line_begun: bool) -> _Token:
    if kind == "comment":
        return _Token("suffix" if is_line_begun else "comment", trim(found[2:]), number)
    if kind == "end":
        return _Token("end", "", number)
    return _Token("newline" if found == "\n" else "word", found, number)


def _word(run: str, number: int) -> str:
    """As much of the run as is one identifier: up to a comment or a character that does not print."""
    if run[0] in '"`':
        raise Malformed(f"go.mod line {number}: string without an end")
    stop = _WORD_STOP.search(run)
    word = run[: stop.start()] if stop else run
    if not word.isprintable():
        word = word[: next(i for i, char in enumerate(word) if not char.isprintable())]
    elif stop and stop[0] == "/*":
        raise Malformed(f"go.mod line {number}: only // comments are allowed")
    if not word:
        raise Malformed(f"go.mod line {number}: unexpected character {run[0]!r}")
    return word


class _Parser:
    """Walks the tokens once, two of them ahead; `suffix` is where a comment behind a line goes."""

    def __init__(self, tokens: Iterator[_Token]) -> None:
        self.tokens = tokens
        self.first = next(tokens)
        self.second = next(tokens, self.first)  # the last token stands for all that follow it
        self.suffix: list[str] = []

    def file(self) -> list[Line | Block]:
        statements: list[Line | Block] = []
        comments: list[str | None] = []
        while (token := self.peek()).kind != "end":
            if token.kind == "word":
                statements.append(self.statement(comments))
                comments = []
                continue
            self.next()
            if token.kind == "comment":
                comments.append(token.text)
            else:
                comments = []
        return statements

    def peek(self) -> _Token:
        return self.first

    def next(self) -> _Token:
        token = self.first
        self.first = self.second
        self.second = next(self.tokens, self.second)
        return token

    def at_line_end(self) -> bool:
        return self.first.kind != "word"

    def statement(self, comments: list[str | None]) -> Line | Block:
        first = self.next()
        line = Line([first.text], first.number, comments)
        while (token := self.next()).kind == "word":
            if token.text == "(" and self.at_line_end():
                return self.block(Block(line.tokens, first.number, comments))
            if token.text == "(" and self.peek().text == ")" and self.second.kind != "word":
                return self.close(Block(line.tokens, first.number, comments))
            line.tokens.append(token.text)
        return self.finish(line, token)

    def finish(self, line: Line, end: _Token) -> Line:
        """Keep the comment behind a line; a line that a string breaks in two loses it to the one before."""
        if not any("\n" in token for token in line.tokens):
            self.suffix = line.suffix
        if end.kind == "suffix":
            self.suffix.append(end.text)
        return line

    def block(self, block: Block) -> Block:
        comments: list[str | None] = []
        self.suffix = []
        while (token := self.peek()).kind != "end":
            if token.text == ")" and token.kind == "word":
                return self.close(block)
            if token.kind == "word":
                block.lines.append(self.line(comments))
                comments = []
                continue
            self.next()
            _note(token, comments, is_first=not block.lines)
        raise Malformed(f"go.mod line {block.number}: block without an end")

    def close(self, block: Block) -> Block:
        self.next()
        if not self.at_line_end():
            raise Malformed(f"go.mod line {self.peek().number}: text after a closing parenthesis")
        self.next()
        self.suffix = []
        return block

    def line(self, comments: list[str | None]) -> Line:
        first = self.next()
        line = Line([first.text], first.number, comments)
        while (token := self.next()).kind == "word":
            line.tokens.append(token.text)
        return self.finish(line, token)


def _note(token: _Token, comments: list[str | None], *, is_first: bool) -> None:
    """Keep a comment, or one mark for blank lines: a mark hides the block's own comments from the line below it."""
    if token.kind == "comment":
        comments.append(token.text)
    elif token.kind == "newline" and (comments[-1] is not None if comments else not is_first):
        comments.append(None)

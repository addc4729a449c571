"""A run of inline text: letters, emphasis, code and links between two block boundaries."""

from __future__ import annotations

import re
from typing import NamedTuple

from stook.web.extract.letters import shown
from stook.web.extract.markdown.escape import code_span, escape_inline

__all__ = ["Inline"]

_SPACE = re.compile(r"[\s\xa0]+")
_BREAK = "\n"


class _InlineToken(NamedTuple):
    """A piece of a run: `kind` is "text", "code", "break", "open" or "close"; the last two have a mark."""

    kind: str
    value: str = ""  # text, or the mark: "**", "*", "~~", "["
    url: str = ""


class Inline:
    """Collects tokens; `flush` makes one line of Markdown of them and begins anew within the marks still open."""

    def __init__(self) -> None:
        self._tokens: list[_InlineToken] = []
        self._open: list[_InlineToken] = []

    def add_text(self, text: str) -> None:
        self._tokens.append(_InlineToken("text", text))

    def add_code(self, text: str) -> None:
        self._tokens.append(_InlineToken("code", text))

    def add_break(self) -> None:
        self._tokens.append(_InlineToken("break"))

    def open(self, mark: str, url: str = "") -> bool:
        """Begin emphasis or a link; False if one of this kind is open."""
        if any(token.value == mark for token in self._open):
            return False
        token = _InlineToken("open", mark, url)
        self._open.append(token)
        self._tokens.append(token)
        return True

    def close(self, mark: str) -> None:
        self._open = [token for token in self._open if token.value != mark]
        self._tokens.append(_InlineToken("close", mark))

    def flush(self, *, has_marks: bool = True) -> str:
        """Return the run, its lines parted by newlines; "" if there is nothing to see."""
        tokens, self._tokens = self._tokens, list(self._open)
        if len(tokens) == len(self._open) and not any(token.kind in ("text", "code") for token in tokens):
            return ""
        return _assemble([*tokens, *(_InlineToken("close", token.value) for token in reversed(self._open))], has_marks)


def _assemble(tokens: list[_InlineToken], has_marks: bool) -> str:
    pieces: list[str] = []  # Markdown so far; each opened mark begins a new list of its own in `starts`
    starts: list[tuple[_InlineToken, int]] = []
    for kind, group in _merged(tokens):
        if kind.kind == "open":
            starts.append((kind, len(pieces)))
        elif kind.kind == "close":
            _close(kind.value, pieces, starts, has_marks)
        elif kind.kind == "break":
            pieces.append(_BREAK)
        elif kind.kind == "code":
            code = _SPACE.sub(" ", shown(group)).strip()
            if code:
                # The backticks of neighbours must not run together.
                last = next(filter(None, reversed(pieces)), "")
                pieces.append(f" {code_span(code)}" if last.endswith("`") else code_span(code))
        else:
            pieces.append(escape_inline(_SPACE.sub(" ", shown(group))))
    return _tidy("".join(pieces))


def _merged(tokens: list[_InlineToken]) -> list[tuple[_InlineToken, str]]:
    """Join neighbouring texts, and neighbouring codes, so that escapes and fences see them whole."""
    merged: list[tuple[_InlineToken, list[str]]] = []
    for token in tokens:
        if merged and token.kind in ("text", "code") and merged[-1][0].kind == token.kind:
            merged[-1][1].append(token.value)
        else:
            merged.append((token, [token.value]))
    return [(token, "".join(values)) for token, values in merged]


def _close(mark: str, pieces: list[str], starts: list[tuple[_InlineToken, int]], has_marks: bool) -> None:
    """Wrap what came since the mark was opened; the spaces at its ends go outside. Crossed marks are dropped."""
    place = next((rank for rank in range(len(starts) - 1, -1, -1) if starts[rank][0].value == mark), None)
    if place is None:
        return
    opened, start = starts[place]
    del starts[place:]
    content = "".join(pieces[start:])
    del pieces[start:]
    inner = content.strip(" \n")
    if not inner:
        pieces.append(" " if content else "")
        return
    before = content[: len(content) - len(content.lstrip(" \n"))]
    after = content[len(content.rstrip(" \n")) :]
    pieces += [before, _wrapped(opened, inner, pieces, has_marks), after]


def _wrapped(opened: _InlineToken, inner: str, pieces: list[str], has_marks: bool) -> str:
    if opened.value == "[":
        if pieces and pieces[-1].endswith("!"):  # "!" before a link would make an image of it
            pieces[-1] = pieces[-1][:-1] + "\\!"
        return f"[{inner.replace(_BREAK, ' ')}]({opened.url})"
    return f"{opened.value}{inner}{opened.value}" if has_marks else inner


def _tidy(text: str) -> str:
    lines = (re.sub(r" {2,}", " ", line).strip(" ") for line in text.split(_BREAK))
    return _BREAK.join(line for line in lines if line)

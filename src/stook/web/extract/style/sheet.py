"""A style sheet: its rules, in order, without the at-rules that do not apply."""

from __future__ import annotations

import re

from stook.web.extract.style.declaration import without_comments
from stook.web.extract.style.media import is_read

__all__ = ["Rule", "parse_rules"]

Rule = tuple[str, str]  # the text of the selectors, the text of the block

# Strings and addresses may hold braces: those are blanked before the sheet is cut at braces.
_QUOTED = re.compile(r"[\"'](?:(?<=\")(?:[^\"\\\n]|\\.)*+\"?+|(?<=')(?:[^'\\\n]|\\.)*+'?+)", re.DOTALL)
_ADDRESS = re.compile(r"url\(\s*+(?![\"'])(?:[^)\\]|\\.)*+\)?+", re.DOTALL)
_STRUCTURE = frozenset("{};@,")
# It begins at a brace or at the start: else each character of a text without braces would be a beginning.
_RULE = re.compile(r"(?<![^{}])([^{}]*+)\{([^{}]*+)\}")
# At-rules that hold rules, and only flat ones, such as most of @media.
_AT_RULE = re.compile(r"@([^{};@]*+)\{((?:[^{}]*+\{[^{}]*+\})*+[^{}]*+)\}")
_STATEMENT = re.compile(r"@[^{};@]*+;")
_MAX_NESTING = 8
_CLOSED = "-"  # stands for the selectors of a block that does not apply


def parse_rules(css: str) -> list[Rule]:
    """Read a sheet, as CSS Syntax 3 cuts it, in time linear in its length. Broken rules are left out."""
    css = without_comments(css).replace("<!--", "").replace("-->", "")
    css = _ADDRESS.sub("url()", _QUOTED.sub(_blank, css))
    if "@" in css:
        css = _AT_RULE.sub(_inner_rules, _STATEMENT.sub("", css))
    rules: list[Rule] = _RULE.findall(css)
    # Blocks inside of each other leave braces over; they are read one by one.
    return rules if len(rules) == css.count("{") and "@" not in css else _nested_rules(css)


def _inner_rules(match: re.Match[str]) -> str:
    """Replace an at-rule by its rules, if they apply. One of declarations, such as @font-face, holds none."""
    return match[2] if "{" in match[2] and is_read(match[1]) else ""


def _nested_rules(css: str) -> list[Rule]:
    rules: list[Rule] = []
    around = [""]  # selectors of the blocks around; "" where only at-rules that apply stand around
    for chunk in css.split("}"):
        *opened, block = chunk.split("{")
        for text in opened[:-1]:
            _open(text, around, rules)
        if opened:
            _add(_selectors(opened[-1].rpartition(";")[2].strip(), around[-1]), block, rules)
        else:  # the end of a block that held others; what is left in it are declarations
            _add(around[-1], chunk, rules)
            if len(around) > 1:
                around.pop()
    return rules


def _open(text: str, around: list[str], rules: list[Rule]) -> None:
    """Enter a block that holds others; declarations may stand before its prelude."""
    before, _, prelude = text.rpartition(";")
    _add(around[-1], before, rules)
    around.append(_selectors(prelude.strip(), around[-1]) if len(around) <= _MAX_NESTING else _CLOSED)


def _add(selectors: str, block: str, rules: list[Rule]) -> None:
    if block and selectors not in ("", _CLOSED):
        rules.append((selectors, block))


def _selectors(prelude: str, around: str) -> str:
    """Return the selectors that hold in a block with this prelude."""
    if around == _CLOSED or not prelude:
        return _CLOSED
    if prelude.startswith("@"):
        return around if is_read(prelude[1:]) else _CLOSED
    return _nested(around, prelude) if around else prelude


def _nested(parents: str, prelude: str) -> str:
    """Selectors inside a block continue those around it (CSS Nesting 1); long lists are not multiplied."""
    outer, inner = parents.split(","), prelude.split(",")
    if len(outer) * len(inner) > 16:
        return _CLOSED
    return ",".join(
        child.replace("&", parent) if "&" in child else f"{parent} {child}" for parent in outer for child in inner
    )


def _blank(match: re.Match[str]) -> str:
    """Keep what selectors may compare with; drop what could be taken for structure."""
    text = match[0]
    return text if _STRUCTURE.isdisjoint(text) else text[0] * 2

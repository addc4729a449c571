"""Strings of several names, read part by part and joined to one expression."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from stook.licences.expression import BadExpression, Node, Term, Token, tree_of
from stook.licences.strings.additions import find_addition
from stook.licences.strings.answer import COMMA, MAX_SHOWN, LicenceNote, Method, NoteCode, UnknownCode, UnknownPart
from stook.licences.strings.lexer import Sign, Span, cut
from stook.licences.strings.lookup import Leaf, Lookup
from stook.licences.strings.names import name_key

__all__ = ["Parts", "read_parts"]

Piece = Span | Sign


@dataclass(slots=True)
class Parts:
    """What a string was read as. `node` is None if any part is unknown."""

    node: Node | None = None
    terms: list[Node] = field(default_factory=list)
    methods: set[Method] = field(default_factory=set)
    notes: dict[LicenceNote, None] = field(default_factory=dict)
    unknown: list[UnknownPart] = field(default_factory=list)
    is_loose: bool = False  # has operators that SPDX does not know

    def guess(self, text: str) -> None:
        self.notes[LicenceNote(NoteCode.GUESS, text)] = None


def read_parts(text: str, lookup: Lookup, is_choice: bool = False) -> Parts:
    """Read a tidy string with operators; never fails. `is_choice`: something before it said so, as "dual-licensed"."""
    found = cut(text)
    parts = Parts(is_loose=bool(found.loose))
    pieces = list(_joined(text, found.pieces, lookup))
    if not _is_balanced(pieces):
        pieces = _without_parentheses(text, pieces, parts)
    _note_loose(found.loose, pieces, parts)
    try:
        if is_choice and "AND" in pieces:
            raise BadExpression("it speaks of a choice of licences and joins them by AND")
        tokens = _tokens(text, _with_commas_read(pieces, parts), lookup, parts)
        node = tree_of(tokens)
    except BadExpression as error:
        parts.unknown.append(UnknownPart(text[:MAX_SHOWN], UnknownCode.OPERATOR, str(error)))
    else:
        parts.node = None if parts.unknown else node
    return parts


def _joined(text: str, pieces: Sequence[Piece], lookup: Lookup) -> Iterator[Piece]:
    """Pieces, with the operators inside of names put back: "zlib/libpng" is one name."""
    index = lookup.index
    place = 0
    while place < len(pieces):
        piece = pieces[place]
        if isinstance(piece, Span) and name_key(text[piece.start : piece.end]) in index.span_heads:
            for size in range(index.longest_span, 1, -1):
                last = pieces[place + 2 * size - 2] if place + 2 * size - 2 < len(pieces) else None
                if isinstance(last, Span) and name_key(text[piece.start : last.end]) in index.spans:
                    piece = Span(piece.start, last.end)
                    place += 2 * size - 2
                    break
        yield piece
        place += 1


def _is_balanced(pieces: Sequence[Piece]) -> bool:
    depth = 0
    for piece in pieces:
        depth += (piece == "(") - (piece == ")")
        if depth < 0:
            return False
    return depth == 0


def _without_parentheses(text: str, pieces: list[Piece], parts: Parts) -> list[Piece]:
    """With one kind of operator, parentheses change nothing, so that a lost one may be ignored."""
    if {"AND", "OR"} <= set(pieces):
        why = "parentheses do not match, and their place would change the meaning"
        parts.unknown.append(UnknownPart(text[:MAX_SHOWN], UnknownCode.PARENTHESES, why))
    else:
        parts.notes[LicenceNote(NoteCode.REPAIRED, "parentheses that do not match are ignored")] = None
    return [piece for piece in pieces if piece not in {"(", ")"}]


def _note_loose(loose: frozenset[str], pieces: Sequence[Piece], parts: Parts) -> None:
    if "and/or" in loose:
        parts.guess("'and/or' is read as OR")
    if "/" in loose and "AND" in pieces and "OR" in pieces:
        parts.guess("'/' beside AND is read as OR, as cargo does")
    if "twice" in loose:
        parts.notes[LicenceNote(NoteCode.REPAIRED, "an operator that is written twice is read once")] = None
    if "+" in loose:
        parts.guess("'+' between licences is read as AND")


def _with_commas_read(pieces: Sequence[Piece], parts: Parts) -> list[Piece]:
    """Commas replaced by the one operator that is used beside them, or by OR as a guess."""
    operators: list[set[Piece]] = [set()]  # of each group
    opened = [0]
    commas: list[tuple[int, int]] = []
    for place, piece in enumerate(pieces):
        if piece == "(":
            opened.append(len(operators))
            operators.append(set())
        elif piece == ")" and len(opened) > 1:
            opened.pop()
        elif piece == ",":
            commas.append((place, opened[-1]))
        elif piece == "AND" or piece == "OR":
            operators[opened[-1]].add(piece)
    read = list(pieces)
    for place, group in commas:
        if len(operators[group]) > 1:
            raise BadExpression("a comma stands beside both AND and OR")
        if not operators[group]:
            parts.notes[COMMA] = None
        read[place] = next(iter(operators[group]), "OR")
    return read


def _tokens(text: str, pieces: Sequence[Piece], lookup: Lookup, parts: Parts) -> list[Token]:
    """Pieces looked up; the names after WITH become part of the terms before it."""
    tokens: list[Token] = []
    place = 0
    while place < len(pieces):
        piece = pieces[place]
        if isinstance(piece, Span):
            name = text[piece.start : piece.end].strip()
            node = _noted(lookup.find(name), parts)
            if pieces[place + 1 : place + 2] == ["WITH"]:
                node = _with_exception(text, pieces[place + 2 : place + 3], node, lookup, parts)
                place += 2
            tokens.append(node)
            parts.terms.append(node)
        elif piece == "WITH" or piece == ",":
            raise BadExpression(f"there is no single licence before {piece!r}")
        else:
            tokens.append(piece)
        place += 1
    return tokens


_NOTHING = Term("")  # stands where a name is unknown


def _noted(leaf: Leaf, parts: Parts) -> Node:
    parts.methods.add(leaf.method)
    parts.notes.update(dict.fromkeys(leaf.notes))
    if leaf.unknown is not None:
        parts.unknown.append(leaf.unknown)
    parts.terms.extend(leaf.pieces)
    return leaf.node if leaf.node is not None else _NOTHING


def _with_exception(text: str, after: Sequence[Piece], node: Node, lookup: Lookup, parts: Parts) -> Node:
    if not after or not isinstance(after[0], Span):
        raise BadExpression("an exception is missing after WITH")
    name = text[after[0].start : after[0].end].strip()
    if not isinstance(node, Term) or node.exception is not None:
        raise BadExpression(f"an exception, {name[:50]!r}, is added to what has one, or is no single licence")
    addition = find_addition(name, lookup.index)
    if isinstance(addition, UnknownPart):
        parts.unknown.append(addition)
        return node
    parts.methods.add(addition.method)
    parts.notes.update(dict.fromkeys(addition.notes))
    return Term(node.licence, addition.id)

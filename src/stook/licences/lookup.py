"""One name, looked up: its place in an expression, or the reason why it has none."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from stook.licences.answer import LicenceNote, Method, NoteCode, UnknownCode, UnknownPart
from stook.licences.expression import Node, Term, Token, tree_of
from stook.licences.index import NameIndex
from stook.licences.names import exception_key, name_key, url_key
from stook.licences.rules import LicenceRules

__all__ = ["Addition", "Leaf", "Lookup"]

MAX_SHOWN = 200
MAX_NAME = 250
"""Characters of a name that regular expressions look at; no licence has a longer one."""

_TAIL = r"[A-Za-z0-9.-]+"
_REF = re.compile(rf"(documentref-{_TAIL}:)?licenseref-({_TAIL})", re.IGNORECASE)
_ADDITION = re.compile(rf"(documentref-{_TAIL}:)?additionref-({_TAIL})", re.IGNORECASE)
_ASIDE = re.compile(r"(?P<outer>[^([<]+)[([<](?P<inner>[^()\[\]<>]+)[)\]>](?P<rest>[^()\[\]<>]*)")
_POINTER = re.compile(
    r"(?:please )?(?:see|refer to|read|check)\b.*|file:.*|\S*(?:licen[cs]e|copying|notice|copyright|readme)\S*\.(?:txt|md|rst|html?)",
    re.IGNORECASE,
)
_LIKENESS = re.compile(r"\b(?:style|like|type|based|derived|variant|similar|compatible)\b", re.IGNORECASE)
# Sites whose addresses end in an id or a name: host, folders, then what is looked up.
_SITE = re.compile(
    r"(?:spdx\.org/licenses|opensource\.org/licenses?|choosealicense\.com/licenses|licenses\.nuget\.org"
    r"|gnu\.org/licenses(?:/old-licenses)?)/(?P<name>[^/]+?)(?P<gnu>-standalone)?"
)
_CODE_HOST = re.compile(r"(?:github|gitlab|bitbucket|codeberg|raw\.githubusercontent)\.")


class Leaf(msgspec.Struct, frozen=True):
    """A name and what it is: a node, or what is unknown about it."""

    node: Node | None
    method: Method
    notes: tuple[LicenceNote, ...] = ()
    unknown: UnknownPart | None = None


class Addition(msgspec.Struct, frozen=True):
    """An exception, or an AdditionRef."""

    id: str
    method: Method
    notes: tuple[LicenceNote, ...] = ()


class Lookup:
    """Finds names in an index; asks exact names first, then keys, asides, expressions, and why there is none."""

    def __init__(self, index: NameIndex, rules: LicenceRules) -> None:
        self.index = index
        self._rules = rules

    def known(self, text: str) -> Leaf | None:
        """A name that stands in the index as it is; cheap enough to ask for whole strings first."""
        return self._by_id(text) or self._by_reference(text) or self._by_key(name_key(text), text)

    def whole(self, text: str) -> Leaf | None:
        """What a whole string is before it is cut: a name, a web address, or a value that names no licence."""
        leaf = self._by_page(page, text) if (page := url_key(text)) is not None else self.known(text)
        if leaf is not None:
            return leaf
        if not any(map(str.isalnum, text)):
            return _unknown(text, UnknownCode.NO_LICENCE, "there are no words")
        why = self.index.values.get(name_key(text))
        return None if why is None else _unknown(text, UnknownCode.NO_LICENCE, why)

    def find(self, text: str) -> Leaf:
        """Any name; never fails."""
        page = url_key(text)
        if page is not None:
            return self._by_page(page, text)
        leaf = self.known(text)
        if leaf is not None:
            return leaf
        if len(text) > MAX_NAME:
            return _unknown(text, UnknownCode.NOT_LISTED, "no licence has such a long name")
        return self._by_aside(text) or self._by_pattern(text) or self._why_not(text)

    def is_name(self, text: str) -> bool:
        """Whether a text is the name of a licence, or of a family of them."""
        leaf = self.known(text)
        return (leaf is not None and leaf.node is not None) or name_key(text) in self.index.families

    def exception(self, text: str) -> Addition | UnknownPart:
        """What stands after WITH."""
        match = _ADDITION.fullmatch(text)
        if match is not None:
            return Addition(f"{_document(match[1])}AdditionRef-{match[2]}", Method.EXACT)
        found = self.index.exceptions.get(text.lower())
        method = Method.EXACT if found else Method.ALIAS
        if found is None:
            key = exception_key(text)
            found = self.index.exceptions.get(key) or self.index.exception_stems.get(key, set())
        if len(found) == 1:
            return self._addition(next(iter(found)), method)
        why = f"it may be {_listed(found)}" if found else "the list has no such exception"
        return UnknownPart(text[:MAX_SHOWN], UnknownCode.EXCEPTION, why)

    def _addition(self, short: str, method: Method) -> Addition:
        successor = self._rules.successors.get(short)
        if successor is None:
            return Addition(short, method)
        return Addition(successor, method, (_deprecation(short, successor),))

    def _by_id(self, text: str) -> Leaf | None:
        lower = text.lower()
        short = self.index.ids.get(lower)
        if short is not None:
            return self._leaf(short, Method.EXACT)
        if lower.endswith("+"):
            short = self.index.ids.get(lower[:-1])
            if short is not None:
                return self._later(short, Method.EXACT)
        return None

    def _by_reference(self, text: str) -> Leaf | None:
        match = _REF.fullmatch(text) if "ef-" in text.lower() else None
        if match is None:
            return None
        return Leaf(Term(f"{_document(match[1])}LicenseRef-{match[2]}"), Method.EXACT)

    def _by_key(self, key: str, text: str) -> Leaf | None:
        shorts = self.index.keys.get(key)
        if shorts is not None:
            return self._leaf_of(shorts, text, Method.ALIAS)
        guess = self.index.guesses.get(key)
        if guess is not None:
            note = LicenceNote(NoteCode.GUESS, f"{text[:MAX_SHOWN]!r} most probably means {guess}")
            return Leaf(node_of(guess), Method.ALIAS, (note,))
        if key.endswith(" +"):
            shorts = self.index.keys.get(key[:-2])
            if shorts is not None and len(shorts) == 1:
                return self._later(next(iter(shorts)), Method.ALIAS)
        elif key.endswith(" only"):
            shorts = self.index.keys.get(key[:-5])
            if shorts is not None and len(shorts) == 1:
                return self._leaf(next(iter(shorts)), Method.ALIAS)
        return None

    def _by_page(self, page: str, text: str) -> Leaf:
        shorts = self.index.pages.get(page)
        if shorts is not None:
            return self._leaf_of(shorts, text, Method.ALIAS)
        site = _SITE.fullmatch(page)
        leaf = self.known(site["name"]) if site is not None else None
        if leaf is not None and leaf.node is not None:
            return Leaf(leaf.node, Method.ALIAS, leaf.notes)
        if _CODE_HOST.match(page):
            return _unknown(text, UnknownCode.POINTER, "it is the address of a file, which has to be read")
        return _unknown(text, UnknownCode.NOT_LISTED, "the list knows no such page")

    def _by_aside(self, text: str) -> Leaf | None:
        """A name with another in brackets: "GNU General Public License v2 (GPLv2)". Both must agree."""
        match = _ASIDE.fullmatch(text)
        if match is None:
            return None
        outer, inner, rest = (part.strip(" ,") for part in match.group("outer", "inner", "rest"))
        name = f"{outer} {rest}".strip()
        first, second = self._plainly(name), self._plainly(inner)
        if second is None and rest:
            second = self._plainly(f"{inner} {rest}")
        if first is not None and second is not None and first.node == second.node:
            return Leaf(first.node, Method.ALIAS, first.notes)
        if first is not None and second is None and self._is_family(inner, first):
            return first
        if second is not None and first is None and self._is_family(name, second):
            return second
        return None

    def _plainly(self, text: str) -> Leaf | None:
        leaf = self._by_page(page, text) if (page := url_key(text)) is not None else self.known(text)
        if leaf is None or leaf.node is None:
            leaf = self._by_pattern(text)
        return leaf if leaf is not None and leaf.node is not None else None

    def _is_family(self, name: str, leaf: Leaf) -> bool:
        """Whether a name without version is that of the family which the leaf belongs to."""
        if not isinstance(leaf.node, Term):
            return False
        key, short = name_key(name), leaf.node.id
        family = self.index.families.get(key)
        if family is not None and short.startswith(family.ids):
            return True
        return short in self.index.stems.get(key, ())

    def _by_pattern(self, text: str) -> Leaf | None:
        if len(text) > MAX_NAME:
            return None
        shorts = {short for pattern, short in self.index.patterns if pattern.fullmatch(text)}
        return self._leaf_of(shorts, text, Method.FAMILY) if shorts else None

    def _leaf_of(self, shorts: set[str], text: str, method: Method) -> Leaf:
        """Of one id; of an id and its "or later", the narrower one as a guess."""
        if len(shorts) == 1:
            return self._leaf(next(iter(shorts)), method)
        named = {str(self._leaf(short, method).node) for short in shorts}
        narrow = {short for short in named if not short.endswith("-or-later")}
        if len(narrow) == 1 and all(short.endswith("-or-later") for short in named - narrow):
            short = next(iter(narrow))
            note = LicenceNote(NoteCode.GUESS, f"{text[:MAX_SHOWN]!r} does not say whether later versions are allowed")
            return Leaf(node_of(short), method, (note,))
        return _unknown(text, UnknownCode.AMBIGUOUS, f"it may be {_listed(shorts)}")

    def _leaf(self, short: str, method: Method) -> Leaf:
        successor = self._rules.successors.get(short)
        if successor is None:
            return Leaf(Term(short), method)
        return Leaf(node_of(successor), method, (_deprecation(short, successor),))

    def _later(self, short: str, method: Method) -> Leaf:
        """ "Or any later version" of an id: an id of its own where the list has one, else "+"."""
        leaf = self._leaf(short, method)
        if not isinstance(leaf.node, Term) or leaf.node.exception is not None:
            return leaf
        licence = leaf.node.licence.removesuffix("-only").removesuffix("-or-later")
        later = self.index.ids.get(f"{licence}-or-later".lower())
        term = Term(later or f"{leaf.node.licence}+")
        if not leaf.notes:
            return Leaf(term, method)
        return Leaf(term, method, (_deprecation(f"{short}+", str(term)),))

    def _why_not(self, text: str) -> Leaf:
        key = name_key(text)
        why = self.index.values.get(key)
        if why is not None:
            return _unknown(text, UnknownCode.NO_LICENCE, why)
        family = self.index.families.get(key)
        if family is not None:
            return _unknown(text, UnknownCode.AMBIGUOUS, family.why)
        if not any(map(str.isalnum, text)):
            return _unknown(text, UnknownCode.NO_LICENCE, "there are no words")
        if not key or _POINTER.fullmatch(text):
            return _unknown(text, UnknownCode.POINTER, "it points to a text, which has to be read")
        shorts = self.index.stems.get(key)
        if shorts:
            return _unknown(text, UnknownCode.AMBIGUOUS, f"it names no version; the list has {_listed(shorts)}")
        if _LIKENESS.search(text):
            return _unknown(text, UnknownCode.NOT_LISTED, "it says that the licence is like another, not which it is")
        if self.index.exceptions.get(text.lower()):
            return _unknown(text, UnknownCode.EXCEPTION, "an exception is no licence without one that it is added to")
        return _unknown(text, UnknownCode.NOT_LISTED, "the list has no such licence")


def node_of(text: str) -> Node:
    """The tree of a canonical expression without parentheses, as the rules have them."""
    words = text.split()
    tokens: list[Token] = []
    for place, word in enumerate(words):
        if word == "AND" or word == "OR":
            tokens.append(word)
        elif word != "WITH" and words[place - 1] != "WITH":
            exception = words[place + 2] if words[place + 1 : place + 2] == ["WITH"] else None
            tokens.append(Term(word, exception))
    return tree_of(tokens)


def _deprecation(short: str, successor: str) -> LicenceNote:
    return LicenceNote(NoteCode.DEPRECATED, f"{short} is deprecated and read as {successor}")


def _document(prefix: str | None) -> str:
    return f"DocumentRef-{prefix[12:]}" if prefix else ""


def _unknown(text: str, code: UnknownCode, why: str) -> Leaf:
    return Leaf(None, Method.UNKNOWN, (), UnknownPart(text[:MAX_SHOWN], code, why))


def _listed(shorts: Iterable[str]) -> str:
    names = sorted(shorts)
    return ", ".join(names[:6]) + (" …" if len(names) > 6 else "")

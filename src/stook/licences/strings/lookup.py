"""One name, looked up: its place in an expression, or the reason why it has none."""

from __future__ import annotations

import re

import msgspec

from stook.licences.expression import Node, Term
from stook.licences.strings.additions import deprecation, document_prefix, listing
from stook.licences.strings.answer import MAX_SHOWN, LicenceNote, Method, NoteCode, UnknownCode, UnknownPart
from stook.licences.strings.index import NameIndex
from stook.licences.strings.names import name_key, url_key
from stook.licences.syntax import parse_expression

__all__ = ["Leaf", "Lookup"]

MAX_NAME = 250
"""Characters of a name that is compared by regular expressions; no licence has a longer one."""

_TAIL = r"[A-Za-z0-9.-]+"
_REF = re.compile(rf"(documentref-{_TAIL}:)?licenseref-({_TAIL})", re.IGNORECASE)
_ASIDE = re.compile(r"(?P<outer>[^([<]+)[([<](?P<inner>[^()\[\]<>]+)[)\]>](?P<rest>[^()\[\]<>]*)")
_ASIDE_PAGE = re.compile(r"(?P<outer>[^:]+?)[:,]? (?P<inner>https?://\S+)(?P<rest>)")
_ASIDE_SIGN = re.compile(r"[(<\[]|://")
_POINTER = re.compile(
    r"(?:please )?(?:see|refer to|read|check|file)\b"
    r"|\S*(?:licen[cs]e|copying|notice|copyright|readme)\S*\.(?:txt|md|rst|html?)$",
    re.IGNORECASE,
)
_LIKENESS = frozenset("style like type based derived derivative variant similar compatible".split())
# Sites whose addresses end in an id or a name.
_SITE = re.compile(
    r"(?:spdx\.org/licenses|opensource\.org/licenses?|choosealicense\.com/licenses|licenses\.nuget\.org"
    r"|gnu\.org/licenses(?:/old-licenses)?)/(?P<name>[^/]+?)(?:-standalone)?"
)
_CODE_HOST = re.compile(r"(?:github|gitlab|bitbucket|codeberg|raw\.githubusercontent)\.")
_NO_VERSIONS = "{!r} does not say whether later versions are allowed"
_MAX_WORDS = 20


class Leaf(msgspec.Struct, frozen=True, gc=False):
    """A name and what it is: a node, or what is unknown about it and the `pieces` that are known."""

    node: Node | None
    method: Method
    notes: tuple[LicenceNote, ...] = ()
    unknown: UnknownPart | None = None
    pieces: tuple[Node, ...] = ()


class Lookup:
    """Finds names in an index; asks exact names first, then keys, asides, expressions, and why there is none."""

    def __init__(self, index: NameIndex) -> None:
        self.index = index

    def known(self, text: str) -> Leaf | None:
        """A name that stands in the index as it is."""
        return self.by_id(text) or self._by_key(name_key(text), text)

    def by_id(self, text: str) -> Leaf | None:
        """An id of the list, also with "+", or a reference."""
        lower = text.lower()
        short = self.index.ids.get(lower)
        if short is not None:
            return self._leaf(short, Method.EXACT)
        if lower.endswith("+"):
            short = self.index.ids.get(lower[:-1])
            if short is not None:
                return self._later(short, Method.EXACT)
        return self._by_reference(text)

    def find(self, text: str) -> Leaf:
        """Any name; never fails. Remembers nothing, so that callers decide what they keep."""
        page = url_key(text) if text[:4].lower() == "http" else None
        if page is not None:
            return self._by_page(page, text)
        leaf = self.known(text)
        if leaf is not None:
            return leaf
        if len(text) > MAX_NAME:
            return _unknown(text, UnknownCode.NOT_LISTED, "no licence has such a long name")
        return self.by_aside(text) or self._by_pattern(text) or self._why_not(text, name_key(text))

    def _by_reference(self, text: str) -> Leaf | None:
        match = _REF.fullmatch(text) if text[:1] in "lLdD" else None
        if match is None:
            return None
        return Leaf(Term(f"{document_prefix(match[1])}LicenseRef-{match[2]}"), Method.EXACT)

    def _by_key(self, key: str, text: str) -> Leaf | None:
        shorts = self.index.keys.get(key)
        if shorts is not None:
            return self._leaf_of(shorts, text, Method.ALIAS)
        guess = self.index.guesses.get(key)
        if guess is not None:
            note = LicenceNote(NoteCode.GUESS, f"{text[:MAX_SHOWN]!r} most probably means {guess}")
            return Leaf(parse_expression(guess), Method.ALIAS, (note,))
        if key.endswith((" +", " only")):
            name, _, ending = key.rpartition(" ")
            shorts = self.index.keys.get(name)
            if shorts is not None and len(shorts) == 1:
                read = self._later if ending == "+" else self._leaf
                return read(next(iter(shorts)), Method.ALIAS)
        return None

    def _by_page(self, page: str, text: str) -> Leaf:
        shorts = self.index.pages.get(page)
        if shorts is not None:
            return self._on_page(self._leaf_of(shorts, text, Method.ALIAS), text)
        site = _SITE.fullmatch(page)
        if site is not None:
            return self._on_page(self.find(site["name"]), text)
        if _CODE_HOST.match(page):
            return _unknown(text, UnknownCode.POINTER, "it is the address of a file, which has to be read")
        return _unknown(text, UnknownCode.NOT_LISTED, "the list knows no such page")

    def _on_page(self, leaf: Leaf, text: str) -> Leaf:
        """What a page is about; the text of a GNU licence does not tell which versions are allowed."""
        if leaf.unknown is not None:
            return _unknown(text, leaf.unknown.code, leaf.unknown.why)
        notes = leaf.notes
        if isinstance(leaf.node, Term) and leaf.node.licence.endswith("-only") and "-only" not in text:
            notes = (LicenceNote(NoteCode.GUESS, _NO_VERSIONS.format(text[:MAX_SHOWN])),)
        return Leaf(leaf.node, Method.ALIAS, notes)

    def by_aside(self, text: str) -> Leaf | None:
        """A name with another in brackets: "GNU General Public License v2 (GPLv2)". Both must agree."""
        if not _ASIDE_SIGN.search(text):
            return None
        match = _ASIDE.fullmatch(text) or _ASIDE_PAGE.fullmatch(text)
        if match is None:
            return None
        outer, inner, rest = (part.strip(" ,") for part in match.group("outer", "inner", "rest"))
        name = f"{outer} {rest}".strip()
        first, second = self._certain(name), self._certain(inner)
        if second is None and rest:
            second = self._certain(f"{inner} {rest}")
        if first is not None and second is not None:
            return Leaf(first.node, Method.ALIAS, first.notes) if first.node == second.node else None
        if first is not None:
            return first if self._is_family(inner, first) else None
        return second if second is not None and self._is_family(name, second) else None

    def _certain(self, text: str) -> Leaf | None:
        """The leaf of a name or an address, if it has a node."""
        page = url_key(text)
        leaf = self._by_page(page, text) if page is not None else self.known(text) or self._by_pattern(text)
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
        shorts = {short for pattern, short in self.index.patterns if pattern.fullmatch(text)}
        return self._leaf_of(shorts, text, Method.FAMILY) if shorts else None

    def _leaf_of(self, shorts: set[str], text: str, method: Method) -> Leaf:
        """Of one id; of an id and variants of it ("-or-later", "-RFN"), the plain one as a guess."""
        if len(shorts) == 1:
            return self._leaf(next(iter(shorts)), method)
        named = {str(self._leaf(short, method).node) for short in shorts}
        plain = min(named, key=len)
        stem = plain.removesuffix("-only") + "-"
        if not all(short == plain or short.startswith(stem) for short in named):
            return _unknown(text, UnknownCode.AMBIGUOUS, f"it may be {listing(shorts)}")
        note = LicenceNote(NoteCode.GUESS, f"{text[:MAX_SHOWN]!r} may be {listing(named)}; the plainest is taken")
        return Leaf(parse_expression(plain), method, (note,))

    def _leaf(self, short: str, method: Method) -> Leaf:
        successor = self.index.successors.get(short)
        if successor is None:
            return Leaf(Term(short), method)
        return Leaf(parse_expression(successor), method, (deprecation(short, successor),))

    def _later(self, short: str, method: Method) -> Leaf:
        """The leaf of "or any later version" of an id: an id of its own where the list has one, else "+"."""
        leaf = self._leaf(short, method)
        if not isinstance(leaf.node, Term) or leaf.node.exception is not None:
            return leaf
        licence = leaf.node.licence.removesuffix("-only").removesuffix("-or-later")
        later = self.index.ids.get(f"{licence}-or-later".lower())
        term = Term(later or f"{leaf.node.licence}+")
        return Leaf(term, method, (deprecation(f"{short}+", str(term)),) if leaf.notes else ())

    def _why_not(self, text: str, key: str) -> Leaf:
        if (why := self.index.values.get(key)) is not None:
            return _unknown(text, UnknownCode.NO_LICENCE, why)
        if (family := self.index.families.get(key)) is not None:
            return _unknown(text, UnknownCode.AMBIGUOUS, family.why)
        if not key and not any(map(str.isalnum, text)):
            return _unknown(text, UnknownCode.NO_LICENCE, "there are no words")
        if not key or _POINTER.match(text):
            return _unknown(text, UnknownCode.POINTER, "it points to a text, which has to be read")
        if shorts := self.index.stems.get(key):
            return _unknown(text, UnknownCode.AMBIGUOUS, f"it names no version; the list has {listing(shorts)}")
        if text.lower() in self.index.exceptions:
            return _unknown(text, UnknownCode.EXCEPTION, "an exception is no licence without one that it is added to")
        if not _LIKENESS.isdisjoint(key.split()):
            return _unknown(text, UnknownCode.NOT_LISTED, "it says that the licence is like another, not which it is")
        leaf = self._side_by_side(text) if key.partition(" ")[0] in self.index.first_words else None
        return leaf or _unknown(text, UnknownCode.NOT_LISTED, "the list has no such licence")

    def _side_by_side(self, text: str) -> Leaf | None:
        """Names of which each is one word, with nothing between them."""
        words = text.split()
        if not 1 < len(words) <= _MAX_WORDS or not all(map(self._is_name, words)):
            return None
        part = UnknownPart(text, UnknownCode.OPERATOR, "no operator stands between the licences")
        leaves = [self.known(word) for word in words]
        nodes = tuple(leaf.node for leaf in leaves if leaf is not None and leaf.node is not None)
        return Leaf(None, Method.UNKNOWN, (), part, nodes)

    def _is_name(self, word: str) -> bool:
        """Whether a word is the name of a licence, or of a family of them."""
        key = name_key(word)
        return key in self.index.keys or key.removesuffix(" +") in self.index.keys or key in self.index.families


def _unknown(text: str, code: UnknownCode, why: str) -> Leaf:
    return Leaf(None, Method.UNKNOWN, (), UnknownPart(text[:MAX_SHOWN], code, why))

"""A small model of open elements: an upper bound for what a parser of HTML keeps open and repeats."""

from __future__ import annotations

__all__ = ["FORMATTING", "OpenElements"]

FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
# They end each other without an end tag, so they nest only where an element of another name is open.
_IMPLIED = frozenset(
    "html head body p li dt dd tr td th thead tbody tfoot caption colgroup option optgroup rp rt rb rtc".split()
)
# An end tag of another element does not reach beyond these ("special" in the HTML Standard, the implied ones aside).
_SPECIAL = frozenset(
    "address applet article aside blockquote button center details dialog dir div dl fieldset figcaption figure "
    "footer form frameset h1 h2 h3 h4 h5 h6 header hgroup iframe listing main marquee math menu nav noembed "
    "noframes noscript object ol plaintext pre script search section select style summary svg table template "
    "textarea title ul xmp".split()
)
# A formatting element opened on one side of these is not closed by an end tag on the other side.
_BORDERS = frozenset(
    "applet object marquee template table td th caption select svg math foreignobject desc title mi mo mn ms "
    "mtext annotation-xml".split()
)


class OpenElements:
    """Follows tags. `depth` elements are open; a parser may have created `repeated` ones; `steps` is our own work."""

    def __init__(self) -> None:
        self.repeated = 0
        self.steps = 0
        self._open: list[str] = []
        self._formatting: list[tuple[str, str, int]] = []  # name, whole tag, border it stands behind
        self._border = 0

    @property
    def depth(self) -> int:
        return len(self._open)

    def open(self, name: str, tag: str) -> None:
        self.repeated += 1 + len(self._formatting)
        if name in _BORDERS:
            self._border += 1
        if name in FORMATTING:
            self._open_formatting(name, tag)
        if name not in _VOID and name not in _IMPLIED:
            self._open.append(name)

    def close(self, name: str) -> None:
        if name in _BORDERS:
            self._border += 1
        if name in FORMATTING:
            self._close_formatting(name)
        for place in range(len(self._open) - 1, -1, -1):
            self.steps += 1
            if self._open[place] == name:
                del self._open[place:]
                return
            if self._open[place] in _SPECIAL:
                return

    def _open_formatting(self, name: str, tag: str) -> None:
        if name == "a":
            self._close_formatting(name)
        self.steps += len(self._formatting)
        # A parser keeps at most three equal ones (the "Noah's Ark clause").
        if sum(entry[1] == tag for entry in self._formatting) < 3:
            self._formatting.append((name, tag, self._border))

    def _close_formatting(self, name: str) -> None:
        for place in range(len(self._formatting) - 1, -1, -1):
            self.steps += 1
            entry = self._formatting[place]
            if entry[2] != self._border:
                return
            if entry[0] == name:
                del self._formatting[place]
                return

"""Scripts and style sheets: the strings and the prose in them."""

from __future__ import annotations

import json
import re

from stook.web.extract.security.prose import prose_in
from stook.web.extract.style.declaration import unescape

__all__ = ["json_strings", "script_text", "style_text"]

# https://html.spec.whatwg.org/#javascript-mime-type; an empty type and "module" are programs too.
_PROGRAM = re.compile(r"^(?:|module|(?:text|application)/(?:x-)?(?:java|ecma|j|live)script(?:1\.\d)?)$")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"?+', re.DOTALL)
_LETTERS = re.compile(r"[^\W\d_]{2}")
_CSS_SAID = re.compile(
    r"\"((?:[^\"\\\n]|\\.)*+)\"?+|'((?:[^'\\\n]|\\.)*+)'?+|/\*([^*]*+(?:\*(?!/)[^*]*+)*+)", re.DOTALL
)


def script_text(source: str, kind: str) -> str:
    """Return the text of a script element of this type: strings of JSON, all of a data block, prose of a program."""
    kind = kind.partition(";")[0].strip().lower()
    if "json" in kind or kind in ("importmap", "speculationrules"):
        return json_strings(source)
    return prose_in(source) if _PROGRAM.match(kind) else source


def json_strings(source: str) -> str:
    """Return the strings in JSON, names included, one a line. Broken JSON gives those that can be read."""
    return "\n".join(_decoded(body) for body in _STRING.findall(source) if _LETTERS.search(body))


def _decoded(body: str) -> str:
    if "\\" not in body:
        return body
    try:
        return str(json.loads(f'"{body}"', strict=False))
    except ValueError:
        return body


def style_text(css: str) -> str:
    """Return the strings and the comments of a style sheet that say something; strings may be painted by "content".

    Neighbouring strings stand in one line, as they are painted.
    """
    said: list[str] = []
    last = 0
    for found in _CSS_SAID.finditer(css):
        text = unescape(found[1] or found[2] or found[3] or "")
        if _LETTERS.search(text):
            said += ("" if said and not css[last : found.start()].strip() else "\n", text)
        last = found.end()
    return "".join(said).strip()

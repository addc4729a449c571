"""Licence texts: which files hold them, and what they are."""

from __future__ import annotations

import pytest

from stook.licences.texts import MAX_TEXT, TEXTS, TextMatch, files_of, identify, text_digest

MIT = """\
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""
ZLIB = """\
This software is provided 'as-is', without any express or implied warranty. In no event will the authors be held liable
for any damages arising from the use of this software.

Permission is granted to anyone to use this software for any purpose, including commercial applications, and to alter it
and redistribute it freely, subject to the following restrictions:

1. The origin of this software must not be misrepresented; you must not claim that you wrote the original software. If
you use this software in a product, an acknowledgment in the product documentation would be appreciated but is not
required.

2. Altered source versions must be plainly marked as such, and must not be misrepresented as being the original
software.

3. This notice may not be removed or altered from any source distribution.
"""


def test_a_published_text_is_known_at_once() -> None:
    """Title, copyright, case and line breaks do not matter for the words of a published text."""
    text = f"zlib License\n\nCopyright (c) 2021 Jane Doe\n\n{ZLIB}"
    assert identify(text) == (TextMatch("Zlib", 0, len(text)),)
    assert text_digest(text) == text_digest("ZLIB LICENSE\n" + ZLIB.replace("\n", " ").upper())


def test_other_texts_are_classified() -> None:
    """A text with words around it, and two texts in one file, are found where they stand."""
    pytest.importorskip("licenseclassifier", reason="the extra `licences` is not installed")
    found = identify(f"The example library\n\n{MIT}\n\nParts of it:\n\n{ZLIB}")
    assert [match.id for match in found] == ["MIT", "Zlib"]
    assert found[0].end <= found[1].start


@pytest.mark.parametrize(
    "text",
    [
        "",
        "../LICENSE-MIT",
        "This program is MIT licensed. See the file LICENSE for the whole text, which is not here.",
        MIT[: len(MIT) // 2] + "\n" + "Some words about something else. " * 60,
        "https://opensource.org/licenses/MIT",
        ZLIB * (MAX_TEXT // len(ZLIB) + 1),
        "\n" * MAX_TEXT,
    ],
    ids=["empty", "link", "mention", "mostly-prose", "address", "too-long", "blank"],
)
def test_what_is_no_licence_text_is_none(text: str) -> None:
    """A link, a mention, prose with a part of a licence, and texts beyond the limit are not identified."""
    assert identify(text) == ()


def test_texts_that_do_not_tell_later_versions_say_so() -> None:
    """Ids that share a text stand together, the plain one first."""
    lines = [line.split() for line in TEXTS.read_text(encoding="utf-8").splitlines()]
    assert [ids for _, *ids in lines if "GPL-3.0-only" in ids] == [["GPL-3.0-only", "GPL-3.0-or-later"]]
    assert len({digest for digest, *_ in lines}) == len(lines) > 600


def test_files_by_the_rules_of_the_package_site() -> None:
    """Fixed names in any case, in any folder but those inside of vendor."""
    chosen = [
        "LICENSE",
        "licence.md",
        "sub/COPYING.LESSER.txt",
        "LICENSE-MIT",
        "MIT_LICENSE",
        "Unlicense",
        "vendor/LICENSE",
    ]
    others = [
        "LICENSES",
        "LICENSE.html",
        "license.go",
        "vendor/a/LICENSE",
        "b/vendor/a/LICENSE",
        "LICENSE/readme",
        "NOTICE",
    ]
    assert files_of([*chosen, *others]) == chosen

"""Keys: one name in many spellings has one key, and different names have different ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.licences.rows import default_rows
from stook.licences.rules import default_rules
from stook.licences.strings.names import exception_key, later_as_plus, name_key, stem_of, url_key


@pytest.mark.parametrize(
    ("key", "names"),
    [
        (
            "apache 2",
            ["Apache-2.0", "Apache License, Version 2.0", "APACHE v2", "apache2", "the Apache License (v2.0.0)"],
        ),
        (
            "gpl 2 +",
            ["GPLv2+", "GNU General Public License v2 or later", "gpl-2.0-or-later", "GPL 2 or any later version"],
        ),
        ("lgpl 2.1", ["LGPLv2.1", "GNU Lesser General Public License 2.1", "LGPL-2.1"]),
        ("bsd 3 clause", ["BSD 3-Clause License", "BSD3CLAUSE", "bsd three clauses"]),
        ("cc by 4", ["CC-BY-4.0", "CC BY 4.0 International"]),
        ("mit / x 11", ["MIT/X11", "mit / x11 license"]),
        ("mit , isc", ["MIT, ISC"]),
        ("mit ?", ["MIT?"]),
    ],
)
def test_spellings_share_a_key(key: str, names: list[str]) -> None:
    """Case, punctuation, "the", "licence" and trailing ".0" do not matter; signs and other words do."""
    assert {name_key(name) for name in names} == {key}


def test_no_two_current_ids_share_a_key() -> None:
    """A key is as exact as an id: no two licences of the list that are not deprecated have one."""
    rules = default_rules()
    shorts = [row.name_short for row in default_rows() if row.name_short not in rules.successors]
    assert len({name_key(short) for short in shorts}) == len(shorts)


@given(st.text())
def test_a_key_is_its_own_key(text: str) -> None:
    """Keys are stable, for any text."""
    assert name_key(name_key(text)) == name_key(text)


def test_or_later_becomes_a_sign() -> None:
    """The words for later versions, and R's ">=", are no operators."""
    assert later_as_plus("(GPL-2.0 or later) and MIT") == "(GPL-2.0+) and MIT"
    assert later_as_plus("GPL v2 (or any later version)") == "GPL v2+"
    assert later_as_plus("LGPL (>= 2.1)") == "LGPL 2.1+"
    assert later_as_plus("GPL-2.0-or-later OR MIT") == "GPL-2.0-or-later OR MIT"


def test_exceptions_are_keyed_without_the_word() -> None:
    """The key of "Classpath exception" is "classpath"."""
    assert exception_key("Classpath exception") == exception_key("classpath-exceptions") == "classpath"


def test_stems_have_no_version() -> None:
    """The version goes, and what follows it; a key without a version stays."""
    assert [stem_of(key) for key in ("gpl 2 +", "gpl 2 only", "mpl 1.1", "mit", "x 11")] == [
        "gpl",
        "gpl",
        "mpl",
        "mit",
        "x",
    ]


def test_pages_without_what_does_not_tell_them_apart() -> None:
    """Scheme, www, language, ending and fragment go; other texts are no pages."""
    assert url_key("HTTPS://www.Apache.org/licenses/LICENSE-2.0.txt#a") == "apache.org/licenses/license-2.0"
    assert url_key("https://www.gnu.org/licenses/gpl-3.0.en.html") == "gnu.org/licenses/gpl-3.0"
    assert url_key("http://creativecommons.org/licenses/by/4.0/legalcode") == "creativecommons.org/licenses/by/4.0"
    assert url_key("MIT") is None

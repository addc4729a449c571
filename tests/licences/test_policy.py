"""Policies: branches of OR, all of AND, exceptions, later versions, and reasons."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stook.licences import Decision, Policy

POLICY = Policy(
    allow=["MIT", "apache-2.0", "BSD-3-Clause", "GPL-2.0 WITH Classpath-exception-2.0", "MPL-2.0", "LicenseRef-Ours"],
    deny=["AGPL-3.0-or-later", "GPL-3.0", "Apache-2.0 WITH LicenseRef-Bad".replace("LicenseRef", "AdditionRef")],
    exceptions={"grub": ["GPL-3.0-only"]},
)


@pytest.mark.parametrize(
    ("expression", "decision"),
    [
        ("MIT", Decision.ALLOWED),
        ("mit", Decision.ALLOWED),
        ("ISC", Decision.UNKNOWN),
        ("GPL-3.0-only", Decision.DENIED),
        ("GPL-3.0", Decision.DENIED),
        ("AGPL-3.0-only", Decision.DENIED),
        ("MIT OR GPL-3.0-only", Decision.ALLOWED),
        ("MIT AND GPL-3.0-only", Decision.DENIED),
        ("ISC OR GPL-3.0-only", Decision.UNKNOWN),
        ("ISC AND GPL-3.0-only", Decision.DENIED),
        ("ISC AND MIT", Decision.UNKNOWN),
        ("(ISC OR MIT) AND (GPL-3.0-only OR BSD-3-Clause)", Decision.ALLOWED),
        ("Apache-2.0 WITH LLVM-exception", Decision.ALLOWED),
        ("Apache-2.0 WITH AdditionRef-Bad", Decision.DENIED),
        ("GPL-2.0-only WITH Classpath-exception-2.0", Decision.ALLOWED),
        ("GPL-2.0-with-classpath-exception", Decision.ALLOWED),
        ("GPL-2.0-or-later WITH Classpath-exception-2.0", Decision.ALLOWED),
        ("GPL-2.0-only", Decision.UNKNOWN),
        ("GPL-3.0-only WITH GCC-exception-3.1", Decision.DENIED),
        ("MPL-1.1+", Decision.ALLOWED),
        ("MPL-1.1", Decision.UNKNOWN),
        ("GPL-2.0+", Decision.UNKNOWN),
        ("LicenseRef-Ours", Decision.ALLOWED),
        ("LicenseRef-Theirs", Decision.UNKNOWN),
        ("MIT OR", Decision.UNKNOWN),
        (None, Decision.UNKNOWN),
    ],
)
def test_decisions(expression: str | None, decision: Decision) -> None:
    """OR takes its best branch, AND its worst; WITH is looked for as it stands, then without."""
    assert POLICY.verdict(expression).decision is decision


def test_reasons_name_what_decided() -> None:
    """A reason names the licence that allows, denies, or is not spoken of."""
    assert POLICY.verdict("ISC OR MIT").why == "MIT is allowed"
    assert POLICY.verdict("MIT AND GPL-3.0-only").why == "GPL-3.0-only is denied"
    assert POLICY.verdict("ISC AND Zlib").why == "ISC is neither allowed nor denied; Zlib is neither allowed nor denied"
    assert "is no SPDX expression" in POLICY.verdict("MIT/ISC").why


def test_exceptions_are_for_one_package() -> None:
    """What one package may have stays denied to others."""
    assert POLICY.verdict("GPL-3.0-only", package="grub").decision is Decision.ALLOWED
    assert POLICY.verdict("GPL-3.0-only", package="other").decision is Decision.DENIED


def test_denied_wins_over_allowed() -> None:
    """A licence in both lists is denied."""
    assert Policy(allow=["MIT"], deny=["mit"]).verdict("MIT").decision is Decision.DENIED


def test_later_versions() -> None:
    """An "or later" of a policy covers later versions, and only those."""
    policy = Policy(allow=["LGPL-2.1-or-later"])
    found = [
        policy.verdict(f"LGPL-{version}").decision for version in ("2.0-only", "2.1-only", "3.0-only", "3.0-or-later")
    ]
    assert found == [Decision.UNKNOWN, Decision.ALLOWED, Decision.ALLOWED, Decision.ALLOWED]


@pytest.mark.parametrize("entry", ["MIT OR ISC", "MIT/ISC", "", "GPL (>= 2)"])
def test_what_is_no_licence_is_refused(entry: str) -> None:
    """A policy with a broken entry is not silently weaker."""
    with pytest.raises(ValueError, match="policy"):
        Policy(allow=[entry])


TERMS = st.sampled_from(["MIT", "GPL-3.0-only", "ISC"])


@given(
    st.recursive(
        TERMS,
        lambda inner: st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
    )
)
def test_three_valued_logic(expression: str) -> None:
    """Verdicts are those of Kleene's logic, which Python computes with min and max."""
    values = {"MIT": 2, "ISC": 1, "GPL": 0}
    order = [Decision.DENIED, Decision.UNKNOWN, Decision.ALLOWED]

    def value(words: list[str]) -> int:
        word = words.pop(0)
        if word != "(":
            return values[word.partition("-")[0]]
        left, operator, right = value(words), words.pop(0), value(words)
        assert words.pop(0) == ")"
        return min(left, right) if operator == "AND" else max(left, right)

    expected = order[value(expression.replace("(", "( ").replace(")", " )").split())]
    assert POLICY.verdict(expression).decision is expected

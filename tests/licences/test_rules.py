"""The rules speak of ids that exist, and agree with the list."""

from __future__ import annotations

from stook.licences import Normaliser, default_rows
from stook.licences.expression import terms_of
from stook.licences.rules import default_rules
from stook.licences.syntax import parse_expression

RULES = default_rules()
SHORTS = {row.name_short for row in default_rows()}


def test_all_ids_are_of_the_list() -> None:
    """No alias, guess, expression or successor leads to an id that is not there, or is deprecated."""
    texts = [*RULES.successors.values(), *RULES.guesses, *RULES.aliases, *RULES.regexes]
    named = {part for text in texts for term in terms_of(parse_expression(text)) for part in (term.id, term.exception)}
    assert named - {None} <= SHORTS - RULES.successors.keys()
    assert RULES.successors.keys() <= SHORTS
    assert RULES.exceptions.ids | RULES.exceptions.licences <= SHORTS


def test_families_have_members() -> None:
    """Each beginning that a family names is that of some id."""
    beginnings = {one for family in RULES.families for one in family.ids}
    assert [one for one in beginnings if not any(short.startswith(one) for short in SHORTS)] == ["EDL"]


def test_every_alias_means_its_id(normaliser: Normaliser) -> None:
    """No alias is lost to another row, to a family, or to cutting."""
    licences = {short: names for short, names in RULES.aliases.items() if not RULES.is_exception(short)}
    wrong = [
        (name, normaliser.normalise(name).expression)
        for short, names in licences.items()
        for name in names
        if normaliser.normalise(name).expression != short
    ]
    assert wrong == []


def test_values_and_families_are_unknown(normaliser: Normaliser) -> None:
    """No name that is listed as ambiguous or as no licence has an expression."""
    names = [name for group in (*RULES.families, *RULES.values) for name in group.names]
    assert [name for name in names if normaliser.normalise(name).expression is not None] == []

"""Values in one shape."""

from __future__ import annotations

from stook.datasets.model.values import as_list, normalise_keys


def test_as_list() -> None:
    """A list stays the same object, None is empty, anything else is one element."""
    things = [1]
    assert as_list(things) is things
    assert as_list(None) == []
    assert as_list({"a": 1}) == [{"a": 1}]
    assert as_list("ab") == ["ab"]


def test_normalise_keys() -> None:
    """Text keys at every level change, other keys and all values stay."""
    value = {"A": [{"B": "C"}, 1, None], 2: {"D": []}}
    assert normalise_keys(value) == {"a": [{"b": "C"}, 1, None], 2: {"d": []}}
    assert normalise_keys(value, lambda key: f":{key}") == {":A": [{":B": "C"}, 1, None], 2: {":D": []}}
    assert normalise_keys("A") == "A"

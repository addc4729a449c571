"""References find their flavour, and no flavour is loaded for that."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from stook.datasets.iana.flavour import IanaFlavour
from stook.datasets.processor import Processor
from stook.datasets.registry import FlavourRegistry, find_processors
from stook.engine.errors import UserError


def processor(name: str, prefix: str, *more: str) -> Processor:
    return Processor(name, prefix, re.compile(r"never"), (f"{name}-set",), IanaFlavour, lambda docid: None, more)


LAZY = """
import sys
from stook.datasets.registry import FlavourRegistry
registry = FlavourRegistry()
assert registry.by_reference("IANA tls").name == "iana"
assert registry.by_dataset("xep-xmpp").name == "xsf"
loaded = [name for name in sys.modules if name.endswith(".flavour") and name != "stook.datasets.flavour"]
assert loaded == [], loaded
registry.get("iana").grammar_hash()
assert "stook.datasets.iana.flavour" in sys.modules
assert "stook.datasets.xsf.flavour" not in sys.modules
"""


def test_routing_loads_no_flavour() -> None:
    """Seen from a new process: a flavour is imported when it is used, and only that one."""
    import stook

    environment = {"PYTHONPATH": str(Path(stook.__file__).parents[1])}
    subprocess.run([sys.executable, "-c", LAZY], check=True, env=environment)


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("IANA tls", "iana"),
        ("iana tls", "iana"),
        ("urn:iana:tls", "iana"),
        ("IANA(tls)", "iana"),
        ("IANA(XEP 0001)", "xsf"),
        ("XEP-0001", "xsf"),
        ("XSF XEP 0001", "xsf"),
        ("rfc 9110", "ietf"),
        ("RFC9110", "ietf"),
        ("BCP-14", "ietf"),
        ("IANAX 1", None),
        ("ISO 1", None),
        ("", None),
    ],
)
def test_by_reference(reference: str, name: str | None) -> None:
    """The prefix decides, as a whole word; a wrapper is looked into first."""
    found = FlavourRegistry().by_reference(reference)
    assert (found.name if found else None) == name


def test_owners_in_order() -> None:
    """A prefix of several flavours names them all, the first one answers."""
    registry = FlavourRegistry([processor("iec", "IEC", "ISO/IEC"), processor("iso", "ISO", "ISO/IEC")])
    assert [one.name for one in registry.owners(" iso/iec ")] == ["iec", "iso"]
    assert [one.name for one in registry.owners("ISO")] == ["iso"]
    assert registry.by_type("iso") is registry.get("iso")
    assert registry.by_dataset("iso-set") is registry.get("iso")
    assert registry.by_type("none") is None
    assert registry.by_dataset("none") is None


def test_names() -> None:
    """An unknown name tells the known ones; one name for two is a mistake of the program."""
    with pytest.raises(UserError, match="iana, ietf, xsf"):
        FlavourRegistry().get("nope")
    with pytest.raises(ValueError, match="one name"):
        FlavourRegistry([processor("a", "A"), processor("a", "B")])


@pytest.mark.parametrize("one", find_processors(), ids=lambda one: one.name)
def test_every_flavour_keeps_the_contract(one: Processor) -> None:
    """Processor and flavour agree on their name, and every identifier that is parsed has a number."""
    flavour = one.load()
    assert flavour.name == one.name
    assert flavour.version >= 1
    assert flavour.default_source.endswith("/")
    assert flavour.required
    assert len(one.grammar_hash()) == 32
    assert flavour.identify("") is None

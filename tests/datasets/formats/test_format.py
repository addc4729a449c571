"""A record is the same record in every format."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stook.datasets.formats import Format, render
from stook.datasets.formats.yaml import load_yaml
from stook.datasets.model.bibitem import (
    Bibitem,
    Contributor,
    DocumentDate,
    DocumentIdentifier,
    LocalizedText,
    Organization,
    Person,
    PersonName,
    Relation,
    Role,
    SourceLink,
    item_from,
    item_id,
)
from stook.engine.errors import Malformed

ITEM = Bibitem(
    id="IANAtls/ciphers",
    type="standard",
    title=(LocalizedText(language="en", script="Latn", content="Ciphers & <co>"),),
    source=(SourceLink("src", "https://registries.test/tls?a=1&b=2"),),
    docidentifier=(DocumentIdentifier("IANA tls/ciphers", "IANA", True), DocumentIdentifier("10.1/x", "DOI")),
    docnumber="tls/ciphers",
    date=(DocumentDate("created", "2001-02"), DocumentDate("published", "2002-03-04")),
    contributor=(
        Contributor((Role("publisher"),), organization=Organization((LocalizedText(content="A Body"),))),
        Contributor((Role("editor"),), person=Person(name=PersonName(completename=LocalizedText(content="Ö. Person")))),
    ),
    abstract=(LocalizedText(content="<p>First.</p><p>Second.</p>"),),
    relation=(Relation("updates", Bibitem(formattedref=LocalizedText(content="RFC1"))),),
)


def test_yaml_and_json_hold_the_same_fields() -> None:
    """Both read back as the record; empty fields are in neither."""
    for form, read in ((Format.YAML, load_yaml), (Format.JSON, json.loads)):
        fields = read(render(ITEM, form))
        assert item_from(fields) == ITEM
        assert "keyword" not in fields


def test_xml_is_bibdata() -> None:
    """Relaton's elements, with text escaped."""
    root = ElementTree.fromstring(render(ITEM, Format.XML))
    assert root.tag == "bibdata"
    assert root.findtext("title") == "Ciphers & <co>"
    assert [(one.get("type"), one.findtext("on")) for one in root.findall("date")] == [
        ("created", "2001-02"),
        ("published", "2002-03-04"),
    ]
    assert root.findtext("contributor/person/name/completename") == "Ö. Person"
    assert root.findtext("relation/bibitem/formattedref") == "RFC1"
    assert root.find("docidentifier[@primary='true']") is not None


def test_bibxml_is_a_reference() -> None:
    """The people come before the publisher, the date is the publication's, and the anchor is an XML name."""
    root = ElementTree.fromstring(render(ITEM, Format.BIBXML))
    assert (root.tag, root.get("anchor")) == ("reference", "IANA.tls.ciphers")
    assert [one.attrib for one in root.iter("author")] == [{"fullname": "Ö. Person", "role": "editor"}]
    date = root.find("front/date")
    assert date is not None
    assert date.attrib == {"year": "2002", "month": "March", "day": "4"}
    assert [one.text for one in root.iter("t")] == ["First.", "Second."]
    assert [one.attrib for one in root.iter("seriesInfo")] == [
        {"name": "IANA", "value": "tls/ciphers"},
        {"name": "DOI", "value": "10.1/x"},
    ]


@given(st.text(st.characters()), st.sampled_from(Format))
@example("\ud800", Format.JSON)
@example("\ud800", Format.YAML)
@example("\x00\ufffe", Format.XML)
def test_any_text_gives_a_document_that_can_be_read(text: str, form: Format) -> None:
    """Control characters, quotes and surrogates never break a file."""
    item = Bibitem(
        id=text,
        title=(LocalizedText(content=text, language=text),),
        docidentifier=(DocumentIdentifier(text, text),),
        date=(DocumentDate("published", text),),
        source=(SourceLink("src", text),),
    )
    try:
        data = render(item, form)
    except Malformed:
        assert form in (Format.JSON, Format.YAML)
        assert any("\ud800" <= char <= "\udfff" for char in text)
        return
    if form in (Format.XML, Format.BIBXML):
        ElementTree.fromstring(data)
    elif form is Format.YAML:
        load_yaml(data)
    else:
        json.loads(data)


@pytest.mark.parametrize(
    "fields", [None, [], {"title": "x"}, {"title": [{"content": 5}]}, {"relation": [{"type": "a"}]}]
)
def test_what_is_no_item_is_refused(fields: object) -> None:
    """The error says where the wrong value stands."""
    with pytest.raises(Malformed, match="no bibliographic item"):
        item_from(fields)


@pytest.mark.parametrize(
    ("docid", "expected"),
    [
        ("IANA rpki/signed-objects", "IANArpkisignedobjects"),
        ("IANA _6lowpan-x", "IANA_6lowpanx"),
        ("XEP 0001", "XEP0001"),
    ],
)
def test_item_id(docid: str, expected: str) -> None:
    """The `id` is the one that Relaton gives."""
    assert item_id(docid) == expected


def test_bibxml_shares_the_extension_of_xml() -> None:
    """Both are XML files."""
    assert [form.extension for form in Format] == ["yaml", "xml", "xml", "json"]

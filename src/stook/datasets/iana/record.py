"""The bibliographic record of one registry."""

from __future__ import annotations

from stook.datasets.iana.registries import IanaRegistry
from stook.datasets.model.bibitem import (
    SCHEMA_VERSION,
    Bibitem,
    Contributor,
    DocumentIdentifier,
    LocalizedText,
    Organization,
    Role,
    SourceLink,
    item_id,
)

__all__ = ["registry_record"]

_PUBLISHER = Contributor(
    role=(Role("publisher"),),
    organization=Organization(
        name=(LocalizedText(content="Internet Assigned Numbers Authority"),), abbreviation=LocalizedText(content="IANA")
    ),
)


def registry_record(registry: IanaRegistry) -> Bibitem:
    """Identifier `IANA id`; the page is the one of the file's root, on which its children stand too."""
    docid = f"IANA {registry.docnumber}"
    return Bibitem(
        id=item_id(docid),
        schema_version=SCHEMA_VERSION,
        type="standard",
        title=(LocalizedText(language="en", script="Latn", content=registry.title),),
        source=(SourceLink("src", f"https://www.iana.org/assignments/{registry.root}"),),
        docidentifier=(DocumentIdentifier(docid, "IANA", primary=True),),
        docnumber=registry.docnumber,
        date=registry.dates,
        contributor=(_PUBLISHER,),
        language=("en",),
        script=("Latn",),
    )

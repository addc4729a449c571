"""Bills of materials in: CycloneDX and SPDX."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stook.advisories.formats import read_cyclonedx, read_spdx
from stook.engine.errors import Malformed

from ..records import crate, module  # noqa: TID252


def cyclonedx(*components: Any, version: str = "1.6") -> bytes:
    return json.dumps({"bomFormat": "CycloneDX", "specVersion": version, "components": list(components)}).encode()


def component(purl: str | None, name: str = "x", **more: Any) -> dict[str, Any]:
    return {"type": "library", "name": name, **({"purl": purl} if purl else {}), **more}


@pytest.mark.parametrize("version", ["1.4", "1.5", "1.6"])
def test_cyclonedx(version: str) -> None:
    """Components with a purl, nested ones, too; the rest is named with the reason."""
    inventory = read_cyclonedx(
        cyclonedx(
            component("pkg:cargo/oar@1.0.0", components=[component("pkg:golang/example.com/mast@v1.0.0")]),
            component("pkg:cargo/hull?x=y", "hull", version="2.0.0"),
            component("pkg:cargo/boat@0.1.0?download_url=file://."),
            component(None, "glibc", version=None),
            component("pkg:npm/a@1.0.0", "a"),
            component("pkg:cargo/keel", "keel"),
            component("nonsense", "sail"),
            version=version,
        )
    )
    assert list(inventory.checked()) == [
        crate("oar", "1.0.0"),
        module("example.com/mast", "v1.0.0"),
        crate("hull", "2.0.0"),
    ]
    assert [one.package.name for one in inventory.packages if one.other_source] == ["boat"]
    assert [one.name for one in inventory.unlisted] == ["glibc", "a", "keel", "sail"]


@pytest.mark.parametrize(
    "data",
    [
        cyclonedx(version="1.0"),
        b'{"bomFormat": "SPDX", "specVersion": "1.6"}',
        b"{}",
        b"<bom/>",
        b'{"bomFormat": "CycloneDX", "specVersion": "1.6", "components": ' + b'[{"components":' * 50_000,
        cyclonedx(1),
        b"[" * 2_000_001,
    ],
)
def test_no_cyclonedx(data: bytes) -> None:
    """Other documents, other versions, and nesting without end are errors."""
    with pytest.raises(Malformed):
        read_cyclonedx(data)


def package(id: str, purl: str | None, **more: Any) -> dict[str, Any]:
    links = (
        [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}] if purl else []
    )
    return {"SPDXID": id, "name": id, "externalRefs": links, **more}


def spdx(*packages: Any, **more: Any) -> bytes:
    return json.dumps({"spdxVersion": "SPDX-2.3", "packages": list(packages), **more}).encode()


@pytest.mark.parametrize(
    "about",
    [
        {"documentDescribes": ["SPDXRef-boat"]},
        {
            "relationships": [
                {
                    "spdxElementId": "SPDXRef-DOCUMENT",
                    "relationshipType": "DESCRIBES",
                    "relatedSpdxElement": "SPDXRef-boat",
                }
            ]
        },
    ],
)
def test_spdx(about: dict[str, Any]) -> None:
    """Packages with a purl, but not the one that the document is about."""
    inventory = read_spdx(
        spdx(
            package("SPDXRef-boat", "pkg:cargo/boat@0.1.0"),
            package("SPDXRef-oar", "pkg:cargo/oar@1.0.0"),
            package("SPDXRef-mast", "pkg:golang/example.com/mast", versionInfo="v1.0.0"),
            package("SPDXRef-glibc", None),
            **about,
        )
    )
    assert list(inventory.checked()) == [crate("oar", "1.0.0"), module("example.com/mast", "v1.0.0")]
    assert [one.name for one in inventory.unlisted] == ["SPDXRef-boat", "SPDXRef-glibc"]


def test_a_document_about_all_its_packages() -> None:
    """Then they are a list, and looked up."""
    inventory = read_spdx(spdx(package("SPDXRef-oar", "pkg:cargo/oar@1.0.0"), documentDescribes=["SPDXRef-oar"]))
    assert list(inventory.checked()) == [crate("oar", "1.0.0")]


@pytest.mark.parametrize("data", [b'{"spdxVersion": "SPDX-3.0"}', b"{}", b"SPDXVersion: SPDX-2.3"])
def test_no_spdx(data: bytes) -> None:
    """Other versions and other encodings are errors."""
    with pytest.raises(Malformed):
        read_spdx(data)

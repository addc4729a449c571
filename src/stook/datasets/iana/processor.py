"""IANA's entry in the registry of flavours."""

from __future__ import annotations

import re

from stook.datasets.flavour import Flavour
from stook.datasets.iana.identifier import identify_registry
from stook.datasets.processor import Processor

__all__ = ["PROCESSOR"]


def _load() -> Flavour:
    from stook.datasets.iana.flavour import IanaFlavour  # noqa: PLC0415  routing a reference loads no flavour

    return IanaFlavour()


PROCESSOR = Processor(
    name="iana",
    prefix="IANA",
    reference=re.compile(r"IANA\s"),
    datasets=("iana-registries",),
    load=_load,
    identify=identify_registry,
)

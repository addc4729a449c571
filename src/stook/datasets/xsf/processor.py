"""XSF's entry in the registry of flavours."""

from __future__ import annotations

import re

from stook.datasets.flavour import Flavour
from stook.datasets.processor import Processor
from stook.datasets.xsf.identifier import identify_xep

__all__ = ["PROCESSOR"]


def _load() -> Flavour:
    from stook.datasets.xsf.flavour import XsfFlavour  # noqa: PLC0415  routing a reference loads no flavour

    return XsfFlavour()


PROCESSOR = Processor(
    name="xsf",
    prefix="XEP",
    reference=re.compile(r"XSF\s|XEP[\s-]"),
    datasets=("xep-xmpp",),
    load=_load,
    identify=identify_xep,
    more_prefixes=("XSF",),
)

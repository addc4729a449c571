"""The entry of the RFC series in the registry of flavours."""

from __future__ import annotations

import re

from stook.datasets.flavour import Flavour
from stook.datasets.ietf.identifier import identify_rfc
from stook.datasets.processor import Processor

__all__ = ["PROCESSOR"]


def _load() -> Flavour:
    from stook.datasets.ietf.flavour import IetfFlavour  # noqa: PLC0415  routing a reference loads no flavour

    return IetfFlavour()


PROCESSOR = Processor(
    name="ietf",
    prefix="IETF",
    reference=re.compile(r"(?:RFC|BCP|FYI|STD)[\s-]*[0-9]"),
    datasets=("ietf-rfc-entries", "ietf-rfcsubseries"),
    load=_load,
    identify=identify_rfc,
    more_prefixes=("RFC", "BCP", "FYI", "STD"),
)

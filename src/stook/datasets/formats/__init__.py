"""How a record is written: yaml, xml, bibxml and json."""

from stook.datasets.formats.format import Format, render

__all__ = ["Format", "render"]

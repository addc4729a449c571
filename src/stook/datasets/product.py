"""The product catalogues of standards bodies: commands alone, as a catalogue is read in one go, without a queue."""

from __future__ import annotations

from stook.run.product import LazyCommand, NoSettings, Product

__all__ = ["PRODUCT"]


PRODUCT = Product(
    name="datasets",
    title="Catalogues of standards bodies",
    settings=NoSettings,
    queues=lambda: (),
    sources=lambda options, tasks, batch: (),
    commands={
        "data": LazyCommand(
            "stook.datasets.commands:data", "Catalogues of standards bodies: one file a record, in a folder."
        )
    },
)

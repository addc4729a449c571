"""The registries of one of IANA's XML files."""

from __future__ import annotations

from dataclasses import dataclass

from stook.datasets.formats.elements import XmlElement, read_elements
from stook.datasets.model.bibitem import DocumentDate

__all__ = ["IanaRegistry", "read_registries"]

_NAMESPACE = "{http://www.iana.org/assignments}"
_REGISTRY = f"{_NAMESPACE}registry"
_TITLE = f"{_NAMESPACE}title"
_DATES = tuple(f"{_NAMESPACE}{name}" for name in ("created", "published", "updated"))


@dataclass(frozen=True, slots=True)
class IanaRegistry:
    """A registry; `root` is the id of the file's own registry, `id` empty where the source has none."""

    root: str
    id: str
    title: str
    dates: tuple[DocumentDate, ...]
    is_child: bool

    @property
    def docnumber(self) -> str:
        """The id, behind the root's id and a slash for a child."""
        return f"{self.root}/{self.id}" if self.is_child else self.id


def read_registries(data: bytes) -> list[IanaRegistry] | None:
    """The file's registry and those directly in it; None if the root is something else. Raises Malformed."""
    root = read_elements(data, _is_wanted)
    if root.tag != _REGISTRY:
        return None
    own = _registry(root, root.attributes.get("id", "").strip(), (), is_child=False)
    children = (_registry(one, own.id, own.dates, is_child=True) for one in root.children(_REGISTRY))
    return [own, *children]


def _is_wanted(parent: XmlElement, tag: str) -> bool:
    """Titles, dates and registries of registries; of a title, all that is in it."""
    return parent.tag != _REGISTRY or tag in (_TITLE, _REGISTRY, *_DATES)


def _registry(element: XmlElement, root: str, inherited: tuple[DocumentDate, ...], *, is_child: bool) -> IanaRegistry:
    identifier = element.attributes.get("id", "").strip()
    dates = tuple(
        DocumentDate(one.tag.removeprefix(_NAMESPACE), one.text) for one in element.children(*_DATES) if one.text
    )
    title = element.child(_TITLE)
    name = title.raw_text if title is not None else ""  # blanks and all, as the published records have it
    return IanaRegistry(root, identifier, name if name.strip() else identifier, dates or inherited, is_child)

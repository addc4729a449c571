"""Finding products: those in this package by walking it, those of other packages by an entry-point group."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from stook.engine.errors import EnvironmentFault, FailureCode, UserError
from stook.run.product import Product
from stook.settings import Settings, load_settings, options
from stook.settings.model import CORE_SECTIONS

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["CORE_COMMANDS", "ENTRY_POINTS", "Catalogue", "Exclusion", "find_products", "product_named", "read_settings"]

ENTRY_POINTS = "stook.products"
CORE_COMMANDS: Final = ("demo", "feed", "guard", "queue", "settings", "show", "work")
"""The commands of `stook` that belong to no product."""

_HOME = Path(__file__).parents[1]
_NAME = re.compile(r"[a-z][a-z0-9]*")
_TAKEN = frozenset({*CORE_SECTIONS, "lane", "test", "engine", "registries", "stook"})
"""Names that stand for something else in the settings, the environment or the migrations."""

AnyProduct = Product[Any]


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A product of another package that is left out: its package, the name it announces, and why."""

    package: str
    name: str
    reason: str

    @property
    def sentence(self) -> str:
        return f"The product {self.name!r} of the package {self.package} is left out: {self.reason}."


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The products there are by name, Stook's own first, and those that are left out."""

    products: Mapping[str, AnyProduct]
    exclusions: Sequence[Exclusion] = ()

    @property
    def sections(self) -> dict[str, type]:
        """Each product's settings, by section."""
        return {name: product.settings for name, product in self.products.items()}

    @property
    def unread(self) -> frozenset[str]:
        """Sections of the settings that nobody reads, as their product is left out."""
        names = {exclusion.name for exclusion in self.exclusions if _NAME.fullmatch(exclusion.name)}
        return frozenset(names - _TAKEN - set(self.products))

    def excluded(self, name: str) -> Exclusion | None:
        """The reason why there is no product of that name, if there was one."""
        return next((exclusion for exclusion in self.exclusions if exclusion.name == name), None)


def find_products() -> Catalogue:
    """Every product. One that cannot be imported, or claims what is taken, is left out and does not stop the others."""
    return _find(tuple(sys.path))


def product_named(name: str) -> AnyProduct:
    """The product of that name. UserError names those there are; EnvironmentFault when it is left out."""
    catalogue = find_products()
    if name in catalogue.products:
        return catalogue.products[name]
    if exclusion := catalogue.excluded(name):
        raise EnvironmentFault(exclusion.sentence, FailureCode.INTERNAL)
    raise UserError(f"no product is called {name[:80]!r}; there are: {', '.join(sorted(catalogue.products))}")


def read_settings(environment: Mapping[str, str], cwd: Path, overrides: Mapping[str, object] | None = None) -> Settings:
    """The settings of a run, with a section for each product. UserError when something in them is wrong."""
    catalogue = find_products()
    return load_settings(environment, cwd, catalogue.sections, overrides, unread=catalogue.unread)


@lru_cache(maxsize=4)
def _find(path: tuple[str, ...]) -> Catalogue:
    """The products on this search path of modules."""
    products = {product.name: product for product in sorted(_own_products(), key=lambda product: product.name)}
    points = _entry_points() if any(map(_announces, path)) else []
    counts = Counter(point.name for point in points)
    exclusions = []
    for point in points:
        others = f"other packages announce {point.name!r} too" if counts[point.name] > 1 else ""
        product, reason = (None, others) if others else _admitted(point, products)
        if product is None:
            exclusions.append(Exclusion(_package(point), point.name, reason))
        else:
            products[product.name] = product
    return Catalogue(products, exclusions)


def _admitted(point: EntryPoint, others: Mapping[str, AnyProduct]) -> tuple[AnyProduct | None, str]:
    """The product that is announced, or why it is left out; whatever its code does, the others go on."""
    try:
        product = _load(point)
        product.settings()  # with its defaults
        reason = _objection(product, point.name, others)
    except Exception as error:
        return None, f"it cannot be loaded: {type(error).__name__}: {error}"[:300]
    return (None, reason) if reason else (product, "")


def _own_products() -> Iterator[AnyProduct]:
    """The PRODUCT of each module `product`, at most two folders down."""
    for file in [*_HOME.glob("*/product.py"), *_HOME.glob("*/*/product.py")]:
        module = import_module(".".join(("stook", *file.relative_to(_HOME).with_suffix("").parts)))
        if hasattr(module, "PRODUCT"):
            yield module.PRODUCT


def _announces(place: str) -> bool:
    """Whether a package in this folder of the path announces a product; whatever is no folder may hold one."""
    folder = Path(place or ".")
    if not folder.is_dir():
        return folder.exists()
    files = folder.glob("*-info/entry_points.txt")
    return any(f"[{ENTRY_POINTS}]" in file.read_text(encoding="utf-8", errors="replace") for file in files)


def _entry_points() -> list[EntryPoint]:
    from importlib.metadata import entry_points  # takes as long as all the rest of `--help`; few have plug-ins

    return sorted(entry_points(group=ENTRY_POINTS), key=lambda point: (_package(point), point.name))


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist else "unknown"


def _load(point: EntryPoint) -> AnyProduct:
    found = point.load()
    if not isinstance(found, Product):
        raise TypeError(f"{point.value} is {type(found).__name__}, not Product")
    return found


def _objection(product: AnyProduct, announced: str, others: Mapping[str, AnyProduct]) -> str:
    """Why a product of another package cannot stand beside the others; empty when it can."""
    if product.name != announced:
        return f"its entry point is called {announced!r}, but it calls itself {product.name!r}"
    if not _NAME.fullmatch(product.name):
        return f"{product.name[:80]!r} cannot be a product's name; use lower-case letters and digits"
    if product.name in _TAKEN or product.name in {option.key for option in options({})}:
        return f"{product.name!r} cannot be a product's name, as Stook uses it"
    if product.name in others:
        return f"{others[product.name].title} has that name already"
    taken = {*CORE_COMMANDS, *(command for other in others.values() for command in other.commands)}
    if clash := sorted(taken & set(product.commands)):
        return f"the command {clash[0]!r} is there already"
    return _clash_of_settings(product, others) or _foreign_script(product)


def _clash_of_settings(product: AnyProduct, others: Mapping[str, AnyProduct]) -> str:
    """Two keys may have one name in the environment: `a.b_c` and, in another section, `a_b.c`."""
    sections = {other.name: other.settings for other in others.values()}
    taken = {option.env for option in options(sections)}
    own = [option for option in options({product.name: product.settings}) if option.key.startswith(f"{product.name}.")]
    clash = next((option.env for option in own if option.env in taken), "")
    return f"the setting {clash} is there already" if clash else ""


def _foreign_script(product: AnyProduct) -> str:
    """Revisions are named after the product: so no branch can take another's place."""
    name = re.compile(rf"[0-9]{{4}}_{product.name}")
    for folder in product.migrations:
        stems = [file.stem for file in sorted(folder.glob("[0-9]*.py"))]
        if not stems:
            return f"there is no migration in {folder}"
        if foreign := [stem for stem in stems if not name.fullmatch(stem)]:
            return f"its migration {foreign[0]} must be called 0001_{product.name}, 0002_{product.name} …"
    return ""

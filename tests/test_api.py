"""The public interface: complete, consistent, light, and typed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from stook import api

TREE = ast.parse(Path(api.__file__).read_text(encoding="utf-8"))


def imported() -> dict[str, str]:
    """Each name that the type checker sees, with its module."""
    (block,) = (node for node in TREE.body if isinstance(node, ast.If))
    return {
        alias.name: node.module or "" for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }


def test_type_checkers_and_python_see_the_same() -> None:
    """Every public name is imported from the same module for the checker and at run time, and is announced."""
    homes = {name: module for module, names in api._HOMES.items() for name in names.split()}
    assert homes == imported()
    assert sorted(homes) == sorted(api.__all__)
    assert len(set(api.__all__)) == len(api.__all__)


@pytest.mark.parametrize("name", api.__all__)
def test_every_name_is_there(name: str) -> None:
    """Each public name can be had."""
    assert getattr(api, name) is not None


def test_what_is_not_there() -> None:
    """Other names are no attributes."""
    with pytest.raises(AttributeError, match=r"'stook\.api' has no attribute 'Nothing'"):
        _ = api.Nothing


def test_the_promise() -> None:
    """The module says what stability means."""
    assert "is stable" in (api.__doc__ or "")


def test_a_product_module_is_light() -> None:
    """To import a product's own parts imports neither database nor HTTP parts."""
    code = "import sys; from stook.api import LazyCommand, Product, Stage, setting, values; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"sqlalchemy", "aiohttp", "rich.console", "structlog", "msgspec"}

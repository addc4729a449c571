"""Products are found by walking, and by what other packages announce; none replaces or stops another."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from packages import install_product

import stook as package
from stook.cli.main import stook
from stook.engine.errors import EnvironmentFault, UserError
from stook.engine.ledger.migrate import ENGINE_MIGRATIONS, heads
from stook.run.build import open_ledger, queues_of, sources_of
from stook.run.product import Product
from stook.run.products import find_products, product_named, read_settings
from stook.settings import Settings

HEAD = """
from dataclasses import dataclass
from pathlib import Path
from stook.api import LazyCommand, NoSettings, Product, poll_queue, setting, values

@dataclass(frozen=True, kw_only=True)
class Section:
    {field}: str = setting("", values.text, "Something.")
"""
TOY = HEAD.format(field="colour") + 'PRODUCT = Product("{name}", "Toy", {settings}, lambda: (), lambda *_: (){more})\n'


def toy(name: str = "toy", settings: str = "NoSettings", more: str = "") -> str:
    """The code of a product."""
    return TOY.replace("{name}", name).replace("{settings}", settings).replace("{more}", more)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path for packages of other people."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return folder


def sentence() -> str:
    """Why the only product that is left out is left out."""
    (exclusion,) = find_products().exclusions
    return exclusion.sentence


def test_walked() -> None:
    """Each module `product` of this package is there under its own name, with a branch and commands of its own."""
    found = find_products().products
    home = Path(package.__file__).parent
    folders = {file.parent for depth in ("*", "*/*") for file in home.glob(f"{depth}/product.py")} - {home / "run"}
    assert len(found) == len(folders) > 1
    for name, product in found.items():
        assert product.name == name
        assert product.commands
        if product.migrations:
            assert all(file.stem.endswith(f"_{name}") for file in product.migrations[-1].glob("[0-9]*.py"))


def test_queues_are_not_shared() -> None:
    """No two products have a queue of the same name."""
    names = [queue.name for product in find_products().products.values() for queue in product.queues()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("product", find_products().products.values(), ids=lambda product: product.name)
def test_sources(product: Product[Any]) -> None:
    """A product's sources visit its queues, and every queue has a source; its stages are sources and lanes of it."""
    settings = Settings(products={product.name: product.settings()})
    sources = product.sources(product.options(settings), 3, 7)
    visited = [queue for source in sources for queue in source.queues]
    assert sorted(visited) == sorted({queue.name for queue in product.queues()})
    assert all(source.tasks >= 1 and source.batch >= 1 for source in sources)
    assert {stage.source for stage in product.stages} <= {source.name for source in sources}
    assert {stage.lane for stage in product.stages} <= set(settings.lane_names)


def test_announced(site: Path) -> None:
    """A package on the path that announces a product is found, and no other file knows of it."""
    install_product(site, "stook-toy-found", toy(), name="toy")
    assert product_named("toy").title == "Toy"
    assert find_products().exclusions == []


@pytest.mark.parametrize(
    ("name", "code", "reason"),
    [
        ("cargo", toy("cargo"), "crates.io has that name already"),
        ("other", toy("toy"), "its entry point is called 'other', but it calls itself 'toy'"),
        ("work", toy("work"), "'work' cannot be a product's name, as Stook uses it"),
        ("engine", toy("engine"), "'engine' cannot be a product's name, as Stook uses it"),
        ("db", toy("db"), "'db' cannot be a product's name, as Stook uses it"),
        ("a-b", toy("a-b"), "use lower-case letters and digits"),
        ("toy", toy(more=', commands={"go": LazyCommand("a:b", "c.")}'), "the command 'go' is there already"),
        ("toy", toy(more=', commands={"work": LazyCommand("a:b", "c.")}'), "the command 'work' is there already"),
        ("toy", toy(more=", migrations=(Path(__file__).parent,)"), "there is no migration in"),
        ("toy", "raise ZeroDivisionError('no')", "it cannot be loaded: ZeroDivisionError: no"),
        ("toy", "import nothing_of_that_name", "it cannot be loaded: ModuleNotFoundError"),
        ("toy", toy(settings="dict"), "it cannot be loaded: TypeError: must be called with a dataclass"),
        ("toy", toy(settings="LazyCommand"), "it cannot be loaded: TypeError"),
        ("toy", toy(more=', migrations=("steps",)'), "it cannot be loaded: AttributeError"),
        ("toy", "PRODUCT = 3", "it cannot be loaded: TypeError: stook_toy_bad:PRODUCT is int, not Product"),
    ],
)
def test_left_out(
    site: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, code: str, reason: str
) -> None:
    """What is broken, or claims what is taken, is left out by a sentence that names package and product."""
    sys.modules.pop("stook_toy_bad", None)
    install_product(site, "stook-toy-bad", code, name=name)
    assert reason in sentence()
    assert sentence().startswith(f"The product {name!r} of the package stook-toy-bad is left out: ")
    assert {"cargo", "go"} <= set(find_products().products)
    assert find_products().products["cargo"].title == "crates.io"


def test_a_setting_of_the_same_name(site: Path) -> None:
    """Two keys that would have one name in the environment are refused: nobody could tell whom it is for."""
    code = HEAD.format(field="allow_networks") + 'PRODUCT = Product("unsafe", "U", Section, lambda: (), lambda *_: ())'
    install_product(site, "stook-unsafe", code, name="unsafe")
    assert "the setting STOOK_UNSAFE_ALLOW_NETWORKS is there already" in sentence()


def test_a_script_of_another_branch(site: Path) -> None:
    """A migration that is not called like its product could take another branch's place, and is refused."""
    (site / "steps").mkdir()
    (site / "steps" / "0002_engine.py").write_text("")
    code = toy(more=', migrations=(Path(__file__).parent / "steps",)')
    install_product(site, "stook-toy-steps", code, name="toy")
    assert "its migration 0002_engine must be called 0001_toy" in sentence()


def test_two_packages_of_one_name(site: Path) -> None:
    """Neither of two packages that announce one name replaces the other: both are named and left out."""
    for number in "12":
        install_product(site, f"stook-toy-{number}", toy(), name="toy")
    found = find_products()
    assert [exclusion.package for exclusion in found.exclusions] == ["stook-toy-1", "stook-toy-2"]
    assert "toy" not in found.products


def test_asking_for_it(site: Path) -> None:
    """A product that is left out is no unknown name: whoever asks for it is told why, and its settings stop nobody."""
    sys.modules.pop("stook_toy_bad", None)
    install_product(site, "stook-toy-bad", "raise OSError('gone')", name="toy")
    with pytest.raises(EnvironmentFault, match="OSError: gone"):
        product_named("toy")
    with pytest.raises(UserError, match="no product is called 'toi'; there are: cargo, datasets, go"):
        product_named("toi")
    assert "toy" not in read_settings({"STOOK_TOY_COLOUR": "red"}, site).products


def test_commands_go_on(site: Path, tmp_path: Path) -> None:
    """A broken product is named on stderr by every command, ends with 3 when asked for, and stops no other."""
    sys.modules.pop("stook_toy_bad", None)
    install_product(site, "stook-toy-bad", "raise OSError('gone')", name="toy")
    database = f"sqlite:///{tmp_path / 'stook.db'}"
    run = CliRunner()
    assert run.invoke(stook, ["--db", database, "work", "go", "--once"]).exit_code == 0
    fine = run.invoke(stook, ["--db", database, "queue", "status", "--json"])
    assert (fine.exit_code, "stook-toy-bad" in fine.stderr) == (0, True)
    assert run.invoke(stook, ["--help"]).exit_code == 0
    for arguments in (["toy", "collect"], ["--db", database, "work", "toy"]):
        asked = run.invoke(stook, arguments)
        assert (asked.exit_code, "OSError: gone" in asked.stderr) == (3, True)


LATE = """
def broken(*_):
    raise OSError("gone")
"""


@pytest.mark.parametrize(
    ("code", "arguments", "reason"),
    [
        (
            toy(more=', commands={"toy": LazyCommand("nowhere.commands:toy", "Collect.")}'),
            ["toy"],
            "the command nowhere.commands:toy cannot be loaded",
        ),
        (LATE + toy().replace("lambda: ()", "broken"), ["work", "toy", "--once"], "the queues of toy cannot be made"),
        (
            LATE + toy().replace("lambda *_: ()", "broken"),
            ["work", "toy", "--once"],
            "the sources of toy cannot be made",
        ),
    ],
)
def test_broken_later(site: Path, tmp_path: Path, code: str, arguments: list[str], reason: str) -> None:
    """A product whose parts break when they are used ends its own commands with 3, and no other's."""
    sys.modules.pop("stook_toy_late", None)
    install_product(site, "stook-toy-late", code, name="toy")
    database = f"sqlite:///{tmp_path / 'stook.db'}"
    result = CliRunner().invoke(stook, ["--db", database, *arguments])
    assert (result.exit_code, reason in result.stderr) == (3, True), result.stderr
    for others in (["work", "go", "--once"], ["queue", "status", "--product", "go"]):
        assert CliRunner().invoke(stook, ["--db", database, *others]).exit_code == 0


def test_a_queue_of_the_same_name(site: Path, tmp_path: Path) -> None:
    """A product whose queue another has already is left out of the ledger, and the other keeps its queue."""
    install_product(
        site, "stook-toy-queue", toy().replace("lambda: ()", 'lambda: (poll_queue("go", "x"),)'), name="toy"
    )
    with open_ledger(read_settings({"STOOK_DB": f"sqlite:///{tmp_path / 'stook.db'}"}, tmp_path)) as ledger:
        assert ledger.queues["go"].kind == "version"


def test_a_newer_database(tmp_path: Path) -> None:
    """A database that a newer release has migrated ends every command with 3 and one sentence."""
    settings = read_settings({"STOOK_DB": f"sqlite:///{tmp_path / 'stook.db'}"}, tmp_path)
    (head,) = heads([ENGINE_MIGRATIONS])
    with open_ledger(settings) as ledger, ledger.transaction() as transaction:
        transaction.connection.exec_driver_sql(
            "UPDATE tb_schema_version SET version_num = '0999_engine' WHERE version_num = ?", (head,)
        )
    for arguments in (["queue", "status"], ["show", "go", "a"], ["work", "go", "--once"]):
        result = CliRunner().invoke(stook, ["--db", settings.db, *arguments])
        assert result.exit_code == 3
        assert "made by a newer release: its schema has 0999_engine" in result.stderr
        assert result.stderr.count("\n") == 1


def test_rooms_name_no_product() -> None:
    """The engine and the rooms that all products share know none of them; the demo's sample world is in `testing`."""
    home = Path(package.__file__).parent
    names = {"crates.io", "golang", "crate", *find_products().products} - {"go"}
    rooms = ("engine", "cli", "settings", "run", "terminal", "api.py")
    files = [
        file for room in rooms for file in ([home / room] if room.endswith(".py") else (home / room).rglob("*.py"))
    ]
    found = [(file.name, name) for file in files for name in names if name in file.read_text(encoding="utf-8").lower()]
    assert [one for one in found if one != ("demo.py", "crate")] == []


def test_finding_is_light() -> None:
    """To know all products, neither database, HTTP nor table parts are imported."""
    code = "import sys; from stook.run.products import find_products; find_products(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"sqlalchemy", "aiohttp", "rich.console", "structlog", "msgspec", "alembic"}


def test_wrapped_parts() -> None:
    """Parts of a product that work are given out as they are."""
    product = product_named("go")
    assert queues_of(product) is product.queues()
    settings = Settings(products={"go": product.settings()})
    assert [source.tasks for source in sources_of(product, settings, 5)][1] == 5

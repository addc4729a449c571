"""Settings: who wins, what is refused, what is shown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from stook import __version__
from stook.engine.errors import UserError
from stook.registries.cargo.settings import CargoSettings
from stook.registries.golang.settings import GoSettings
from stook.run.products import read_settings
from stook.settings import LaneRule, Settings, describe, load_settings, values
from stook.settings.option import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopSettings:
    """The section of a product that has a secret."""

    url: str = setting("https://shop.example", values.url, "Where it is.")
    gap: float = setting(2.0, values.gap, "Seconds between two request starts.")
    token: str = setting("", values.text, "A secret.", mask=lambda text: "***" if text else "")


SECRET_URL = "postgresql://stook:s3cr@t/x@db.example/stook?sslmode=require"


def settings_of(folder: Path, toml: str = "", **environment: str) -> Settings:
    """The settings that a file and an environment give."""
    if toml:
        (folder / "stook.toml").write_text(toml, encoding="utf-8")
    return read_settings({f"STOOK_{name}": value for name, value in environment.items()}, folder)


def cargo_of(settings: Settings) -> CargoSettings:
    return settings.section("cargo", CargoSettings)


def go_of(settings: Settings) -> GoSettings:
    return settings.section("go", GoSettings)


def refusal(folder: Path, toml: str = "", **environment: str) -> str:
    """The sentence with which a file or an environment is refused."""
    with pytest.raises(UserError) as caught:
        settings_of(folder, toml, **environment)
    return caught.value.reason


def test_defaults(tmp_path: Path) -> None:
    """Without anything said, the public services, their paces, and a file in the user's data folder hold."""
    found = settings_of(tmp_path)
    assert cargo_of(found).index_url == "https://index.crates.io"
    assert (cargo_of(found).index_gap, cargo_of(found).api_gap, cargo_of(found).api_age) == (0.1, 1.0, 24.0)
    assert (go_of(found).index_gap, go_of(found).proxy_gap, go_of(found).pkgsite_gap) == (0.25, 0.05, 0.1)
    assert (found.throttle.base, found.throttle.max, found.throttle.giveup) == (60, 900, 5)
    assert re.fullmatch(r"sqlite:////.*/stook/stook\.db", found.db)
    assert set(found.origins.values()) == {"default"}


def test_later_wins(tmp_path: Path) -> None:
    """A file wins over defaults, the environment over the file, an option over both; each is named as origin."""
    (tmp_path / "stook.toml").write_text('log = "info"\n[cargo]\nindex_gap = 1\napi_gap = 2\n', encoding="utf-8")
    found = read_settings({"STOOK_CARGO_API_GAP": "3", "STOOK_LOG": "error"}, tmp_path, {"log": "debug", "db": None})
    assert (cargo_of(found).index_gap, cargo_of(found).api_gap, found.log) == (1.0, 3.0, "debug")
    assert found.origins["cargo.index_gap"] == str(tmp_path / "stook.toml")
    assert found.origins["cargo.api_gap"] == "STOOK_CARGO_API_GAP"
    assert found.origins["log"] == "--log"


def test_user_file_only_without_one_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's stook.toml is read when the current folder has none, and not at all when it has one."""
    config = tmp_path / "config" / "stook"
    config.mkdir(parents=True)
    (config / "stook.toml").write_text('contact = "me@example.org"\nlog = "info"\n', encoding="utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert settings_of(tmp_path).contact == "me@example.org"
    here = settings_of(tmp_path, 'log = "error"')
    assert (here.log, here.contact) == ("error", "")


@pytest.mark.parametrize(
    ("toml", "near"),
    [
        ("[cargo]\nindex_gab = 1", "cargo.index_gap"),
        ('contakt = "a"', "contact"),
        ("[trottle]\nbase = 1", "throttle"),
        ('[lane."crates.io"]\ngup = 1', "gap"),
    ],
)
def test_unknown_key_in_file(tmp_path: Path, toml: str, near: str) -> None:
    """A key that is no setting is refused, with the nearest one and the file."""
    sentence = refusal(tmp_path, toml)
    assert near in sentence
    assert "stook.toml" in sentence


def test_unknown_environment(tmp_path: Path) -> None:
    """A STOOK_ name that is no setting is refused with the nearest one; those of the test suite pass."""
    assert "did you mean STOOK_CONTACT?" in refusal(tmp_path, CONTAKT="a@example.org")
    assert settings_of(tmp_path, TEST_REQUIRE="postgresql").contact == ""


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("CARGO_INDEX_GAP", "-1", "between 0 and 3600"),
        ("CARGO_INDEX_GAP", "nan", "between"),
        ("CARGO_INDEX_GAP", "", "must be a number"),
        ("CARGO_API_URL", "crates.io", "must be a URL"),
        ("CARGO_API_URL", "https://me:pw@crates.io", "no user name"),
        ("CARGO_API_URL", "https://crates.io:x", "is not a URL"),
        ("GO_FEED", "some", "one of default, all"),
        ("GO_CACHED_ONLY", "maybe", "true or false"),
        ("WORK_TASKS", "1.5", "whole number"),
        ("UNSAFE_ALLOW_NETWORKS", "10.0.0.1/8", "host bits"),
        ("CONTACT", "me (at) home", "without spaces"),
        ("CONTACT", "me\r\nX-Evil: 1", "one line"),
        ("DB", "oracle://db/x", "must begin with"),
        ("DB", "sqlite://stook.db", "three slashes"),
        ("THROTTLE_MAX", "1", "must not be shorter than base"),
    ],
)
def test_wrong_value(tmp_path: Path, name: str, value: str, complaint: str) -> None:
    """A value that cannot be is refused in one sentence that says what may be."""
    sentence = refusal(tmp_path, **{name: value})
    assert complaint in sentence
    assert "\n" not in sentence


def test_byte_order_mark(tmp_path: Path) -> None:
    """A file that begins with a byte order mark, as some editors write it, is read like any other."""
    assert settings_of(tmp_path, '\ufefflog = "info"\n').log == "info"


@pytest.mark.parametrize(
    "toml",
    ['[cargo]\nindex_gap = "fast"', "[cargo]\nindex_gap = true", "cargo = 1", 'log = ["info"]', "x = ", "lane = 1"],
)
def test_wrong_file(tmp_path: Path, toml: str) -> None:
    """A file that is no TOML, or says the wrong kind of thing, is refused by name."""
    assert "stook.toml" in refusal(tmp_path, toml)


def test_values_are_read(tmp_path: Path) -> None:
    """URLs lose their last slash, lists their doubles; networks and switches become what they are."""
    found = settings_of(
        tmp_path,
        '[cargo]\nseeds = ["serde", "rand"]\n[go]\ncached_only = false',
        CARGO_INDEX_URL="sparse+http://127.0.0.1:8080/crates-index/",
        CARGO_SEEDS="serde, rand,,serde",
        UNSAFE_ALLOW_NETWORKS="127.0.0.0/8, fd00::/8",
    )
    assert cargo_of(found).index_url == "http://127.0.0.1:8080/crates-index"
    assert cargo_of(found).seeds == ("serde", "rand")
    assert [str(one) for one in found.unsafe_allow_networks] == ["127.0.0.0/8", "fd00::/8"]
    assert go_of(found).cached_only is False


def test_user_agent(tmp_path: Path) -> None:
    """The User-Agent names version and contact, and is whole without a contact."""
    assert settings_of(tmp_path, CONTACT="me@example.org").user_agent == f"stook/{__version__} (+me@example.org)"
    assert settings_of(tmp_path).user_agent == f"stook/{__version__}"


def test_secrets_are_never_shown(tmp_path: Path) -> None:
    """Neither `repr`, nor the rows to print, nor a refusal contains a password or a token."""
    environment = {"STOOK_DB": SECRET_URL, "STOOK_SHOP_TOKEN": "ghp_s3cr"}
    found = load_settings(environment, tmp_path, {"shop": ShopSettings})
    assert found.section("shop", ShopSettings).token == "ghp_s3cr"
    assert found.db == SECRET_URL
    assert found.shown_db == "postgresql://stook:***@db.example/stook?sslmode=require"
    shown = [repr(found), repr(describe(found)), refusal(tmp_path, DB="postgres://me:s3cr@h/x")]
    assert not [text for text in shown if "s3cr" in text]


def test_lane_rules(tmp_path: Path) -> None:
    """A lane's table in the file wins over general settings of the file; a gap from the environment over both."""
    toml = (
        '[cargo]\napi_gap = 2\n[lane."Crates.io"]\ngap = 5\nthrottle_giveup = 2\n[lane."go.dev"]\nthrottle_base = 1\n'
    )
    found = settings_of(tmp_path, toml, GO_PROXY_GAP="0.5")
    assert found.lane("cargo.api") == found.lane("crates.io") == LaneRule(5.0, 60.0, 900.0, 2)
    assert found.lane("go.dev") == LaneRule(1.0, 1.0, 900.0, 5)
    assert found.lane_gap("go.proxy") == 0.5
    assert settings_of(tmp_path, CARGO_API_GAP="3").lane_gap("cargo.api") == 3.0


def test_lane_concurrency(tmp_path: Path) -> None:
    """A limit of requests under way is told for one host, is no limit by itself, and is never negative."""
    found = settings_of(tmp_path, '[lane."a.example"]\nconcurrency = 4\n')
    assert [found.lane(name).concurrency for name in ("a.example", "b.example", "cargo.api")] == [4, 0, 0]
    assert "concurrency" in refusal(tmp_path, '[lane."a.example"]\nconcurrency = -1\n')


def test_lanes_of_one_host(tmp_path: Path) -> None:
    """Where several of our lanes lead to one host, each keeps its gap, and the host alone the slowest."""
    mirror = "http://127.0.0.1:8080"
    found = settings_of(tmp_path, CARGO_INDEX_URL=f"{mirror}/index", CARGO_API_URL=f"{mirror}/api")
    assert (found.lane_gap("cargo.index"), found.lane_gap("cargo.api")) == (0.1, 1.0)
    assert found.lane_gap("127.0.0.1") == 1.0


def test_a_products_own_lane(tmp_path: Path) -> None:
    """A section's plain `gap` is the pace of the lane that is called like the product, and of its `url`'s host."""
    found = load_settings({"STOOK_SHOP_GAP": "0.5"}, tmp_path, {"shop": ShopSettings})
    assert found.lane_names == ("shop",)
    assert found.lane_gap("shop") == found.lane_gap("shop.example") == 0.5


def test_a_section_has_its_type(tmp_path: Path) -> None:
    """Asking for a section as another product's type is a mistake of the program, and said at once."""
    with pytest.raises(TypeError, match="section cargo holds CargoSettings, not GoSettings"):
        settings_of(tmp_path).section("cargo", GoSettings)


def test_sections_of_broken_products_are_unread(tmp_path: Path) -> None:
    """Settings of a product that is left out stop nobody; without it they would be unknown."""
    (tmp_path / "stook.toml").write_text("[shop]\ncolour = 1\n", encoding="utf-8")
    environment = {"STOOK_SHOP_SIZE": "2"}
    assert load_settings(environment, tmp_path, {}, unread=["shop"]).products == {}
    with pytest.raises(UserError, match="shop"):
        load_settings(environment, tmp_path, {})


def test_every_setting_is_described(tmp_path: Path) -> None:
    """Each setting has a key, an environment name of the same words, and a line of help that ends."""
    rows = describe(settings_of(tmp_path))
    assert len({row.key for row in rows}) == len(rows) > 20
    for row in rows:
        assert row.env == "STOOK_" + row.key.replace(".", "_").upper()
        assert row.help.endswith(".")
    tokens = {"cargo.api_token", "cargo.index_token", "go.index_token", "go.pkgsite_token", "go.proxy_token"}
    assert {row.key for row in rows if row.is_secret} == {"db", "http_proxy"} | tokens


def test_a_user_name_with_a_slash_hides_no_password() -> None:
    """Whatever the user name holds, what follows its colon up to the last @ is masked."""
    from stook.settings.values import mask_database

    assert mask_database("postgresql://team/me:se@cret@db/stook") == "postgresql://team/me:***@db/stook"

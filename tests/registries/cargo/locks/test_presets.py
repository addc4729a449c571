"""Projects known by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from stook.engine.errors import UserError
from stook.registries.cargo.locks import Preset, load_presets


def test_rhwp_comes_with_fourteen_tags() -> None:
    """The preset that ships names rhwp's repository and its fourteen tags, in order."""
    preset = load_presets()["rhwp"]
    assert preset.repository == "https://github.com/edwardkim/rhwp"
    assert len(preset.tags) == len(set(preset.tags)) == 14
    assert (preset.tags[0], preset.tags[-1]) == ("v0.2.1-ext", "v0.7.13")


def test_a_users_file_adds_and_replaces(tmp_path: Path) -> None:
    """A file of the user adds presets and may replace ours."""
    file = tmp_path / "mine.toml"
    text = '[mine]\nrepository = "../mine"\n[rhwp]\nrepository = "/fork"\ntags = ["v9"]\n'
    file.write_text(text, encoding="utf-8-sig")  # as some editors do
    presets = load_presets(file)
    assert presets == {"mine": Preset("../mine", ()), "rhwp": Preset("/fork", ("v9",))}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x = 1", "repository, tags and subdir"),
        ("[x]\nrepositry = 'a'", "repository, tags and subdir"),
        ("[x]\ntags = []", "needs a repository"),
        ("[x]\nrepository = 'a'\ntags = 'v1'", "list of texts"),
        ("[x", "not valid TOML"),
        (None, "cannot be read"),
    ],
)
def test_unusable_files_are_the_users_mistake(tmp_path: Path, text: str | None, reason: str) -> None:
    """A presets file that cannot be used is refused with what is wrong and where."""
    file = tmp_path / "mine.toml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(UserError, match=reason) as refusal:
        load_presets(file)
    assert "mine.toml" in refusal.value.reason

"""Real answers of the proxy, where STOOK_TEST_GO_RECORDINGS names a file of them: URL path to status and body."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from stook.engine.words import Code, Event, Reply
from stook.registries.golang.paths import unescape_path, unescape_version
from stook.registries.golang.queues import VERSIONS
from stook.registries.golang.sources import GoModules
from stook.testing import run_visit

PROXY = "http://proxy.test"
PLACE = os.environ.get("STOOK_TEST_GO_RECORDINGS", "")


class Recordings(dict[str, Any]):
    """Answers by URL; the `.info` of a version whose `.mod` was recorded is made up."""

    def __contains__(self, url: object) -> bool:
        return True

    def __getitem__(self, url: str) -> Reply:
        place = url.removeprefix(f"{PROXY}/").replace("%21", "!")
        told = self.get(place) or {"status_code": 404, "body": "not found: not recorded"}
        if place.endswith(".info") and self.get(f"{place[:-5]}.mod", told)["status_code"] == 200:
            version = unescape_version(place[:-5].rpartition("/")[2])
            told = {"status_code": 200, "body": json.dumps({"Version": version})}
        return Reply(url, told["status_code"], told.get("body", "").encode())


@pytest.mark.skipif(not PLACE, reason="no recordings: name a file in STOOK_TEST_GO_RECORDINGS")
def test_class_and_declared_path() -> None:
    """Of every recorded go.mod the declared path is right, and the class says whose it is."""
    recordings = Recordings(json.loads(Path(PLACE).read_text()))
    seen = 0
    for place, told in recordings.items():
        if not place.endswith(".mod"):
            continue
        path, _, version = place.removesuffix(".mod").partition("/@v/")
        path, version = unescape_path(path), unescape_version(version)
        one = Event(VERSIONS.name, b"1", path, version, "version", 20)
        found, _ = run_visit(GoModules(PROXY, False, 1, 1).visit([one]), recordings)
        outcome = found.outcomes[b"1"]
        if told["status_code"] != 200:
            assert outcome.code is Code.PENDING, place
            continue
        seen += 1
        match = re.search(r'(?m)^module\s+"?([^\s"]+)"?', told["body"])
        declared, is_synthetic = match and match[1], told["body"] == f"module {path}\n"
        kind = outcome.facts["RESOLVE_KIND"]
        assert outcome.facts["PRODUCT_KEY"] == declared, place
        assert (kind == "synthetic", kind in ("same", "synthetic")) == (is_synthetic, declared == path), place
        assert outcome.code is (Code.COMPLETE if declared == path else Code.ALIAS), place
    assert seen > 100

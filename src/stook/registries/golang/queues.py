"""The queues of the Go registry."""

from __future__ import annotations

from stook.engine.ledger import Queue, poll_queue
from stook.registries.golang.tables import GO_LIST

__all__ = ["FEED", "FEED_LANE", "MODULE", "PAGE", "PAGE_LANE", "PROXY_LANE", "QUEUES", "VERSIONS"]

FEED_LANE, PROXY_LANE, PAGE_LANE = "go.index", "go.proxy", "go.pkgsite"
# What the proxy said last tells whether a 404 is the first.
VERSIONS = Queue("go", "version", GO_LIST, "INDEX_PATH", "INDEX_VERSION", fact_columns=("SOURCE", "LAST_STATUS"))
MODULE = poll_queue("go-module", "module")
PAGE = poll_queue("go-pkgsite", "page")
FEED = poll_queue("go-feed", "feed", has_cursor=True)
QUEUES = (VERSIONS, MODULE, PAGE, FEED)

"""Keeping what the Go sources found: pages of the feed, modules with their versions, enrichment."""

from stook.registries.golang.keep.feed import keep_feed_pages
from stook.registries.golang.keep.modules import keep_modules
from stook.registries.golang.keep.pages import keep_pages

__all__ = ["keep_feed_pages", "keep_modules", "keep_pages"]

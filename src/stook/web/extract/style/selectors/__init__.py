"""Selectors: parsed, and compared with the elements of a page."""

from stook.web.extract.style.selectors.ancestry import Ancestry
from stook.web.extract.style.selectors.matcher import Matcher
from stook.web.extract.style.selectors.selector import Selector, parse_selector, split_list

__all__ = ["Ancestry", "Matcher", "Selector", "parse_selector", "split_list"]

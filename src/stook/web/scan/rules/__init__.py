"""Rules and the words they are made of; the data stands beside the code."""

from stook.web.scan.rules.reading import Reading, read_text
from stook.web.scan.rules.rule import Rule, Rulebook, load_rulebook
from stook.web.scan.rules.shape import find_shape

__all__ = ["Reading", "Rule", "Rulebook", "find_shape", "load_rulebook", "read_text"]

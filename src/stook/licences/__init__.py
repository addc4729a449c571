"""Licence answers, all pure: strings read as SPDX expressions, texts as ids, and verdicts of a policy."""

from stook.licences.expression import BadExpression, Junction, Node, Term
from stook.licences.policy import Decision, Policy, PolicyVerdict
from stook.licences.rows import LicenceRow, default_rows, list_version
from stook.licences.strings import (
    MAX_LICENCE,
    LicenceAnswer,
    LicenceNote,
    Method,
    Normaliser,
    NoteCode,
    RejectedPattern,
    UnknownCode,
    UnknownPart,
)
from stook.licences.syntax import parse_expression
from stook.licences.texts import TextMatch, files_of, identify

__all__ = [
    "MAX_LICENCE",
    "BadExpression",
    "Decision",
    "Junction",
    "LicenceAnswer",
    "LicenceNote",
    "LicenceRow",
    "Method",
    "Node",
    "Normaliser",
    "NoteCode",
    "Policy",
    "PolicyVerdict",
    "RejectedPattern",
    "Term",
    "TextMatch",
    "UnknownCode",
    "UnknownPart",
    "default_rows",
    "files_of",
    "identify",
    "list_version",
    "parse_expression",
]

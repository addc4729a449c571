"""Licence answers: strings to SPDX expressions, texts to ids, and verdicts of a policy; pure, without network or database."""

from stook.licences.answer import LicenceAnswer, LicenceNote, Method, NoteCode, UnknownCode, UnknownPart
from stook.licences.normaliser import MAX_LICENCE, Normaliser
from stook.licences.rows import LicenceRow, default_rows, list_version
from stook.licences.texts import TextMatch, files_of, identify

__all__ = [
    "MAX_LICENCE",
    "LicenceAnswer",
    "LicenceNote",
    "LicenceRow",
    "Method",
    "Normaliser",
    "NoteCode",
    "TextMatch",
    "UnknownCode",
    "UnknownPart",
    "default_rows",
    "files_of",
    "identify",
    "list_version",
]

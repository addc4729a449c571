"""Licence strings, as people write them, read as SPDX expressions."""

from stook.licences.strings.answer import LicenceAnswer, LicenceNote, Method, NoteCode, UnknownCode, UnknownPart
from stook.licences.strings.index import RejectedPattern
from stook.licences.strings.normaliser import MAX_LICENCE, Normaliser

__all__ = [
    "MAX_LICENCE",
    "LicenceAnswer",
    "LicenceNote",
    "Method",
    "Normaliser",
    "NoteCode",
    "RejectedPattern",
    "UnknownCode",
    "UnknownPart",
]

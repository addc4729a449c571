"""Decoding: one layer of encoding or cipher taken off a text."""

from stook.web.scan.decode.ciphers import Ciphers, build_ciphers, cut_apart, cut_glued, decipher, join_letters, unleet
from stook.web.scan.decode.encodings import Encoding, decode_codes, decode_escapes, decode_runs, find_stretches

__all__ = [
    "Ciphers",
    "Encoding",
    "build_ciphers",
    "cut_apart",
    "cut_glued",
    "decipher",
    "decode_codes",
    "decode_escapes",
    "decode_runs",
    "find_stretches",
    "join_letters",
    "unleet",
]

"""Decoding: one layer of encoding or cipher taken off a text."""

from stook.web.scan.decode.ciphers import Ciphers, build_ciphers, decipher, join_letters
from stook.web.scan.decode.encodings import Encoding, decode_codes, decode_escapes, decode_runs, find_stretches

__all__ = [
    "Ciphers",
    "Encoding",
    "build_ciphers",
    "decipher",
    "decode_codes",
    "decode_escapes",
    "decode_runs",
    "find_stretches",
    "join_letters",
]

"""From bytes to text, with the encoding that browsers would choose."""

from stook.web.extract.encoding.sniffer import DecodedText, decode

__all__ = ["DecodedText", "decode"]

"""Regular expressions for tags, as the tokenizer of the HTML Standard reads them; all of them run in linear time."""

from __future__ import annotations

__all__ = ["ATTRIBUTE", "SPACE"]

SPACE = r"[\t\n\f\r ]"
# A quote has meaning only directly after "="; a name may begin with "=" and may hold quotes.
ATTRIBUTE = (
    r"(?P<attribute>[^\t\n\f\r />][^\t\n\f\r />=]*+)"
    rf"(?:{SPACE}*+={SPACE}*+"
    r"(?:\"(?P<double>[^\"]*+)\"?+|'(?P<single>[^']*+)'?+|(?P<bare>[^\t\n\f\r >\"'][^\t\n\f\r >]*+))?+)?+"
)

"""Fields that no record of a run had: the sign that a source changed its form."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["MissingFields"]


class MissingFields:
    """A field is missing only if every record lacks it; a message of the flavour's own is always told."""

    def __init__(self) -> None:
        self._folded: dict[str, bool] = {}
        self._messages: dict[str, str] = {}

    def fold(self, missing: Mapping[str, bool]) -> None:
        """Add one record: whether it lacks each field."""
        for field, is_missing in missing.items():
            self._folded[field] = self._folded.get(field, True) and is_missing

    def say(self, key: str, message: str) -> None:
        """Something else to report under that key."""
        self._messages[key] = message

    @property
    def fields(self) -> list[str]:
        """Fields that every record lacks."""
        return [field for field, is_missing in self._folded.items() if is_missing]

    def lines(self) -> list[str]:
        """What to report, a line each."""
        return [*(f"Failed to fetch {field}" for field in self.fields), *self._messages.values()]

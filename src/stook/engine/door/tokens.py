"""Secrets for private mirrors: which Authorization goes with which URL."""

from __future__ import annotations

from collections.abc import Mapping

from stook.engine.door.guard.guard import Guard

__all__ = ["Tokens"]


class Tokens:
    """Values of the header Authorization by the base URL of a mirror. A base that the guard refuses has none."""

    def __init__(self, guard: Guard, tokens: Mapping[str, str]) -> None:
        judged = [(guard.judge_url(base), token) for base, token in tokens.items()]
        bases = [(verdict.url.rstrip("/"), token) for verdict, token in judged if verdict.allowed]
        self._bases = sorted(bases, key=lambda pair: len(pair[0]), reverse=True)  # the most exact comes first

    def headers(self, url: str) -> dict[str, str]:
        """The header for a judged URL, if it lies below a base."""
        for base, token in self._bases:
            if url == base or url.startswith((f"{base}/", f"{base}?")):
                return {"Authorization": token}
        return {}

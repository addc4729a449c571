"""The log: structlog on stderr, as text for people or as JSON for machines, foreign loggers included."""

from __future__ import annotations

import logging
import os
import sys
from typing import TextIO, cast

import structlog
from structlog.typing import Processor

__all__ = ["configure_logs"]


class _Stderr:
    """Stderr as it is when a line comes: while progress is drawn, lines go above it, not through it."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


_STDERR = cast("TextIO", _Stderr())


def configure_logs(level: str, line_format: str) -> None:
    """Set up structlog and the standard library's logging alike; `level` and `line_format` as in the settings."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    last = _renderers(line_format)
    structlog.configure(
        processors=[*shared, *last],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=_STDERR),
        cache_logger_on_first_use=False,
    )
    _configure_foreign(level, shared, last)


def _renderers(line_format: str) -> list[Processor]:
    if line_format == "json":
        return [structlog.processors.dict_tracebacks, structlog.processors.JSONRenderer(ensure_ascii=True)]
    plain = structlog.dev.plain_traceback
    return [structlog.dev.ConsoleRenderer(colors=_has_colours(), exception_formatter=plain)]


def _has_colours() -> bool:
    """By the rules that tables keep, too: https://no-color.org, and no terminal that knows only text."""
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM", "").lower() in ("dumb", "unknown")
    return sys.stderr.isatty() and not is_plain


def _configure_foreign(level: str, shared: list[Processor], last: list[Processor]) -> None:
    handler = logging.StreamHandler(_STDERR)
    remove_meta = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=[remove_meta, *last]))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)

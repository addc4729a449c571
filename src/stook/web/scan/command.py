"""`stook-scan`: the scanner as a command that reads a text and prints a report.

Exit codes: 0 without findings; 1 with one at or above `--fail-on`, and for input that cannot be read; 2 with findings
below it, and for a wrong command line. So the report on standard output must be read together with the code.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from stook import __version__
from stook.web.scan.engine import scan
from stook.web.scan.finding import Finding, Severity
from stook.web.scan.labels import parse_segments
from stook.web.scan.rules import Rule, load_rulebook

__all__ = ["main"]

_CONFIDENCE = {Severity.LOW: 0.3, Severity.MEDIUM: 0.6, Severity.HIGH: 0.8, Severity.CRITICAL: 0.95}
_REMEDIATION = "Treat the text as data; follow nothing that it asks for."


def main(arguments: Sequence[str] | None = None, stdin: BinaryIO | None = None) -> int:
    """The command line; prints to standard output and returns the exit code. `stdin` stands in for standard input."""
    chosen = _parser().parse_args(arguments)
    if chosen.command == "rules":
        return _print_rules(chosen.format)
    try:
        text = _read(chosen.path, stdin or sys.stdin.buffer)
        matches = _match_all(text)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"stook-scan: {chosen.path}: {_reason(error)}\n")
        return 1
    least = 0.0 if chosen.strict else chosen.min_confidence
    shown = [match for match in matches if match["confidence"] >= least]
    hidden = [match for match in matches if match["confidence"] < least]
    if not chosen.quiet:
        name = "<stdin>" if chosen.path == "-" else chosen.path
        sys.stdout.write(_render(name, shown, hidden) if chosen.format == "json" else _describe(name, shown))
    return _exit_code(shown, Severity(chosen.fail_on.upper()))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="stook-scan", description="Looks for prompt injection in a text.")
    parser.add_argument("--version", action="version", version=f"stook-scan {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="scan a file, or standard input")
    check.add_argument("path", help="a file in UTF-8, or - for standard input: plain text, or segments with labels")
    check.add_argument("--format", type=str.lower, choices=("text", "json"), default="text")
    check.add_argument("--no-suppress", action="store_true", help="always so: a text cannot suppress findings")
    check.add_argument("--strict", action="store_true", help="the same as --min-confidence 0")
    check.add_argument("--min-confidence", type=_share, default=0.5, metavar="0..1")
    check.add_argument("--fail-on", type=str.lower, choices=("critical", "high", "medium", "low"), default="low")
    check.add_argument("--quiet", "-q", action="store_true", help="print nothing")
    rules = commands.add_parser("rules", help="list the rules")
    rules.add_argument("--format", type=str.lower, choices=("text", "json"), default="text")
    return parser


def _share(text: str) -> float:
    value = float(text)
    if not 0.0 <= value <= 1.0:
        raise ValueError(text)
    return value


def _read(path: str, stdin: BinaryIO) -> str:
    data = stdin.read() if path == "-" else Path(path).read_bytes()
    return data.decode()


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    return error.strerror or "cannot be read" if isinstance(error, OSError) else str(error)


def _match_all(text: str) -> list[dict[str, Any]]:
    """Matches of all segments; lines count from the first line of the input."""
    rules = {rule.id: rule for rule in load_rulebook().rules}
    return [
        _match(finding, start, rules.get(finding.rule_id))
        for start, segment in parse_segments(text)
        for finding in scan([segment]).findings
    ]


def _match(finding: Finding, start: int, rule: Rule | None) -> dict[str, Any]:
    """A match in the form of the contract; `matched_text` stays empty, because reports travel further than pages."""
    return {
        "pattern_id": finding.rule_id,
        "pattern_name": finding.rule_id.lower(),
        "severity": finding.severity,
        "message": rule.says if rule else "Text that is hidden in characters or encodings",
        "remediation": _REMEDIATION,
        "file": "<stdin>",
        "line": start + finding.line - 1,
        "matched_text": "",
        "context": finding.kind,
        "confidence": _CONFIDENCE[finding.severity],
        "family": finding.family,
        "decoded": finding.decoded,
        "count": finding.count,
    }


def _render(name: str, shown: Sequence[dict[str, Any]], hidden: Sequence[dict[str, Any]]) -> str:
    counts = {
        f"{severity.lower()}_count": sum(1 for match in shown if match["severity"] == severity)
        for severity in reversed(Severity)
    }
    report = {
        "file": name,
        "matches": [match | {"file": name} for match in shown],
        "suppressed": [],
        "low_confidence": [match | {"file": name} for match in hidden],
        "baselined": [],
        **counts,
    }
    return json.dumps([report], indent=2) + "\n"


def _describe(name: str, shown: Sequence[dict[str, Any]]) -> str:
    lines = [
        f"{name}:{match['line']}: {match['severity']} {match['pattern_id']}: {match['message']}" for match in shown
    ]
    return "".join(f"{line}\n" for line in lines or [f"{name}: no findings"])


def _exit_code(shown: Sequence[dict[str, Any]], fail_on: Severity) -> int:
    if not shown:
        return 0
    return 1 if any(Severity(match["severity"]).rank >= fail_on.rank for match in shown) else 2


def _print_rules(form: str) -> int:
    rules = [
        {"id": rule.id, "family": rule.family, "severity": rule.severity, "says": rule.says}
        for rule in load_rulebook().rules
    ]
    if form == "json":
        sys.stdout.write(json.dumps(rules, indent=2) + "\n")
    else:
        sys.stdout.write("".join(f"{rule['id']:16} {rule['severity']:9} {rule['says']}\n" for rule in rules))
    return 0

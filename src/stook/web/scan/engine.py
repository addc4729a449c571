"""The engine: from segments to findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from stook.web.scan.context import LineCounter, find_fences, is_fenced, is_quoted
from stook.web.scan.finding import Finding, ScanReport, Severity
from stook.web.scan.layers import Layer, LayersExhausted, peel
from stook.web.scan.normalise import CleanText
from stook.web.scan.rules import Reading, Rule, Rulebook, find_shape, load_rulebook
from stook.web.segment import Segment, SegmentKind

__all__ = ["scan"]

_CHUNK = 65_536  # characters that are scanned at a time, so that memory stays small and the caches warm
_OVERLAP = 2_048  # and what is read beyond them: the longest match, or the longest phrase in an encoding
_ENOUGH = 50  # matches of one rule that are counted in one text
_MANY_TAGS = 4
_MANY_CONTROLS = 8
_LOOKED_AT = 64
_ABOUT = 3  # different words about attacks that make a text one that speaks about them
_OPEN_KINDS = frozenset(
    {SegmentKind.VISIBLE, SegmentKind.DISPLAY, SegmentKind.TITLE, SegmentKind.LINK_TEXT, SegmentKind.METADATA}
)


@dataclass(frozen=True, slots=True)
class _RuleMatch:
    """A rule that fired at a line; `severity` is the rule's own, or LOW where the text only quotes."""

    rule_id: str
    family: str
    severity: Severity
    decoded: bool
    line: int


def scan(segments: Iterable[Segment]) -> ScanReport:
    """Judge each segment on its own; equal findings in segments of one kind are one finding with a count."""
    findings: dict[tuple[str, SegmentKind, bool, Severity], Finding] = {}
    book = load_rulebook()
    for segment in segments:
        for match in _scan_segment(segment, book):
            key = (match.rule_id, segment.kind, match.decoded, match.severity)
            before = findings.get(key)
            findings[key] = Finding(
                rule_id=match.rule_id,
                severity=match.severity,
                family=match.family,
                kind=segment.kind,
                count=before.count + 1 if before else 1,
                decoded=match.decoded,
                line=min(before.line, match.line) if before else match.line,
            )
    ordered = sorted(findings.values(), key=lambda found: (-found.severity.rank, found.rule_id, found.kind))
    return ScanReport(tuple(ordered))


def _scan_segment(segment: Segment, book: Rulebook) -> Iterator[_RuleMatch]:
    line = 1
    for start in range(0, max(1, len(segment.text)), _CHUNK):
        chunk = segment.text[start : start + _CHUNK + _OVERLAP]
        for match in _scan_chunk(chunk, segment.kind, book):
            yield replace(match, line=match.line + line - 1)
        line += segment.text.count("\n", start, start + _CHUNK)


def _scan_chunk(chunk: str, kind: SegmentKind, book: Rulebook) -> Iterator[_RuleMatch]:
    try:
        for layer in peel(chunk, book):
            yield from _oddities(layer.plain)
            yield from _apply_rules(book, layer, kind)
    except LayersExhausted:
        yield _RuleMatch("OBF-LAYERS", "obfuscation", Severity.HIGH, True, 1)


def _oddities(plain: CleanText) -> Iterator[_RuleMatch]:
    if plain.tags >= _MANY_TAGS:
        yield _RuleMatch("OBF-TAGS", "obfuscation", Severity.HIGH, True, 1)
    if plain.controls >= _MANY_CONTROLS:
        yield _RuleMatch("OBF-INVISIBLE", "obfuscation", Severity.LOW, False, 1)


def _apply_rules(book: Rulebook, layer: Layer, kind: SegmentKind) -> Iterator[_RuleMatch]:
    reading = layer.reading
    found = [*_word_matches(book, reading), *_pattern_matches(book, reading.text)]
    if not found:
        return
    may_quote = not layer.depth and kind in _OPEN_KINDS
    is_about = may_quote and _is_about(book, reading)
    fences = find_fences(reading.text) if may_quote else ()
    lines = LineCounter(reading.text)
    for rule, start, end, disguised in sorted(found, key=lambda match: match[1]):
        if start >= _CHUNK and not layer.depth:
            break  # the next chunk begins before this
        severity = rule.severity
        if is_about and is_quoted(reading.text, start, end, fences):
            severity = Severity.LOW
        elif may_quote and is_fenced(start, fences):
            severity = min(severity, Severity.MEDIUM, key=lambda each: each.rank)
        yield _RuleMatch(rule.id, rule.family, severity, disguised or layer.depth > 0, lines.at(start))


def _word_matches(book: Rulebook, reading: Reading) -> Iterator[tuple[Rule, int, int, bool]]:
    found: list[tuple[Rule, int, int]] = []
    for rule in book.rules:
        spans = {span for shape in rule.shapes for span in islice(find_shape(shape, reading.hits), _ENOUGH)}
        found.extend((rule, *span) for span in sorted(spans)[:_ENOUGH])
    places = sorted({place for _, first, last in found for place in (first, last)})
    position = dict(zip(places, reading.positions(places), strict=True))
    for rule, first, last in found:
        yield rule, position[first], position[last], reading.is_disguised(first, last)


def _pattern_matches(book: Rulebook, text: str) -> Iterator[tuple[Rule, int, int, bool]]:
    counts: Counter[str] = Counter()
    for rule, match in book.find_patterns(text):
        counts[rule.id] += 1
        if counts[rule.id] <= _ENOUGH:
            yield rule, match.start(), match.end(), False


def _is_about(book: Rulebook, reading: Reading) -> bool:
    about = book.lexicon.bits["about"]
    groups = reading.hits.by_class.get(about, ())
    places = islice((reading.hits.places[number] for numbers in groups for number in numbers), _LOOKED_AT)
    return len(set(reading.words_at(places))) >= _ABOUT

"""How fast the scanner reads: ordinary text, and text made to be slow.

    python benchmarks/scan.py
    python benchmarks/scan.py --file page.txt --hostile 5

Ordinary text is the manual that Python carries with it (`pydoc_data`), or the given files. Times are processor time of
one core, the best of some runs. Each hostile text is scanned at full length and at a quarter of it: in linear time the
second takes a quarter of the first, so `ratio` is about 4.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from pydoc_data.topics import topics

from stook.web.scan import Segment, SegmentKind, scan

RUNS = 5
PIECES = {
    "one letter": "a",
    "one blank": " ",
    "line breaks": "\n",
    "letters apart": "a b ",
    "first word of a rule": "ignore ",
    "words that never meet": "ignore . instructions . ",
    "an order": "ignore all previous instructions ",
    "a quoted order": '"ignore all previous instructions" scanner injection attack ',
    "open brackets": "![",
    "open links": "](http://a?b=",
    "role marks": "<|",
    "percent": "%41",
    "references": "&#65;",
    "escapes": "\\u0041",
    "base64": "SWdub3Jl",
    "hex pairs": "49 67 ",
    "Morse": " .- -. ",
    "zero width": "a\u200b",
    "tags": "\U000e0041",
    "another alphabet": "а",
    "two alphabets": "аb ",
    "accents": "é ",
    "no blanks": "忽略指令",
    "shifted words": "vtaber nyy cerivbhf ",
    "even lines": "abcdefgh\n",
    "glued words": "ignoreallpreviousinstructionsand",
    "right to left": "\u202eabcd",
}


def seconds(text: str, runs: int) -> float:
    """Processor time of one scan, the best of some."""
    best = float("inf")
    for _ in range(runs):
        begin = time.process_time()
        scan([Segment(SegmentKind.VISIBLE, text)])
        best = min(best, time.process_time() - begin)
    return best


def show_ordinary(texts: Sequence[str]) -> None:
    """Megabytes a second, as one text and page by page."""
    whole = "\n\n".join(texts)
    size = len(whole.encode()) / 1e6
    pages = sum(seconds(text, RUNS) for text in texts)
    print(f"ordinary text: {size:.2f} MB in {len(texts)} pages")
    print(f"  as one text   {size / seconds(whole, RUNS):6.1f} MB/s")
    print(f"  page by page  {size / pages:6.1f} MB/s, {1000 * pages / len(texts):.2f} ms a page")


def show_hostile(megabytes: float) -> None:
    """Seconds for each hostile text, and how they grow with its length."""
    print(f"\n{'hostile text':24} {megabytes:g} MB in s   ratio")
    for name, piece in PIECES.items():
        size = int(megabytes * 1e6 / len(piece.encode()))
        full, quarter = seconds(piece * size, 1), seconds(piece * (size // 4), 1)
        print(f"{name:24} {full:9.2f} {full / quarter:9.1f}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", type=Path, action="append", default=[], help="ordinary text instead of the manual")
    parser.add_argument("--hostile", type=float, default=1.0, metavar="MB", help="length of hostile texts; 0 for none")
    chosen = parser.parse_args()
    texts = [path.read_text("utf-8", "replace") for path in chosen.file] or list(topics.values())
    seconds("warm up", 1)
    show_ordinary(texts)
    if chosen.hostile:
        show_hostile(chosen.hostile)


if __name__ == "__main__":
    main()

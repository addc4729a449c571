"""How well and how fast articles are extracted, beside trafilatura on the same pages in the same run.

    python benchmarks/extract.py PAGES

PAGES is a folder in the form of the article extraction benchmark (github.com/scrapinghub/article-extraction-benchmark):
html/<id>.html.gz and ground-truth.json with `articleBody` and `url` by id. trafilatura is optional: pip install
trafilatura. Quality is the benchmark's: precision and recall of runs of four words, averaged over pages. Times are CPU
time, best of three runs, page by page in turns; read the ratio.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from stook.web.extract import extract
from stook.web.extract.markdown import plain_text

WORD = re.compile(r"\w+")
SIZE = 4
RUNS = 3


def shingles(text: str) -> Counter[tuple[str, ...]]:
    words = WORD.findall(text)
    return Counter(tuple(words[at : at + SIZE]) for at in range(max(1, len(words) - SIZE + 1))) if words else Counter()


def score(truth: dict[str, str], answers: dict[str, str]) -> str:
    precisions, recalls = [], []
    for page, text in truth.items():
        wanted, got = shingles(text), shingles(answers[page])
        hits = (wanted & got).total()
        if got:
            precisions.append(hits / got.total())
        if wanted:
            recalls.append(hits / wanted.total())
    precision, recall = statistics.mean(precisions), statistics.mean(recalls)
    return f"F1 {2 * precision * recall / (precision + recall):.4f}, precision {precision:.4f}, recall {recall:.4f}"


def ours(body: bytes, url: str) -> str:
    return plain_text(extract(body, "text/html; charset=utf-8", url).markdown)


def theirs() -> Callable[[bytes, str], str] | None:
    try:
        import trafilatura  # noqa: PLC0415 (optional)
    except ImportError:
        return None

    def fast(body: bytes, url: str) -> str:
        return trafilatura.extract(body.decode("utf-8", "replace"), url=url, include_comments=False, fast=True) or ""

    return fast


def timed(read: Callable[[bytes, str], str], body: bytes, url: str) -> tuple[str, float]:
    best, answer = float("inf"), ""
    for _ in range(RUNS):
        begun = time.process_time()
        answer = read(body, url)
        best = min(best, time.process_time() - begun)
    return answer, best * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", type=Path)
    folder = parser.parse_args().pages
    entries = json.loads((folder / "ground-truth.json").read_text("utf-8"))
    truth = {page: entry["articleBody"] for page, entry in entries.items()}
    readers = {"stook": ours} | ({"trafilatura, fast": other} if (other := theirs()) else {})
    answers: dict[str, dict[str, str]] = {name: {} for name in readers}
    times: dict[str, list[float]] = {name: [] for name in readers}
    for page, entry in entries.items():
        body = gzip.decompress((folder / "html" / f"{page}.html.gz").read_bytes())
        for name, read in readers.items():
            answers[name][page], spent = timed(read, body, entry.get("url", "https://pages.example/"))
            times[name].append(spent)
    for name in readers:
        mean, median = statistics.mean(times[name]), statistics.median(times[name])
        print(f"{name}: {score(truth, answers[name])}; {mean:.1f} ms a page, median {median:.1f}")
    if len(readers) == 2:
        first, second = times.values()
        medians = statistics.median(first) / statistics.median(second)
        print(f"time: ratio of means {sum(first) / sum(second):.2f}, of medians {medians:.2f}")


if __name__ == "__main__":
    main()

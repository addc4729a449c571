"""How much of documentation pages is kept: headings, links, tables, blocks of code with their language.

    python benchmarks/documentation.py [--pages 150]

The pages are those of the Debian packages python3-doc, sqlite3-doc and postgresql-doc; a package that is not installed
is left out. The right answers are read from the generators' own markup, by selectors that the extraction does not know.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from pathlib import Path

import ada_url
from selectolax.lexbor import LexborHTMLParser, LexborNode

from stook.web.extract import extract
from stook.web.extract.markdown import plain_text

SETS = (
    ("python3-doc", "/usr/share/doc/python3*/html/**/*.html", "div.body", "div.highlight pre"),
    ("sqlite3-doc", "/usr/share/doc/sqlite3/**/*.html", "body", "pre"),
    (
        "postgresql-doc",
        "/usr/share/doc/postgresql-doc-*/html/*.html",
        "body > div:not(.navheader):not(.navfooter)",
        "pre",
    ),
)
NAVIGATION = "div.nosearch, div.toc_sub, #searchmenu, form"  # of sqlite's pages
WORD = re.compile(r"\w+")
LANGUAGE = re.compile(r"\bhighlight-(\w+)")
URL = "https://docs.example/manual/page.html"


def words(text: str) -> str:
    return " ".join(WORD.findall(text))


def headings(main: LexborNode, markdown: str) -> tuple[int, int]:
    wanted = [words(node.text()) for tag in ("h1", "h2", "h3", "h4") for node in main.css(tag)]
    got = Counter(words(plain_text(line)) for line in markdown.split("\n") if line.startswith("#"))
    wanted = [text for text in wanted if text]
    return sum((Counter(wanted) & got).values()), len(wanted)


def links(main: LexborNode, markdown: str) -> tuple[int, int]:
    wanted = Counter(
        ada_url.join_url(URL, node.attributes["href"])
        for node in main.css("a[href]")
        if words(node.text()) and not (node.attributes["href"] or "").startswith(("mailto:", "ftp:"))
    )
    got = Counter(re.findall(r"\]\(([^()\s]+)\)", markdown))
    kept = sum(min(count, got[url.replace("(", "%28").replace(")", "%29")]) for url, count in wanted.items())
    return kept, wanted.total()


def code(main: LexborNode, selector: str, markdown: str) -> tuple[int, int, int, int]:
    """Return blocks kept and all, languages kept and all."""
    blocks = [node for node in main.css(selector) if node.text().strip()]
    fences = re.findall(r"^[ >]*(`{3,})(\S*)\n(.*?)\n[ >]*\1$", markdown, re.MULTILINE | re.DOTALL)
    got = Counter((squeezed(text)) for _, _, text in fences)
    named = Counter((language, squeezed(text)) for _, language, text in fences)
    kept = with_language = languages = 0
    for node in blocks:
        text = squeezed(node.text())
        kept += got[text] > 0
        found = (
            LANGUAGE.search(node.parent.parent.attributes.get("class") or "")
            if node.parent and node.parent.parent
            else None
        )
        if found and found[1] not in ("default", "none", "text"):
            languages += 1
            with_language += named[found[1], text] > 0
    return kept, len(blocks), with_language, languages


def squeezed(text: str) -> str:
    """Prefixes of lists and quotes, empty lines and spaces at the ends of lines do not count; line breaks do."""
    lines = (" ".join(line.lstrip("> ").split()) for line in text.strip().split("\n"))
    return "\n".join(line for line in lines if line)


def tables(main: LexborNode, markdown: str) -> tuple[int, int]:
    """A row is kept if its cells stand in one line of a table, in their order."""
    lines = Counter(
        "|".join(
            words(plain_text(cell.replace("\\|", " "))) for cell in re.split(r"(?<!\\)\|", line.strip(" >"))[1:-1]
        ).strip("|")
        for line in markdown.split("\n")
        if line.strip(" >").startswith("|")
    )
    kept = count = 0
    for table in main.css("table"):
        if len(table.css("table")) > 1 or table.css("pre") or table.css("h1,h2,h3,h4"):
            continue  # it places blocks
        for row in table.css("tr"):
            cells = [words(cell.text(separator=" ")) for cell in row.css("td,th")]
            if len(cells) > 1 and any(cells):
                count += 1
                kept += any("".join(cells).replace(" ", "") == line.replace("|", "").replace(" ", "") for line in lines)
    return kept, count


def measure(name: str, pattern: str, main_selector: str, code_selector: str, limit: int) -> None:
    pages = sorted(Path("/").glob(pattern.lstrip("/")))
    if not pages:
        print(f"{name}: not installed")
        return
    totals: Counter[str] = Counter()
    for page in pages[:: max(1, len(pages) // limit)]:
        body = page.read_bytes()
        tree = LexborHTMLParser(body.decode("utf-8", "replace"))
        for navigation in tree.css(NAVIGATION):
            navigation.decompose()
        main = tree.css_first(main_selector)
        if main is None:
            continue
        markdown = extract(body, "text/html", URL).markdown
        kept, count, with_language, languages = code(main, code_selector, markdown)
        totals.update(
            {"pages": 1, "code kept": kept, "code": count, "languages kept": with_language, "languages": languages}
        )
        for kind, measured in (("headings", headings), ("links", links), ("tables", tables)):
            found, all_ = measured(main, markdown)
            totals.update({f"{kind} kept": found, kind: all_})
    shares = [
        f"{kind} {totals[f'{kind} kept'] / totals[kind]:.3f} of {totals[kind]}"
        for kind in ("headings", "links", "tables", "code", "languages")
        if totals[kind]
    ]
    print(f"{name}: {totals['pages']} pages; {', '.join(shares)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=150, help="of each package, about")
    chosen = parser.parse_args()
    for dataset in SETS:
        measure(*dataset, limit=chosen.pages)


if __name__ == "__main__":
    main()

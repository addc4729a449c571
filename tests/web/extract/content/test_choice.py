"""The main content is found by structure and names; what stands around it is left out."""

from __future__ import annotations

from stook.web.extract import extract

PROSE = [
    "The library on Mill Street has counted its visitors since 1931, first with a turnstile, then with a ray of light.",
    "Counting people is harder than it sounds, because a parent with a pram breaks the beam four times on the way in.",
    "Saturday mornings remain the busiest time, with about three hundred and forty visits in the hours before noon.",
]
TEXT = "".join(f"<p>{sentence}</p>" for sentence in PROSE)
ARTICLE = "<meta property=og:type content=article>"
MENU = "<ul>" + "".join(f"<li><a href=/{number}>Section {number} of the site</a>" for number in range(30)) + "</ul>"
TEASERS = "".join(
    f"<div class=teaser><h3><a href=/{n}>Another story</a></h3><p>A short text that wants to be clicked on</p></div>"
    for n in range(9)
)


def display(markup: str) -> str:
    return extract(markup.encode(), "text/html; charset=utf-8", "https://pages.example/a/b").markdown


def test_navigation_and_footers_are_left_out() -> None:
    """By their elements, roles and names."""
    page = display(
        f"<header>{MENU}</header><nav>{MENU}</nav><div role=navigation>{MENU}</div>"
        f"<div class='site-sidebar'>{MENU}</div><main><h1>Visitors</h1>{TEXT}</main>"
        "<div class=cookieBanner>We use cookies</div><footer>Imprint</footer>"
    )
    assert page == "# Visitors\n\n" + "\n\n".join(PROSE) + "\n"


def test_article_without_names_is_found_by_its_prose() -> None:
    """A page of nameless elements still has one that holds nearly all running text."""
    page = display(f"{ARTICLE}<div>{MENU}</div><div><div>{TEXT}</div></div><div>{TEASERS}</div>")
    assert page == "\n\n".join(PROSE) + "\n"


def test_article_of_the_title_goes_before_its_neighbours() -> None:
    """Where posts follow each other, the one in the title of the page is meant, though others are longer."""
    posts = "".join(f"<article><h2>Post {number}</h2>{TEXT * 3}</article>" for number in range(4))
    page = display(
        f"<title>Visitors … | Notebook</title>{ARTICLE}<article><h1>Visitors ...</h1>{TEXT}</article>{posts}"
    )
    assert page.count(PROSE[0]) == 1
    assert page.startswith("# Visitors")


def test_between_the_paragraphs_of_an_article() -> None:
    """Shares, captions, related stories and embedded players go; quotations and headings stay."""
    page = display(
        f"{ARTICLE}<article><h1>Visitors</h1><p>{PROSE[0]}</p><div class=share-tools>Share this</div>"
        f"<figure><img alt='A photo' src=x><figcaption>Caption. Photo: N. N.</figcaption></figure>"
        "<p><a href=/other>READ MORE: another story</a></p>"
        f"<div class=social-embed><blockquote>Quoted post</blockquote></div><h2>Part two</h2><p>{PROSE[1]}</p>"
        f"<div class=related><p>{PROSE[2]}</p></div></article>"
    )
    expected = f"# Visitors\n\n{PROSE[0]}\n\n> Quoted post\n\n## Part two\n\n{PROSE[1]}\n"
    assert page == expected


def test_other_pages_keep_lists_of_links_tables_and_captions() -> None:
    """Documentation is no article: an index, a table of contents inside and captions are its content."""
    page = display(
        f"<nav>{MENU}</nav><main><h1>Index</h1><nav><a href=#a>Contents</a></nav><ul><li><a href=/f>f()</a></ul>"
        "<figure><img alt='Diagram of states' src=d.png><figcaption>Figure 1</figcaption></figure>"
        "<section id=comments class=section><h2>Comments</h2><p>In code.</p></section></main>"
    )
    for kept in ("[Contents](", "- [f()](", "Diagram of states", "Figure 1", "## Comments\n\nIn code."):
        assert kept in page
    assert "Section 1" not in page


def test_heading_outside_of_the_content_comes_first() -> None:
    """A page of documentation keeps its heading, wherever it stands."""
    page = display(f"<div><div><h1>Visitors</h1></div></div><div class=page-content>{TEXT * 5}</div>")
    assert page.startswith("# Visitors\n\n")


def test_much_text_is_content_whatever_it_is_called() -> None:
    """A name alone never drops the greater part of a page."""
    assert PROSE[0] in display(f"<div class='sidebar comments ads'>{TEXT}</div>")
    assert PROSE[0] in display(f"{ARTICLE}<form><div class=footer>{TEXT}</div></form>")


def test_pictures_that_say_nothing_are_silent() -> None:
    """File names and repetitions of the title are no text."""
    page = display(
        "<title>The red kettle on shelf one</title><main><p>x<img alt='IMG_1234.JPG'><img alt='red kettle on shelf'>"
        "<img alt='A cat beside it'></main>"
    )
    assert page == "x A cat beside it\n"


def test_empty_page() -> None:
    """Nothing to see is an empty display."""
    assert display("") == ""
    assert display("<script>x</script><p hidden>y") == ""

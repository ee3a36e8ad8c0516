"""Debian's policy manual, where the package `debian-policy` is installed; else an imitation."""

import gzip
from pathlib import Path

import pytest

from bottega.library.parsers.citations import Reach, paragraph_citations
from bottega.library.parsers.document import Document
from bottega.library.parsers.reader import read_document

MANUAL = Path("/usr/share/doc/debian-policy")
needs_manual = pytest.mark.skipif(
    not (MANUAL / "policy.html").is_dir(), reason="the package debian-policy is not installed"
)

#: The shape of a page that Sphinx makes, in words of our own.
PAGE = """<!DOCTYPE html><html lang="en"><head><title>4. Bread &#8212; Bakery Manual</title></head>
<body><div class="related" role="navigation"><h3>Navigation</h3><a href="x.html">next</a></div>
<div class="document"><div class="body" role="main"><section id="bread">
<h1><span class="section-number">4. </span>Bread<a class="headerlink" href="#bread">¶</a></h1>
<section id="oven"><span id="s-oven"></span><h2><span class="section-number">4.9. </span>Oven<a
class="headerlink" href="#oven">¶</a></h2><p>It must be hot. <a class="footnote-reference brackets"
href="#id2" id="id1">1</a> See <a href="#s-loaf"><span>Loaves</span></a>.</p>
<section id="loaf"><span id="s-loaf"></span>
<h3><span class="section-number">4.9.1. </span>Loaves</h3>
<p>A loaf must rest.</p><p>These words are used:</p><dl class="simple"><dt>crumb</dt>
<dd><p>What is inside.</p></dd></dl><ul><li><p>white</p></li><li><p>brown</p></li></ul></section>
</section></section><dl class="footnote brackets"><dt class="label" id="id2"><span
class="brackets"><a class="fn-backref" href="#id1">1</a></span></dt><dd><p>Very hot.</p></dd></dl>
</div></div><div class="sphinxsidebar"><h3>Contents</h3></div></body></html>"""


def by_ref(document: Document) -> dict[str, str]:
    return {paragraph.ref: paragraph.text for paragraph in document.paragraphs}


@pytest.mark.requirement("LB-140")
def test_a_page_of_a_numbered_manual_is_cited_as_people_cite_it() -> None:
    """Sections by their numbers, notes by theirs, nothing of the page around the text."""
    document = read_document(PAGE.encode(), "bread.html")
    assert by_ref(document) == {
        "4": "Bread",
        "4.9": "It must be hot. [1] See Loaves.",
        "4.9.1": "A loaf must rest.",
        "4.9.1 ¶2": "These words are used:",
        "4.9.1 ¶3": "crumb\nWhat is inside.\n- white\n- brown",
        "footnote 1": "[1] Very hot.",
    }
    assert document.title == "4. Bread — Bakery Manual"
    assert document.language == "en"
    oven = document.paragraphs[1]
    assert [(c.target, c.reach) for c in paragraph_citations(oven, document)] == [
        ("4.9.1", Reach.HERE)
    ]


@pytest.mark.requirement("LB-140")
@needs_manual
def test_debians_policy_in_html_has_the_sections_that_people_cite() -> None:
    """Read from the installed package, every page without a repeated reference."""
    pages = sorted((MANUAL / "policy.html").glob("ch-*.html"))
    documents = {page.name: read_document(page.read_bytes(), page.name) for page in pages}
    rules = by_ref(documents["ch-source.html"])
    assert rules["4.9.1"].startswith("Supporting the standardized environment variable")
    assert rules["4.13"].startswith("Some software packages include")
    assert {"4", "4.1", "4.9", "4.9.1", "4.9.2", "4.9.1 ¶2", "footnote 14"} <= rules.keys()
    assert not any(document.problems for document in documents.values())
    links = [
        citation.target
        for document in documents.values()
        for paragraph in document.paragraphs
        for citation in paragraph_citations(paragraph, document)
        if citation.reach is Reach.HERE
    ]
    assert len(links) > 50
    terms = {term.term for term in documents["ch-scope.html"].terms}
    assert {"ASCII", "UTF-8", "upstream"} <= terms


@pytest.mark.requirement("LB-140")
@needs_manual
def test_debians_policy_has_the_same_references_in_text_and_in_html() -> None:
    """One manual, two formats."""
    text = gzip.decompress((MANUAL / "policy.txt.gz").read_bytes())
    plain = by_ref(read_document(text, "policy.txt"))
    page = MANUAL / "policy.html" / "ch-source.html"
    html = by_ref(read_document(page.read_bytes(), page.name))
    sections = {ref for ref in html if ref.replace(".", "").isdigit()}
    assert len(sections) > 15
    assert sections <= plain.keys()
    same = [ref for ref in sections if plain[ref][:25] == html[ref][:25]]
    assert len(same) >= 0.8 * len(sections)

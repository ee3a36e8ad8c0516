import contextlib
import io
import itertools
import time
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.library.parsers.citations import cited_references, paragraph_citations
from bottega.library.parsers.document import Document, Unreadable
from bottega.library.parsers.outline import LONGEST
from bottega.library.parsers.reader import read_document
from bottega.library.parsers.references import ancestors, normalise_ref

NAMES = st.sampled_from(["a.md", "a.txt", "a.rst", "a.html", "a.pdf", "a.docx", "a", "a.xyz"])
#: What makes readers stumble, more often than chance would bring it.
PIECES = st.sampled_from(
    [
        *("\n", "\n\n", "    ", "\t", "\r\n", "\f", "\u00a0", "\u2028", "\0"),
        *("12. ", "(a) ", "(i) ", "A1. ", "Article 7", "§ 4", "means ", "paragraphs 5–7"),
        *("# ", "## 4.9 ", "- ", "> ", "```\n", "~~~", "===\n", "---\n", "| a | b |\n"),
        *("[x](#y)", "[x]: y\n", "[^1]: ", "**", "_", "`", ": "),
        *("::\n", ".. note::\n", ".. [#] ", ":ref:`x <y>`", "`x`_", ".. _y:\n"),
        *("<p>", "</p>", "<ol type=a><li>", "<table><tr><td>", "<dl><dt>", "<dd>", "<pre>"),
        *("<a href='#x'>", "<dfn>", "&amp;", "<!--", "%PDF-1.4", "PK\x03\x04"),
    ]
)
ROUGH = st.lists(PIECES | st.text(max_size=12), max_size=40).map("".join)
WORDS = st.text(
    st.characters(codec="utf-8", categories=["L", "M"], include_characters=" \n,"), max_size=400
)


def check(document: Document) -> None:
    refs = [paragraph.ref for paragraph in document.paragraphs]
    assert len(set(refs)) == len(refs) > 0
    assert [paragraph.order for paragraph in document.paragraphs] == list(range(len(refs)))
    assert all(paragraph.text.strip() for paragraph in document.paragraphs)
    assert all(len(paragraph.text) <= LONGEST for paragraph in document.paragraphs)
    assert max(map(len, refs)) < 3_000
    assert set(document.anchors.values()) <= set(refs)
    assert {term.ref for term in document.terms} <= set(refs)
    for paragraph in document.paragraphs:
        for citation in paragraph_citations(paragraph, document):
            assert 0 <= citation.span[0] <= citation.span[1] <= len(paragraph.text)


@pytest.mark.requirement("LB-136")
@settings(max_examples=400, deadline=None)
@given(ROUGH, NAMES)
def test_any_text_is_read_or_unreadable(text: str, name: str) -> None:
    """And what is read holds together."""
    try:
        document = read_document(text.encode("utf-8", "surrogatepass"), name)
    except Unreadable:
        return
    check(document)


@pytest.mark.requirement("LB-136")
@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400), NAMES, st.sampled_from([b"", b"%PDF-1.7\n", b"PK\x03\x04", b"<p>"]))
def test_any_bytes_are_read_or_unreadable(data: bytes, name: str, begin: bytes) -> None:
    """Whatever the bytes claim to be."""
    with contextlib.suppress(Unreadable):
        check(read_document(begin + data, name))


@pytest.mark.requirement("LB-136")
@settings(max_examples=100, deadline=None)
@given(ROUGH)
def test_any_word_document_is_read_or_unreadable(xml: str) -> None:
    """A zip with anything as its document."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        package.writestr("word/document.xml", xml.encode("utf-8", "replace"))
    with pytest.raises(Unreadable):
        read_document(file.getvalue(), "a.docx")


@pytest.mark.requirement("LB-137")
@settings(max_examples=300, deadline=None)
@given(WORDS, st.sampled_from(["a.txt", "a.md"]))
def test_words_are_in_exactly_one_paragraph_in_their_order(text: str, name: str) -> None:
    """Not one character is lost or said twice."""
    try:
        document = read_document(text.encode(), name)
    except Unreadable:
        assert not text.strip()
        return
    said = "".join(paragraph.text for paragraph in document.paragraphs)
    assert "".join(said.split()) == "".join(text.replace("\ufeff", "").split())


HEADINGS = ("# head {}", "## head {}", "### 4.{} head {}", "head {}\n---")
BLOCKS = (
    "words of {}",
    "- bullet {}",
    "1. step {}",
    "(a) letter {}",
    "A1. more {}",
    "**2.** more {}",
    "> quote {} > is",
    "**bold {}** and *soft*",
    "[link {}](#there)",
    "```\ncode {}\n```",
    "| cell {} | x |\n|---|---|\n| y | z |",
    "{}\n: what it is",
    "    far in {}",
    "[^n]: note {}",
    "C# {} #",
)
GAPS = st.sampled_from(["\n", "\n\n"])


@pytest.mark.requirement("LB-137")
@settings(max_examples=500, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(HEADINGS + BLOCKS), GAPS), min_size=1, max_size=12))
def test_every_block_of_markdown_is_in_exactly_one_paragraph(parts: list[tuple[str, str]]) -> None:
    """And every heading is above a text, or a text itself, or the title."""
    source = "".join(
        block.replace("4.{}", f"4.{index}").format(f"zq{index}qz") + gap
        for index, (block, gap) in enumerate(parts)
    )
    document = read_document(source.encode(), "a.md")
    texts = [paragraph.text for paragraph in document.paragraphs]
    above = {heading for paragraph in document.paragraphs for heading in paragraph.headings}
    for index, (block, _) in enumerate(parts):
        token = f"zq{index}qz"
        count = sum(text.count(token) for text in texts)
        if block in HEADINGS and not count:
            assert token in document.title or any(token in heading for heading in above)
        else:
            assert count == 1, (token, texts)


@pytest.mark.requirement("LB-138")
@settings(max_examples=100, deadline=None)
@given(ROUGH, NAMES)
def test_the_same_bytes_give_the_same_document(text: str, name: str) -> None:
    """Every time."""
    data = text.encode("utf-8", "surrogatepass")
    try:
        first = read_document(data, name)
    except Unreadable:
        return
    assert read_document(data, name) == first


@pytest.mark.requirement("LB-136", "LB-124")
@given(st.text(max_size=200) | ROUGH)
def test_any_reference_can_be_normalised_and_has_an_end(written: str) -> None:
    """And the chain of what contains it gets shorter."""
    normal = normalise_ref(written)
    lengths = [len(normal), *(len(above) for above in ancestors(normal))]
    assert all(before > after for before, after in itertools.pairwise(lengths))
    for citation in cited_references(written, "315"):
        assert written[slice(*citation.span)].startswith(citation.written)


@pytest.mark.requirement("LB-138")
@pytest.mark.parametrize(
    "line",
    [
        "x" * 3_000_000,
        "word " * 600_000,
        "(" * 1_000_000,
        "**a" * 500_000,
        "[x](" * 500_000,
        "`" * 1_000_000,
        "paragraphs 1, " * 100_000,
        "1.1" * 500_000,
        "| " * 1_000_000,
        " " * 1_000_000 + "x",
        "_" * 1_000_000,
        "<a " * 300_000,
        "\\" * 1_000_000,
        "-" * 1_000_000 + "x",
        "# a" + " " * 1_000_000 + "b",
        "`" + " " * 1_000_000 + "x",
        ". " * 500_000 + "x!",
    ],
)
@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.rst", "a.html"])
def test_one_endless_line_is_read_in_seconds(line: str, name: str) -> None:
    """No pattern takes time that grows with the square of the line."""
    began = time.perf_counter()
    with contextlib.suppress(Unreadable):
        document = read_document(line.encode(), name)
        assert all(len(paragraph.text) <= LONGEST for paragraph in document.paragraphs)
    assert time.perf_counter() - began < 10

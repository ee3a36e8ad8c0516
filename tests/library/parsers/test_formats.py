import io
import zipfile
from collections.abc import Callable

import docx
import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, SimpleDocTemplate
from reportlab.platypus import Paragraph as Words

from bottega.library.parsers.citations import paragraph_citations
from bottega.library.parsers.document import Format, Unit
from bottega.library.parsers.reader import read_document

MARKDOWN = b"""# Harbour rules

## 1.1 Berths

Each berth is inspected.

## 1.2 Records

The log is kept; see section 1.1.
"""
PLAIN = b"""Harbour rules
=============

1.1 Berths

Each berth is inspected.

1.2 Records

The log is kept;
see section 1.1.
"""
RESTRUCTURED = b"""Harbour rules
=============

1.1 Berths
----------

Each *berth* is inspected.

1.2 Records
-----------

.. note::

   The ``log`` is kept; see section 1.1.
"""
HTML = b"""<!DOCTYPE html><html lang=en><title>Harbour rules - Port</title><style>x</style>
<body><nav>Home</nav><main><h1>Harbour rules</h1><h2>1.1 Berths</h2>
<p>Each <b>berth</b> is inspected.<h2>1.2 Records</h2><p>The log is kept; see section&nbsp;1.1.</p>
</main><footer>Imprint</footer><script>alert(1)</script></body></html>"""


def word_file() -> bytes:
    document = docx.Document()
    document.add_heading("Harbour rules", 0)
    document.add_heading("1.1 Berths", 1)
    document.add_paragraph("Each berth is inspected.")
    document.add_heading("1.2 Records", 1)
    document.add_paragraph("The log is kept; see section 1.1.")
    return saved(document)


def saved(document: "docx.document.Document") -> bytes:
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def pdf_file(*pages: list[str], **options: object) -> bytes:
    style = getSampleStyleSheet()["BodyText"]
    file = io.BytesIO()
    story: list[object] = []
    for page in pages:
        story += [Words(text, style) for text in page]
        story.append(PageBreak())
    SimpleDocTemplate(file, **options).build(story)
    return file.getvalue()


def harbour_pdf() -> bytes:
    return pdf_file(
        ["1.1 Berths", "Each berth is inspected."],
        ["1.2 Records", "The log is kept; see section 1.1."],
        title="Harbour rules",
    )


@pytest.mark.requirement("LB-101")
@pytest.mark.parametrize(
    ("name", "make", "format", "unit"),
    [
        ("rules.md", lambda: MARKDOWN, Format.MARKDOWN, Unit.LINE),
        ("rules.txt", lambda: PLAIN, Format.TEXT, Unit.LINE),
        ("rules.rst", lambda: RESTRUCTURED, Format.RESTRUCTURED_TEXT, Unit.LINE),
        ("rules.rst.txt", lambda: RESTRUCTURED, Format.RESTRUCTURED_TEXT, Unit.LINE),
        ("rules.html", lambda: HTML, Format.HTML, Unit.BLOCK),
        ("rules", lambda: HTML, Format.HTML, Unit.BLOCK),
        ("rules.docx", word_file, Format.DOCX, Unit.BLOCK),
        ("rules.pdf", harbour_pdf, Format.PDF, Unit.PAGE),
    ],
)
def test_every_format_gives_the_same_document(
    name: str, make: Callable[[], bytes], format: Format, unit: Unit
) -> None:
    """Title, references, texts and citations, whatever the file."""
    document = read_document(make(), name)
    assert (document.title, document.format, document.unit) == ("Harbour rules", format, unit)
    said = [(paragraph.ref, paragraph.text.replace("`", "")) for paragraph in document.paragraphs]
    assert said == [
        ("1.1", "Each berth is inspected."),
        ("1.2", "The log is kept; see section 1.1."),
    ]
    last = document.paragraphs[-1]
    assert last.headings == ("1.2 Records",)
    assert [citation.target for citation in paragraph_citations(last, document)] == ["1.1"]
    assert document.problems == ()


@pytest.mark.requirement("LB-101")
def test_a_text_about_pdf_is_no_pdf_and_a_misnamed_pdf_is_one() -> None:
    """The first bytes decide, not a word in the text."""
    assert read_document(b"A file begins with %PDF-1.7.", "a.txt").format is Format.TEXT
    assert read_document(harbour_pdf(), "a.txt").format is Format.PDF
    assert read_document(b"rubbish\n" + harbour_pdf(), "a.pdf").title == "Harbour rules"


@pytest.mark.requirement("LB-110")
def test_the_numbers_a_browser_prints_are_counted() -> None:
    """Start, value and type of lists, as HTML defines them."""
    page = (
        b"<h1>X</h1><ol start=12><li>One:<ol type=a><li>first<li>second</ol>"
        b"<li value=14>Two<ol type=i><li>i</ol></ol>"
    )
    document = read_document(page, "x.html")
    assert [(p.ref, p.text) for p in document.paragraphs] == [
        ("12", "One:"),
        ("12(a)", "first"),
        ("12(b)", "second"),
        ("14", "Two"),
        ("14(i)", "i"),
    ]


@pytest.mark.requirement("LB-110")
def test_the_steps_of_a_list_are_no_sections() -> None:
    """They stay with the words before them; in an article of a law they are its paragraphs."""
    steps = b"<ol><li>Knock.</li><li>Enter.</li></ol>"
    page = (
        b"<h1>2. Doors</h1><h2>2.1 In</h2><p>This is the order.</p>" + steps + b"<h2>2.2 Out</h2>"
        b"<p>It is the same.</p><ol><li>Knock.</li><li>Wait.</li><li>Leave.</li></ol>"
    )
    document = read_document(page, "doors.html")
    assert [paragraph.ref for paragraph in document.paragraphs] == ["2", "2.1", "2.2"]
    assert document.paragraphs[1].text == "This is the order.\n1. Knock.\n2. Enter."
    bare = read_document(b"<h1>Doors</h1><p>Do this.</p>" + steps, "doors.html")
    assert [paragraph.ref for paragraph in bare.paragraphs] == ["Doors ¶1"]
    law = read_document(b"<h1>Law</h1><h2>Article 7</h2>" + steps, "law.html")
    assert [paragraph.ref for paragraph in law.paragraphs] == ["7(1)", "7(2)"]


@pytest.mark.requirement("LB-110")
def test_the_numbers_word_prints_are_counted() -> None:
    """They stand in no text; `(a)` begins again below the next number."""
    document = docx.Document()
    numbering = document.part.numbering_part.element
    kind = OxmlElement("w:abstractNum")
    kind.set(qn("w:abstractNumId"), "77")
    for depth, (number_format, text) in enumerate([("decimal", "%1."), ("lowerLetter", "(%2)")]):
        level = OxmlElement("w:lvl")
        level.set(qn("w:ilvl"), str(depth))
        for tag, value in (("w:start", "1"), ("w:numFmt", number_format), ("w:lvlText", text)):
            child = OxmlElement(tag)
            child.set(qn("w:val"), value)
            level.append(child)
        kind.append(level)
    numbering.insert(0, kind)
    number_id = numbering.add_num(77).numId
    for text, depth in (("A:", 0), ("first", 1), ("second", 1), ("B:", 0), ("third", 1)):
        properties = document.add_paragraph(text)._p.get_or_add_pPr().get_or_add_numPr()
        properties.get_or_add_numId().val = number_id
        properties.get_or_add_ilvl().val = depth
    read = read_document(saved(document), "x.docx")
    assert [(p.ref, p.text) for p in read.paragraphs] == [
        ("1", "A:"),
        ("1(a)", "first"),
        ("1(b)", "second"),
        ("2", "B:"),
        ("2(a)", "third"),
    ]


@pytest.mark.requirement("LB-107")
def test_tables_become_rows_of_text_in_html_word_and_restructured_text() -> None:
    """One line a row."""
    rows = "who | when\nAda | now"
    page = b"<h1>X</h1><p>So:<table><tr><th>who<th>when<tr><td><p>Ada</p><td>now</table>"
    assert read_document(page, "x.html").paragraphs[0].text == f"So:\n{rows}"
    grid = (
        b"So:\n\n+-----+------+\n| who | when |\n+=====+======+\n| Ada | now  |\n+-----+------+\n"
    )
    assert read_document(grid, "x.rst").paragraphs[0].text == f"So:\n{rows}"
    simple = b"So:\n\n===  ====\nwho  when\n===  ====\nAda  now\n===  ====\n"
    assert read_document(simple, "x.rst").paragraphs[0].text.split("\n") == [
        "So:",
        *rows.split("\n"),
    ]
    document = docx.Document()
    document.add_paragraph("So:")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(table._cells, ["who", "when", "Ada", "now"], strict=True):
        cell.text = text
    assert read_document(saved(document), "x.docx").paragraphs[0].text == f"So:\n{rows}"


@pytest.mark.requirement("LB-107")
def test_footnotes_are_kept_in_html_and_restructured_text() -> None:
    """With the mark in the text and a reference of their own."""
    page = (
        b"<h1>X</h1><p>So.<a class='footnote-reference' href='#f'>1</a></p>"
        b"<dl class='footnote'><dt id=f>1</dt><dd><p>As root.</p><p>Always.</p></dd></dl>"
    )
    said = [(p.ref, p.text) for p in read_document(page, "x.html").paragraphs]
    assert said == [("X ¶1", "So.[1]"), ("footnote 1", "[1] As root.\nAlways.")]
    text = b"So. [#]_\n\n.. [#] As root.\n"
    said = [(p.ref, p.text) for p in read_document(text, "x.rst").paragraphs]
    assert said == [("x ¶1", "So. [1]"), ("footnote 1", "[1] As root.")]


WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


@pytest.mark.requirement("LB-107", "LB-101")
def test_a_word_document_is_read_as_it_stands_with_its_footnotes() -> None:
    """Deleted words are gone, inserted ones are there, notes are kept."""
    document = (
        f"<w:document {WORD}><w:body><w:p><w:r><w:t>Each berth </w:t></w:r>"
        "<w:ins><w:r><w:t>is</w:t></w:r></w:ins><w:del><w:r><w:t>was</w:t></w:r></w:del>"
        "<w:r><w:t> safe.</w:t><w:footnoteReference w:id='2'/></w:r></w:p></w:body></w:document>"
    )
    notes = (
        f"<w:footnotes {WORD}><w:footnote w:id='-1'><w:p/></w:footnote>"
        "<w:footnote w:id='2'><w:p><w:r><w:t>At low tide.</w:t></w:r></w:p></w:footnote>"
        "</w:footnotes>"
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        package.writestr("word/document.xml", document)
        package.writestr("word/footnotes.xml", notes)
    said = [(p.ref, p.text) for p in read_document(file.getvalue(), "x.docx").paragraphs]
    assert said == [("x ¶1", "Each berth is safe.[2]"), ("footnote 2", "[2] At low tide.")]


@pytest.mark.requirement("LB-112")
def test_running_heads_of_a_pdf_are_left_out_and_places_are_pages() -> None:
    """Whatever number the head carries."""
    seas = ["Baltic", "Adriatic", "North Sea", "Aegean", "Black Sea", "Bay of Biscay"]
    texts = [f"Of all ports on the {sea} only this one is inspected. " * 4 for sea in seas]
    pages = [
        [f"Harbour rules, page {page}", f"{page}. {text.strip()}"]
        for page, text in enumerate(texts, start=1)
    ]
    document = read_document(pdf_file(*pages), "x.pdf")
    assert [(p.ref, p.start) for p in document.paragraphs] == [(str(n), n) for n in range(1, 7)]
    assert all("Harbour rules" not in paragraph.text for paragraph in document.paragraphs)
    assert document.paragraphs[2].text == texts[2].strip()

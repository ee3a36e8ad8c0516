import pytest

from bottega.library.parsers.document import Document, Kind
from bottega.library.parsers.reader import read_document

STANDARD = """\
---
number: 315
title: Moorings
kind: standard
language: en
tags: [harbour, boats]
---
# Moorings

## Scope

1. This standard is about moorings.

2. It applies to **all** berths.

## Requirements

**3.** The harbour master shall:

    (a) inspect each berth every 14 days;

    (b) keep a log of:

        (i) the date; and

        (ii) the finding; and

    (c) sign it.

    All three are done on one day.

## Application material

A1. An inspection may be short.
"""


def read(text: str, name: str = "standard.md") -> Document:
    return read_document(text.encode(), name)


def refs(document: Document) -> list[str]:
    return [paragraph.ref for paragraph in document.paragraphs]


@pytest.mark.requirement("LB-102", "LB-103")
def test_numbers_with_the_documents_own_number_are_the_references() -> None:
    """3, then (b) in 3, then (i) in (b)."""
    document = read(STANDARD)
    assert refs(document) == [
        "315.1",
        "315.2",
        "315.3",
        "315.3(a)",
        "315.3(b)",
        "315.3(b)(i)",
        "315.3(b)(ii)",
        "315.3(c)",
        "315.3 ¶2",
        "315.A1",
    ]
    by_ref = {paragraph.ref: paragraph for paragraph in document.paragraphs}
    assert by_ref["315.3(b)(i)"].text == "the date; and"
    assert by_ref["315.3(b)(i)"].number == "3(b)(i)"
    assert by_ref["315.3(b)(i)"].headings == ("Requirements",)
    assert by_ref["315.2"].text == "It applies to all berths."
    assert by_ref["315.2"].start == 14
    assert [paragraph.order for paragraph in document.paragraphs] == list(range(10))


@pytest.mark.requirement("LB-109")
def test_the_frontmatter_says_what_the_document_is() -> None:
    """Title, number, kind, language; the caller's kind wins."""
    document = read(STANDARD)
    assert (document.title, document.prefix, document.language) == ("Moorings", "315", "en")
    assert document.kind is Kind.STANDARD
    assert document.metadata["tags"] == "harbour, boats"
    assert read_document(STANDARD.encode(), "a.md", kind=Kind.GUIDE).kind is Kind.GUIDE
    guide = STANDARD.replace("kind: standard", "kind: guide")
    assert read(guide).kind is Kind.GUIDE
    titled = read(STANDARD.replace("# Moorings", "# Standard 315: Moorings"))
    assert refs(titled) == refs(read(STANDARD))
    assert read(STANDARD.replace("number: 315", "number: G1")).paragraphs[0].ref == "G1.1"
    assert read(STANDARD.replace("number: 315", "number: ISA 315")).prefix == "315"
    odd = read(STANDARD.replace("kind: standard", "kind: poem"))
    assert odd.kind is Kind.STANDARD
    assert "poem" in odd.problems[0].message


@pytest.mark.requirement("LB-109")
@pytest.mark.parametrize(
    ("title", "name", "prefix"),
    [
        ("ISA 315 (Revised)", "x.md", "315"),
        ("Standard 210: Gangways", "x.md", "210"),
        ("Gangways", "isa-315.md", "315"),
        ("Gangways", "210_gangways.md", "210"),
        ("Gangways", "gangways.md", None),
        ("Gangways in 2024", "2024-report.md", None),
    ],
)
def test_the_documents_number_is_found_in_its_title_or_its_file_name(
    title: str, name: str, prefix: str | None
) -> None:
    """And a year is no number of a document."""
    assert read(f"# {title}\n\nWords.\n", name).prefix == prefix


@pytest.mark.requirement("LB-102")
@pytest.mark.parametrize(
    ("line", "ref"),
    [
        ("315.12(a) The log is kept.", "315.12(a)"),
        ("315.A23 The log is kept.", "315.A23"),
        ("12. The log is kept.", "12"),
        ("12A. The log is kept.", "12A"),
        ("12\\. The log is kept.", "12"),
        ("12. (a) The log is kept.", "12(a)"),
        ("4.9.1 The log is kept.", "4.9.1"),
        ("4.9.1. the log is kept.", "4.9.1"),
        ("§ 4 The log is kept.", "4"),
        ("Article 7. The log is kept.", "7"),
        ("A23. The log is kept.", "A23"),
        ("Appendix 2: The log is kept.", "Appendix 2"),
    ],
)
def test_every_way_to_number_is_understood(line: str, ref: str) -> None:
    """Numbers as standards, laws and manuals write them."""
    [paragraph] = read(f"{line}\n", "log.txt").paragraphs
    assert paragraph.ref == ref
    assert paragraph.text.lower() == "the log is kept."


@pytest.mark.requirement("LB-102")
@pytest.mark.parametrize(
    "line",
    [
        "3.5 million litres were lost.",
        "A4 paper is used.",
        "Article 7 applies to all.",
        "12.03.2024 was a Tuesday.",
        "192.168.0.1 is the printer.",
    ],
)
def test_a_number_that_begins_a_sentence_is_no_reference(line: str) -> None:
    """Nothing is cut from the sentence."""
    [paragraph] = read(f"{line}\n", "log.txt").paragraphs
    assert (paragraph.ref, paragraph.text) == ("log ¶1", line)


@pytest.mark.requirement("LB-102")
def test_a_wrapped_line_that_begins_with_a_number_is_no_item() -> None:
    """ "in paragraph / 12. The …" goes on."""
    document = read("11. As required by paragraph\n12. The log is kept.\n", "log.txt")
    assert refs(document) == ["11"]


@pytest.mark.requirement("LB-103")
def test_the_letter_i_after_h_is_a_letter_and_the_one_after_a_is_a_number() -> None:
    """(h), (i), (j) are siblings; (a), (i), (ii), (b) are not."""
    letters = "".join(f"({letter}) x;\n" for letter in "abcdefghij")
    assert refs(read(f"1. All:\n{letters}", "x.txt"))[-2:] == ["1(i)", "1(j)"]
    nested = read("1. All:\n(a) x:\n(i) y;\n(ii) z;\n(b) w.\n", "x.txt")
    assert refs(nested) == ["1", "1(a)", "1(a)(i)", "1(a)(ii)", "1(b)"]


HANDBOOK = """\
# Handbook

Welcome.

## Deploying

To deploy:

1. Stop the service.
2. Start it again.

### Rollback

First of all, breathe.

Then go back.

## Watching

1. Look.
2. Look again.
"""


@pytest.mark.requirement("LB-104", "LB-108")
def test_without_numbers_the_path_of_headings_is_the_reference() -> None:
    """And the steps of a list stay with the sentence before them."""
    document = read(HANDBOOK)
    assert refs(document) == [
        "Handbook ¶1",
        "Deploying ¶1",
        "Deploying › Rollback ¶1",
        "Deploying › Rollback ¶2",
        "Watching ¶1",
    ]
    assert document.paragraphs[1].text == ("To deploy:\n1. Stop the service.\n2. Start it again.")


@pytest.mark.requirement("LB-104")
def test_references_stay_when_other_sections_change() -> None:
    """A new section and a new list elsewhere move nothing here."""
    changed = HANDBOOK.replace(
        "## Deploying\n", "## Before\n\nThink.\n\nAnd again:\n\n1. One.\n\n## Deploying\n\nNew.\n"
    )
    before = {p.text: p.ref for p in read(HANDBOOK).paragraphs if "Rollback" in p.headings}
    after = {p.text: p.ref for p in read(changed).paragraphs if "Rollback" in p.headings}
    assert before == after
    assert len(before) == 2


@pytest.mark.requirement("LB-108")
def test_an_article_counts_its_paragraphs_for_itself() -> None:
    """Article 7, paragraph 1, letter (a); an appendix beside running numbers."""
    law = "# Law\n## Article 7 Consent\n1. Ask.\n\n2. Wait:\n(a) long;\n## Article 8\n1. Go.\n"
    assert refs(read(law)) == ["7(1)", "7(2)", "7(2)(a)", "8(1)"]
    standard = (
        "# S\n\n## 1. Scope\n\n1. A.\n\n2. B.\n\n## 2. Rest\n\n3. C.\n\n## Appendix 1\n\n1. D.\n"
    )
    assert refs(read(standard)) == ["1", "2", "3", "Appendix 1.1"]


@pytest.mark.requirement("LB-102", "LB-111")
def test_unnumbered_texts_below_a_numbered_heading_are_counted_in_it() -> None:
    """4.9 itself, its second paragraph, and a heading that has no text."""
    document = read("# Manual\n\n## 4. Rules\n\n### 4.9 Targets\n\nOne.\n\nTwo.\n")
    assert refs(document) == ["4", "4.9", "4.9 ¶2"]
    assert document.paragraphs[0].text == "Rules"
    assert document.paragraphs[0].number == "4"


@pytest.mark.requirement("LB-105")
def test_repeated_references_are_told_apart_and_reported() -> None:
    """Numbers and headings alike."""
    document = read("1. A.\n\n2. B.\n\nA1. C.\n\nA1. D.\n\n# X\n\nE.\n\n# X\n\nF.\n")
    assert refs(document) == ["1", "2", "A1", "A1 #2", "X ¶1", "X #2 ¶1"]
    assert [(problem.start, problem.message) for problem in document.problems] == [
        (13, "X stands more than once; this one is X #2"),
        (7, "A1 stands more than once; this one is A1 #2"),
    ]


@pytest.mark.requirement("LB-106")
def test_a_long_paragraph_is_split_between_sentences() -> None:
    """At most 1,500 characters, each part ending with a sentence."""
    sentence = "The keeper of the log writes down what was seen, by whom and on which day. "
    document = read(f"1. {sentence * 50}\n", "x.txt")
    assert refs(document) == ["1", "1 part 2", "1 part 3"]
    texts = [paragraph.text for paragraph in document.paragraphs]
    assert all(len(text) <= 1_500 and text.endswith(".") for text in texts)
    assert " ".join(texts) == (sentence * 50).strip()


@pytest.mark.requirement("LB-107")
def test_code_tables_and_bullets_stay_with_their_paragraph() -> None:
    """And a footnote has a reference of its own."""
    document = read(
        "# X\n\nRun this:[^1]\n\n```sh\nmake  all\n```\n\n- or wait\n\n  for long\n\n"
        "| who | when |\n|---|---|\n| Ada | now |\n\n[^1]: As root.\n"
    )
    assert [(p.ref, p.text) for p in document.paragraphs] == [
        (
            "X ¶1",
            "Run this:[^1]\n```sh\nmake  all\n```\n- or wait\nfor long\nwho | when\nAda | now",
        ),
        ("footnote 1", "[1] As root."),
    ]

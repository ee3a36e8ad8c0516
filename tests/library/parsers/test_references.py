import pytest

from bottega.library.parsers.citations import (
    CrossReference,
    Reach,
    cited_references,
    paragraph_citations,
)
from bottega.library.parsers.reader import read_document
from bottega.library.parsers.references import ancestors, normalise_ref, parent_ref, resolve_ref


@pytest.mark.requirement("LB-124")
@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("para. 12 (a)", "12(a)"),
        ("paragraph 12(a)(i)", "12(a)(i)"),
        ("§ 4", "4"),
        ("Section 4.9.1.", "4.9.1"),
        ("Art. 7 (1)", "7(1)"),
        ("ISA 315.A23", "315.A23"),
        ("ISA 315, paragraph 12(a)", "315.12(a)"),
        ("ISA 315", "315"),
        ("appendix 2", "Appendix 2"),
        ("annex a", "Annex A"),
        ("315.12(a)", "315.12(a)"),
        ("Deploying ›Rollback  ¶2", "Deploying › Rollback ¶2"),
        ("4.9.1 ¶2", "4.9.1 ¶2"),
    ],
)
def test_a_reference_has_one_normal_form(written: str, normal: str) -> None:
    """And the normal form is its own."""
    assert normalise_ref(written) == normal
    assert normalise_ref(normal) == normal


@pytest.mark.requirement("LB-124")
@pytest.mark.parametrize(
    ("ref", "chain"),
    [
        ("315.12(a)(i)", ["315.12(a)", "315.12", "315"]),
        ("4.9.1 ¶2", ["4.9.1", "4.9", "4"]),
        ("12(a) part 3", ["12(a)", "12"]),
        ("315.A2 #2", ["315.A2", "315"]),
        ("Deploying › Rollback ¶2", ["Deploying › Rollback", "Deploying"]),
        ("Appendix 2.1", ["Appendix 2"]),
        ("Mr. Smith's rules", []),
    ],
)
def test_a_reference_knows_what_contains_it(ref: str, chain: list[str]) -> None:
    """Nearest first."""
    assert list(ancestors(ref)) == chain
    assert parent_ref(ref) == (chain[0] if chain else None)


@pytest.mark.requirement("LB-124")
def test_a_reference_is_resolved_to_what_there_is() -> None:
    """Exactly, without its word, with the document's number, or by what contains it."""
    known = {"315.12", "315.12(a)", "3", "315 Appendix 2"}
    assert resolve_ref("ISA 315 para. 12 (a)", known) == "315.12(a)"
    assert resolve_ref("315.12(a)(iv)", known) == "315.12(a)"
    assert resolve_ref("chapter 3", known) == "3"
    assert resolve_ref("ISA 315, appendix 2", known) == "315 Appendix 2"
    assert resolve_ref("ISA 240.12", known) is None


def targets(text: str, prefix: str | None = None) -> list[str]:
    return [citation.target for citation in cited_references(text, prefix)]


@pytest.mark.requirement("LB-121")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("As paragraph 12(a) says.", ["315.12(a)"]),
        ("See 4.9.1.", ["315.4.9.1"]),
        ("under section 4, always", ["315.4"]),
        ("(Ref: Para. A12–A14)", ["315.A12", "315.A13", "315.A14"]),
        ("paragraphs 5–7 apply", ["315.5", "315.6", "315.7"]),
        ("paragraphs 5 to 7 and 9", ["315.5", "315.6", "315.7", "315.9"]),
        ("paragraph 12(a)–(c)", ["315.12(a)", "315.12(b)", "315.12(c)"]),
        ("paragraph 12(a) and (d)", ["315.12(a)", "315.12(d)"]),
        ("paragraphs A12–14", ["315.A12", "315.A13", "315.A14"]),
        ("ISA 315.A23 helps", ["315.A23"]),
        ("Appendix 2 and Annex B", ["315 Appendix 2", "315 Annex B"]),
        ("appendices 1 and 2", ["315 Appendix 1", "315 Appendix 2"]),
        ("in 315.12 it says", ["315.12"]),
        ("§ 4 and §§ 5, 6", ["315.4", "315.5", "315.6"]),
        ("paragraphs 9–3", ["315.9", "315.3"]),
        ("paragraphs 1–9999", ["315.1", "315.9999"]),
        ("It took 12 days and 3.5 litres.", []),
        ("It costs 315.12 euros in part.", ["315.12"]),
        ("This part of the port is open.", []),
        ("It costs EUR 60 a night.", []),
    ],
)
def test_cross_references_are_found_in_the_text(text: str, found: list[str]) -> None:
    """Words, lists and ranges; a backward or endless range is its ends."""
    assert targets(text, "315") == found


@pytest.mark.requirement("LB-121")
def test_a_citation_knows_where_it_stands_and_what_it_says() -> None:
    """Every reference of a range shares its words."""
    text = "Do as paragraphs 5–6 say."
    assert cited_references(text) == [
        CrossReference("paragraphs 5–6", "5", (6, 20)),
        CrossReference("paragraphs 5–6", "6", (6, 20)),
    ]
    assert text[6:20] == "paragraphs 5–6"


@pytest.mark.requirement("LB-122")
def test_a_citation_says_where_it_leads() -> None:
    """Here, to another document, to the web."""
    text = (
        "See paragraph 3, ISA 240, paragraph 12(a), paragraph 4 of Standard 450, 210.7(b), "
        "RFC 2119 and https://example.org/x."
    )
    assert [(c.target, c.reach) for c in cited_references(text, "315")] == [
        ("315.3", Reach.HERE),
        ("240.12(a)", Reach.ELSEWHERE),
        ("450.4", Reach.ELSEWHERE),
        ("210.7(b)", Reach.ELSEWHERE),
        ("2119", Reach.ELSEWHERE),
        ("https://example.org/x", Reach.WEB),
    ]


@pytest.mark.requirement("LB-123", "LB-122")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "x.md",
            "# X\n\nSee [how](#going-back), [that](y.md#z) and [it](https://example.org).\n\n"
            "## Going back\n\nRun.\n",
        ),
        (
            "x.html",
            "<h1>X</h1><p>See <a href='#b'>how</a>, <a href='y.md#z'>that</a> and "
            "<a href='https://example.org'>it</a>.<h2 id=b>Going back</h2><p>Run.",
        ),
        (
            "x.rst",
            "X\n=\n\nSee :ref:`how <b>`, `that <y.md#z>`_ and `it <https://example.org>`__.\n\n"
            ".. _b:\n\nGoing back\n----------\n\nRun.\n",
        ),
    ],
)
def test_a_link_leads_to_the_paragraph_behind_its_anchor(name: str, text: str) -> None:
    """In markdown, HTML and reStructuredText alike."""
    document = read_document(text.replace("X\n=\n", "XXX\n===\n").encode(), name)
    first = document.paragraphs[0]
    assert first.text == "See how, that and it."
    assert [(c.written, c.target, c.reach) for c in paragraph_citations(first, document)] == [
        ("how", "Going back ¶1", Reach.HERE),
        ("that", "y.md#z", Reach.ELSEWHERE),
        ("it", "https://example.org", Reach.WEB),
    ]

"""The example that ships: whole, consistent, and its own best witness."""

from bottega.library.judging.contradictions import find_contradictions
from bottega.library.judging.judge import judge_claim
from bottega.library.judging.verdicts import Verdict
from bottega.library.reading import Kind, cited_references, read_document
from tests.library.judging import labelled


def test_the_example_is_four_standards_and_a_guide() -> None:
    """LB-201."""
    documents = [
        read_document(path.read_bytes(), path.name)
        for path in sorted(labelled.STANDARDS.glob("*.md"))
    ]
    assert [document.kind for document in documents].count(Kind.STANDARD) == 4
    assert [document.kind for document in documents].count(Kind.GUIDE) == 1
    numbered = [p for document in documents for p in document.paragraphs if p.number]
    assert len(numbered) >= 150
    assert not [problem for document in documents for problem in document.problems]


def test_every_reference_leads_somewhere() -> None:
    """LB-202."""
    known = labelled.standards().paragraphs
    cited = [
        (ref, citation.target)
        for ref, text in known.items()
        for citation in cited_references(text, ref.split(".")[0])
    ]
    assert len(cited) > 60
    documents = {ref.split(".")[0] for ref in known}
    assert [pair for pair in cited if pair[1] not in known and pair[1] not in documents] == []


def test_the_standards_do_not_contradict_each_other() -> None:
    """LB-203."""
    found = find_contradictions(labelled.standards().paragraphs, embed=labelled.embed)
    assert [detail["between"] for detail in found.details] == []


def test_every_paragraph_supports_its_own_text() -> None:
    """LB-220."""
    failing = [
        ref
        for ref, text in labelled.standards().paragraphs.items()
        if judge_claim(text, text, embed=labelled.embed).verdict is not Verdict.SUPPORTED
    ]
    assert failing == []

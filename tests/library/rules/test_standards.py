"""The example that ships: whole, consistent, and its own best witness."""

import pytest

from bottega.core.readers.claim_reader import CrossClaimReader
from bottega.library.parsers.citations import cited_references
from bottega.library.parsers.document import Kind
from bottega.library.parsers.reader import read_document
from bottega.library.verify.citations import CitedPart
from bottega.library.verify.claims import judge_claims
from bottega.library.verify.contradictions import find_contradictions
from bottega.library.verify.verdicts import Verdict
from tests.library.rules import labelled


@pytest.mark.requirement("LB-201")
def test_the_example_is_four_standards_and_a_guide() -> None:
    documents = [
        read_document(path.read_bytes(), path.name)
        for path in sorted(labelled.STANDARDS.glob("*.md"))
    ]
    assert [document.kind for document in documents].count(Kind.STANDARD) == 4
    assert [document.kind for document in documents].count(Kind.GUIDE) == 1
    numbered = [p for document in documents for p in document.paragraphs if p.number]
    assert len(numbered) >= 150
    assert not [problem for document in documents for problem in document.problems]


@pytest.mark.requirement("LB-202")
def test_every_reference_leads_somewhere() -> None:
    known = labelled.standards().paragraphs
    cited = [
        (ref, citation.target)
        for ref, text in known.items()
        for citation in cited_references(text, ref.split(".")[0])
    ]
    assert len(cited) > 60
    documents = {ref.split(".")[0] for ref in known}
    assert [pair for pair in cited if pair[1] not in known and pair[1] not in documents] == []


@pytest.mark.requirement("LB-203")
def test_the_standards_do_not_contradict_each_other() -> None:
    found = find_contradictions(labelled.standards().paragraphs)
    assert [detail["between"] for detail in found.details] == []


@pytest.mark.requirement("LB-220")
async def test_every_paragraph_supports_its_own_text() -> None:
    """Word by word, so that nothing has to be read."""
    texts = labelled.standards().paragraphs
    asked = [(text, [CitedPart(ref, ref, text)]) for ref, text in texts.items()]
    opinions = await judge_claims(CrossClaimReader(), asked, {})
    assert all(each.quoted and each.verdict is Verdict.SUPPORTED for each in opinions)

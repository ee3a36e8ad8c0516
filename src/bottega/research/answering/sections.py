"""Claims as plain text: each sentence, followed by what it rests on in brackets."""

from collections.abc import Iterable, Mapping

from bottega.research.pipeline.outputs import AnswerSection, Claim, Synthesis


def section_text(
    section: AnswerSection, citation_format: str, documents: Mapping[str, str] | None = None
) -> str:
    """`documents` has the title of the document of each reference, where that is known."""
    return claims_text(section.claims, citation_format, documents)


def claims_text(
    claims: Iterable[Claim], citation_format: str, documents: Mapping[str, str] | None = None
) -> str:
    return " ".join(claim_text(claim, citation_format, documents) for claim in claims)


def claim_text(
    claim: Claim, citation_format: str, documents: Mapping[str, str] | None = None
) -> str:
    names = [
        citation_name(ref, citation_format, document=(documents or {}).get(ref, ""))
        for ref in claim.citations
    ]
    return " ".join([claim.text.strip(), *(f"[{name}]" for name in (*names, *claim.labels))])


def synthesis_text(
    synthesis: Synthesis, citation_format: str, documents: Mapping[str, str] | None = None
) -> str:
    """The short answer, then the sections under their headings."""
    parts = [claims_text(synthesis.summary, citation_format, documents)]
    for section in synthesis.sections:
        parts += [f"## {section.heading}", section_text(section, citation_format, documents)]
    return "\n\n".join(part for part in parts if part)


def citation_name(ref: str, citation_format: str, *, document: str = "", library: str = "") -> str:
    """Of what is not known nothing is left, not even its space."""
    # By replacement: `str.format` would let an agent's file look into our objects.
    name = citation_format
    for field, value in (("{library}", library), ("{document}", document), ("{ref}", ref)):
        name = name.replace(field, value)
    return " ".join(name.split()) or ref

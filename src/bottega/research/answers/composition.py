"""From what a run knows to its answer as data, or to a refusal that says what is missing, what is
nearest, and what the person can do; and their text for our markdown: claims with citations, links
to what is cited, and escaping. Text of others is shown as it is, and never as markup of its own.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Literal
from urllib.parse import quote, urlsplit

from bottega.research.answers.claim_filter import FilteredAnswer, Labelled
from bottega.research.pipeline.context import StageContext
from bottega.research.pipeline.schemas import (
    AnswerStatus,
    Claim,
    JudgedClaim,
    Retrieval,
    Synthesis,
    Truth,
)
from bottega.research.pipeline.views import (
    AskedSubQuery,
    CitedParagraph,
    DeliveredClaim,
    DeliveredSection,
    Refusal,
    Verification,
)
from bottega.research.pipeline.views import ResearchAnswer as Answer

#: What begins emphasis, code, links, tables and HTML.
_MARKUP = re.compile(r"[\\`*_\[\]|~]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
#: What makes a heading, a rule or a list of a line that begins with it.
_LINE_START = re.compile(r"^(\s*)([#=+-])", re.MULTILINE)
#: Control characters, and marks that turn the direction of writing to deceive the eye.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]")
_LINE = re.compile(r"line (\d+)")
_PAGE = re.compile(r"page (\d+)")
Linker = Literal["file", "paragraph", "none"]


def escape(text: str) -> str:
    """Keeps line breaks; see `escape_line`."""
    text = _UNSEEN.sub(" ", text)
    text = "".join(_ENTITIES.get(each, each) for each in text)
    text = _MARKUP.sub(r"\\\g<0>", text)
    return _LINE_START.sub(r"\1\\\2", text)


def escape_line(text: str) -> str:
    return escape(" ".join(text.split()))


def quote_block(text: str) -> str:
    """As a block quote of markdown, line by line."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def safe_url(url: str) -> str | None:
    """An address that a link may lead to: of the web, and nothing in it ends the link."""
    try:
        scheme = urlsplit(url.strip()).scheme
    except ValueError:
        return None
    if scheme not in ("http", "https"):
        return None
    return quote(url.strip(), safe="%/:=&?~#+!$,;@*-._")


def link_to(
    cited: CitedParagraph, linker: Linker, *, library: str, root: str | None = None
) -> str | None:
    match linker:
        case "paragraph":
            # All of it is quoted: a reference may have slashes and brackets, which would end it.
            return f"/libraries/{_quoted(library)}/paragraphs/{_quoted(cited.ref)}"
        case "file":
            return file_link(cited, root)
        case "none":
            return None


def file_link(cited: CitedParagraph, root: str | None) -> str:
    anchor = ""
    if line := _LINE.fullmatch(cited.start or ""):
        anchor = f"#L{line[1]}"
    elif page := _PAGE.fullmatch(cited.start or ""):
        anchor = f"#page={page[1]}"
    whole = PurePath(root, cited.path) if root else PurePath(cited.path)
    if whole.is_absolute():
        return f"{whole.as_uri().replace('(', '%28').replace(')', '%29')}{anchor}"
    return "/".join(_quoted(part) for part in whole.as_posix().split("/")) + anchor


def _quoted(text: str) -> str:
    return quote(text, safe="")


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
        parts += [f"## {section.heading}", claims_text(section.claims, citation_format, documents)]
    return "\n\n".join(part for part in parts if part)


def citation_name(ref: str, citation_format: str, *, document: str = "", library: str = "") -> str:
    """Of what is not known nothing is left, not even its space."""
    # By replacement: `str.format` would let an agent's file look into our objects.
    name = citation_format
    for field, value in (("{library}", library), ("{document}", document), ("{ref}", ref)):
        name = name.replace(field, value)
    return " ".join(name.split()) or ref


NEAREST = 3
#: Of a paragraph's text, what a line holds.
LINE = 160
LONGEST_REASON = 300
#: What speaks for an answer is no reason to refuse one.
_FOR_IT = re.compile(r" takes up: ")
_SENTENCE = re.compile(r"(?<=[.!?;:])\s")


def _taken_out(count: int) -> str:
    if count == 1:
        return "One statement was written and taken out: the library does not bear it out."
    return f"{count} statements were written and taken out: the library does not bear them out."


def _missing(retrieval: Retrieval | None, synthesis: Synthesis | None) -> list[str]:
    """The library's own reasons; where it saw none, those of whoever read what was found."""
    if retrieval is not None and not retrieval.answerable:
        reasons = [each for each in retrieval.reasons if not _FOR_IT.search(each)]
    elif retrieval is not None and not retrieval.paragraphs:
        reasons = ["The library has nothing that is near to the question."]
    else:
        said = synthesis.cannot_answer if synthesis else None
        # A model's own words go out unchecked: none that could carry a reference or a figure.
        is_safe = said and len(said) <= LONGEST_REASON and not re.search(r"\d", said)
        reasons = [said] if said and is_safe else []
    return reasons or ["What was found does not say it clearly enough."]


def _nearest(retrieval: Retrieval | None) -> list[CitedParagraph]:
    found = [each.paragraph for each in retrieval.paragraphs[:NEAREST]] if retrieval else []
    return [CitedParagraph.of(paragraph, _line(paragraph.text)) for paragraph in found]


def _line(text: str) -> str:
    first = _SENTENCE.split(" ".join(text.split()), maxsplit=1)[0]
    return first if len(first) <= LINE else f"{first[:LINE].rstrip()}…"


def compose_refusal(context: StageContext, gated: FilteredAnswer | None = None) -> Answer:
    known, removed = context.known, list(gated.removed) if gated else []
    refusal = Refusal(
        missing=[_taken_out(len(removed))]
        if removed
        else _missing(known.retrieval, known.synthesis),
        nearest=_nearest(known.retrieval),
        advice=[
            "Ask in other words, or for one thing at a time: the library may call it differently.",
            f"Add documents that say it to the library “{context.library.name}”, and ask again.",
        ],
    )
    answer = _blank(context, AnswerStatus.REFUSED)
    return answer.model_copy(update={"refusal": refusal, "removed": removed})


def compose_answer(
    context: StageContext,
    status: AnswerStatus,
    gated: FilteredAnswer,
    labelled: Labelled,
    verification: Verification,
    citations: Sequence[CitedParagraph],
) -> Answer:
    documents = {each.ref: each.document for each in citations}
    form = context.agent.config.output.citation_format
    synthesis = labelled.synthesis
    sections = [
        DeliveredSection(
            heading=section.heading,
            text=claims_text(section.claims, form, documents),
            claims=_delivered(section.claims, gated),
            citations=refs_of(section.claims),
            sources=list(under),
        )
        for section, under in zip(synthesis.sections, labelled.under_sections, strict=True)
    ]
    return _blank(context, status).model_copy(
        update={
            "title": synthesis.title,
            "summary": claims_text(synthesis.summary, form, documents),
            "summary_claims": _delivered(synthesis.summary, gated),
            "summary_sources": list(labelled.under_summary),
            "sections": sections,
            "citations": list(citations),
            "consulted": list(labelled.consulted),
            "removed": list(gated.removed),
            "verification": verification,
        }
    )


def refs_of(claims: Sequence[Claim]) -> list[str]:
    return list(dict.fromkeys(ref for claim in claims for ref in claim.citations))


def _blank(context: StageContext, status: AnswerStatus) -> Answer:
    """All that does not depend on there being an answer."""
    known = context.known
    retrieval = known.retrieval
    return Answer(
        run_id=context.run_id,
        question=context.order.question,
        title=context.order.question,
        status=status,
        library=context.library.name,
        depth=context.depth,
        is_offline=context.calls.offline,
        web_sources=known.calibration.web_sources if known.calibration else [],
        prior=context.prior.sections,
        passages=retrieval.passages if retrieval else [],
        sub_queries=_sub_queries(context),
        skipped_sub_queries=retrieval.skipped_sub_queries if retrieval else [],
        follow_up_of=context.order.follow_up_of,
    )


def _sub_queries(context: StageContext) -> list[AskedSubQuery]:
    known = context.known
    if known.plan is None:
        return []
    paragraphs = known.retrieval.paragraphs if known.retrieval else []
    found: Mapping[str, int] = Counter(each.sub_query for each in paragraphs)
    return [
        AskedSubQuery(
            query=asked.query,
            role=asked.role,
            standards=asked.standards,
            found=found.get(asked.query, 0),
        )
        for asked in known.current_plan.sub_queries
    ]


def _delivered(claims: Sequence[Claim], gated: FilteredAnswer) -> list[DeliveredClaim]:
    judged = {each.claim.text: each for each in gated.claims}
    return [
        DeliveredClaim(
            **dict(claim),
            is_unconfirmed=claim.text in gated.unconfirmed,
            **_truths(judged.get(claim.text)),
        )
        for claim in claims
    ]


def _truths(judged: JudgedClaim | None) -> dict[str, Truth | None]:
    if judged is None:
        return {}
    return {"quoted": judged.quoted, "supported": judged.supported, "answers": judged.answers}

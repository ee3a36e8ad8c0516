"""Stage 5: the gate, the document and its files.

The outcome of the run is the truth; the files are a mirror, and a full disk loses no answer.
"""

import asyncio
from collections.abc import Sequence

import structlog
from pydantic import BaseModel

from bottega.core import clock
from bottega.core.files.sandbox import Sandbox
from bottega.errors import BottegaError, NotFound
from bottega.library.service import ParagraphView
from bottega.research.answering.answer import Answer, Needed, Verification, overall
from bottega.research.answering.asked import unnamed
from bottega.research.answering.axes import measure
from bottega.research.answering.composing import compose_answer, compose_refusal, refs_of
from bottega.research.answering.document import render_document
from bottega.research.answering.feedback import missed
from bottega.research.answering.gate import Gated, decide_status, pass_gate
from bottega.research.answering.labels import place_labels
from bottega.research.answering.links import CitedParagraph
from bottega.research.answering.names import document_name
from bottega.research.folders import SessionFolder, session_folder
from bottega.research.pipeline.outputs import AnswerStatus, Delivered, Synthesis, Verified
from bottega.research.pipeline.stage import StageContext
from bottega.research.stages.parts import Parts
from bottega.research.stages.planning.decomposition import split_question
from bottega.research.stages.verify import verify_answer

log = structlog.get_logger()


class Written(BaseModel):
    created_at: str
    path: str | None = None
    problem: str = ""


async def output(parts: Parts, context: StageContext) -> Delivered:
    answer = await _answer(parts, context)
    style = context.agent.config.output
    markdown = await asyncio.to_thread(render_document, answer, style, root=context.library.root)
    name = document_name(style.file_name, context.order.question, context.run_id)
    folder = session_folder(parts.data_dir, context.session_id)
    written = await context.calls.tool(
        "orch_write_output",
        lambda: _write(folder, name, answer, markdown),
        input={"file": name},
        shown=lambda written: written.path or written.problem,
        result=Written,
    )
    answer = answer.model_copy(update={"created_at": written.created_at})
    return Delivered(
        answer_delivered=answer.status is not AnswerStatus.REFUSED,
        status=answer.status,
        output_file_path=written.path,
        total_citations=len(answer.citations),
        markdown=markdown,
        answer=answer.model_dump(mode="json"),
    )


async def _answer(parts: Parts, context: StageContext) -> Answer:
    known = context.known
    is_answerable = known.retrieval is None or known.retrieval.answerable
    synthesis = known.synthesis
    if synthesis is None or synthesis.cannot_answer or not is_answerable:
        return compose_refusal(context)
    # An agent may have no stage for it; without being verified nothing goes out.
    verified = known.verified or await verify_answer(parts, context, synthesis)
    gated = pass_gate(synthesis, verified.claims, context.order.question)
    if gated.is_empty:
        return compose_refusal(context, gated)
    cited = await _cited(parts, context, gated.synthesis, verified)
    if _is_by_rules(context) and (missing := _unnamed(context.order.question, cited)):
        return compose_refusal(context, missing=missing)
    verification = await _verify_rest(parts, context, verified, gated)
    status = decide_status(
        gated, whole_passed=verified.all_passed, rest_passed=not verification.missed
    )
    web = known.calibration.web_sources if known.calibration else []
    labelled = place_labels(gated.synthesis, web, context.prior.sections)
    citations = [CitedParagraph.of(paragraph, text) for paragraph, text in cited]
    return compose_answer(context, status, gated, labelled, verification, citations)


async def _verify_rest(
    parts: Parts, context: StageContext, verified: Verified, gated: Gated
) -> Verification:
    """Measured again on what is left, if that is not all of it."""
    scores = verified.verification_scores
    if gated.removed or not verified.all_passed:
        synthesis = gated.synthesis
        said = " ".join(claim.text for claim in synthesis.claims).lower()
        named = [entity for entity in synthesis.entities if entity.lower() in said]
        rest = await measure(parts.libraries, context, gated.claims, named, synthesis.relations)
        scores = rest.scores
    thresholds = context.agent.config.verification
    return Verification(
        scores=scores,
        needed=Needed.of(thresholds),
        confidence=overall(scores),
        missed=missed(scores, thresholds),
    )


async def _cited(
    parts: Parts, context: StageContext, synthesis: Synthesis, verified: Verified
) -> list[tuple[ParagraphView, str]]:
    """What is cited, each with its verbatim text."""
    retrieval = context.known.retrieval
    found = [each.paragraph for each in retrieval.paragraphs] if retrieval else []
    known = {paragraph.ref: paragraph for paragraph in found}
    refs = refs_of(synthesis.claims)
    if unread := [ref for ref in refs if ref not in known]:
        known |= {each.ref: each for each in await _read(parts, context, unread)}
    return [
        (known[ref], verified.source_texts.get(ref, known[ref].text))
        for ref in refs
        if ref in known
    ]


def _is_by_rules(context: StageContext) -> bool:
    """Whether no model wrote it: neither ours, nor an agent's that brought its own text."""
    return context.calls.offline and context.known.retrieval is not None


def _unnamed(question: str, cited: Sequence[tuple[ParagraphView, str]]) -> list[str]:
    """What no cited paragraph names of the part of the question that they answer best."""
    texts = [" ".join([each.document, *each.headings, text]) for each, text in cited]
    return min((unnamed(part, texts) for part in split_question(question)), key=len)


async def _read(parts: Parts, context: StageContext, refs: Sequence[str]) -> list[ParagraphView]:
    """Paragraphs that are cited though retrieval did not find them: by prior research, say."""

    async def read() -> list[ParagraphView]:
        found = []
        for ref in refs:
            try:
                found.append(await parts.libraries.libraries.paragraph(context.library, ref))
            except NotFound:
                log.warning("research.paragraph_gone", ref=ref, run=context.run_id)
        return found

    return await context.calls.tool(
        "orch_get_paragraphs",
        read,
        input={"paragraphs": list(refs)},
        shown=lambda found: f"{len(found)} of {len(refs)} read",
        result=list[ParagraphView],
    )


async def _write(folder: SessionFolder, name: str, answer: Answer, markdown: str) -> Written:
    stamped = answer.model_copy(update={"created_at": clock.iso()})
    path = folder.output / name
    try:
        await asyncio.to_thread(folder.path.mkdir, parents=True, exist_ok=True)
        files = Sandbox(folder.path)
        await files.write(path, markdown.encode())
        await files.write(folder.answer, stamped.model_dump_json(indent=2).encode() + b"\n")
    except (OSError, BottegaError) as error:
        log.warning("research.answer_not_written", path=str(path), error=str(error))
        return Written(created_at=stamped.created_at, problem=f"Not written: {error}")
    return Written(created_at=stamped.created_at, path=str(path))

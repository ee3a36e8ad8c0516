"""Stage 5: the answer's claims are filtered, and the document and its files are written.

The outcome of the run is the truth; the files are a mirror, and a full disk loses no answer.
"""

import asyncio
import unicodedata
from collections.abc import Sequence
from pathlib import PurePath

import structlog
from pydantic import BaseModel

from bottega.core import clock
from bottega.core.files.sandbox import Sandbox
from bottega.errors import BottegaError, NotFound
from bottega.library.service import ParagraphView
from bottega.research.answers.axes import measure, missed
from bottega.research.answers.claim_filter import (
    FilteredAnswer,
    decide_status,
    filter_claims,
    place_labels,
)
from bottega.research.answers.composition import compose_answer, compose_refusal, refs_of
from bottega.research.answers.document import render_document
from bottega.research.pipeline.context import StageContext
from bottega.research.pipeline.schemas import AnswerStatus, Delivered, Synthesis, Verified
from bottega.research.pipeline.views import CitedParagraph, Needed, Verification, overall
from bottega.research.pipeline.views import ResearchAnswer as Answer
from bottega.research.sessions.files import SessionFolder, session_folder
from bottega.research.stages.verify import verify_answer

#: A name has at most 255 bytes on every file system; the rest is for the run's id and the ending.
LONGEST_SLUG = 80
log = structlog.get_logger()


def document_name(pattern: str, question: str, run_id: str) -> str:
    """Made from the question in any language, and the run's own: `crane-limits-019a….md`."""
    # Whatever the agent's file says, it is a name and not a way out of the folder.
    stem = PurePath(pattern.replace("{slug}", make_slug(question))).stem
    return f"{make_slug(stem)}-{make_slug(run_id)}.md"


def make_slug(text: str) -> str:
    letters = "".join(
        each if unicodedata.category(each)[0] in "LMN" else "-"
        for each in unicodedata.normalize("NFC", text).lower()
    )
    words = "-".join(word for word in letters.split("-") if word)
    cut = words.encode()[:LONGEST_SLUG].decode(errors="ignore").strip("-")
    return cut or "answer"


class WrittenFiles(BaseModel):
    created_at: str
    path: str | None = None
    problem: str = ""


async def output(context: StageContext) -> Delivered:
    answer = await _answer(context)
    style = context.agent.config.output
    markdown = await asyncio.to_thread(render_document, answer, style, root=context.library.root)
    name = document_name(style.file_name, context.order.question, context.run_id)
    folder = session_folder(context.services.core.choices.data_dir, context.session_id)
    written = await context.calls.tool(
        "orch_write_output",
        lambda: _write(folder, name, answer, markdown),
        input={"file": name},
        shown=lambda written: written.path or written.problem,
        result=WrittenFiles,
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


async def _answer(context: StageContext) -> Answer:
    known = context.known
    synthesis = known.synthesis
    if synthesis is None or synthesis.cannot_answer:
        return compose_refusal(context)
    # An agent may have no stage for it; without being verified nothing goes out.
    verified = known.verified or await verify_answer(context, synthesis)
    gated = filter_claims(synthesis, verified.claims, context.order.question)
    if gated.is_empty:
        return compose_refusal(context, gated)
    cited = await _cited(context, gated.synthesis, verified)
    verification = await _verify_rest(context, verified, gated)
    status = decide_status(
        gated, whole_passed=verified.all_passed, rest_passed=not verification.missed
    )
    web = known.calibration.web_sources if known.calibration else []
    labelled = place_labels(gated.synthesis, web, context.prior.sections)
    citations = [CitedParagraph.of(paragraph, text) for paragraph, text in cited]
    return compose_answer(context, status, gated, labelled, verification, citations)


async def _verify_rest(
    context: StageContext, verified: Verified, gated: FilteredAnswer
) -> Verification:
    """Measured again on what is left, if that is not all of it."""
    scores = verified.verification_scores
    if gated.removed or not verified.all_passed:
        synthesis = gated.synthesis
        said = " ".join(claim.text for claim in synthesis.claims).lower()
        named = [entity for entity in synthesis.entities if entity.lower() in said]
        rest = await measure(context, gated.claims, named, synthesis.relations)
        scores = rest.scores
    thresholds = context.agent.config.verification
    return Verification(
        scores=scores,
        needed=Needed.of(thresholds),
        confidence=overall(scores),
        missed=missed(scores, thresholds),
    )


async def _cited(
    context: StageContext, synthesis: Synthesis, verified: Verified
) -> list[tuple[ParagraphView, str]]:
    """What is cited, each with its verbatim text."""
    retrieval = context.known.retrieval
    found = [each.paragraph for each in retrieval.paragraphs] if retrieval else []
    known = {paragraph.ref: paragraph for paragraph in found}
    refs = refs_of(synthesis.claims)
    if unread := [ref for ref in refs if ref not in known]:
        known |= {each.ref: each for each in await _read(context, unread)}
    return [
        (known[ref], verified.source_texts.get(ref, known[ref].text))
        for ref in refs
        if ref in known
    ]


async def _read(context: StageContext, refs: Sequence[str]) -> list[ParagraphView]:
    """Paragraphs that are cited though retrieval did not find them: by prior research, say."""

    async def read() -> list[ParagraphView]:
        found = []
        for ref in refs:
            try:
                found.append(await context.libraries.libraries.paragraph(context.library, ref))
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


async def _write(folder: SessionFolder, name: str, answer: Answer, markdown: str) -> WrittenFiles:
    stamped = answer.model_copy(update={"created_at": clock.iso()})
    path = folder.output / name
    try:
        await asyncio.to_thread(folder.path.mkdir, parents=True, exist_ok=True)
        files = Sandbox(folder.path)
        await files.write(path, markdown.encode())
        await files.write(folder.answer, stamped.model_dump_json(indent=2).encode() + b"\n")
    except (OSError, BottegaError) as error:
        log.warning("research.answer_not_written", path=str(path), error=str(error))
        return WrittenFiles(created_at=stamped.created_at, problem=f"Not written: {error}")
    return WrittenFiles(created_at=stamped.created_at, path=str(path))

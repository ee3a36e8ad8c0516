"""Stage 2: what the library has on each sub-query, what that leads to, and whether it is an answer.

Paragraphs from many searches come into one list: each once, in its best role, with its best score;
and those that are only whole together, a lead-in and its items.

Which passages answer is the library's judgement on the question and on its parts: one paragraph
rarely takes up all of a question that has several parts, so each part is judged too. Sub-queries
are not judged: a definition that is there makes no answer of one that is not. Where a model is
configured it reads for itself, and the judgement is only told; without one, nothing is answered
where nothing fits.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence

from bottega.errors import BottegaError, InvalidInput, NotFound, Unavailable
from bottega.library.service import (
    Answerability,
    AnswerPassage,
    EdgeKind,
    Hit,
    Hops,
    Library,
    LibraryService,
    ParagraphView,
    Results,
    Role,
    parent_ref,
)
from bottega.research.agents.definition import Depth
from bottega.research.pipeline.context import StageContext
from bottega.research.pipeline.schemas import QueryPlan, Retrieval, Retrieved, SubQuery
from bottega.research.stages.question import content_words, lost_pronoun, split_question

MOST_JUDGED = 8
#: Passages that a person is shown.
SHOWN = 5
#: A part with fewer words is found in anything.
LEAST_WORDS = 2
#: Of the best primary paragraphs, from how many hops set out.
STARTS = {Depth.QUICK: 1, Depth.STANDARD: 3, Depth.DEEP: 5}
MAX_HOPS = 2
RESULTS_PER_START = 10
#: Paragraphs that are completed by their lead or their items, and how good they have to be.
MOST_COMPLETED = 12
WORTH_COMPLETING = 0.6
MOST_ITEMS = 30
#: What a role counts: the answer stands in what was looked for first.
WEIGHTS = {Role.PRIMARY: 1.0, Role.SUPPORTING: 0.75, Role.CONTEXT: 0.5}
#: What follows from a paragraph is not quite as good as what was looked for.
HOPPED = 0.8
_ORDER = list(Role)


async def judge_answerability(context: StageContext) -> Answerability:
    wholes, parts = _wholes(context), _parts(context.order.question)

    async def judge(question: str) -> Answerability:
        return await context.calls.tool(
            "orch_kb_search",
            lambda: context.libraries.answerability.answerable(context.library, question),
            input={"answerable": question},
            shown=_tell_verdict,
            result=Answerability,
        )

    judged = await asyncio.gather(*map(judge, (*wholes, *parts)))
    if len(wholes) == 1 and (nothing := _says_nothing(context.order.question)):
        return judged[0].model_copy(
            update={"answerable": False, "confidence": 0.0, "reasons": [nothing]}
        )
    return combine(judged[: len(wholes)], judged[len(wholes) :])


def _says_nothing(question: str) -> str | None:
    """Why nobody could answer it: one word is found in anything."""
    pointing = lost_pronoun(question)
    if pointing and len(content_words(question)) < LEAST_WORDS:
        return f"The question does not say what “{pointing}” stands for."
    return None


def _wholes(context: StageContext) -> list[str]:
    """The question as it was asked, then with what the person added or asked before."""
    question, prior = context.order.question, context.prior.question
    wholes = [question]
    if prior and lost_pronoun(question):
        wholes.append(f"{question} {prior}")
    for reply in context.replies:
        if len(content_words(reply)) >= LEAST_WORDS:
            wholes += [f"{question} {reply}", reply]
    return list(dict.fromkeys(wholes))[:MOST_JUDGED]


def _parts(question: str) -> list[str]:
    parts = [part for part in split_question(question) if len(content_words(part)) >= LEAST_WORDS]
    return parts[:MOST_JUDGED] if len(parts) > 1 else []


def combine(wholes: Sequence[Answerability], parts: Sequence[Answerability]) -> Answerability:
    """The likeliest, with the passages of all; each passage with what it answers best."""
    judged = (*wholes, *parts)
    best = max(judged, key=lambda each: each.confidence)
    likeliest: dict[str, AnswerPassage] = {}
    for passage in (each for one in judged for each in one.passages):
        known = likeliest.get(passage.ref)
        if known is None or passage.probability > known.probability:
            likeliest[passage.ref] = passage
    passages = sorted(likeliest.values(), key=lambda each: -each.probability)
    # What is missing is told of the question as it was asked.
    reasons = best.reasons if best.answerable else wholes[0].reasons
    return best.model_copy(update={"passages": passages, "reasons": reasons})


def _tell_verdict(judged: Answerability) -> str:
    said = "can be answered" if judged.answerable else "cannot be answered"
    return f"{said} ({judged.confidence:.2f})"


def is_item(paragraph: ParagraphView) -> bool:
    """315.12(a), and not 315.12."""
    return paragraph.ref.endswith(")")


def is_lead(paragraph: ParagraphView) -> bool:
    return paragraph.text.rstrip().endswith(":")


async def family_of(
    service: LibraryService, library: Library, paragraphs: Sequence[ParagraphView]
) -> list[ParagraphView]:
    """The leads of items and the items of leads, without those that were given."""
    found: dict[str, ParagraphView] = {}
    for paragraph in paragraphs:
        if is_item(paragraph):
            found.update((each.id, each) for each in await _leads(service, library, paragraph))
        if is_lead(paragraph):
            found.update((each.id, each) for each in await _items(service, library, paragraph))
    given = {each.id for each in paragraphs}
    return [each for key, each in found.items() if key not in given]


async def _leads(
    service: LibraryService, library: Library, paragraph: ParagraphView
) -> list[ParagraphView]:
    leads, ref = [], parent_ref(paragraph.ref)
    while ref is not None:
        try:
            leads.append(await service.libraries.paragraph(library, ref))
        except NotFound:
            break
        ref = parent_ref(ref) if is_item(leads[-1]) else None
    return leads


async def _items(
    service: LibraryService, library: Library, paragraph: ParagraphView
) -> list[ParagraphView]:
    around = await service.graph.hop(library, paragraph.id, max_hops=1, max_results=MOST_ITEMS)
    return [
        each.paragraph
        for each in around.hops
        if each.path[0].kind is EdgeKind.BELONGS_TO and each.path[0].backwards
    ]


class FoundParagraphs:
    def __init__(self, known_before: frozenset[str] = frozenset()) -> None:
        """`known_before` are references that earlier research has cited: they stay out."""
        self._known_before = known_before
        self._found: dict[str, Retrieved] = {}
        self._left_out: dict[str, None] = {}
        #: With those that were found more than once.
        self.total = 0

    @property
    def left_out(self) -> list[str]:
        return list(self._left_out)

    def add_hits(self, sub_query: SubQuery, hits: Sequence[Hit]) -> None:
        # Scores of two searches do not compare: the best of each counts as 1.
        best = max((hit.score for hit in hits), default=0.0) or 1.0
        for hit in hits:
            score = WEIGHTS[sub_query.role] * max(hit.score, 0.0) / best
            paths = ["guide", *hit.paths] if sub_query.role is Role.CONTEXT else hit.paths
            self._add(hit.paragraph, sub_query.role, score, sub_query.query, paths)

    def add_hops(self, hops: Hops) -> None:
        start = self._found[hops.start.id]
        for hop in hops.hops:
            score = HOPPED * start.score * hop.score
            path = f"hop:{hops.start.ref}"
            self._add(hop.paragraph, Role.SUPPORTING, score, start.sub_query, [path])

    def add_family(self, paragraphs: Sequence[ParagraphView]) -> None:
        """Each in the role and with the score of the best that it belongs to."""
        for paragraph in paragraphs:
            near = [each for each in self._found.values() if _belong(each.paragraph, paragraph)]
            if near:
                one = min(near, key=_rank)
                path = f"belongs:{one.paragraph.ref}"
                self._add(paragraph, one.role, one.score * 0.99, one.sub_query, [path])

    def ranked(self) -> list[Retrieved]:
        return sorted(self._found.values(), key=_rank)

    def _add(
        self, paragraph: ParagraphView, role: Role, score: float, sub_query: str, paths: list[str]
    ) -> None:
        self.total += 1
        if paragraph.ref in self._known_before:
            self._left_out[paragraph.ref] = None
            return
        new = Retrieved(
            paragraph=paragraph,
            role=role,
            score=round(score, 4),
            sub_query=sub_query,
            paths=list(paths),
        )
        known = self._found.get(paragraph.id)
        self._found[paragraph.id] = _merged(known, new) if known else new


def _merged(one: Retrieved, other: Retrieved) -> Retrieved:
    better = min(one, other, key=_rank)
    return better.model_copy(
        update={
            "role": min(one.role, other.role, key=_ORDER.index),
            "score": max(one.score, other.score),
            "paths": list(dict.fromkeys([*one.paths, *other.paths])),
        }
    )


def _rank(each: Retrieved) -> tuple[float, int, str]:
    """Best first; equal ones in an order that is always the same."""
    return -each.score, _ORDER.index(each.role), each.paragraph.ref


def _belong(one: ParagraphView, other: ParagraphView) -> bool:
    return one.ref.startswith(f"{other.ref}(") or parent_ref(other.ref) == one.ref


async def retrieve(context: StageContext) -> Retrieval:
    plan = context.known.current_plan
    gathered = FoundParagraphs(frozenset(_left_out(context)))
    found = await asyncio.gather(*(_search(context, sub_query) for sub_query in plan.sub_queries))
    skipped = _gather(gathered, plan, found)
    await _hop(context, gathered)
    await _complete(context, gathered)
    judged = await judge_answerability(context)
    likely: dict[str, float] = {}
    for passage in judged.passages:
        family = _family_name(passage.ref)
        likely[family] = max(passage.probability, likely.get(family, 0.0))
    paragraphs = [
        each.model_copy(update={"answers": likely.get(_family_name(each.paragraph.ref), 0.0)})
        for each in gathered.ranked()
    ]
    # With a model, whoever reads the paragraphs decides whether they answer.
    answerable = judged.answerable if context.calls.offline else bool(paragraphs)
    return Retrieval(
        total_paragraphs_found=gathered.total,
        unique_after_dedup=len(paragraphs),
        standards_covered=list(dict.fromkeys(each.paragraph.document for each in paragraphs)),
        role_counts=dict(Counter(each.role.value for each in paragraphs)),
        skipped_sub_queries=skipped,
        answerable=answerable,
        confidence=judged.confidence,
        reasons=judged.reasons,
        passages=judged.passages[:SHOWN],
        paragraphs=paragraphs,
        prior_cited=gathered.left_out,
    )


def _family_name(ref: str) -> str:
    """A lead-in and its items answer together: of `315.12(a)` it is `315.12`."""
    return ref.partition("(")[0] or ref


def _left_out(context: StageContext) -> list[str]:
    follow_up = context.agent.config.follow_up
    return context.prior.cited if follow_up.enabled and follow_up.delta_retrieval else []


async def _search(context: StageContext, sub_query: SubQuery) -> Results | BottegaError:
    try:
        return await context.calls.tool(
            "orch_kb_search",
            lambda: _search_library(context, sub_query),
            input={
                "query": sub_query.query,
                "role": sub_query.role.value,
                "standards": sub_query.standards,
            },
            shown=lambda results: _refs([hit.paragraph for hit in results.hits]),
            result=Results,
        )
    except BottegaError as error:
        return error


async def _search_library(context: StageContext, sub_query: SubQuery) -> Results:
    library, search = context.library, context.libraries.search
    most = context.settings.paragraphs_per_query
    if sub_query.role is Role.CONTEXT:
        return await search.guides(library, sub_query.query, max_results=most)
    try:
        return await search.multi_tier(
            library, sub_query.query, max_results=most, filter=sub_query.standards
        )
    except InvalidInput:
        if not sub_query.standards:
            raise
        # A document that is gone, or that a person named and nobody has.
        return await search.multi_tier(library, sub_query.query, max_results=most)


def _gather(
    gathered: FoundParagraphs, plan: QueryPlan, found: list[Results | BottegaError]
) -> list[str]:
    """Put together what was found; the sub-queries that found nothing, with the reason."""
    skipped = []
    for sub_query, results in zip(plan.sub_queries, found, strict=True):
        if isinstance(results, BottegaError):
            skipped.append(f"{sub_query.query} ({results.message})")
        elif not results.hits:
            skipped.append(f"{sub_query.query} (nothing found)")
        else:
            gathered.add_hits(sub_query, results.hits)
    errors = [each for each in found if isinstance(each, BottegaError)]
    if len(errors) == len(found):
        raise Unavailable(f"No search in the library worked. The last said: {errors[-1].message}")
    return skipped


async def _hop(context: StageContext, gathered: FoundParagraphs) -> None:
    families: dict[str, ParagraphView] = {}
    for each in gathered.ranked():
        if each.role is Role.PRIMARY:
            families.setdefault(_family_name(each.paragraph.ref), each.paragraph)
    starts = list(families.values())[: STARTS[context.depth]]

    async def hop(start: ParagraphView) -> Hops | None:
        try:
            return await context.calls.tool(
                "orch_hop_retrieve",
                lambda: context.libraries.graph.hop(
                    context.library, start.id, max_hops=MAX_HOPS, max_results=RESULTS_PER_START
                ),
                input={"paragraph": start.ref, "max_hops": MAX_HOPS},
                shown=lambda hops: _refs([each.paragraph for each in hops.hops]),
                result=Hops,
            )
        except BottegaError:
            # What the start itself says is there all the same.
            return None

    for hops in await asyncio.gather(*(hop(each) for each in starts)):
        if hops is not None:
            gathered.add_hops(hops)


async def _complete(context: StageContext, gathered: FoundParagraphs) -> None:
    """An item says nothing without the words that lead to it, nor these without their items."""
    good = (each for each in gathered.ranked() if each.score >= WORTH_COMPLETING)
    lacking = [
        each.paragraph for each in good if is_item(each.paragraph) or is_lead(each.paragraph)
    ][:MOST_COMPLETED]
    if not lacking:
        return
    try:
        found = await context.calls.tool(
            "orch_hop_retrieve",
            lambda: family_of(context.libraries, context.library, lacking),
            input={"belonging_to": [each.ref for each in lacking]},
            shown=_refs,
            result=list[ParagraphView],
        )
    except BottegaError:
        return
    gathered.add_family(found)


def _refs(paragraphs: list[ParagraphView]) -> str:
    shown = ", ".join(each.ref for each in paragraphs[:5])
    return f"{len(paragraphs)} found: {shown}" if paragraphs else "nothing found"

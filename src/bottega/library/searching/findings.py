"""What search has to say about a question: `evidence.py` makes numbers of it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import structlog

from bottega.core.services import Core
from bottega.core.textindex.index import words
from bottega.core.vectors.store import Vector, VectorHit
from bottega.errors import InvalidInput, Unavailable
from bottega.library import repository
from bottega.library.indexes import Indexes
from bottega.library.judging.words import concept
from bottega.library.searching.evidence import Candidate, Findings, Question
from bottega.library.tables import Library
from bottega.library.views import ParagraphView

log = structlog.get_logger()

#: Of each half of search, the best that may hold the answer.
BEST = 5
#: Paragraphs by which is told what a question is near to anyway.
BACKGROUND = 100
#: From here on a word is so common that it does not matter how common.
COMMON = 500
#: What another word for the same thing counts, beside the word itself.
SYNONYM = 0.9


@dataclass(frozen=True, slots=True)
class _Word:
    #: More is rarer.
    rarity: float
    is_unknown: bool
    #: The candidates that have it, in any form.
    has: frozenset[str]


class Searcher:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._indexes = Indexes(core)

    async def findings(self, library: Library, query: str) -> Findings:
        if not query.strip():
            raise InvalidInput("The question is empty. Say what you want to know.")
        question = Question.of(query)
        near = await self._near(library, query)
        ids = await self._best(library, question, near)
        about = await self._look_up(library, question.words, ids)
        async with self._core.database.read() as session:
            paragraphs = await repository.paragraphs(session, library.id, ids)
        return Findings(
            question,
            await self._candidates(about, [paragraphs[each] for each in ids if each in paragraphs]),
            {word: each.rarity for word, each in about.items()},
            frozenset(word for word, each in about.items() if each.is_unknown),
            [1 - hit.distance for hit in near],
        )

    async def _near(self, library: Library, query: str) -> list[VectorHit]:
        try:
            return await self._indexes.vectors(library.id).search(query, limit=BACKGROUND)
        except Unavailable as error:
            log.warning("library.answerable_by_words_only", why=error.message)
            return []

    async def _best(
        self, library: Library, question: Question, near: Sequence[VectorHit]
    ) -> list[str]:
        collection = self._indexes.vectors(library.id).collection
        by_words = await self._core.text_index.search(
            collection, " ".join(question.words), limit=BEST
        )
        found = [hit.id for hit in by_words] + [hit.id for hit in near[:BEST]]
        return list(dict.fromkeys(found))

    async def _look_up(
        self, library: Library, asked: Sequence[str], ids: Sequence[str]
    ) -> dict[str, _Word]:
        texts, collection = self._core.text_index, self._indexes.vectors(library.id).collection
        count = await texts.count(collection)
        found = {}
        for word in asked:
            holders = await texts.search(collection, word, limit=COMMON)
            has = await texts.scores(collection, word, ids)
            rarity = math.log(1 + count / (len(holders) + 0.5))
            found[word] = _Word(rarity, not holders, frozenset(has))
        return found

    async def _candidates(
        self, about: Mapping[str, _Word], paragraphs: Sequence[ParagraphView]
    ) -> list[Candidate]:
        own = [_vocabulary(paragraph) for paragraph in paragraphs]
        vectors = await self._embed([*about, *(word for each in own for word in each)])
        candidates = []
        for paragraph, mine in zip(paragraphs, own, strict=True):
            concepts = {concept(word) for word in mine}
            matches = {}
            for word, each in about.items():
                if paragraph.id in each.has:
                    matches[word] = 1.0
                elif concept(word) in concepts:
                    matches[word] = SYNONYM
                else:
                    matches[word] = _nearness(word, mine, vectors)
            candidates.append(Candidate(paragraph.ref, paragraph.text, matches))
        return candidates

    async def _embed(self, listed: Sequence[str]) -> Mapping[str, Vector]:
        distinct = list(dict.fromkeys(listed))
        try:
            return dict(zip(distinct, await self._core.embedder.embed(distinct), strict=True))
        except Unavailable:
            return {}


def _vocabulary(paragraph: ParagraphView) -> list[str]:
    return words(" ".join([paragraph.document, *paragraph.headings, paragraph.text]))


def _nearness(word: str, others: Sequence[str], vectors: Mapping[str, Vector]) -> float:
    """To the nearest of the others, short of a synonym."""
    if not vectors:
        return 0.0
    nearest = max((float(vectors[word] @ vectors[other]) for other in others), default=0.0)
    return min(max(nearest, 0.0), SYNONYM)

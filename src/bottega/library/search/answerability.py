"""Whether a library holds the answer to a question, and in which passages it may stand.

Search always finds something, so the best score says little. Each of the best passages is read
with the question (`core/readers`), and the likeliest decides: it likely answers, it may, or nothing
fits.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import structlog

from bottega.core.readers.answer_reader import AnswerReading, fit_of
from bottega.core.readers.choice import answer_reader
from bottega.core.search.hybrid import SearchType
from bottega.core.search.text_index import words
from bottega.core.search_types import Fit
from bottega.core.services import Core
from bottega.core.text.words import stem
from bottega.core.text.words import words as all_words
from bottega.errors import InvalidInput, Unavailable
from bottega.library.documents.schemas import ParagraphView
from bottega.library.documents.service import collection_of
from bottega.library.documents.tables import Library
from bottega.library.search.schemas import Answerability, AnswerPassage, Results
from bottega.library.search.service import LibrarySearch

log = structlog.get_logger()

#: Passages that are read, and those that are shown.
READ, SHOWN = 10, 5
#: Words that only ask.
ASKING = frozenset(Path(__file__).with_name("asking_words.txt").read_text("utf-8").split())
#: Words of a question that are looked at: more of them add time, not certainty.
MAX_WORDS = 16


def question_words(question: str) -> tuple[str, ...]:
    """Those that say what it is about."""
    content = [word for word in words(question) if word not in ASKING and len(word) > 1]
    return tuple(content[:MAX_WORDS])


class AnswerabilityJudge:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._search = LibrarySearch(core)
        self._reader = answer_reader()

    async def answerable(self, library: Library, query: str) -> Answerability:
        if not query.strip():
            raise InvalidInput("The question is empty. Say what you want to know.")
        asked = question_words(query)
        if not asked:
            return _nothing("The question has no word that says what it is about.")
        found = await self._find(library, query)
        paragraphs = [hit.paragraph for hit in found.hits]
        if not paragraphs:
            return _nothing("The library has nothing that is near to the question.")
        readings = await self._reader.read(query, [passage_text(each) for each in paragraphs])
        ranked = sorted(
            zip(paragraphs, readings, strict=True), key=lambda pair: -pair[1].probability
        )
        best, reading = ranked[0]
        fit = fit_of(reading.probability)
        return Answerability(
            answerable=fit is not Fit.NOTHING,
            confidence=round(reading.probability, 3),
            reasons=await self._reasons(library, asked, best),
            best=best.ref,
            fit=fit,
            method=self._reader.name,
            passages=[_passage(*pair) for pair in ranked[:SHOWN]],
        )

    async def _find(self, library: Library, query: str) -> Results:
        try:
            return await self._search.search(library, query, max_results=READ)
        except Unavailable as error:
            log.warning("library.answerable_by_words_only", why=error.message)
            return await self._search.search(
                library, query, max_results=READ, search_type=SearchType.KEYWORD
            )

    async def _reasons(
        self, library: Library, asked: Sequence[str], best: ParagraphView
    ) -> list[str]:
        """What the best passage takes up of the question, and what is missing there or anywhere."""
        there = {stem(word) for word in all_words(passage_text(best))}
        taken_up = [word for word in asked if stem(word) in there]
        rest = [word for word in asked if word not in taken_up]
        texts, collection = self._core.text_index, collection_of(library.id)
        held = await asyncio.gather(*(texts.search(collection, each, limit=1) for each in rest))
        unknown = [word for word, hits in zip(rest, held, strict=True) if not hits]
        elsewhere = [word for word in rest if word not in unknown]
        return [
            f"{said}: {', '.join(listed)}."
            for said, listed in (
                (f"{best.ref} takes up", taken_up),
                ("The library does not have", unknown),
                ("The library has, but not there", elsewhere),
            )
            if listed
        ]


def passage_text(paragraph: ParagraphView) -> str:
    """With the headings that it stands under: they often say what it is about."""
    above = ". ".join([*paragraph.headings[-2:]]) or paragraph.document
    return f"{above}: {paragraph.text}"


def _passage(paragraph: ParagraphView, reading: AnswerReading) -> AnswerPassage:
    return AnswerPassage(
        ref=paragraph.ref,
        document=paragraph.document,
        sentence=reading.sentence,
        probability=round(reading.probability, 3),
        fit=fit_of(reading.probability),
    )


def _nothing(reason: str) -> Answerability:
    return Answerability(answerable=False, confidence=0.0, reasons=[reason], best=None)

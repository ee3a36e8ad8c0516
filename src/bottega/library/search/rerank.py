"""A second look at the best hits: by a model if there is one, else by how the words stand."""

import json
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import structlog
from pydantic import BaseModel, Field

from bottega.core.llm.gateway import Gateway
from bottega.core.llm.tasks import Task, Tier
from bottega.core.search.text_index import words
from bottega.errors import ModelError
from bottega.library.search.schemas import Hit

log = structlog.get_logger()


INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8").removesuffix("\n")

#: Of a long passage, what a judgement needs.
MOST_CHARACTERS = 1_500
#: Without a model: what the search said, how much of the question is there, and how close together.
SCORE, COVERAGE, ADJACENCY = 0.5, 0.3, 0.2


@dataclass(frozen=True, slots=True)
class Passage:
    number: int
    ref: str
    text: str
    #: What the search gave it.
    score: float


@dataclass(frozen=True, slots=True)
class RerankInput:
    query: str
    passages: tuple[Passage, ...]


class PassageJudgement(BaseModel):
    passage: int
    relevance: float = Field(ge=0, le=1)


class Judgements(BaseModel):
    judgements: list[PassageJudgement]


def _prompt(question: RerankInput) -> str:
    passages = [asdict(each) | {"text": each.text[:MOST_CHARACTERS]} for each in question.passages]
    for passage in passages:
        del passage["score"]
    return json.dumps({"question": question.query, "passages": passages}, ensure_ascii=False)


def _rank_by_words(question: RerankInput) -> Judgements:
    asked = words(question.query)
    best = max((each.score for each in question.passages), default=0.0) or 1.0
    return Judgements(
        judgements=[
            PassageJudgement(
                passage=each.number,
                relevance=min(
                    1.0,
                    SCORE * each.score / best
                    + COVERAGE * _share(asked, words(each.text))
                    + ADJACENCY * _share(pairwise(asked), pairwise(words(each.text))),
                ),
            )
            for each in question.passages
        ]
    )


def _share(asked: Iterable[Hashable], there: Iterable[Hashable]) -> float:
    wanted = set(asked)
    return len(wanted.intersection(there)) / len(wanted) if wanted else 0.0


RERANK = Task("library_rerank", Tier.FAST, INSTRUCTIONS, _prompt, Judgements, _rank_by_words)


#: Hits that get the second look.
LOOKED_AT = 20


class Reranker:
    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def rerank(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        """The same hits, the best of them in a better order; as they were if no model answers."""
        head = hits[:LOOKED_AT]
        question = RerankInput(
            query,
            tuple(
                Passage(number, hit.paragraph.ref, hit.paragraph.text, hit.score)
                for number, hit in enumerate(head)
            ),
        )
        try:
            judged = await self._gateway.run(RERANK, question, retry=True)
        except ModelError as error:
            log.warning("library.not_reranked", why=error.message)
            return list(hits)
        relevance = {each.passage: each.relevance for each in judged.judgements}
        # Above all that had no second look, whose scores stay as they are.
        floor = max((hit.score for hit in hits[LOOKED_AT:]), default=0.0)
        again = [
            hit.model_copy(update={"score": floor + relevance.get(number, 0.0)})
            for number, hit in enumerate(head)
        ]
        return [*sorted(again, key=lambda hit: -hit.score), *hits[LOOKED_AT:]]

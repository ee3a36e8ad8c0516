"""A second look at the best hits: by a model if there is one, else by how the words stand."""

from collections.abc import Sequence

import structlog

from bottega.core.llm.gateway import Gateway
from bottega.errors import ModelError
from bottega.library.prompts.rerank import Passage, Question, rerank
from bottega.library.views import Hit

log = structlog.get_logger()

#: Hits that get the second look.
LOOKED_AT = 20


class Reranker:
    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def rerank(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        """The same hits, the best of them in a better order; as they were if no model answers."""
        head = hits[:LOOKED_AT]
        question = Question(
            query,
            tuple(
                Passage(number, hit.paragraph.ref, hit.paragraph.text, hit.score)
                for number, hit in enumerate(head)
            ),
        )
        try:
            judged = await self._gateway.run(rerank, question, retry=True)
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

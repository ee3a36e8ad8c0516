"""Whether the library holds an answer: its own judgement on the question, and on its parts.

One paragraph rarely takes up all of a question that has several parts, so each part is judged too,
and one that can be answered carries the question if the whole is not far from it. Sub-queries are
not judged: a definition that is there makes no answer of one that is not.

Measured on 16 questions of two parts over the example standards, half of them with an answer: the
whole alone refuses 2 that have one, any part alone lets 2 through that have none, this rule errs
on none.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from bottega.library.service import Answerability
from bottega.research.pipeline.stage import StageContext
from bottega.research.stages.parts import Parts
from bottega.research.stages.planning.clarity import lost_pronoun
from bottega.research.stages.planning.decomposition import split_question
from bottega.research.stages.wording import content_words

#: From here on there is an answer to look for.
ENOUGH = 0.5
#: What the whole has to reach where a part carries it.
NOT_FAR = 0.25
MOST_JUDGED = 8
#: A part with fewer words is found in anything.
LEAST_WORDS = 2


@dataclass(frozen=True, slots=True)
class Forms:
    """The question in every form that is judged."""

    #: As it was asked, then with what the person added or asked before.
    wholes: Sequence[str]
    parts: Sequence[str]


async def judge_answerability(parts: Parts, context: StageContext) -> Answerability:
    forms = forms_of(context)

    async def judge(question: str) -> Answerability:
        return await context.calls.tool(
            "orch_kb_search",
            lambda: parts.libraries.answerability.answerable(context.library, question),
            input={"answerable": question},
            shown=_shown,
            result=Answerability,
        )

    judged = await asyncio.gather(*map(judge, (*forms.wholes, *forms.parts)))
    if len(forms.wholes) == 1 and (nothing := _says_nothing(context.order.question)):
        return judged[0].model_copy(
            update={"answerable": False, "confidence": 0.0, "reasons": [nothing]}
        )
    return combine(judged[: len(forms.wholes)], judged[len(forms.wholes) :])


def _says_nothing(question: str) -> str | None:
    """Why nobody could answer it: one word is found in anything."""
    pointing = lost_pronoun(question)
    if pointing and len(content_words(question)) < LEAST_WORDS:
        return f"The question does not say what “{pointing}” stands for."
    return None


def forms_of(context: StageContext) -> Forms:
    question, prior = context.order.question, context.prior.question
    wholes = [question]
    if prior and lost_pronoun(question):
        wholes.append(f"{question} {prior}")
    for reply in context.replies:
        if len(content_words(reply)) >= LEAST_WORDS:
            wholes += [f"{question} {reply}", reply]
    wholes = list(dict.fromkeys(wholes))[:MOST_JUDGED]
    parts = [part for part in split_question(question) if len(content_words(part)) >= LEAST_WORDS]
    return Forms(wholes, parts[:MOST_JUDGED] if len(parts) > 1 else [])


def combine(wholes: Sequence[Answerability], parts: Sequence[Answerability]) -> Answerability:
    best = max(wholes, key=_confidence)
    part = max(parts, key=_confidence, default=best)
    if best.confidence < ENOUGH <= part.confidence and best.confidence >= NOT_FAR:
        best = part
    if best.confidence >= ENOUGH:
        return best.model_copy(update={"answerable": True})
    # What is missing is told of the question as it was asked.
    return best.model_copy(update={"answerable": False, "reasons": wholes[0].reasons})


def _confidence(judged: Answerability) -> float:
    return judged.confidence


def _shown(judged: Answerability) -> str:
    said = "can be answered" if judged.answerable else "cannot be answered"
    return f"{said} ({judged.confidence:.2f})"

"""Whether a message to a paused run still belongs to it: the semantic tier of breaking out.

Words alone tell "exit the pipeline"; only meaning tells that a question about the weather has
nothing to do with harbour dues. Going on loses nothing, so doubt always means going on.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, Field

from bottega.core.llm.tasks import Task, Tier
from bottega.core.readers.embedder import Embedder
from bottega.core.search.text_index import words

INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8")

#: Below it a classification counts as unclear.
CONFIDENT = 0.7
MOST_SUB_QUERIES = 5
MOST_CHARACTERS = 2_000

#: Openings that leave what is said after them as it is.
_OPENING = r"(?:(?:actually|hey|hi|hello|ok|okay|well|so|please|sorry|by the way|quick one)[,:]? )*"
_OWN_REQUEST = re.compile(
    _OPENING + r"(?:unrelated\b|off.topic\b"
    r"|(?:what|when|where|who|whom|whose|which|why|how)(?:'s|'re)?\b(?! about\b)"
    r"|(?:is|are|was|were|do|does|did|has|have|will|should|can|could|would) "
    r"(?:there|you|we|i|it|the|a|an|any|some)\b"
    r"|(?:tell|give|show|help|recommend|write|draft|translate|explain|summari[sz]e|fix|calculate)\b"
    r"|(?:check|correct|read) my\b|i (?:need|want|have) to\b|where\b)",
    re.IGNORECASE,
)
#: Words for the plan itself, and pointing words that lean on it.
_ABOUT_THE_PLAN = re.compile(
    r"\b(?:sub-?quer(?:y|ies)|quer(?:y|ies)|plan|scope|depth|stages?|sources?|answers?|the web"
    r"|cited?|paragraphs?|cover(?:s|ed)?|includ(?:e|es|ed|ing)|add|focus|narrow|limit|drop|remove"
    r"|skip|leave out|deeper|broader|shorter|suggest|decide|first|also|too|as well|instead"
    r"|(?:does|will|would|is|did) (?:this|that|it)|these|those|here|above)\b",
    re.IGNORECASE,
)
#: A request of its own with nothing in common with the topic; how fast nearness makes it less so.
SURE, EBBING = 0.95, 1.6


class MessageKind(StrEnum):
    PIPELINE_RESPONSE = "pipeline_response"
    BREAKOUT = "breakout"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class PausedMessage:
    topic: str
    sub_queries: tuple[str, ...]
    message: str
    #: How near its words are to the topic or a sub-query, from -1 to 1: all that code without a
    #: model knows of its meaning.
    nearness: float = 0.0


class Classification(BaseModel):
    classification: MessageKind
    confidence: float = Field(ge=0, le=1)

    @property
    def settled(self) -> MessageKind:
        return self.classification if self.confidence >= CONFIDENT else MessageKind.UNCLEAR


async def read_message(
    embedder: Embedder, topic: str, sub_queries: Sequence[str], message: str
) -> PausedMessage:
    """The task's input, with what the offline answer needs to know."""
    known = (topic, *sub_queries[:MOST_SUB_QUERIES])
    vectors = await embedder.embed([" ".join(words(text)) or text for text in (message, *known)])
    nearness = float(max(vectors[1:] @ vectors[0]))
    return PausedMessage(topic, known[1:], message[:MOST_CHARACTERS], round(nearness, 3))


def prompt(paused: PausedMessage) -> str:
    shown = asdict(paused)
    del shown["nearness"]
    return json.dumps(shown, ensure_ascii=False)


def offline(paused: PausedMessage) -> Classification:
    message = paused.message.replace("’", "'")
    if _ABOUT_THE_PLAN.search(message) or not _OWN_REQUEST.match(message):
        return Classification(classification=MessageKind.PIPELINE_RESPONSE, confidence=CONFIDENT)
    return Classification(
        classification=MessageKind.BREAKOUT,
        confidence=max(0.0, min(SURE, SURE - EBBING * paused.nearness)),
    )


classify_breakout = Task(
    "classify_breakout", Tier.FAST, INSTRUCTIONS, prompt, Classification, offline
)

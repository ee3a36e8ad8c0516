"""What a person's reply to a paused run means.

Words alone tell much, and three things are asked of them at different moments: is it a plain "go
on" (`is_proceed`), does it ask to leave (`is_breakout_intent`), and, when leaving was offered, is
that taken (`classify_breakout_response`). There the usual words turn round: "yes" leaves,
"continue" stays. A menu's numbers count only when they are the whole reply: "stage 1 looks good" is
no choice. A phrase may be meant or denied ("don't cancel the pipeline"): a negation reaches a few
words forward and not past the end of its clause. Where that errs, the person is asked to confirm.

Only meaning tells that a question about the weather has nothing to do with harbour dues: the
semantic tier (`classify_breakout`). Going on loses nothing, so doubt always means going on.
"""

import json
import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, Field

from bottega.core.llm.tasks import Task, Tier
from bottega.core.readers.embedder import Embedder
from bottega.core.search.text_index import words


def _phrases(name: str) -> re.Pattern[str]:
    """Any of the phrases that `replies.toml` lists under the name, as whole words."""
    return re.compile(rf"(?<![\w'])(?:{'|'.join(_LISTED[name])})(?![\w'])")


_LISTED: dict[str, list[str]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text("utf-8")
)
BREAKOUT, STAY, LEAVE = _phrases("breakout"), _phrases("stay"), _phrases("leave")
PROCEED, ASIDE, IDLE = _phrases("proceed"), _phrases("aside"), _phrases("idle")

#: "No" answers at either end of a clause; inside one it belongs to a noun ("is there no rain").
NO = re.compile(
    r"^(?:(?:oh|hm+|um+|uh|well|actually|please|sorry) )*"
    r"no\b(?! (?:problem|worries|longer|more)\b)"
    r"|\bno(?: thanks| thank you)?$|\brather not\b|\bnot (?:really|yet|now)\b"
)

AGREED = re.compile(r"(?:ok|okay|fine|right|correct|please|do|so|it|that's|of course| )+")

#: A question of its own: words in it are about something else ("how do I leave Zurich").
OWN_QUESTION = re.compile(
    r"(?:(?:actually|ok|okay|well|please|can you|could you|tell me|just|now|or|by the way) )*"
    r"(?:what|what's|when|where|where's|who|who's|which|why|how|how's|tell me)\b(?: \S+){3,}"
)

#: How many words a negation reaches over.
REACH = 5

_QUOTES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'", "“": '"', "”": '"'})

_CLAUSE_END = re.compile(r"[.!?;:,\n()\"]+|\s[-–—]+\s|—|\b(?:but|and|so|then|because)\b")

_NEGATION = re.compile(
    r"\b(?:not|never|cannot|without|neither|nor|instead of|rather than|no|"
    r"dont|doesnt|didnt|wont|isnt|havent|cant|\w+n't)\b"
)

#: Negative in form only: a suggestion, or words that deny nothing.
_SUGGESTION = re.compile(
    r"\bwhy not\b|\b(?:why don't|can't|couldn't|wouldn't|shouldn't) (?:we|you|i)\b"
    r"|\bnever ?mind\b|\bif not\b|\bnot only\b"
)

_NO = re.compile(r"no\b")

#: After which a "no" that opens a clause belongs to what follows, and is no answer by itself.
_NO_OF_SOMETHING = re.compile(r"no (?:need|reason|wish|intention|longer|more|new|different)\b")


def normalise(text: str) -> str:
    """Lower case, straight quotes, single blanks."""
    plain = unicodedata.normalize("NFKC", text).translate(_QUOTES).lower()
    return re.sub(r"[^\S\n]+", " ", plain).strip()


def clauses(text: str) -> list[str]:
    """The clauses of a normalised text."""
    return [clause.strip() for clause in _CLAUSE_END.split(text) if clause and clause.strip()]


def find_meant(pattern: re.Pattern[str], clause: str) -> bool:
    """Whether the clause has the phrase, and means it."""
    return any(not denied for denied in _readings(pattern, clause))


def find_denied(pattern: re.Pattern[str], clause: str) -> bool:
    return any(_readings(pattern, clause))


def _readings(pattern: re.Pattern[str], clause: str) -> Iterator[bool]:
    """Of each place where the phrase stands: whether it is denied."""
    for match in pattern.finditer(clause):
        before = clause[: match.start()]
        if _NO.match(before) and not _NO_OF_SOMETHING.match(clause):
            # "No something else": an answer, then what is wanted.
            before = before[2:]
        near = " ".join(_SUGGESTION.sub(" ", before).split()[-REACH:])
        yield _NEGATION.search(near) is not None


ONE = frozenset({"1", "1."})

TWO = frozenset({"2", "2."})

THREE = frozenset({"3", "3."})

#: The lines of the pause menu by their words, as the whole reply.
MODIFY = TWO | {"modify", "change", "modify the plan", "change the plan"}

EXIT = THREE | {"exit", "quit", "leave", "stop", "cancel", "abort"}


class BreakoutResponse(StrEnum):
    CONFIRM = "confirm"
    DENY = "deny"
    #: Neither: the person has moved on, and what they wrote is their next question.
    IMPLICIT_CONFIRM = "implicit_confirm"


def is_proceed(text: str) -> bool:
    """Whether the reply is "go on" and nothing more; "yes, but only the fees" changes the plan."""
    reply = normalise(text)
    if reply in ONE:
        return True
    said = clauses(reply)
    if re.search(r"\bbut\b", reply) or any(find_denied(PROCEED, clause) for clause in said):
        return False
    return any(find_meant(PROCEED, clause) for clause in said) and not any(
        ASIDE.sub(" ", PROCEED.sub(" ", clause)).strip() for clause in said
    )


def wants_to_modify(text: str) -> bool:
    """Whether the reply chooses to change the plan, without saying yet what."""
    return normalise(text) in MODIFY


def is_breakout_intent(text: str) -> bool:
    """Whether the reply asks, in so many words, to leave the run."""
    reply = normalise(text)
    return reply in EXIT or any(find_meant(BREAKOUT, clause) for clause in clauses(reply))


def classify_breakout_response(text: str) -> BreakoutResponse:
    """What "do you want to leave?" is answered. Staying is looked for first: it loses nothing."""
    reply = normalise(text)
    if reply in ONE:
        return BreakoutResponse.CONFIRM
    if reply in TWO:
        return BreakoutResponse.DENY
    said = [clause for clause in clauses(reply) if not OWN_QUESTION.fullmatch(clause)]
    if any(_stays(clause) for clause in said):
        return BreakoutResponse.DENY
    if any(_leaves(clause) for clause in said):
        return BreakoutResponse.CONFIRM
    return BreakoutResponse.IMPLICIT_CONFIRM


def open_question(pending: str, reply: str) -> str | None:
    """What a person who leaves wants answered: what made us ask, or else what they said then.

    Somebody who chose "3" and then "1" asked nothing.
    """
    return next((text for text in (pending, reply) if _asks_something(text)), None)


def _stays(clause: str) -> bool:
    return bool(NO.search(clause)) or find_meant(STAY, clause) or find_denied(LEAVE, clause)


def _leaves(clause: str) -> bool:
    return find_meant(LEAVE, clause) or find_denied(STAY, clause) or bool(AGREED.fullmatch(clause))


def _asks_something(text: str) -> bool:
    said = normalise(text)
    if said in EXIT | ONE | TWO:
        return False
    for known in (BREAKOUT, LEAVE, STAY, IDLE):
        said = known.sub(" ", said)
    return re.search(r"\w", said) is not None


INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8")

#: Below it a classification counts as unclear.
CONFIDENT = 0.7
MOST_SUB_QUERIES = 5
MOST_CHARACTERS = 2_000

_OWN_REQUEST = re.compile(
    rf"(?:(?:{'|'.join(_LISTED['openings'])})[,:]? )*(?:{'|'.join(_LISTED['own_request'])})",
    re.IGNORECASE,
)
_ABOUT_THE_PLAN = re.compile(rf"\b(?:{'|'.join(_LISTED['about_the_plan'])})\b", re.IGNORECASE)
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

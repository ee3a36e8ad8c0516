"""Asks the person to look at the draft with their own standards, before they judge it.

The questions come from the command, from what is known of whom it is for, and from the draft. They
are asked once a turn, not again after every revision, and may be skipped.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, Field

from bottega.assistant.drafts.sections import split_sections
from bottega.assistant.hooks.surroundings import (
    FactSource,
    HookDependencies,
    Surroundings,
    ask_fast,
    look_around,
)
from bottega.assistant.loop.hooks import Hook
from bottega.assistant.loop.turn import Turn, record
from bottega.conversation.gates import Gate, GateDecision, GateItem, GateKind
from bottega.conversation.replies import settle_items
from bottega.core.llm.tasks import Task, Tier

MOST_QUESTIONS = 3
#: Characters of the draft: enough to ask about it, not to judge it.
LONGEST_DRAFT = 6_000

INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8")
CONFIDENCE_GATE = Gate(
    kind=GateKind.CONFIDENCE,
    text=(
        "Before you look closely: how sure are you that this draft will work for you?\n"
        "1 = not at all, 5 = completely."
    ),
    options=["rate", "skip"],
    default="skip",
    data={"lowest": 1, "highest": 5},
)
ANSWER, SKIP = "answer", "skip"


class ReflectionQuestion(BaseModel):
    question: str
    about: str = Field(description="the fact or the section that it is tied to, in a few words")


class ReflectionQuestions(BaseModel):
    questions: list[ReflectionQuestion]


@dataclass(frozen=True, slots=True)
class ReflectionInput:
    request: str
    command: str | None
    surroundings: Surroundings
    sections: Sequence[str]
    draft: str
    #: What the person put right before the draft was written.
    corrections: Sequence[str] = field(default=())


def prompt(asked: ReflectionInput) -> str:
    return json.dumps(
        {
            "request": asked.request,
            "command": asked.command,
            "for": asked.surroundings.class_id,
            "facts": [fact.text for fact in asked.surroundings.facts],
            "corrections": list(asked.corrections),
            "sections": list(asked.sections),
            "draft": asked.draft[:LONGEST_DRAFT],
        },
        ensure_ascii=False,
    )


def offline(asked: ReflectionInput) -> ReflectionQuestions:
    questions = [
        ReflectionQuestion(question=question, about=about) for question, about in _questions(asked)
    ]
    return ReflectionQuestions(questions=questions[:MOST_QUESTIONS])


def _questions(asked: ReflectionInput) -> Iterator[tuple[str, str]]:
    """What was put right, what is known of the class, what was learned, then the request."""
    surroundings = asked.surroundings
    whom = surroundings.class_id
    for correction in asked.corrections[:1]:
        yield f"You said: “{correction}”. Where does the draft show it?", correction
    for fact in surroundings.of(FactSource.CLASS)[:1]:
        yield f"Your profile of {whom} says: “{fact.text}”. Does the draft meet that?", fact.text
    for fact in surroundings.of(FactSource.CLASS_MEMORY, FactSource.OWN_MEMORY)[:1]:
        yield f"From earlier sessions: “{fact.text}”. Is that so here, too?", fact.text
    request = " ".join(asked.request.split())[:160]
    yield f"You asked for “{request}”. What of that is missing, or more than you need?", request
    if asked.sections:
        fitting = f"for {whom}" if whom else "for whom it is meant"
        section = max(asked.sections, key=len) if whom is None else asked.sections[-1]
        yield f"Is “{section}” pitched right {fitting}?", section


reflection = Task("reflection", Tier.FAST, INSTRUCTIONS, prompt, ReflectionQuestions, offline)


async def ask_confidence(turn: Turn) -> None:
    if not turn.order.ask_confidence or any(
        decision["kind"] == GateKind.CONFIDENCE for decision in turn.decisions
    ):
        return
    reply = await turn.person.ask(CONFIDENCE_GATE)
    data = {"rating": reply.rating}
    await record(
        turn, GateDecision(GateKind.CONFIDENCE, reply.decision, text=reply.text, data=data)
    )


class Questions(BaseModel):
    questions: list[ReflectionQuestion]
    is_offline: bool


class ReflectionPrompt(Hook):
    name = "reflection-prompt"

    def __init__(self, parts: HookDependencies) -> None:
        self._notebook = parts.notebook
        self._has_asked = False

    async def post_loop(self, turn: Turn) -> None:
        if self._has_asked or not turn.output.strip():
            return
        self._has_asked = True
        await ask_confidence(turn)
        asked = await turn.steps.step("reflection questions", self._prepare, turn)
        if not asked.questions:
            return
        gate = _gate(asked)
        reply = await turn.person.ask(gate)
        if reply.text and not reply.items:
            await record(turn, GateDecision(GateKind.REFLECTION, ANSWER, text=reply.text))
            return
        titles = {item.id: item.title for item in gate.items}
        await record(
            turn,
            *(
                GateDecision(GateKind.REFLECTION, item.decision, titles[item.id], item.text)
                for item in settle_items(gate, reply)
            ),
        )

    async def _prepare(self, turn: Turn) -> Questions:
        output = split_sections(turn.output)
        asked = ReflectionInput(
            request=turn.input,
            command=turn.command.meta.description if turn.command else None,
            surroundings=await look_around(turn, self._notebook, turn.class_id),
            sections=[section.title for section in output.sections],
            draft=turn.output,
            corrections=[
                decision["text"]
                for decision in turn.decisions
                if decision["kind"] == GateKind.FEEDFORWARD and decision["text"]
            ],
        )
        answer = await ask_fast(turn, reflection, asked)
        questions = [each for each in answer.output.questions if each.question.strip()]
        return Questions(questions=questions[:MOST_QUESTIONS], is_offline=answer.offline)


def _gate(asked: Questions) -> Gate:
    return Gate(
        kind=GateKind.REFLECTION,
        text="The draft is ready. Before you judge it, a few things that only you can know:",
        items=[
            GateItem(id=f"q{number}", title=each.question, options=[ANSWER, SKIP], default=SKIP)
            for number, each in enumerate(asked.questions, 1)
        ],
        options=[ANSWER, SKIP],
        default=SKIP,
        data={"offline": asked.is_offline, "about": [each.about for each in asked.questions]},
    )

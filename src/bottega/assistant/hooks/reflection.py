"""Asks the person to look at the draft with their own standards, before they judge it.

The questions come from the command, from what is known of whom it is for, and from the draft. They
are asked once a turn, not again after every revision, and may be skipped.
"""

from pydantic import BaseModel

from bottega.assistant.gates.decisions import Decision, record
from bottega.assistant.gates.gate import Gate, GateItem, GateKind
from bottega.assistant.gates.replies import settle_items
from bottega.assistant.hooks.asking import ask_fast
from bottega.assistant.hooks.confidence import ask_confidence
from bottega.assistant.hooks.hook import Hook
from bottega.assistant.hooks.parts import HookParts
from bottega.assistant.hooks.sections import cut
from bottega.assistant.hooks.surroundings import look_around
from bottega.assistant.loop.turn import Turn
from bottega.assistant.prompts.reflection import (
    MOST_QUESTIONS,
    ReflectionInput,
    ReflectionQuestion,
    reflection,
)

ANSWER, SKIP = "answer", "skip"


class Questions(BaseModel):
    questions: list[ReflectionQuestion]
    is_offline: bool


class ReflectionPrompt(Hook):
    name = "reflection-prompt"

    def __init__(self, parts: HookParts) -> None:
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
            await record(turn, Decision(GateKind.REFLECTION, ANSWER, text=reply.text))
            return
        titles = {item.id: item.title for item in gate.items}
        await record(
            turn,
            *(
                Decision(GateKind.REFLECTION, item.decision, titles[item.id], item.text)
                for item in settle_items(gate, reply)
            ),
        )

    async def _prepare(self, turn: Turn) -> Questions:
        output = cut(turn.output)
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

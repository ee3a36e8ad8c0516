"""Shows what is known before anything is written, and lets the person put it right.

confirm   go on with it
modify    what they say goes into the prompt, before what profiles and memory say
dismiss   go on without it: those files are set aside for this turn
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from pydantic import BaseModel, Field

from bottega.assistant.hooks.surroundings import (
    Fact,
    FactSource,
    HookDependencies,
    Surroundings,
    ask_fast,
    look_around,
)
from bottega.assistant.loop.hooks import Hook
from bottega.assistant.loop.turn import Turn, decisions_of, record
from bottega.assistant.workspace.texts import classes_in
from bottega.conversation.gates import Gate, GateDecision, GateKind
from bottega.core.llm.tasks import Task, Tier

INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8")
CONFIRM, MODIFY, DISMISS = "confirm", "modify", "dismiss"
#: Its section among what hooks add to the prompt.
ADDITION = "feedforward"


class SummarySentence(BaseModel):
    text: str
    facts: list[int] = Field(description="numbers of the facts that it rests on")


class FeedforwardSummary(BaseModel):
    sentences: list[SummarySentence]


@dataclass(frozen=True, slots=True)
class FeedforwardInput:
    request: str
    command: str | None
    surroundings: Surroundings


def prompt(asked: FeedforwardInput) -> str:
    return json.dumps(
        {
            "request": asked.request,
            "command": asked.command,
            "class": asked.surroundings.class_id,
            "facts": [
                {
                    "number": number,
                    "text": fact.text,
                    "from": fact.path,
                    "learned_earlier": fact.origin.is_memory,
                }
                for number, fact in enumerate(asked.surroundings.facts, 1)
            ],
        },
        ensure_ascii=False,
    )


def offline(asked: FeedforwardInput) -> FeedforwardSummary:
    """A sentence for every file, with what it says."""
    numbered = list(enumerate(asked.surroundings.facts, 1))
    sentences = []
    for _, facts in groupby(numbered, key=lambda each: each[1].path):
        group = list(facts)
        opening = _opening(group[0][1], asked.surroundings.class_id)
        said = "; ".join(_said([fact for _, fact in group]))
        numbers = [number for number, _ in group]
        sentences.append(SummarySentence(text=f"{opening}: {said}.", facts=numbers))
    return FeedforwardSummary(sentences=sentences)


def _opening(fact: Fact, class_id: str | None) -> str:
    stem = fact.path.rsplit("/", 1)[-1].removesuffix(".md").replace("-", " ")
    return {
        FactSource.CLASS: f"About {class_id}",
        FactSource.CLASS_MEMORY: f"From earlier sessions with {class_id}",
        FactSource.OWN_MEMORY: "From earlier sessions",
        FactSource.PERSON: f"From your {stem} file",
        FactSource.TOPIC: f"I will use {stem}",
    }[fact.origin]


def _said(facts: Sequence[Fact]) -> Iterator[str]:
    for fact in facts:
        yield fact.text.rstrip(" .;")


feedforward = Task("feedforward", Tier.FAST, INSTRUCTIONS, prompt, FeedforwardSummary, offline)


class Earlier(BaseModel):
    """What the person decided in this session before."""

    decision: str
    text: str | None


class Briefing(BaseModel):
    """What the gate shows."""

    surroundings: Surroundings
    #: Each with the sources of what it says.
    sentences: list[tuple[str, list[str]]] = []
    is_offline: bool = False
    earlier: Earlier | None = None


class Feedforward(Hook):
    name = "feedforward"

    def __init__(self, parts: HookDependencies) -> None:
        self._notebook = parts.notebook

    async def pre_loop(self, turn: Turn) -> None:
        briefing = await turn.steps.step("feedforward", self._prepare, turn, None)
        while briefing.surroundings.facts:
            surroundings = briefing.surroundings
            if (earlier := briefing.earlier) is not None:
                turn.note(self.name, "As you decided earlier in this session.")
                _apply(turn, surroundings, earlier.decision, earlier.text)
                return
            reply = await turn.person.ask(_gate(briefing))
            await record(turn, _decision(briefing, reply.decision, reply.text))
            _apply(turn, surroundings, reply.decision, reply.text)
            other = _other_class(surroundings, reply.text)
            if reply.decision != MODIFY or other is None:
                return
            # They meant another class: what is known of that one is shown in its turn.
            briefing = await turn.steps.step("feedforward", self._prepare, turn, other)
        turn.class_id = briefing.surroundings.class_id
        turn.note(self.name, "Nothing is known yet that bears on this.")

    async def _prepare(self, turn: Turn, class_id: str | None) -> Briefing:
        surroundings = await look_around(turn, self._notebook, class_id)
        if not surroundings.facts:
            return Briefing(surroundings=surroundings)
        earlier = await _earlier(turn, surroundings) if class_id is None else None
        if earlier is not None:
            return Briefing(surroundings=surroundings, earlier=earlier)
        command = turn.command.meta.description if turn.command else None
        asked = FeedforwardInput(turn.input, command, surroundings)
        answer = await ask_fast(turn, feedforward, asked)
        sentences = _grounded(answer.output, surroundings)
        if not sentences:  # a model that cites nothing has said nothing
            sentences = _grounded(offline(asked), surroundings)
        return Briefing(surroundings=surroundings, sentences=sentences, is_offline=answer.offline)


async def _earlier(turn: Turn, surroundings: Surroundings) -> Earlier | None:
    """A conversation that goes on is not asked again for the same class."""
    if turn.order.command is not None:
        return None
    async with turn.core.database.read() as session:
        rows = await decisions_of(session, turn.session_id, GateKind.FEEDFORWARD)
    past = [row for row in rows if row.run_id != turn.run_id]
    if not past or past[-1].data.get("class_id") != surroundings.class_id:
        return None
    return Earlier(decision=past[-1].decision, text=past[-1].text)


def _grounded(
    summary: FeedforwardSummary, surroundings: Surroundings
) -> list[tuple[str, list[str]]]:
    """Sentences that rest on facts, each with where those are from."""
    facts = dict(enumerate(surroundings.facts, 1))
    return [
        (sentence.text.strip(), list(dict.fromkeys(facts[n].source for n in known)))
        for sentence in summary.sentences
        if (known := [number for number in sentence.facts if number in facts])
    ]


def _gate(briefing: Briefing) -> Gate:
    surroundings = briefing.surroundings
    return Gate(
        kind=GateKind.FEEDFORWARD,
        text="\n".join([_heading(surroundings), "", *_lines(briefing), "", *_questions(briefing)]),
        options=[CONFIRM, MODIFY, DISMISS],
        default=CONFIRM,
        data={
            "class_id": surroundings.class_id,
            "facts": [
                {**fact.model_dump(mode="json"), "source": fact.source}
                for fact in surroundings.facts
            ],
            "offline": briefing.is_offline,
        },
    )


def _heading(surroundings: Surroundings) -> str:
    if surroundings.class_id is not None:
        return f"Before I begin, this is what I have in mind for {surroundings.class_id}:"
    return "Before I begin, this is what I have in mind:"


def _lines(briefing: Briefing) -> list[str]:
    return [f"- {text} *({', '.join(sources)})*" for text, sources in briefing.sentences]


def _questions(briefing: Briefing) -> list[str]:
    surroundings, asked = briefing.surroundings, []
    if surroundings.also_named:
        others = ", ".join(surroundings.also_named)
        asked.append(f"You also name {others}; I plan for {surroundings.class_id}.")
    elif surroundings.class_id is None and surroundings.classes:
        known = ", ".join(surroundings.classes)
        asked.append(f"You name no class. If it is for one, tell me which: {known}.")
    if briefing.is_offline:
        asked.append("(Put together from your files, without a model.)")
    return [*asked, "Shall I go on with all of this?"]


def _decision(briefing: Briefing, decision: str, text: str | None) -> GateDecision:
    surroundings = briefing.surroundings
    data = {
        "class_id": surroundings.class_id,
        "shown": [sentence for sentence, _ in briefing.sentences],
        "memory_shown": [fact.text for fact in surroundings.facts if fact.origin.is_memory],
        "sources": sorted({fact.path for fact in surroundings.facts}),
    }
    return GateDecision(GateKind.FEEDFORWARD, decision, text=text, data=data)


def _apply(turn: Turn, surroundings: Surroundings, decision: str, text: str | None) -> None:
    turn.class_id = surroundings.class_id
    if decision == MODIFY and text:
        turn.additions[ADDITION] = f"This is different from what the files say: {text}"
    elif decision == DISMISS:
        # A reference stays: what the person sets aside is what was assumed about them.
        assumed = {fact.path for fact in surroundings.facts if fact.origin is not FactSource.TOPIC}
        turn.set_aside |= assumed
        paths = ", ".join(sorted(assumed))
        turn.additions[ADDITION] = f"Do not take into account what these say, this time: {paths}"


def _other_class(surroundings: Surroundings, text: str | None) -> str | None:
    named = classes_in(text or "", surroundings.classes)
    return named[0] if named and surroundings.class_id not in named else None

"""The memory files of a turn's person, as hooks and the prompt use them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bottega.assistant.hooks.captures import CaptureEvent
from bottega.assistant.hooks.parts import Promotion
from bottega.assistant.memory_files import repository
from bottega.assistant.memory_files.access import access_of
from bottega.assistant.memory_files.consolidation import (
    MOST_PROMOTIONS,
    Candidate,
    Subject,
    weigh,
)
from bottega.assistant.memory_files.files import WRITE, MemoryFiles, place_of
from bottega.assistant.memory_files.notes import as_item, notes_of
from bottega.assistant.memory_files.paths import MemoryPath, entrypoint_of
from bottega.assistant.memory_files.remembered import remembered
from bottega.assistant.memory_files.selection import PROMPT_TOKENS, Choice, choose, render
from bottega.assistant.prompt.gathering import MEMORY_LINES
from bottega.assistant.prompt.sections import tokens_in
from bottega.core import clock
from bottega.core.traces import SpanKind

if TYPE_CHECKING:
    from bottega.assistant.loop.turn import Turn

HOOK, PROMPT = "hook", "prompt"
#: Of a person's writes, how many are looked through for how often a note was made.
MOST_EVENTS = 500


class MemoryNotebook:
    """What `hooks/parts.py` calls a `Notebook`, and what the prompt reads."""

    def __init__(self, files: MemoryFiles, *, prompt_tokens: int = PROMPT_TOKENS) -> None:
        self._files = files
        self._prompt_tokens = prompt_tokens

    async def entrypoint(self, turn: "Turn", class_id: str | None) -> str:
        return await self._files.entrypoint(class_id, access_of(turn, HOOK))

    async def add(self, turn: "Turn", class_id: str | None, note: str, *, actor: str) -> None:
        """The person has agreed to it, names and all."""
        path = str(entrypoint_of(class_id))
        await self._files.write(path, as_item(note), access_of(turn, actor), vouched=True)

    async def for_prompt(self, turn: "Turn", class_id: str | None) -> str:
        """The index as far as it is loaded: whole if it is short enough, else the best of it."""
        # Prompts are assembled again after a crash, and were read once.
        access = access_of(turn, PROMPT, key=f"{PROMPT}:{turn.agent.name}")
        text = await self._files.entrypoint(class_id, access)
        loaded = "\n".join(text.splitlines()[:MEMORY_LINES])
        if tokens_in(loaded) <= self._prompt_tokens:
            return text
        return await self._choose(turn, entrypoint_of(class_id))

    async def promotions(self, turn: "Turn") -> Sequence[Promotion]:
        candidates = await self._weigh(turn)
        chosen = [each for each in candidates if each.is_worth_keeping][:MOST_PROMOTIONS]
        with turn.core.traces.span(
            "memory consolidation",
            SpanKind.MEMORY,
            attributes={
                "bottega.memory.promoted": [_told(each) for each in chosen],
                "bottega.memory.left": [_told(each) for each in candidates if each not in chosen],
            },
        ):
            return [
                Promotion(text=each.text, class_id=each.class_id, reason=each.reason)
                for each in chosen
            ]

    async def _choose(self, turn: "Turn", place: MemoryPath) -> str:
        async with turn.core.database.read() as session:
            place = await repository.settle(session, turn.user_id, place)
            row = await repository.find(session, turn.user_id, place)
            writes = await repository.events_of(
                session, turn.user_id, types=[WRITE], limit=MOST_EVENTS
            )
        assert row is not None, "its entrypoint was read a moment ago"
        found = await remembered(turn.core.embedder, turn.input, [row], writes)
        loaded = [each for each in found if each.note.line <= MEMORY_LINES]
        choices = choose(loaded, self._prompt_tokens, clock.now())
        self._trace(turn, place, choices)
        return render(choices)

    def _trace(self, turn: "Turn", place: MemoryPath, choices: Sequence[Choice]) -> None:
        def told(*, chosen: bool) -> list[str]:
            return [
                f"L{each.remembered.note.line} {each.score:.3f}"
                for each in choices
                if each.is_chosen is chosen
            ]

        with turn.core.traces.span(
            "memory selection",
            SpanKind.MEMORY,
            attributes={
                "bottega.memory.path": str(place),
                "bottega.memory.chosen": told(chosen=True),
                "bottega.memory.left_out": told(chosen=False),
                "bottega.memory.budget": self._prompt_tokens,
            },
        ):
            pass

    async def _weigh(self, turn: "Turn") -> list[Candidate]:
        subject = Subject(turn.input, turn.session_id, turn.class_id)
        async with turn.core.database.read() as session:
            writes = await repository.events_of(
                session, turn.user_id, types=[WRITE], limit=MOST_EVENTS
            )
            dismissed = await repository.events_of(
                session,
                turn.user_id,
                session_id=turn.session_id,
                types=[CaptureEvent.DISMISSED],
            )
            rows = await repository.files_of(session, turn.user_id)
        known = [(event.class_id, event.proposed_text or "") for event in dismissed] + [
            (row.class_id or None, note.text)
            for row in rows
            if place_of(row).is_entrypoint
            for note in notes_of(row.content)
        ]
        return await weigh(turn.core.embedder, subject, writes, known, clock.now())


def _told(candidate: Candidate) -> str:
    where = f"{candidate.class_id or 'teacher'}/{candidate.path}"
    return f"{where} {candidate.score:.3f}: {candidate.text}"

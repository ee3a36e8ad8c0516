"""From a plan to phases on the screen: recall, sift, coach, store, tell, point (story 9).

Memories are a help and may fail; the coach is the heart of it and may not. Nothing is stored
before the coach has answered, and then all of it at once.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog
from pydantic import BaseModel

from bottega.coach.editor.state import EditorState, Windows
from bottega.coach.enums import FileStyle, HintType, LineStyle, PhaseStatus
from bottega.coach.file_roles import language_name
from bottega.coach.model_calls import as_json
from bottega.coach.plans import repository as plans
from bottega.coach.plans.guidance import (
    Guidance,
    PhaseGuidance,
    PlanInput,
    Relevance,
    RelevantMemory,
    coach_phases,
)
from bottega.coach.plans.hints import PhaseHints
from bottega.coach.plans.plan_context import read_plan_context
from bottega.coach.plans.repository import NewHint, NewPhase, PlanWithPhases, issue_of
from bottega.coach.plans.schemas import PlannedPhase, PlanReady
from bottega.coach.skills.service import Skills
from bottega.coach.word_index import stems
from bottega.core.llm.tasks import Task, Tier
from bottega.core.services import Core
from bottega.core.sessions.actions import ActionType
from bottega.core.sessions.session import LIVE, lock
from bottega.core.text.words import stem
from bottega.errors import BottegaError, Conflict, InvalidInput
from bottega.memory.schemas import MemoryResult
from bottega.memory.service import SemanticMemories

#: Which of the memories that a search found really help with the issue at hand (FR-110).
INSTRUCTIONS = Path(__file__).with_name("relevant_memories.md").read_text("utf-8")

#: Shared words from which on a memory is about the same thing, or at least touches it.
SAME, TOUCHING = 3, 2
MOST_KEPT = 5


class DiscardedMemory(BaseModel):
    content: str
    reason: str


class FilteredMemories(BaseModel):
    relevant_memories: list[RelevantMemory]
    discarded: list[DiscardedMemory]


@dataclass(frozen=True, slots=True)
class FilterInput:
    issue_summary: str
    plan: str
    candidates: Sequence[MemoryResult]


def prompt(asked: FilterInput) -> str:
    candidates = [
        {"content": memory.content, "metadata": memory.metadata.model_dump(mode="json")}
        for memory in asked.candidates
    ]
    return as_json(
        issue_summary=asked.issue_summary,
        plan_summary=asked.plan,
        candidate_memories=candidates,
    )


def offline(asked: FilterInput) -> FilteredMemories:
    """By the words that a memory shares with the issue and the plan, nearest memory first."""
    here = stems(asked.issue_summary, asked.plan)
    kept: list[RelevantMemory] = []
    discarded: list[DiscardedMemory] = []
    for memory in asked.candidates:
        shared = _shared_words(memory, here)
        if len(shared) >= TOUCHING and len(kept) < MOST_KEPT:
            kept.append(_relevant(memory, shared))
        else:
            reason = f"Only {shared[0]!r} in common." if len(shared) == 1 else "Another matter."
            discarded.append(DiscardedMemory(content=memory.content, reason=reason))
    kept.sort(key=lambda memory: list(Relevance).index(memory.relevance))
    return FilteredMemories(relevant_memories=kept, discarded=discarded)


def _shared_words(memory: MemoryResult, here: frozenset[str]) -> list[str]:
    """As the memory writes them, in its order."""
    words = f"{memory.content} {memory.metadata.tags}".replace(",", " ").split()
    shared: dict[str, str] = {}
    for word in words:
        bare = word.strip(".,:;!?()[]`'\"“”").lower()
        if stems(bare) & here:
            shared.setdefault(stem(bare), bare)
    return list(shared.values())


def _relevant(memory: MemoryResult, shared: Sequence[str]) -> RelevantMemory:
    named = " and ".join(filter(None, (", ".join(shared[:-1][:3]), shared[-1])))
    return RelevantMemory(
        content=memory.content,
        relevance=Relevance.DIRECT if len(shared) >= SAME else Relevance.RELATED,
        connection=f"Both are about {named}.",
        use_in_coaching="Remind of it before the first phase, and ask what carries over.",
    )


memory_filter = Task(
    "memory_retrieval_filter", Tier.FAST, INSTRUCTIONS, prompt, FilteredMemories, offline
)


#: FR-109.
MEMORIES = 10

log = structlog.get_logger()

#: Gives a path its one spelling; raises for one outside the project.
Relative = Callable[[str], str]


class Pipeline:
    def __init__(
        self,
        core: Core,
        memories: SemanticMemories,
        skills: Skills,
        windows: Windows,
        hints: PhaseHints,
    ) -> None:
        self._core = core
        self._memories = memories
        self._skills = skills
        self._windows = windows
        self._hints = hints

    async def run(
        self,
        editor: EditorState,
        plan_text: str,
        issue_summary: str | None = None,
        issue_number: int | None = None,
    ) -> PlanReady:
        """A new plan for the session at hand; an earlier one stays, but is no longer current."""
        session_id = editor.require_session()
        if not plan_text.strip():
            raise InvalidInput("The plan is empty: say in `planText` what is to be done.")
        summary = (issue_summary or "").strip() or await self._issue(editor, session_id)
        memories = await self._recall(editor, session_id, summary, plan_text)
        guidance = await self._coach(editor, session_id, summary, plan_text, memories)
        plan = await self._store(editor, session_id, plan_text, guidance)
        if issue_number is not None:
            await self._core.sessions.update(
                session_id, user_id=editor.user_id, issue_number=issue_number
            )
        await self._log(session_id, plan)
        ready = _ready(plan)
        self._windows.send(editor, ready)
        self._hints.clear(editor)
        await self._hints.show(editor)
        return ready

    async def _issue(self, editor: EditorState, session_id: str) -> str:
        issue = issue_of(await self._core.sessions.get(session_id, user_id=editor.user_id))
        return f"{issue.title}\n\n{issue.summary}".strip()

    async def _recall(
        self, editor: EditorState, session_id: str, summary: str, plan_text: str
    ) -> Sequence[RelevantMemory]:
        """Memories of earlier sessions in any project, that help here; none on failure."""
        found = await self._memories.query_memories(
            summary, n_results=MEMORIES, user_id=editor.user_id
        )
        if not found:
            return ()
        try:
            asked = FilterInput(summary, plan_text, found)
            sifted = await self._core.gateway.run(memory_filter, asked, session_id=session_id)
        except BottegaError as error:
            log.warning("coach.memories_not_sifted", candidates=len(found), why=error.message)
            return ()
        return sifted.relevant_memories

    async def _coach(
        self,
        editor: EditorState,
        session_id: str,
        summary: str,
        plan_text: str,
        memories: Sequence[RelevantMemory],
    ) -> Guidance:
        context = await read_plan_context(editor.files, plan_text)
        languages = {language_name(place.path) or "" for place in context.definitions}
        stage = await self._skills.stage(editor.user_id, summary, *languages)
        asked = PlanInput(plan_text, stage, memories, context)
        guidance = await self._core.gateway.run(coach_phases(stage), asked, session_id=session_id)
        if memories:
            return guidance
        # Without a memory there is nothing to connect to, whatever a model says (EC-56).
        return guidance.model_copy(update={"memory_connection": None})

    async def _store(
        self, editor: EditorState, session_id: str, plan_text: str, guidance: Guidance
    ) -> PlanWithPhases:
        """Plan, phases and hints in one transaction; the first phase begins."""
        phases = checked_phases(guidance, editor.files.sandbox.relative)
        async with self._core.database.write() as session:
            row = await lock(session, session_id, editor.user_id)
            if row.status not in LIVE:
                raise Conflict(
                    "The session ended while its plan was being made, so nothing was stored. "
                    "Start a session and submit the plan again."
                )
            before = await plans.active_phase(session, session_id)
            if before is not None:
                await plans.set_status(session, before, PhaseStatus.PENDING)
            made = await plans.create(
                session,
                session_id,
                plan_text,
                phases,
                memory_connection=guidance.memory_connection,
                estimated_difficulty=guidance.estimated_difficulty,
            )
            if made.phases:
                await plans.set_status(session, made.phases[0], PhaseStatus.ACTIVE)
        return made

    async def _log(self, session_id: str, plan: PlanWithPhases) -> None:
        log_action = self._core.actions.log_action
        await log_action(session_id, ActionType.COACHING_MESSAGE, {"messageType": "plan_ready"})
        if (first := plan.active) is not None:
            started = {"phaseId": first.id, "phaseNumber": first.number, "title": first.title}
            await log_action(session_id, ActionType.PHASE_STARTED, started)


def _ready(plan: PlanWithPhases) -> PlanReady:
    return PlanReady(
        plan_id=plan.plan.id,
        phases=[PlannedPhase.model_validate(row, from_attributes=True) for row in plan.phases],
        memory_connection=plan.plan.memory_connection,
        estimated_difficulty=plan.plan.estimated_difficulty,
    )


def checked_phases(guidance: Guidance, relative: Relative) -> list[NewPhase]:
    """By the model's numbers, numbered anew from 1. Files need not exist (EC-64)."""
    in_order = sorted(guidance.phases, key=lambda phase: phase.number)
    return [_checked(number, phase, relative) for number, phase in enumerate(in_order, start=1)]


def _checked(number: int, phase: PhaseGuidance, relative: Relative) -> NewPhase:
    return NewPhase(
        number=number,
        title=" ".join(phase.title.split()) or f"Phase {number}",
        description=phase.description.strip(),
        hint_level=phase.hint_level,
        expected_files=_unique(_inside(path, relative) for path in phase.expected_files),
        opportunities=_unique(word.strip() for word in phase.knowledge_gap_opportunities),
        hints=[*_file_hints(phase, relative), *_line_hints(phase, relative)],
    )


def _file_hints(phase: PhaseGuidance, relative: Relative) -> list[NewHint]:
    styles: dict[str, FileStyle] = {}
    for hint in phase.hints.file_hints:
        if path := _inside(hint.path, relative):
            styles.setdefault(path, hint.style)
    return [NewHint(HintType.FILE, path, style) for path, style in styles.items()]


def _line_hints(phase: PhaseGuidance, relative: Relative) -> list[NewHint]:
    """Hints at the same lines become one, with what each of them says."""
    texts: dict[tuple[str, int, int], list[str]] = {}
    styles: dict[tuple[str, int, int], LineStyle] = {}
    for hint in phase.hints.line_hints:
        if path := _inside(hint.path, relative):
            place = (path, min(hint.start, hint.end), max(hint.start, hint.end))
            texts.setdefault(place, []).append(hint.hover_text.strip())
            styles.setdefault(place, hint.style)
    return [
        NewHint(
            HintType.LINE,
            path,
            styles[path, start, end],
            start,
            end,
            "\n".join(_unique(said)) or None,
        )
        for (path, start, end), said in texts.items()
    ]


def _inside(path: str, relative: Relative) -> str:
    """The path as the project spells it; empty for one that is outside or the project itself."""
    try:
        return relative(path)
    except BottegaError as error:
        log.warning("coach.hint_dropped", path=path[:200], why=error.message)
        return ""


def _unique(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(word for word in words if word))

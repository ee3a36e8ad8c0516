""" "Explain This": what a piece of code does, told at the learner's own stage.

What goes wrong is sent to the person's windows (`explain:error`) and raised: each door decides
what else it needs.
"""

from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from pydantic import BaseModel, Field

from bottega.coach.editor.schemas import Range
from bottega.coach.editor.state import EditorState, Windows
from bottega.coach.enums import Stage
from bottega.coach.explain.explanation import explain
from bottega.coach.explain.schemas import Explain, ExplainError, Explanation
from bottega.coach.explain.selection import Selection
from bottega.coach.manners import manners
from bottega.coach.model_calls import as_json, ask, success
from bottega.coach.plans.phases import CurrentPhase, current_phase, find_active_phase
from bottega.coach.skills.service import Skills
from bottega.core.files.languages import is_binary, language_of
from bottega.core.files.listing import EntryType
from bottega.core.llm.tasks import Answer, Task, Tier
from bottega.core.services import Core
from bottega.core.sessions.actions import ActionType
from bottega.errors import BottegaError, InvalidInput, NotFound

_INSTRUCTIONS = Path(__file__).with_name("explain_this.md").read_text("utf-8")


@dataclass(frozen=True, slots=True)
class ExplainInput(Selection):
    phase: CurrentPhase | None = None
    #: Of the learner in this language; the answer without a model goes by it.
    stage: Stage = Stage.NOVICE


class ExplainThis(BaseModel):
    """An explanation of the marked code."""

    explanation: str = Field(description="What the marked code does, as markdown")
    key_concepts: list[str] = Field(description="The concepts that it shows, most important first")
    analogy: str | None = Field(description="A picture from everyday life, or null if none helps")
    related_files: list[str] | None = Field(
        description="Paths that visible imports or references point to, or null"
    )
    phase_connection: str | None = Field(
        description="What the code has to do with the current phase, or null"
    )


def prompt(input: ExplainInput) -> str:
    phase = asdict(input.phase) if input.phase else None
    if phase:
        # The phase is told as number, title and description; the rest is for our own code.
        del phase["expected_files"]
    return as_json(
        selected_code=input.text,
        surrounding_context=input.context,
        file_path=input.path,
        language=input.language,
        current_phase=phase,
    )


def offline(input: ExplainInput) -> ExplainThis:
    """Related files are candidates, as a model's are: whoever shows them keeps those that exist."""
    explanation = explain(input, input.stage, input.phase)
    return ExplainThis(
        explanation=explanation.text,
        key_concepts=list(explanation.concepts),
        analogy=explanation.analogy,
        related_files=list(explanation.related) or None,
        phase_connection=explanation.phase_connection,
    )


@cache
def explain_this(stage: Stage) -> Task[ExplainInput, ExplainThis]:
    instructions = _INSTRUCTIONS.format(stage=stage.words, wants=manners("explanations")[stage])
    return Task("explain_this", Tier.STRONG, instructions, prompt, ExplainThis, offline)


#: Where the editor sent no context, it is the whole file: the imports at its top say where names
#: come from. Of a file longer than this it is the lines around the selection.
CONTEXT_CHARS = 40_000
CONTEXT_LINES = 50
#: Names of files in an answer that are looked for, and files that are shown.
NAMED_FILES, RELATED_FILES = 200, 20


class Explainer:
    def __init__(self, core: Core, windows: Windows, skills: Skills) -> None:
        self._core = core
        self._windows = windows
        self._skills = skills

    async def explain(self, editor: EditorState, asked: Explain) -> Explanation:
        """FR-151."""
        try:
            explanation = await self._explain(editor, asked)
        except BottegaError as error:
            self._windows.send(editor, ExplainError(path=asked.path, error=error.message))
            raise
        self._windows.send(editor, explanation)
        return explanation

    async def _explain(self, editor: EditorState, asked: Explain) -> Explanation:
        session_id, path = editor.session_id, editor.files.sandbox.open_path(asked.path)
        await self._core.actions.log_action(
            session_id,
            ActionType.EXPLAIN_REQUESTED,
            {"path": path, "range": asked.selection.model_dump(by_alias=True)},
        )
        question = await self._question(editor, path, asked, session_id)
        answer = await self._ask(question, session_id)
        told = answer.output
        shown = Explanation(path=asked.path, **told.model_dump(), offline=answer.offline)
        shown.related_files = await _existing(editor, path, told.related_files or [])
        if question.phase is None:
            shown.phase_connection = None
        return shown

    async def _question(
        self, editor: EditorState, path: str, asked: Explain, session_id: str | None
    ) -> ExplainInput:
        if is_binary(path):
            raise _binary()
        context, first = asked.surrounding_context, 1
        if context is None:
            context, first = await _context(editor, path, asked)
        language = asked.language or language_of(path)
        return ExplainInput(
            text=asked.selected_text,
            context=context,
            path=path,
            language=language,
            phase=current_phase(await find_active_phase(self._core.database, session_id)),
            # A skill is called TypeScript, whatever markup is in the file.
            stage=await self._skills.stage(editor.user_id, language.removesuffix("react"), path),
            first_line=asked.selection.start_line,
            context_line=first,
        )

    async def _ask(self, question: ExplainInput, session_id: str | None) -> Answer[ExplainThis]:
        task, action = explain_this(question.stage), ActionType.EXPLAIN_COMPLETED
        about = {"path": question.path}
        answer = await ask(
            self._core, task, question, session_id=session_id, action=action, about=about
        )
        await self._core.actions.log_action(session_id, action, about | success(answer))
        return answer


async def _context(editor: EditorState, path: str, asked: Explain) -> tuple[str, int]:
    """The lines around the selection, as they stand in the editor, else as they are on disk, and
    the number of the first."""
    buffer = editor.files.get_buffer(path)
    if buffer is not None:
        return _around(buffer.content, asked.selection)
    try:
        file = await editor.files.read(path)
    except NotFound:
        if not asked.selected_text:
            raise
        return "", 1
    if file.binary:
        raise _binary()
    return _around(file.content, asked.selection)


def _around(text: str, selection: Range) -> tuple[str, int]:
    if len(text) <= CONTEXT_CHARS:
        return text, 1
    lines = text.splitlines(keepends=True)
    first = max(0, selection.start_line - 1 - CONTEXT_LINES)
    return "".join(lines[first : selection.end_line + CONTEXT_LINES]), first + 1


def _binary() -> InvalidInput:
    """EC-75."""
    return InvalidInput("Cannot explain binary files")


async def _existing(editor: EditorState, path: str, named: list[str]) -> list[str] | None:
    """Those of the named files that the project has; a model may have made some up (D74)."""
    found: dict[str, None] = {}
    for name in named[:NAMED_FILES]:
        try:
            relative = editor.files.sandbox.relative(name)
            if await editor.files.sandbox.type_of(relative) is EntryType.FILE:
                found[relative] = None
        except BottegaError:
            continue
    found.pop(path, None)
    return list(found)[:RELATED_FILES] or None

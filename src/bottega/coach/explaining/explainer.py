""" "Explain This": what a piece of code does, told at the learner's own stage.

What goes wrong is said to the person's windows (`explain:error`) and raised: each door decides
what else it needs.
"""

from bottega.coach.asking import ask, success
from bottega.coach.desk.desk import Desk
from bottega.coach.desk.voice import Voice
from bottega.coach.prompts.explain_this import ExplainInput, ExplainThis, explain_this
from bottega.coach.protocol.files import Range
from bottega.coach.protocol.learning import Explain, ExplainError, Explanation
from bottega.coach.sessions.current_phase import active_phase, current
from bottega.coach.skills import Skills
from bottega.core.actions import ActionType
from bottega.core.files.languages import is_binary, language_of
from bottega.core.files.listing import EntryType
from bottega.core.llm.tasks import Answer
from bottega.core.services import Core
from bottega.errors import BottegaError, InvalidInput, NotFound

#: Where the editor sent no context, it is the whole file: the imports at its top say where names
#: come from. Of a file longer than this it is the lines around the selection.
CONTEXT_CHARS = 40_000
CONTEXT_LINES = 50
#: Names of files in an answer that are looked for, and files that are shown.
NAMED_FILES, RELATED_FILES = 200, 20


class Explainer:
    def __init__(self, core: Core, voice: Voice, skills: Skills) -> None:
        self._core = core
        self._voice = voice
        self._skills = skills

    async def explain(self, desk: Desk, asked: Explain) -> Explanation:
        """FR-151."""
        try:
            explanation = await self._explain(desk, asked)
        except BottegaError as error:
            self._voice.say(desk, ExplainError(path=asked.path, error=error.message))
            raise
        self._voice.say(desk, explanation)
        return explanation

    async def _explain(self, desk: Desk, asked: Explain) -> Explanation:
        session_id, path = desk.session_id, desk.files.sandbox.relative(asked.path)
        await self._core.actions.log_action(
            session_id,
            ActionType.EXPLAIN_REQUESTED,
            {"path": path, "range": asked.selection.model_dump(by_alias=True)},
        )
        question = await self._question(desk, path, asked, session_id)
        answer = await self._ask(question, session_id)
        told = answer.output
        return Explanation(
            path=asked.path,
            explanation=told.explanation,
            key_concepts=told.key_concepts,
            analogy=told.analogy,
            related_files=await _existing(desk, path, told.related_files or []),
            phase_connection=told.phase_connection if question.phase else None,
            offline=answer.offline,
        )

    async def _question(
        self, desk: Desk, path: str, asked: Explain, session_id: str | None
    ) -> ExplainInput:
        if is_binary(path):
            raise _binary()
        context = asked.surrounding_context
        if context is None:
            context = await _context(desk, path, asked)
        language = asked.language or language_of(path)
        return ExplainInput(
            selected_text=asked.selected_text,
            surrounding_context=context,
            path=path,
            language=language,
            phase=current(await active_phase(self._core.database, session_id)),
            # A skill is called TypeScript, whatever markup is in the file.
            stage=await self._skills.stage(desk.user_id, language.removesuffix("react"), path),
        )

    async def _ask(self, question: ExplainInput, session_id: str | None) -> Answer[ExplainThis]:
        task, action = explain_this(question.stage), ActionType.EXPLAIN_COMPLETED
        about = {"path": question.path}
        answer = await ask(
            self._core, task, question, session_id=session_id, action=action, about=about
        )
        await self._core.actions.log_action(session_id, action, about | success(answer))
        return answer


async def _context(desk: Desk, path: str, asked: Explain) -> str:
    """The lines around the selection: as they stand in the editor, else as they are on disk."""
    buffer = desk.files.get_buffer(path)
    if buffer is not None:
        return _around(buffer.content, asked.selection)
    try:
        file = await desk.files.read(path)
    except NotFound:
        if not asked.selected_text:
            raise
        return ""
    if file.binary:
        raise _binary()
    return _around(file.content, asked.selection)


def _around(text: str, selection: Range) -> str:
    if len(text) <= CONTEXT_CHARS:
        return text
    lines = text.splitlines(keepends=True)
    first = max(0, selection.start_line - 1 - CONTEXT_LINES)
    return "".join(lines[first : selection.end_line + CONTEXT_LINES])


def _binary() -> InvalidInput:
    """EC-75."""
    return InvalidInput("Cannot explain binary files")


async def _existing(desk: Desk, path: str, named: list[str]) -> list[str] | None:
    """Those of the named files that the project has; a model may have made some up (D74)."""
    found: dict[str, None] = {}
    for name in named[:NAMED_FILES]:
        try:
            relative = desk.files.sandbox.relative(name)
            if await desk.files.sandbox.type_of(relative) is EntryType.FILE:
                found[relative] = None
        except BottegaError:
            continue
    found.pop(path, None)
    return list(found)[:RELATED_FILES] or None

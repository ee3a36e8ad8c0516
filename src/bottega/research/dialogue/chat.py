"""A turn of ordinary conversation: answered by a model with tools, or from the library alone."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from bottega.core.events import Event
from bottega.core.llm.costs import Budget
from bottega.core.services import Core
from bottega.core.sessions.session import Session
from bottega.core.trust.permissions import ToolClass, Verdict, decide
from bottega.errors import BottegaError, NotFound
from bottega.library.service import Library, LibraryService, ParagraphView, Role
from bottega.research.dialogue.chat_task import (
    ChatQuestion,
    chat,
    prior_research_block,
    tell_people,
)
from bottega.research.pipeline.schemas import Retrieved
from bottega.research.pipeline.state import read_summary
from bottega.research.sessions.claude import Recovered
from bottega.research.sessions.files import SessionFolder, session_folder
from bottega.research.sessions.repository import facts_of
from bottega.research.sources.service import Sources

if TYPE_CHECKING:
    from pydantic_ai.toolsets import AbstractToolset


MOST_RESULTS = 20
LONGEST_TEXT = 2_000
#: Something in brackets with a digit in it, not a link, not a bare number, not `W1` or `P1`.
_CITED = re.compile(r"\[(?!\d+\]|[WP]\d+\])([^\[\]\n]{0,80}\d[^\[\]\n]{0,80})\](?!\()")
#: US dollars that one turn may cost.
TURN_BUDGET = 0.50
#: Paragraphs that an answer without a model chooses from.
PARAGRAPHS = 10


@dataclass(frozen=True, slots=True)
class CheckedReferences:
    text: str
    #: References that stand in the library, and those that do not.
    references: list[str]
    unknown: list[str]


@dataclass(slots=True)
class LibraryTools:
    libraries: LibraryService
    library: Library
    #: References that a tool has returned.
    seen: set[str] = field(default_factory=set)

    async def library_search(self, query: str, max_results: int = 8) -> JsonValue:
        """Find paragraphs of the library by words and meaning. Best first.

        Args:
            query: What to look for, in a few words or as a question.
            max_results: How many paragraphs at most, up to 20.
        """
        found = await self.libraries.search.search(
            self.library, query, max_results=max(1, min(max_results, MOST_RESULTS))
        )
        return [self._show(hit.paragraph) for hit in found.hits]

    async def get_paragraph(self, reference: str) -> JsonValue:
        """Read one paragraph of the library.

        Args:
            reference: Its reference as a search returned it, such as 315.12(a).
        """
        try:
            return self._show(await self.libraries.libraries.paragraph(self.library, reference))
        except BottegaError as error:
            return {"error": error.message}

    async def check_references(self, text: str) -> CheckedReferences:
        """Mark in an answer what it cites and the library lacks."""
        cited = list(dict.fromkeys(match.strip() for match in _CITED.findall(text)))
        missing = [ref for ref in cited if ref not in self.seen and not await self._has(ref)]
        for ref in missing:
            text = text.replace(f"[{ref}]", f"[{ref}] *(not in the library)*")
        return CheckedReferences(text, [ref for ref in cited if ref not in missing], missing)

    async def _has(self, reference: str) -> bool:
        try:
            await self.libraries.libraries.paragraph(self.library, reference)
        except NotFound:
            return False
        return True

    def _show(self, paragraph: ParagraphView) -> dict[str, JsonValue]:
        self.seen.add(paragraph.ref)
        return {
            "reference": paragraph.ref,
            "document": paragraph.document,
            "text": paragraph.text[:LONGEST_TEXT],
        }


@dataclass(frozen=True, slots=True)
class ChatReply:
    text: str
    content: dict[str, Any] = field(default_factory=dict)


class Chat:
    def __init__(
        self,
        core: Core,
        libraries: LibraryService,
        sources: Sources | None = None,
        *,
        turn_budget_usd: float = TURN_BUDGET,
    ) -> None:
        self._core = core
        self._libraries = libraries
        self._sources = sources
        self._turn_budget_usd = turn_budget_usd

    async def answer(
        self,
        session: Session,
        question: str,
        history: Sequence[Recovered] = (),
        library: Library | None = None,
    ) -> ChatReply:
        if self._core.gateway.mode.name(chat.tier).offline:
            return await self._answer_offline(session, question, library)
        return await self._converse(session, question, history, library)

    async def _converse(
        self,
        session: Session,
        question: str,
        history: Sequence[Recovered],
        library: Library | None,
    ) -> ChatReply:
        budget = Budget(self._turn_budget_usd)
        model = await self._core.gateway.model(
            chat.tier, call_type=chat.name, session_id=session.id, budget=budget
        )
        from bottega.research.dialogue.chat_loop import converse

        tools = LibraryTools(self._libraries, library) if library else None
        # Read anew every turn and put before the question: nothing that shortens a history
        # can lose it.
        block = await prior_research_block(self._folder(session))
        text = await converse(
            model,
            chat.instructions,
            f"{block}\n\n{question}" if block else question,
            history,
            [tools.library_search, tools.get_paragraph] if tools else [],
            await self._source_tools(session),
            lambda kind, what: self._tell(session, kind, what),
        )
        content: dict[str, Any] = {"type": "chat", "offline": False, "cost": budget.spent}
        if tools is not None:
            checked = await tools.check_references(text)
            text = checked.text
            content |= {"references": checked.references, "unknown_references": checked.unknown}
        return ChatReply(text, content)

    async def _source_tools(self, session: Session) -> "list[AbstractToolset[Any]]":
        """The tools of the sources that are switched on, as far as the session's mode goes.

        Where a person has to agree to changes, switching a source on was that.
        """
        mode = facts_of(session).permission_mode
        if self._sources is None or decide(mode, {ToolClass.NETWORK}) is not Verdict.ALLOW:
            return []
        about: dict[str, Any] = {"user_id": session.user_id, "session_id": session.id}
        tools = self._sources.toolset(await self._sources.enabled(**about), **about)
        if decide(mode, {ToolClass.WRITE}) is Verdict.REFUSE:
            return [tools.filtered(lambda _, tool: bool((tool.metadata or {}).get("read_only")))]
        return [tools]

    async def _answer_offline(
        self, session: Session, question: str, library: Library | None
    ) -> ChatReply:
        summary = await read_summary(self._folder(session))
        asked = await self._look_up(question, library, tell_people(summary) if summary else "")
        answer = await self._core.gateway.call(chat, asked, session_id=session.id)
        self._tell(session, "text", answer.output)
        refs = [each.paragraph.ref for each in asked.found]
        references = [ref for ref in refs if f"[{ref}]" in answer.output]
        content = {"type": "chat", "offline": True, "cost": 0.0, "references": references}
        return ChatReply(answer.output, content)

    async def _look_up(self, question: str, library: Library | None, prior: str) -> ChatQuestion:
        if library is None:
            return ChatQuestion(question, prior=prior)
        judged = await self._libraries.answerability.answerable(library, question)
        found = await self._libraries.search.search(library, question, max_results=PARAGRAPHS)
        best = max((hit.score for hit in found.hits), default=0.0) or 1.0
        likely = {each.ref: each.probability for each in judged.passages}
        paragraphs = [
            Retrieved(
                paragraph=hit.paragraph,
                role=Role.PRIMARY,
                score=hit.score / best,
                sub_query=question,
                paths=hit.paths,
                answers=likely.get(hit.paragraph.ref, 0.0),
            )
            for hit in found.hits
        ]
        return ChatQuestion(
            question, library.name, paragraphs, judged.answerable, judged.reasons, prior
        )

    def _folder(self, session: Session) -> SessionFolder:
        return session_folder(self._core.choices.data_dir, session.id)

    def _tell(self, session: Session, kind: str, what: str) -> None:
        """Shown live and not kept: `conversation.text`, `conversation.tool`."""
        self._core.bus.publish(
            Event(
                f"conversation.{kind}",
                {kind: what},
                user_id=session.user_id,
                session_id=session.id,
                durable=False,
            )
        )

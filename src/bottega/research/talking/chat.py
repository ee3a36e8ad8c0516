"""A turn of ordinary conversation: answered by a model with tools, or from the library alone."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bottega.core.budgets import Budget
from bottega.core.events import Event
from bottega.core.permissions import ToolClass, Verdict, decide
from bottega.core.services import Core
from bottega.core.sessions import Session
from bottega.library.service import Library, LibraryService, Role
from bottega.research.folders import SessionFolder, session_folder
from bottega.research.pipeline.outputs import Retrieved
from bottega.research.prompts.chat import Asked, chat
from bottega.research.sessions.resuming import Recovered
from bottega.research.sessions.views import facts_of
from bottega.research.sources.service import Sources
from bottega.research.talking.library_tools import LibraryTools
from bottega.research.talking.prior_block import prior_research_block, tell_people
from bottega.research.talking.summary import read_summary

if TYPE_CHECKING:
    from pydantic_ai.toolsets import AbstractToolset

#: US dollars that one turn may cost.
TURN_BUDGET = 0.50
#: Paragraphs that an answer without a model chooses from.
PARAGRAPHS = 10


@dataclass(frozen=True, slots=True)
class Reply:
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
    ) -> Reply:
        if self._core.gateway.mode.name(chat.tier).offline:
            return await self._answer_offline(session, question, library)
        return await self._converse(session, question, history, library)

    async def _converse(
        self,
        session: Session,
        question: str,
        history: Sequence[Recovered],
        library: Library | None,
    ) -> Reply:
        budget = Budget(self._turn_budget_usd)
        model = await self._core.gateway.model(
            chat.tier, call_type=chat.name, session_id=session.id, budget=budget
        )
        from bottega.research.talking.chat_loop import converse

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
        return Reply(text, content)

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
    ) -> Reply:
        summary = await read_summary(self._folder(session))
        asked = await self._look_up(question, library, tell_people(summary) if summary else "")
        answer = await self._core.gateway.call(chat, asked, session_id=session.id)
        self._tell(session, "text", answer.output)
        refs = [each.paragraph.ref for each in asked.found]
        references = [ref for ref in refs if f"[{ref}]" in answer.output]
        content = {"type": "chat", "offline": True, "cost": 0.0, "references": references}
        return Reply(answer.output, content)

    async def _look_up(self, question: str, library: Library | None, prior: str) -> Asked:
        if library is None:
            return Asked(question, prior=prior)
        judged = await self._libraries.answerability.answerable(library, question)
        found = await self._libraries.search.search(library, question, max_results=PARAGRAPHS)
        best = max((hit.score for hit in found.hits), default=0.0) or 1.0
        paragraphs = [
            Retrieved(
                paragraph=hit.paragraph,
                role=Role.PRIMARY,
                score=hit.score / best,
                sub_query=question,
                paths=hit.paths,
            )
            for hit in found.hits
        ]
        return Asked(question, library.name, paragraphs, judged.answerable, judged.reasons, prior)

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

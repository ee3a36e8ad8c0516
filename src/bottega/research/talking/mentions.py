"""`@agent question`: what a message to an agent orders, in which library, after which answer."""

import re
from dataclasses import dataclass

from bottega.core.services import Core
from bottega.core.sessions import Session
from bottega.errors import InvalidInput
from bottega.library.service import Library, LibraryService
from bottega.research.pipeline.orders import ResearchOrder
from bottega.research.runs import ResearchRuns
from bottega.research.talking.follow_up import last_answered

_MENTION = re.compile(r"\s*@([A-Za-z0-9][\w-]{0,63})(?:\s+(.*))?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Mention:
    slug: str
    question: str


def find_mention(text: str) -> Mention | None:
    match = _MENTION.match(text)
    return Mention(match[1].lower(), (match[2] or "").strip()) if match else None


@dataclass(frozen=True, slots=True)
class Orders:
    core: Core
    runs: ResearchRuns
    libraries: LibraryService

    async def order(self, session: Session, mention: Mention, named: str | None) -> ResearchOrder:
        agent = await self.runs.agent(mention.slug)
        if not mention.question:
            raise InvalidInput(
                f"What should @{mention.slug} look into? Write your question behind it."
            )
        library = await self.library(session, named, otherwise=agent.meta.library)
        if library is None:
            names = [each.name for each in await self.libraries.libraries.list(session.user_id)]
            raise InvalidInput(
                "Which library should be asked? Name one for this session. There are: "
                f"{', '.join(names) or 'none yet'}.",
                valid_options=names,
            )
        follows_up = agent.config.follow_up.enabled
        before = await last_answered(self.core, session.id, session.user_id) if follows_up else None
        return ResearchOrder(
            question=mention.question,
            library=library.name,
            agent=agent.slug,
            follow_up_of=before.id if before else None,
        )

    async def library(
        self, session: Session, named: str | None, *, otherwise: str | None = None
    ) -> Library | None:
        """The one that is named, the session's own, `otherwise`, or the only one that there is."""
        if name := named or session.data.get("library") or otherwise:
            return await self.libraries.libraries.get(name, session.user_id)
        every = await self.libraries.libraries.list(session.user_id)
        return every[0] if len(every) == 1 else None

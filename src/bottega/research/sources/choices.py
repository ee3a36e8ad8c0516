"""Which sources a person has switched on and off, and for which session: a small file each.

`{DATA_DIR}/research/source-choices/{user}.json`. No secret is in it. A source that came with a
project is chosen as it is: when its file changes, the choice is void.
"""

import asyncio
import json
from pathlib import Path
from urllib.parse import quote

import structlog
from pydantic import BaseModel, ValidationError

from bottega.core.files.sandbox import Sandbox
from bottega.errors import NotFound
from bottega.research.sources.definition import Origin, Source

log = structlog.get_logger()

#: Sessions whose choices are kept; the oldest are dropped.
MOST_SESSIONS = 500


class Choice(BaseModel):
    enabled: bool
    #: Of the configuration that the person saw.
    fingerprint: str


class Choices(BaseModel):
    sources: dict[str, Choice] = {}
    #: By session; they go before the person's general ones.
    sessions: dict[str, dict[str, Choice]] = {}

    def is_enabled(self, source: Source, session_id: str | None = None) -> bool:
        for chosen in (self.sessions.get(session_id or "", {}), self.sources):
            if choice := self._valid(chosen.get(source.slug), source):
                return choice.enabled
        return source.config.enabled and source.origin is not Origin.PROJECT

    def is_trusted(self, source: Source) -> bool:
        """A person has seen it: nothing that came with a project runs before."""
        if source.origin is not Origin.PROJECT:
            return True
        chosen = [self.sources, *self.sessions.values()]
        return any(self._valid(each.get(source.slug), source) for each in chosen)

    def _valid(self, choice: Choice | None, source: Source) -> Choice | None:
        if choice is None or source.origin is not Origin.PROJECT:
            return choice
        return choice if choice.fingerprint == source.fingerprint else None


class ChoiceFiles:
    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / "research" / "source-choices"
        self._changing = asyncio.Lock()

    async def of(self, user_id: str) -> Choices:
        try:
            content = await Sandbox(self._folder).read_text(_name(user_id))
            return Choices.model_validate_json(content.content)
        except NotFound:
            return Choices()
        except ValidationError as error:
            # A person's hand was in it; what they chose can be chosen again.
            log.warning("source choices cannot be read", user=user_id, problems=error.error_count())
            return Choices()

    async def choose(
        self, source: Source, enabled: bool, *, user_id: str, session_id: str | None = None
    ) -> None:
        async with self._changing:
            choices = await self.of(user_id)
            chosen = choices.sources
            if session_id is not None:
                chosen = choices.sessions.pop(session_id, {})
                choices.sessions[session_id] = chosen
                while len(choices.sessions) > MOST_SESSIONS:
                    del choices.sessions[next(iter(choices.sessions))]
            chosen[source.slug] = Choice(enabled=enabled, fingerprint=source.fingerprint)
            await asyncio.to_thread(self._folder.mkdir, parents=True, exist_ok=True)
            text = json.dumps(choices.model_dump(), indent=2)
            await Sandbox(self._folder).write(_name(user_id), text)


def _name(user_id: str) -> str:
    return f"{quote(user_id, safe='')}.json"

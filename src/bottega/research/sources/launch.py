"""Whether a source may be reached and with what: those that a person has switched on, by session;
placeholders filled in, credentials fetched. What is in a `Launch` is secret: it is never logged,
stored or shown. And what can go wrong with it, in the tree of errors.

Choices are small files without secrets, `{DATA_DIR}/research/source-choices/{user}.json`. A source
that came with a project is chosen by the owner of the house alone, who has to have trusted it as it
is (`core/trust/project.py`).
"""

import asyncio
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

import structlog
from pydantic import BaseModel, Field, ValidationError

from bottega.core.db.sqlite import ProcessLock
from bottega.core.definitions.folders import Origin
from bottega.core.files.sandbox import Sandbox
from bottega.core.trust.secrets import Secrets
from bottega.core.users import LOCAL_USER
from bottega.errors import Conflict, Unavailable
from bottega.research.sources.definition import (
    CREDENTIAL,
    AuthType,
    HttpConfig,
    McpSource,
    StdioConfig,
)

log = structlog.get_logger()

#: Sessions whose choices are kept; the oldest are dropped.
MOST_SESSIONS = 500


class Choice(BaseModel):
    enabled: bool


class SourceChoices(BaseModel):
    sources: dict[str, Choice] = {}
    #: By session; they go before the person's general ones.
    sessions: dict[str, dict[str, Choice]] = {}
    #: Whether they are the owner's: nobody else's choice starts what came with a project.
    are_owners: bool = Field(False, exclude=True)

    def is_enabled(self, source: McpSource, session_id: str | None = None) -> bool:
        if self.is_trusted(source):
            for chosen in (self.sessions.get(session_id or "", {}), self.sources):
                if source.slug in chosen:
                    return chosen[source.slug].enabled
        return source.config.enabled and source.origin is not Origin.PROJECT

    def is_trusted(self, source: McpSource) -> bool:
        """The owner has seen it, and it is theirs: nothing that came with a project runs before."""
        return source.origin is not Origin.PROJECT or (self.are_owners and source.is_trusted)


class ChoiceFiles:
    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / "research" / "source-choices"
        # Servers that share `DATA_DIR` change the same files.
        self._changing = ProcessLock(self._folder / "lock")

    async def of(self, user_id: str) -> SourceChoices:
        choices, name = SourceChoices(), _name(user_id)
        if await asyncio.to_thread((self._folder / name).is_file):
            content = (await Sandbox(self._folder).read_text(name)).content
            try:
                choices = SourceChoices.model_validate_json(content)
            except ValidationError as error:
                # A person's hand was in it; what they chose can be chosen again.
                problems = error.error_count()
                log.warning("source choices cannot be read", user=user_id, problems=problems)
        choices.are_owners = user_id == LOCAL_USER
        return choices

    async def choose(
        self, source: McpSource, enabled: bool, *, user_id: str, session_id: str | None = None
    ) -> None:
        async with self._changing:
            choices = await self.of(user_id)
            chosen = choices.sources
            if session_id is not None:
                chosen = choices.sessions.pop(session_id, {})
                choices.sessions[session_id] = chosen
                while len(choices.sessions) > MOST_SESSIONS:
                    del choices.sessions[next(iter(choices.sessions))]
            chosen[source.slug] = Choice(enabled=enabled)
            await asyncio.to_thread(self._folder.mkdir, parents=True, exist_ok=True)
            text = json.dumps(choices.model_dump(), indent=2)
            await Sandbox(self._folder).write(_name(user_id), text)


def _name(user_id: str) -> str:
    return f"{quote(user_id, safe='')}.json"


class SourceFailed(Unavailable):
    """It cannot be reached, ended, or answered in a way that makes no sense."""

    def __init__(self, slug: str, message: str) -> None:
        super().__init__(f"The source {slug!r} {message}", source=slug)
        self.slug = slug


class SourceTimedOut(SourceFailed):
    """It did not answer in the time that its configuration gives it."""


class NeedsAuth(Conflict):
    """A credential or a sign-in is missing; only a person can give it."""

    def __init__(self, slug: str, message: str, *, credential: str | None = None) -> None:
        super().__init__(
            f"The source {slug!r} {message}", source=slug, needs_auth=True, credential=credential
        )
        self.slug = slug
        self.credential = credential


class ConnectionLost(Exception):
    """The far side went away under a call. Whether it had begun to work on it decides what may be
    done again."""

    def __init__(self, reason: SourceFailed | NeedsAuth, *, reached: bool) -> None:
        super().__init__(reason.message)
        self.reason = reason
        self.reached = reached


@dataclass(frozen=True, slots=True)
class Launch:
    """Equal launches reach the same thing in the same way: a changed credential makes another."""

    source: McpSource
    user_id: str
    program: tuple[str, ...] = ()
    cwd: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def slug(self) -> str:
        return self.source.slug


def credential_names(source: McpSource) -> list[str]:
    """Those that it names, in order."""
    config = source.config
    if isinstance(config, HttpConfig):
        named = [config.auth.credential, config.auth.client_secret]
        texts = config.headers.values()
    else:
        named, texts = [], config.env.values()
    found = [*filter(None, named), *(name for text in texts for name in CREDENTIAL.findall(text))]
    return list(dict.fromkeys(found))


def own_credential(user_id: str, name: str) -> str:
    """What a person's own is called among the secrets."""
    return f"{user_id}/{name}"


@dataclass(frozen=True, slots=True)
class Launches:
    secrets: Secrets
    data_dir: Path
    project: Path | None

    async def prepare(self, source: McpSource, user_id: str) -> Launch:
        """Raises `NeedsAuth` with the name of a credential that is not there."""
        if isinstance(source.config, StdioConfig):
            return await self._prepare_program(source, source.config, user_id)
        return await self._prepare_address(source, source.config, user_id)

    def sketch(self, source: McpSource, user_id: str) -> Launch:
        """What would be reached, without anybody's credentials: this may be shown."""
        config = source.config
        if not isinstance(config, StdioConfig):
            return Launch(source, user_id)
        program = (config.command, *config.args)
        return Launch(
            source,
            user_id,
            program=tuple(self._filled(source, word) for word in program),
            cwd=source.folder / self._filled(source, config.cwd or "."),
        )

    async def credential(self, source: McpSource, user_id: str, name: str) -> str:
        if value := await self.stored(user_id, name):
            return value
        raise NeedsAuth(
            source.slug,
            f"needs the credential {name!r}, which is not stored. Enter it under that name.",
            credential=name,
        )

    async def stored(self, user_id: str, name: str) -> str | None:
        """A credential, the person's own before the house's."""
        own = await self.secrets.get(own_credential(user_id, name))
        return own or await self.secrets.get(name)

    async def _prepare_program(
        self, source: McpSource, config: StdioConfig, user_id: str
    ) -> Launch:
        environment = {
            name: await self._with_credentials(source, user_id, self._filled(source, value))
            for name, value in config.env.items()
        }
        return replace(self.sketch(source, user_id), environment=environment)

    async def _prepare_address(self, source: McpSource, config: HttpConfig, user_id: str) -> Launch:
        headers = {
            name: await self._with_credentials(source, user_id, value)
            for name, value in config.headers.items()
        }
        auth = config.auth
        if auth.credential is not None:
            value = await self.credential(source, user_id, auth.credential)
            if auth.type is AuthType.BEARER:
                headers["Authorization"] = f"Bearer {value}"
            elif auth.header is not None:
                headers[auth.header] = value
        return Launch(source, user_id, headers=headers)

    async def _with_credentials(self, source: McpSource, user_id: str, text: str) -> str:
        names = set(CREDENTIAL.findall(text))
        values = {name: await self.credential(source, user_id, name) for name in names}
        return CREDENTIAL.sub(lambda found: values[found[1]], text)

    def _filled(self, source: McpSource, text: str) -> str:
        for name, value in {
            "{python}": sys.executable,
            "{project}": str(self.project or source.folder),
            "{data}": str(self.data_dir),
            "{folder}": str(source.folder),
        }.items():
            text = text.replace(name, value)
        return text

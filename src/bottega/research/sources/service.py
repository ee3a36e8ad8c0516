"""The sources of the house: which there are, how they do, and what their tools give."""

import asyncio
import builtins
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bottega.core import clock
from bottega.core.definitions.folders import Origin
from bottega.core.services import Core
from bottega.core.users import LOCAL_USER
from bottega.errors import BottegaError, Conflict, Forbidden, NotFound
from bottega.research.sources.connection_pool import Connections
from bottega.research.sources.definition import McpSource, StdioConfig
from bottega.research.sources.folders import FILE, BrokenSource, source_folders
from bottega.research.sources.launch import (
    ChoiceFiles,
    Launches,
    NeedsAuth,
    SourceChoices,
    SourceFailed,
    credential_names,
    own_credential,
)
from bottega.research.sources.sign_in import SignIns
from bottega.research.sources.views import (
    HealthView,
    ResearchHealth,
    SourceDetail,
    SourceTool,
    SourceView,
    TestReport,
    ToolResult,
    broken_view,
    health_after,
    source_detail,
    source_view,
)

if TYPE_CHECKING:
    from bottega.research.sources.toolset import SourceToolset


class Sources:
    def __init__(self, core: Core, *, idle_seconds: float = 300.0) -> None:
        data_dir, project = core.choices.data_dir, core.files.root
        self._secrets = core.secrets
        self._trust = core.trust
        self._folders = source_folders(data_dir, project, core.trust.is_trusted)
        self._choices = ChoiceFiles(data_dir)
        self._launches = Launches(core.secrets, data_dir, project)
        self._sign_ins = SignIns(self._launches)
        self._connections = Connections(
            core.secrets, self._launches, self._sign_ins, idle_seconds=idle_seconds
        )
        #: By source and person, since the house was opened.
        self._health: dict[tuple[str, str], HealthView] = {}

    @property
    def places(self) -> Sequence[Path]:
        """Where people put sources, what counts most first."""
        own = [place for origin, place in self._folders.places if origin is not Origin.SHIPPED]
        return own[::-1]

    async def list(self, *, user_id: str, session_id: str | None = None) -> list[SourceView]:
        """Every source, the broken ones with what is wrong."""
        found = await asyncio.to_thread(self._folders.find_all)
        choices = await self._choices.of(user_id)
        return [
            broken_view(each)
            if isinstance(each, BrokenSource)
            else await self._view(each, choices, user_id, session_id)
            for each in found.values()
        ]

    async def get(self, slug: str, *, user_id: str, session_id: str | None = None) -> SourceView:
        source = await self.source(slug)
        return await self._view(source, await self._choices.of(user_id), user_id, session_id)

    async def describe(self, slug: str, *, user_id: str) -> SourceDetail:
        """All about one, so that a person can decide whether it may run; a broken one too."""
        source = await asyncio.to_thread(self._folders.look_up, slug)
        if isinstance(source, BrokenSource):
            file = str(source.folder / FILE)
            return SourceDetail(**broken_view(source).model_dump(), file=file)
        view = await self._view(source, await self._choices.of(user_id), user_id, None)
        stored = [name for name in view.credentials if await self._launches.stored(user_id, name)]
        return source_detail(view, self._launches.sketch(source, user_id), stored)

    async def source(self, slug: str) -> McpSource:
        """As its files describe it."""
        return await asyncio.to_thread(self._folders.find, slug)

    async def environment(
        self, slug: str, *, user_id: str, session_id: str | None = None
    ) -> Mapping[str, str]:
        """What its program would get, credentials included: not to be shown or kept.

        Nothing if it is switched off, no program, or lacks a credential.
        """
        source = await self.source(slug)
        choices = await self._choices.of(user_id)
        if not choices.is_enabled(source, session_id) or not isinstance(source.config, StdioConfig):
            return {}
        for name in credential_names(source):
            if not await self._launches.stored(user_id, name):
                return {}
        return (await self._launches.prepare(source, user_id)).environment

    async def enable(
        self,
        slug: str,
        *,
        user_id: str,
        session_id: str | None = None,
        is_owner: bool = False,
    ) -> SourceView:
        """For a person to do. If the owner does it, a project's source is trusted from now on.

        Raises `Forbidden` if it came with a project and the user does not own the house.
        """
        source = await self.source(slug)
        if not source.is_trusted and is_owner:
            await asyncio.to_thread(self._trust.add, f"sources/{slug}", user_id)
        return await self._choose(slug, True, user_id, session_id)

    async def disable(
        self, slug: str, *, user_id: str, session_id: str | None = None
    ) -> SourceView:
        return await self._choose(slug, False, user_id, session_id)

    async def ensure(
        self, slugs: Collection[str], *, user_id: str, session_id: str | None = None
    ) -> builtins.list[str]:
        """Switch on what an agent requires. Those that were off, in order.

        Raises `NotFound` for one that is not there, and `Forbidden` for one that came with the
        project and that nobody has enabled: an agent does not decide what may run here.
        """
        sources = [await self.source(slug) for slug in slugs]
        choices = await self._choices.of(user_id)
        off = [each for each in sources if not choices.is_enabled(each, session_id)]
        for source in off:
            self._check_trust(source, choices)
        for source in off:
            await self._choices.choose(source, True, user_id=user_id, session_id=session_id)
        return [source.slug for source in off]

    async def enabled(self, *, user_id: str, session_id: str | None = None) -> builtins.list[str]:
        found = await asyncio.to_thread(self._folders.find_all)
        choices = await self._choices.of(user_id)
        return [
            slug
            for slug, each in found.items()
            if isinstance(each, McpSource) and choices.is_enabled(each, session_id)
        ]

    async def tools(
        self, slug: str, *, user_id: str, session_id: str | None = None
    ) -> builtins.list[SourceTool]:
        source = await self._usable(slug, user_id, session_id)
        try:
            found = await self._connections.tools(source, user_id)
        except (SourceFailed, NeedsAuth) as error:
            self._note(source, user_id, error)
            raise
        self._note(source, user_id, tools=len(found))
        return [*found.values()]

    async def call(
        self,
        slug: str,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        user_id: str,
        session_id: str | None = None,
    ) -> ToolResult:
        """What the tool gave: data, whatever it says. An error of the tool's own is a result."""
        source = await self._usable(slug, user_id, session_id)
        try:
            result = await self._connections.call(source, user_id, tool, arguments)
        except (SourceFailed, NeedsAuth) as error:
            self._note(source, user_id, error)
            raise
        self._note(source, user_id)
        return result

    async def test(self, slug: str, *, user_id: str) -> TestReport:
        """Try everything from the file to the list of tools, anew. Works on one that is off."""
        from bottega.research.sources.checkup import Checkup

        source = await self.source(slug)
        self._check_trust(source, await self._choices.of(user_id))
        self._connections.close(slug, user_id)
        checkup = Checkup(source, self._launches, self._sign_ins, self._connections)
        report, error = await checkup.run(user_id)
        self._note(source, user_id, error, len(report.tools) if report.passed else None)
        return report

    def toolset(
        self, slugs: Sequence[str], *, user_id: str, session_id: str | None = None
    ) -> "SourceToolset":
        """The tools of these sources for a pydantic-ai agent."""
        from bottega.research.sources.toolset import SourceToolset

        return SourceToolset(self, tuple(slugs), user_id, session_id)

    async def start_oauth(self, slug: str, *, user_id: str, callback_url: str) -> str:
        """The page where the person signs in."""
        source = await self.source(slug)
        self._check_trust(source, await self._choices.of(user_id))
        return await self._sign_ins.start(source, user_id, callback_url)

    async def finish_oauth(
        self,
        state: str,
        code: str | None,
        *,
        error: str | None = None,
        issuer: str | None = None,
        user_id: str | None = None,
    ) -> str:
        """What came to the callback, `iss` included. The slug of the source signed in to."""
        done = await self._sign_ins.finish(state, code, error=error, issuer=issuer, user_id=user_id)
        self.forget_health(done.source.slug, done.user_id)
        return done.source.slug

    async def forget_oauth(self, slug: str, *, user_id: str) -> None:
        """Sign out, there and here."""
        await self._sign_ins.forget(await self.source(slug), user_id)
        self.forget_health(slug, user_id)

    async def set_credential(self, slug: str, name: str, value: str, *, user_id: str) -> SourceView:
        """For a person to do. It is this person's own, and goes before the house's."""
        await self._check_credential(slug, name)
        await self._secrets.set(own_credential(user_id, name), value)
        self.forget_health(slug, user_id)
        return await self.get(slug, user_id=user_id)

    async def forget_credential(self, slug: str, name: str, *, user_id: str) -> SourceView:
        await self._check_credential(slug, name)
        await self._secrets.delete(own_credential(user_id, name))
        self.forget_health(slug, user_id)
        return await self.get(slug, user_id=user_id)

    def forget_health(self, slug: str, user_id: str) -> None:
        """Something about it has changed: begin anew."""
        self._connections.close(slug, user_id)
        self._health.pop((slug, user_id), None)

    async def stop(self) -> None:
        await self._sign_ins.stop()
        await self._connections.stop()

    async def _check_credential(self, slug: str, name: str) -> None:
        wanted = credential_names(await self.source(slug))
        if name not in wanted:
            raise NotFound(
                f"The source {slug!r} wants no credential {name!r}. It wants: "
                f"{', '.join(wanted) or 'none'}.",
                valid_options=wanted,
            )

    async def _usable(self, slug: str, user_id: str, session_id: str | None) -> McpSource:
        source = await self.source(slug)
        choices = await self._choices.of(user_id)
        self._check_trust(source, choices)
        if not choices.is_enabled(source, session_id):
            raise Conflict(f"The source {slug!r} is switched off. Enable it to use it.")
        return source

    def _check_trust(self, source: McpSource, choices: SourceChoices) -> None:
        if not choices.is_trusted(source):
            raise Forbidden(
                f"The source {source.slug!r} came with the project and has not been enabled as it "
                "is now by the owner of this server. Look at its config.json and the other files "
                "of its folder, and enable it if you trust it."
            )

    async def _choose(
        self, slug: str, enabled: bool, user_id: str, session_id: str | None
    ) -> SourceView:
        source = await self.source(slug)
        if source.origin is Origin.PROJECT and user_id != LOCAL_USER:
            raise Forbidden(
                f"The source {slug!r} came with the project, and what it starts runs as this "
                "server: only its owner switches it on or off."
            )
        if enabled:
            self._check_trust(source, await self._choices.of(user_id))
        await self._choices.choose(source, enabled, user_id=user_id, session_id=session_id)
        if not enabled and session_id is None:
            self._connections.close(slug, user_id)
        return await self.get(slug, user_id=user_id, session_id=session_id)

    def _note(
        self,
        source: McpSource,
        user_id: str,
        error: BottegaError | None = None,
        tools: int | None = None,
    ) -> None:
        key = (source.slug, user_id)
        before = self._health.get(key, HealthView())
        self._health[key] = HealthView(
            health=health_after(error),
            last_error=error.message if error else None,
            tools=before.tools if tools is None else tools,
            checked_at=clock.now(),
        )

    async def _view(
        self, source: McpSource, choices: SourceChoices, user_id: str, session_id: str | None
    ) -> SourceView:
        health = self._health.get((source.slug, user_id), HealthView())
        signed_in: bool | None = None
        try:
            await self._launches.prepare(source, user_id)
            signed_in = await self._sign_ins.is_signed_in(source, user_id)
        except NeedsAuth as error:
            update = {"health": ResearchHealth.NEEDS_AUTH, "last_error": error.message}
            health = health.model_copy(update=update)
        return source_view(
            source,
            health,
            enabled=choices.is_enabled(source, session_id),
            trusted=choices.is_trusted(source),
            signed_in=signed_in,
        )

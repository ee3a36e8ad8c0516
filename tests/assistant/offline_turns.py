"""The room as it ships, without a model, and a person who answers at its gates."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bottega.assistant.memory_files.paths import MemoryAccess
from bottega.assistant.plugins.catalogue import plugin_folders
from bottega.assistant.service import Assistant, open_service
from bottega.assistant.sessions.schemas import LoopResult
from bottega.assistant.workspace.service import Workspace, workspace_for
from bottega.conversation.gates import Gate, GateKind, GateReply
from bottega.core.llm.testing import LoopbackApi
from bottega.core.runs import Run, RunStatus
from bottega.core.users import LOCAL_USER
from tests.app import App, open_app

CREATE = "lesson-planning:create-lesson"
ITERATION = "create a lesson on iteration for 3B"

Replies = Mapping[GateKind, Sequence[GateReply]]


@dataclass
class Taken:
    run: Run
    result: LoopResult
    gates: list[Gate]
    calls: list[tuple[str, dict[str, Any]]]

    @property
    def session_id(self) -> str:
        assert self.run.session_id is not None
        return self.run.session_id

    @property
    def text(self) -> str:
        return self.result.text


@dataclass
class OfflineAssistant:
    app: App
    service: Assistant

    async def remember(self, path: str, text: str) -> None:
        await self.service.memory_files.write(path, text, MemoryAccess(LOCAL_USER))

    def workspace(self, plugin: str = "lesson-planning") -> Workspace:
        core = self.app.core
        return workspace_for(core, LOCAL_USER, plugin_folders(core).load(plugin))

    async def start(self, said: str, **options: Any) -> Run:
        session_id = options.get("session_id")
        if session_id is None:
            options = {"command": CREATE, **options}
        order = await self.service.order(said, LOCAL_USER, **options)
        return await self.service.runs.start(order, session_id=session_id)

    async def take(self, said: str, replies: Replies | None = None, **options: Any) -> Taken:
        """A whole turn; at gates without a reply, Enter."""
        run = await self.start(said, **options)
        left = {kind: list(given) for kind, given in (replies or {}).items()}
        gates: list[Gate] = []
        runs = self.service.runs
        async with asyncio.timeout(30):
            while not (run := await runs.wait_until_settled(run.id)).status.is_final:
                gate = await runs.gate(run.id)
                assert gate is not None
                gates.append(gate)
                given = left.get(gate.kind)
                await runs.reply(
                    run.id, given.pop(0) if given else GateReply(decision=gate.default)
                )
        assert run.status is RunStatus.COMPLETED, run.error
        events = await runs.events(run.id)
        calls = [
            (event.payload["name"], event.payload["arguments"])
            for event in events
            if event.type == "tool_call"
        ]
        return Taken(run, await runs.result(run.id), gates, calls)


@asynccontextmanager
async def open_offline(
    root: Path, *, api: LoopbackApi | None = None
) -> AsyncIterator[OfflineAssistant]:
    async with open_app(root, api=api) as app:
        yield OfflineAssistant(app, open_service(app.core))

"""What the observer costs when it does not look: an action logged with and without it, in turns.

Most of what people do is no reason to look, or comes while they are in flow; that must be free.
"""

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from bottega.app import build_core
from bottega.coach.editor.state import Editors, EditorState, Windows
from bottega.coach.observer.service import Observer
from bottega.coach.observer.state import FLOW_ACTIONS
from bottega.core.services import Core
from bottega.core.sessions.actions import ActionType
from bottega.core.sessions.session import SessionKind
from bottega.core.users import LOCAL_USER
from bottega.settings import Settings

ROUNDS, ACTIONS, EDITS = 60, 50, 100_000
TARGET_MS = 0.2


@dataclass
class Bench:
    core: Core
    editors: Editors
    session_id: str

    @property
    def editor(self) -> EditorState:
        return self.editors.of(LOCAL_USER)

    @asynccontextmanager
    async def observed(self, *, muted: bool = False) -> AsyncIterator[Observer]:
        """The observer at work, with a person in flow."""
        observer = Observer(self.core, self.editors, Windows(self.core.broadcaster))
        await observer.start()
        observer.watch(self.editor)
        await observer.mute(self.editor, muted)
        for _ in range(FLOW_ACTIONS + 1):
            await self.core.actions.log_action(self.session_id, ActionType.SELECTION)
        try:
            yield observer
        finally:
            await observer.settled()
            await observer.stop()

    async def log(self, type: ActionType, observer: Observer | None = None) -> list[float]:
        took = []
        for _ in range(ACTIONS):
            began = time.perf_counter()
            await self.core.actions.log_action(self.session_id, type, {"path": "src/a.py"})
            took.append((time.perf_counter() - began) * 1_000)
            if observer is not None:
                # A row that says why it did not look is written behind the action.
                await observer.settled()
        return took

    async def in_turns(self, type: ActionType, *, muted: bool = False) -> tuple[float, float]:
        """The median milliseconds of an action without the observer, and with it."""
        alone: list[float] = []
        watched: list[float] = []
        for _ in track(range(ROUNDS), f"logging {type}", transient=True):
            alone += await self.log(type)
            async with self.observed(muted=muted) as observer:
                watched += await self.log(type, observer)
        return statistics.median(alone), statistics.median(watched)

    async def edits(self) -> float:
        """The mean milliseconds of an edit in flow."""
        async with self.observed() as observer:
            return timed(lambda: observer.edited(self.editor, "src/a.py"), EDITS)


def timed(work: Callable[[], None], times: int) -> float:
    began = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - began) / times * 1_000


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Bench]:
    project = folder / "project"
    project.mkdir()
    settings = Settings(
        data_dir=folder / "data", project_dir=project, database_url=None, bottega_model="offline"
    )
    core = build_core(settings)
    editors = Editors(core)
    await core.database.start()
    await core.bus.start()
    try:
        session = await core.sessions.create(SessionKind.COACHING, editors.project)
        yield Bench(core, editors, session.id)
    finally:
        await core.bus.stop()
        await core.database.stop()


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with opened(Path(folder)) as bench:
            plain = await bench.in_turns(ActionType.SELECTION)
            held_back = await bench.in_turns(ActionType.FILE_SAVE)
            muted = await bench.in_turns(ActionType.FILE_SAVE, muted=True)
            edit = await bench.edits()
    table = Table("what", "without", "with", "overhead", "target", "")
    for name, (alone, watched) in (
        ("an action that is no trigger", plain),
        ("a trigger, held back for flow", held_back),
        ("a trigger, muted", muted),
        ("an edit in flow", (0.0, edit)),
    ):
        verdict = "[green]met[/green]" if watched - alone <= TARGET_MS else "[red]missed[/red]"
        measured = (f"{alone:.3f} ms", f"{watched:.3f} ms", f"{watched - alone:+.4f} ms")
        table.add_row(name, *measured, f"≤ {TARGET_MS} ms", verdict)
    Console().print(table)


if __name__ == "__main__":
    asyncio.run(main())

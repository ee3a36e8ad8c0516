"""The files that show a run to people and tools. The event list is the truth; these follow it."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import structlog

from bottega.core.files.sandbox import Sandbox
from bottega.core.runs import RunEvent
from bottega.core.services import Core
from bottega.errors import BottegaError
from bottega.research.folders import SessionFolder, session_folder
from bottega.research.pipeline.orders import ExitReason
from bottega.research.pipeline.state import PipelineState, state_of
from bottega.research.talking.summary import summarise, write_summary

PAGE = 1_000

log = structlog.get_logger()


async def read_events(core: Core, run_id: str) -> list[RunEvent]:
    """All of a run's events, in order."""
    read: list[RunEvent] = []
    position = 0
    while events := await core.runs.events(run_id, after=position, limit=PAGE):
        read += events
        position = events[-1].position
    return read


async def read_state(core: Core, run_id: str) -> PipelineState:
    """The state of a run, from all of its events."""
    return state_of(await read_events(core, run_id))


async def show_run(core: Core, run_id: str, session_id: str | None) -> None:
    """Write `pipeline-state.json` for a run that waits."""
    if session_id is not None:
        await _write(core, session_id, await read_state(core, run_id))


async def close_run(
    core: Core,
    run_id: str,
    session_id: str | None,
    reason: ExitReason,
    error: Mapping[str, Any] | None = None,
) -> None:
    """Write what a run leaves behind, however it ended: its state and its summary."""
    if session_id is not None:
        state = await read_state(core, run_id)
        await _write(core, session_id, state.ended(reason, error))


async def _write(core: Core, session_id: str, state: PipelineState) -> None:
    folder = session_folder(core.choices.data_dir, session_id)
    try:
        await _write_state(folder, state)
        if state.exit_reason is not None:
            await write_summary(folder, summarise(state, state.exit_reason))
    except (OSError, BottegaError) as error:
        # A full disk takes nothing from the run: all of it is in the database.
        log.warning("research.files_not_written", session=session_id, error=str(error))


async def _write_state(folder: SessionFolder, state: PipelineState) -> None:
    await asyncio.to_thread(folder.path.mkdir, parents=True, exist_ok=True)
    text = json.dumps(state.to_json(), ensure_ascii=False, indent=2) + "\n"
    await Sandbox(folder.path).write(folder.state, text)

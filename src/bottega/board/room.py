"""What the board adds to the house."""

from fastapi import APIRouter

from bottega.board.agents import operations as agents
from bottega.board.agents.hook_events import HookName
from bottega.board.agents.tables import HookEvent
from bottega.board.changes import operations as changes
from bottega.board.failures import operations as failures
from bottega.board.knowledge import operations as knowledge
from bottega.board.mcp_prompts import NEXT_WORK
from bottega.board.projects import operations as projects
from bottega.board.queue import operations as queue
from bottega.board.resources import resources
from bottega.board.service import Board
from bottega.board.topics import TOPICS
from bottega.board.work import operations as work
from bottega.core.operations import Bound, operations_of
from bottega.core.retention import Log
from bottega.core.rooms import Room
from bottega.core.services import Core
from bottega.memory.room import Memory

#: Playwright writes some 1.5 kB a test: 50,000 of them.
LARGEST_REPORT = 100_000_000

#: What the board writes by itself: agents' hooks. What a person typed to an agent is not that.
LOGS = (
    Log(
        HookEvent,
        "hooks",
        "created_at",
        ("number",),
        lambda moment: (
            (HookEvent.created_at < moment) & (HookEvent.event != HookName.USER_PROMPT_SUBMIT)
        ),
        "number",
        "prompts of people",
    ),
)


def build(core: Core, memory: Memory) -> Room:
    return room_of(Board(core, memory.recall))


def room_of(board: Board) -> Room:
    return Room(
        name="board",
        operations=[
            Bound(board, operations_of(projects)),
            Bound(board.changes, operations_of(changes)),
            Bound(board, operations_of(agents)),
            Bound(board, operations_of(queue)),
            Bound(board.knowledge, operations_of(knowledge)),
            Bound(board, operations_of(failures)),
            Bound(board.work, operations_of(work)),
        ],
        resources=resources(board.changes),
        prompts=[NEXT_WORK],
        routes=lambda: _routes(board),
        paths=("/board", "/projects"),
        start=board.start,
        stop=board.stop,
        large_bodies={"/board/reports": LARGEST_REPORT},
        topics=TOPICS,
        find_project=board.projects.path_of,
    )


def _routes(board: Board) -> list[APIRouter]:
    from bottega.board.routes import router

    return [router(board)]

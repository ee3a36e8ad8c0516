"""What the board adds to the house."""

from functools import partial

from fastapi import APIRouter

from bottega.board.mcp_prompts import NEXT_WORK
from bottega.board.resources import resources
from bottega.board.service import Board
from bottega.board.tools import tools
from bottega.board.topics import TOPICS
from bottega.core.rooms import Room
from bottega.core.services import Core
from bottega.memory.room import Memory

#: Playwright writes some 1.5 kB a test: 50,000 of them.
LARGEST_REPORT = 100_000_000


def build(core: Core, memory: Memory) -> Room:
    board = Board(core)
    memory.recall.add_store(board.knowledge.project_store)
    memory.recall.add_store(board.knowledge.global_store)
    return Room(
        name="board",
        tools=tools(
            board.sessions,
            board.queue,
            board.handover,
            board.progress,
            board.changes,
            board.clarifications,
            board.knowledge,
            memory.recall,
        ),
        resources=resources(board.changes),
        prompts=[NEXT_WORK],
        routes=partial(_routes, board),
        paths=("/board", "/projects"),
        start=board.start,
        stop=board.stop,
        rebuild=board.rebuild,
        large_bodies={"/board/reports": LARGEST_REPORT},
        topics=TOPICS,
    )


def _routes(board: Board) -> list[APIRouter]:
    from bottega.board.routes import routers

    return routers(board)

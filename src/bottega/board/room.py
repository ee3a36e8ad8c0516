"""What the board adds to the house."""

from fastapi import APIRouter

import bottega.board.routes.activity as activity_routes
import bottega.board.routes.changes as change_routes
import bottega.board.routes.clarifications as clarification_routes
import bottega.board.routes.failures as failure_routes
import bottega.board.routes.knowledge as knowledge_routes
import bottega.board.routes.projects as project_routes
import bottega.board.routes.queue as queue_routes
import bottega.board.routes.reports as report_routes
import bottega.board.routes.sessions as session_routes
import bottega.board.routes.work as work_routes
from bottega.board.mcp_prompts import NEXT_WORK
from bottega.board.resources import resources
from bottega.board.service import Board
from bottega.board.tools import tools
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
        routes=_routes(board),
        start=board.start,
        stop=board.stop,
        rebuild=board.rebuild,
        large_bodies={"/board/reports": LARGEST_REPORT},
    )


def _routes(board: Board) -> list[APIRouter]:
    return [
        project_routes.router(board.projects, board.sync, board.changes),
        change_routes.router(board.changes),
        session_routes.router(board.sessions),
        queue_routes.router(board.queue, board.handover),
        clarification_routes.router(board.clarifications),
        activity_routes.router(board.activity),
        knowledge_routes.router(board.knowledge),
        report_routes.router(board.intake),
        failure_routes.router(board.triage_desk),
        work_routes.router(board.work),
    ]

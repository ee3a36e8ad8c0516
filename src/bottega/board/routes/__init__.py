"""The board over HTTP: `/api/board` and `/api/projects`."""

from fastapi import APIRouter

from bottega.board.routes import (
    activity,
    changes,
    clarifications,
    failures,
    knowledge,
    projects,
    queue,
    reports,
    sessions,
    work,
)
from bottega.board.service import Board


def routers(board: Board) -> list[APIRouter]:
    return [
        projects.router(board.projects, board.sync, board.changes),
        changes.router(board.changes),
        sessions.router(board.sessions),
        queue.router(board.queue, board.handover),
        clarifications.router(board.clarifications),
        activity.router(board.activity),
        knowledge.router(board.knowledge),
        reports.router(board.intake),
        failures.router(board.triage_desk),
        work.router(board.work),
    ]

"""The coach over HTTP: `/api/coach`."""

from fastapi import APIRouter

from bottega.coach.routes import (
    dashboard,
    desk,
    history,
    learning,
    observer,
    plans,
    protocol,
    sessions,
    showing,
)
from bottega.coach.service import Coach


def routers(coach: Coach) -> list[APIRouter]:
    desks = coach.desks
    return [
        sessions.router(
            desks, coach.sessions, coach.phases, coach.hints, coach.drafting, coach.issues
        ),
        desk.router(desks, coach.sessions, coach.hints, coach.observer),
        plans.router(desks, coach.pipeline, coach.wrapup),
        history.router(coach.history),
        showing.router(desks, coach.editing, coach.state),
        observer.router(coach.observer, desks),
        learning.router(desks, coach.explainer, coach.practice, coach.phase_reviews, coach.gaps),
        dashboard.router(coach.dashboard, coach.skills, desks),
        protocol.router(),
    ]

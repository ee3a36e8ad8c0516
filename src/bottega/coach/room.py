"""What the coach adds to the house."""

from functools import partial
from typing import Any

from fastapi import APIRouter

import bottega.coach.messages.dashboard as dashboard_messages
import bottega.coach.messages.editor as editor_messages
import bottega.coach.messages.learning as learning_messages
import bottega.coach.messages.observer as observer_messages
import bottega.coach.messages.plans as plan_messages
import bottega.coach.messages.sessions as session_messages
from bottega.coach.mcp_prompts import COACH
from bottega.coach.resources import resources
from bottega.coach.service import Coach
from bottega.coach.tools import tools
from bottega.core.rooms import Message, Room
from bottega.core.services import Core
from bottega.memory.room import Memory


def build(core: Core, memory: Memory) -> Room:
    coach = Coach(core, memory.memories)
    return Room(
        name="coach",
        tools=tools(
            core,
            coach.desks,
            coach.showing,
            coach.state,
            coach.phases,
            coach.pipeline,
            coach.wrapup,
        ),
        resources=resources(core.files, coach.desks, coach.state, coach.history),
        prompts=[COACH],
        messages=_messages(coach),
        routes=partial(_routes, coach),
        paths=("/coach",),
        model_calls=(
            "coach_agent",
            "draft_plan",
            "dreyfus_assessment",
            "explain_this",
            "issue_assessment",
            "knowledge_gap_extraction",
            "learning_materials",
            "memory_retrieval_filter",
            "memory_summarisation",
            "observer_triage",
            "phase_review",
            "practice_review",
        ),
        start=coach.start,
        stop=coach.stop,
    )


def _messages(coach: Coach) -> list[Message[Any]]:
    desks, background = coach.desks, coach.background
    return [
        *editor_messages.messages(desks, coach.editing),
        *session_messages.messages(
            desks, coach.sessions, coach.phases, coach.hints, coach.drafting, background
        ),
        *plan_messages.messages(desks, coach.pipeline, coach.wrapup, background),
        *observer_messages.messages(coach.observer, desks, coach.core.actions),
        *learning_messages.messages(
            desks, background, coach.explainer, coach.practice, coach.phase_reviews
        ),
        *dashboard_messages.messages(coach.dashboard, desks, background),
    ]


def _routes(coach: Coach) -> list[APIRouter]:
    from bottega.coach.routes import routers

    return routers(coach)

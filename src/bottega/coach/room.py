"""Builds the coach room."""

from functools import partial

from fastapi import APIRouter

from bottega.coach.mcp_prompts import COACH
from bottega.coach.operations import DOMAINS
from bottega.coach.resources import resources
from bottega.coach.service import Coach
from bottega.core.operations import Bound, operations_of
from bottega.core.rooms import Room
from bottega.core.services import Core
from bottega.core.trust.operations import trust_resource
from bottega.memory.room import Memory


def build(core: Core, memory: Memory) -> Room:
    coach = Coach(core, memory.memories)
    return Room(
        name="coach",
        # Calls of its tools are logged to the session.
        operations=[
            Bound(coach, operations_of(domain), before_tool=coach.log_tool_call)
            for domain in DOMAINS
        ],
        resources=[
            *resources(core.files, coach.editors, coach.state, coach.history),
            trust_resource(core.trust),
        ],
        prompts=[COACH],
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


def _routes(coach: Coach) -> list[APIRouter]:
    from bottega.coach.routes import routers

    return routers(coach)

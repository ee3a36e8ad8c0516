"""What the assistant adds to the house."""

from functools import partial

from fastapi import APIRouter

from bottega.assistant.evals import operations as evals
from bottega.assistant.hooks import operations as hooks
from bottega.assistant.loop.models import CALL_TYPE
from bottega.assistant.memory_files import operations as memory_files
from bottega.assistant.plugins import operations as plugins
from bottega.assistant.service import Assistant, open_service
from bottega.assistant.sessions import operations as sessions
from bottega.assistant.traces import operations as traces
from bottega.assistant.workspace import operations as workspace
from bottega.core.operations import Bound, operations_of
from bottega.core.rooms import Room
from bottega.core.services import Core
from bottega.core.topics import read_topics
from bottega.memory.room import Memory


def build(core: Core, memory: Memory) -> Room:
    service = open_service(core)
    memory.recall.add_store(service.memory_store)
    return Room(
        name="assistant",
        operations=[
            Bound(service, operations_of(module))
            for module in (plugins, hooks, sessions, workspace, memory_files, traces, evals)
        ],
        routes=partial(_routes, service),
        paths=("/assistant",),
        model_calls=(
            CALL_TYPE,
            "age_appropriate",
            "assistant_eval_rubric",
            "feedforward",
            "memory_capture",
            "reflection",
            "scope_check",
        ),
        start=service.start,
        stop=service.stop,
        topics=read_topics(__file__),
    )


def _routes(service: Assistant) -> list[APIRouter]:
    from bottega.assistant.routes import router

    return [router(service)]

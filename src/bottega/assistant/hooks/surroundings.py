"""What is known when somebody asks for something: whom it is for, what their files say of it, and
what was learned from earlier sessions. Each fact has its place, so that a person can check it.

Also what hooks are given, and how they ask a fast model without ever blocking the person."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

import structlog
from pydantic import BaseModel

from bottega.assistant.loop.models import is_offline
from bottega.assistant.loop.turn import Turn, uses_memory
from bottega.assistant.memory_files.captures import FindNames
from bottega.assistant.memory_files.notebook import MemoryNotebook
from bottega.assistant.memory_files.paths import entrypoint_of
from bottega.assistant.workspace.service import workspace_for
from bottega.assistant.workspace.texts import choose, statements
from bottega.assistant.workspace.view import CLASSES, WorkspaceView
from bottega.core.llm import tasks as offline
from bottega.core.llm.tasks import Answer, Out, Task
from bottega.errors import BudgetExceeded, ModelError, Unavailable


class FactSource(StrEnum):
    #: The profile of the class that it is about.
    CLASS = "class"
    #: What the person says of themselves and of how they work.
    PERSON = "person"
    #: A reference that the request is about, such as a curriculum.
    TOPIC = "topic"
    CLASS_MEMORY = "class_memory"
    OWN_MEMORY = "own_memory"

    @property
    def is_memory(self) -> bool:
        return self in (FactSource.CLASS_MEMORY, FactSource.OWN_MEMORY)


#: How many facts of a file a person can take in at a glance.
MOST_OF = {
    FactSource.CLASS: 8,
    FactSource.PERSON: 3,
    FactSource.TOPIC: 2,
    FactSource.CLASS_MEMORY: 6,
    FactSource.OWN_MEMORY: 4,
}


class Fact(BaseModel, frozen=True):
    text: str
    origin: FactSource
    path: str
    line: int

    @property
    def source(self) -> str:
        return f"{self.path}:L{self.line}"


class Surroundings(BaseModel, frozen=True):
    class_id: str | None = None
    #: Other classes that the request names.
    also_named: list[str] = []
    #: Those that there are.
    classes: list[str] = []
    facts: list[Fact] = []

    def of(self, *origins: FactSource) -> list[Fact]:
        return [fact for fact in self.facts if fact.origin in origins]


async def look_around(
    turn: Turn, notebook: MemoryNotebook, class_id: str | None = None
) -> Surroundings:
    """To be done in a step: files change. A `class_id` goes before what the request names, and
    that before the class that the session was about."""
    view = WorkspaceView()
    if "workspace" not in turn.order.without:
        workspace = workspace_for(turn.core, turn.user_id, turn.plugin)
        listed = turn.agent.meta.workspace
        view = await workspace.view(turn.input, listed=listed, class_id=class_id)
        if not view.class_ids and turn.class_id is not None:
            view = await workspace.view(turn.input, listed=listed, class_id=turn.class_id)
    class_id = class_id or view.class_id or turn.class_id
    facts = list(_facts_of(view, class_id, turn.input))
    if uses_memory(turn.order, turn.agent):
        if class_id is not None:
            learned = await notebook.entrypoint(turn, class_id)
            facts += _facts(
                str(entrypoint_of(class_id)), learned, FactSource.CLASS_MEMORY, turn.input
            )
        own = await notebook.entrypoint(turn, None)
        facts += _facts(str(entrypoint_of(None)), own, FactSource.OWN_MEMORY, turn.input)
    return Surroundings(
        class_id=class_id,
        also_named=[each for each in view.class_ids if each != class_id],
        classes=_known_classes(view),
        facts=[fact for fact in facts if fact.path not in turn.set_aside],
    )


def _facts_of(view: WorkspaceView, class_id: str | None, request: str) -> Iterator[Fact]:
    for file in view.files:
        if file.path == f"{CLASSES}/{class_id}.md":
            yield from _facts(file.path, file.text, FactSource.CLASS, request)
        elif not file.path.startswith(f"{CLASSES}/"):
            origin = FactSource.TOPIC if "/" in file.path else FactSource.PERSON
            yield from _facts(file.path, file.text, origin, request)


def _facts(path: str, text: str, origin: FactSource, request: str) -> Iterator[Fact]:
    for each in choose(statements(text), request, MOST_OF[origin]):
        yield Fact(text=each.text, origin=origin, path=path, line=each.line)


def _known_classes(view: WorkspaceView) -> list[str]:
    paths = [*(file.path for file in view.files), *(file.path for file in view.others)]
    return sorted(
        path.removeprefix(f"{CLASSES}/").removesuffix(".md")
        for path in paths
        if path.startswith(f"{CLASSES}/") and path.count("/") == 1
    )


In = TypeVar("In")

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class HookDependencies:
    notebook: MemoryNotebook
    find_names: FindNames


async def ask_fast(turn: Turn, task: Task[In, Out], input: In) -> Answer[Out]:
    """The model's answer, or our own where there is no model, no money or no luck."""
    if not is_offline(turn.core.gateway, turn.order, turn.agent.meta):
        try:
            return await turn.core.gateway.call(
                task, input, retry=True, session_id=turn.session_id, budget=turn.budget
            )
        except (ModelError, BudgetExceeded, Unavailable) as error:
            log.warning("hook.without_model", task=task.name, error=str(error))
    return Answer(await offline.answer_offline(task, input), "offline", offline=True)

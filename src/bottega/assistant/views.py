"""The assistant as every door shows it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict

from bottega.assistant.gates.gate import Gate, GateKind
from bottega.assistant.orders import AssistantOrder, LoopResult
from bottega.assistant.plugins.definition import Plugin
from bottega.assistant.sessions import SessionView
from bottega.assistant.tables import AssistantDecision
from bottega.core.conversations import Message
from bottega.core.runs import Run, RunStatus


class View(BaseModel):
    model_config = ConfigDict(frozen=True, from_attributes=True)


class CommandView(View):
    #: As it is called: `lesson-planning:create-lesson`.
    name: str
    description: str
    agent: str
    #: `single` or `interactive`.
    mode: str
    #: Something that people might say to it.
    example: str | None
    #: Where in the workspace its output is put.
    writes: str | None


class PluginView(View):
    name: str
    origin: str
    commands: list[CommandView]
    agents: list[str]
    skills: list[str]
    #: What is wrong with its files, each with line and column.
    problems: list[str]

    @classmethod
    def showing(cls, plugin: Plugin) -> "PluginView":
        return cls(
            name=plugin.name,
            origin=str(plugin.origin),
            commands=[
                CommandView(
                    name=command.full_name,
                    description=command.meta.description,
                    agent=command.meta.agent,
                    mode=command.meta.mode,
                    example=command.meta.example,
                    writes=command.meta.writes,
                )
                for command in plugin.commands.values()
            ],
            agents=sorted(plugin.agents),
            skills=sorted(plugin.skills),
            problems=[str(problem) for problem in plugin.problems],
        )


class TurnView(View):
    """One thing that a person asked, and how far it is."""

    run_id: str
    session_id: str
    status: RunStatus
    plugin: str
    command: str | None
    agent: str
    input: str
    #: What it waits for the person to answer.
    gate: Gate | None
    #: Once it has ended.
    result: LoopResult | None
    error: dict[str, Any] | None
    created_at: datetime
    #: The newest event's, to follow it from.
    position: int

    @classmethod
    def of(cls, run: Run) -> "TurnView":
        order = AssistantOrder.model_validate(run.input)
        return cls(
            run_id=run.id,
            session_id=run.session_id or "",
            status=run.status,
            plugin=order.plugin,
            command=order.command,
            agent=order.agent,
            input=order.input,
            gate=Gate.model_validate(_gate(run.waiting_for)) if run.waiting_for else None,
            result=LoopResult.model_validate(run.output) if run.output else None,
            error=run.error,
            created_at=run.created_at,
            position=run.position,
        )


class AssistantSessionView(View):
    id: str
    title: str | None
    status: str
    plugin: str
    command: str | None
    agent: str
    class_id: str | None
    tasks: list[dict[str, Any]]
    #: The newest output: the document beside the conversation.
    artefact: str
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, found: SessionView) -> "AssistantSessionView":
        row = found.row
        return cls(
            id=found.id,
            title=found.session.title,
            status=found.session.status,
            plugin=row.plugin,
            command=row.command,
            agent=row.agent,
            class_id=row.class_id,
            tasks=row.tasks,
            artefact=row.artefact,
            created_at=row.created_at,
            updated_at=row.updated_at,
        )


class ListedSession(AssistantSessionView):
    #: How its newest turn is.
    turn: RunStatus | None
    #: What that waits for the person to answer.
    asks: GateKind | None

    @classmethod
    def beside(cls, found: SessionView, run: Run | None) -> "ListedSession":
        waiting_for = run.waiting_for if run else None
        return cls(
            **AssistantSessionView.of(found).model_dump(),
            turn=run.status if run else None,
            asks=GateKind(waiting_for["reason"]) if waiting_for else None,
        )


class SaidView(View):
    id: str
    position: int
    role: str
    text: str
    created_at: datetime

    @classmethod
    def of(cls, message: Message) -> "SaidView":
        return cls.model_validate(message)


class DecisionView(View):
    id: str
    run_id: str | None
    kind: str
    item: str | None
    decision: str
    text: str | None
    data: dict[str, Any]
    created_at: datetime

    @classmethod
    def of(cls, row: AssistantDecision) -> "DecisionView":
        return cls.model_validate(row)


def _gate(waiting_for: Mapping[str, Any]) -> dict[str, Any]:
    """Without what was wrong with an earlier reply to it."""
    return {name: value for name, value in waiting_for["prompt"].items() if name != "problem"}

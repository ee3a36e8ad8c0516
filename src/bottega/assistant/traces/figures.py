"""One turn's figures, from all that it left: its events, spans, decisions and memory events.

The metrics schema is a row for every turn of a session, derived from what the specification says
that traces capture; each group in it is an item of that list. What people and agents wrote is
personal, and stands in a row only if it is asked for; counts, decisions and names of tools, skills,
sections and memory files always do.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from bottega.assistant.curriculum.evidence import Match
from bottega.assistant.loop.turn import trace_id_of
from bottega.assistant.memory_files.captures import CaptureEvent
from bottega.assistant.memory_files.paths import MemoryPath
from bottega.assistant.memory_files.repository import MemoryEvent
from bottega.assistant.memory_files.service import READ, WRITE
from bottega.assistant.sessions.tables import AssistantDecision, AssistantSession
from bottega.conversation.gates import GateKind
from bottega.core.runs.run import Happening, RunEventRow, RunRow
from bottega.core.traces import SpanRow


class Row(BaseModel):
    model_config = ConfigDict(frozen=True)


class DecisionMetrics(Row):
    """What a person decided at a gate."""

    kind: str
    decision: str
    at: datetime
    #: The section that was judged, or the tool that was allowed.
    subject: str | None = None
    #: Personal: the revision asked for, the answer, the proposal as it was and as it became.
    about: str | None = None
    text: str | None = None


class TurnMetrics(Row):
    # Session reference: what lets rows of one session, or of one person, be put together.
    session_id: str
    run_id: str
    trace_id: str
    participant: str = Field(description="the same for all turns of a person, and no name")
    plugin: str
    command: str | None
    agent: str = Field(description="the one that ended the turn")
    class_id: str | None
    started_at: datetime
    seconds: float | None = Field(description="from the request to the end, waiting included")
    waiting_seconds: float = Field(description="of these, spent waiting for the person")
    status: str = Field(description="the loop's status, or the run's if it came to none")
    offline: bool

    # Model calls.
    model_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    stop_reasons: dict[str, int]

    # Tool calls: skill tiers and session lookups among them.
    tool_calls: int
    failed_tool_calls: int
    retried_tool_calls: int
    tools: dict[str, int]
    skills_tier_2: int
    skills_tier_3: int
    skills: list[str]
    session_searches: int
    sessions_read: int
    sessions_found: list[str]

    # Hook executions.
    hooks: dict[str, int] = Field(description="by name and outcome: `feedforward pass`")
    aborted_by: str | None

    # Feedforward engagement.
    feedforward: str | None = Field(description="confirm, modify or dismiss; the last one")
    feedforward_memory_shown: int

    # Reflection prompt responses.
    reflection_answered: int
    reflection_skipped: int

    # Adjudication decisions, by section or for the whole.
    adjudication_accepted: int
    adjudication_revised: int
    adjudication_alternatives: int

    # Memory-capture decisions.
    captures_proposed: int
    captures_confirmed: int
    captures_edited: int
    captures_dismissed: int
    captures_for_class: int = Field(description="of those proposed; the others are the teacher's")
    promotions_proposed: int

    # Memory reads and writes.
    memory_reads: int
    memory_writes: int
    memory_files: list[str]
    memory_actors: dict[str, int]

    # Curriculum evidence checks.
    evidence_checked: int
    evidence_matched: int
    evidence: list[str] = Field(description="`curriculum/cfe-maths.md:L3-L4 match`")

    # Confidence calibration.
    confidence: int | None = Field(description="1 to 5, where it was asked for")

    # Other gates.
    permissions_asked: int
    permissions_denied: int
    names_questioned: int

    # Subagents and handoffs.
    subagents: list[str]
    handoffs: list[str] = Field(description="`planner > reviewer`")

    decisions: list[DecisionMetrics]

    # Personal.
    input: str | None = None
    output: str | None = None
    session_queries: list[str] | None = None


#: Gates whose items name a part of the work and no person's words.
_IMPERSONAL = (GateKind.ADJUDICATION, GateKind.PERMISSION)


@dataclass(frozen=True, slots=True)
class TurnTrace:
    """What a turn left behind, each in the order in which it happened."""

    run: RunRow
    session: AssistantSession
    events: Sequence[RunEventRow] = ()
    spans: Sequence[SpanRow] = ()
    decisions: Sequence[AssistantDecision] = ()
    memory: Sequence[MemoryEvent] = ()
    by_type: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        for event in self.events:
            self.by_type.setdefault(event.type, []).append(event.payload)

    def told(self, type: str) -> Sequence[Mapping[str, Any]]:
        return self.by_type.get(type, ())

    def decided(self, kind: GateKind) -> list[str]:
        return [each.decision for each in self.decisions if each.kind == kind]


def metrics_of(trace: TurnTrace, *, personal: bool = False) -> TurnMetrics:
    return TurnMetrics(
        **_reference(trace),
        **_model_calls(trace),
        **_tool_calls(trace),
        **_hooks(trace),
        **_people(trace),
        **_memory(trace),
        **_evidence(trace),
        **_others(trace),
        decisions=[_decision(each, personal=personal) for each in trace.decisions],
        **(_personal(trace) if personal else {}),
    )


def _reference(trace: TurnTrace) -> dict[str, Any]:
    run, result = trace.run, trace.run.output or {}
    ended = run.ended_at
    return {
        "session_id": trace.session.session_id,
        "run_id": run.id,
        "trace_id": trace_id_of(run.id),
        "participant": hashlib.sha256(run.user_id.encode()).hexdigest()[:12],
        "plugin": run.input.get("plugin", trace.session.plugin),
        "command": run.input.get("command"),
        "agent": result.get("agent") or run.input.get("agent", trace.session.agent),
        "class_id": trace.session.class_id,
        "started_at": run.created_at,
        "seconds": (ended - run.created_at).total_seconds() if ended else None,
        "waiting_seconds": _waiting(trace.events),
        "status": result.get("status") or run.status,
        "offline": bool(result.get("offline")),
    }


def _waiting(events: Iterable[RunEventRow]) -> float:
    waited, since = 0.0, None
    for event in events:
        if event.type == Happening.PAUSED:
            since = event.created_at
        elif since is not None and event.type in (Happening.REPLIED, Happening.EXPIRED):
            waited += (event.created_at - since).total_seconds()
            since = None
    return round(waited, 3)


def _model_calls(trace: TurnTrace) -> dict[str, Any]:
    calls = trace.told("model_turn")
    return {
        "model_calls": len(calls),
        "input_tokens": sum(call["input_tokens"] for call in calls),
        "output_tokens": sum(call["output_tokens"] for call in calls),
        # With what hooks asked models on their own account, if the turn has come to an end.
        "cost_usd": (trace.run.output or {}).get("cost") or sum(call["cost"] for call in calls),
        "stop_reasons": _counted(str(call["stop_reason"]) for call in calls),
    }


def _tool_calls(trace: TurnTrace) -> dict[str, Any]:
    calls = trace.told("tool_call")
    skills = _with(trace.spans, "bottega.skill.tier")
    lookups = _with(trace.spans, "bottega.sessions.found")
    searches = [each for each in lookups if "bottega.sessions.query" in each]
    return {
        "tool_calls": len(calls),
        "failed_tool_calls": sum(call["state"] == "failed" for call in calls),
        "retried_tool_calls": sum(call["retries"] > 0 for call in calls),
        "tools": _counted(call["name"] for call in calls),
        "skills_tier_2": sum(each["bottega.skill.tier"] == 2 for each in skills),
        "skills_tier_3": sum(each["bottega.skill.tier"] == 3 for each in skills),
        "skills": _once(each["bottega.skill"] for each in skills),
        "session_searches": len(searches),
        "sessions_read": len(lookups) - len(searches),
        "sessions_found": _once(
            found for each in searches for found in each["bottega.sessions.found"]
        ),
    }


def _hooks(trace: TurnTrace) -> dict[str, Any]:
    hooks = trace.told("hook")
    return {
        "hooks": _counted(f"{hook['name']} {hook['outcome']}" for hook in hooks),
        "aborted_by": (trace.run.output or {}).get("hook"),
    }


def _people(trace: TurnTrace) -> dict[str, Any]:
    feedforward = [each for each in trace.decisions if each.kind == GateKind.FEEDFORWARD]
    reflected = trace.decided(GateKind.REFLECTION)
    judged = trace.decided(GateKind.ADJUDICATION)
    ratings = [
        each.data["rating"]
        for each in trace.decisions
        if each.kind == GateKind.CONFIDENCE and each.data.get("rating") is not None
    ]
    permissions = trace.decided(GateKind.PERMISSION)
    return {
        "feedforward": feedforward[-1].decision if feedforward else None,
        "feedforward_memory_shown": sum(
            len(each.data.get("memory_shown", ())) for each in feedforward
        ),
        "reflection_answered": reflected.count("answer"),
        "reflection_skipped": len(reflected) - reflected.count("answer"),
        "adjudication_revised": judged.count("revise"),
        "adjudication_alternatives": judged.count("alternatives"),
        # Whichever of several versions was chosen, it was accepted.
        "adjudication_accepted": sum(each not in ("revise", "alternatives") for each in judged),
        "confidence": ratings[-1] if ratings else None,
        "permissions_asked": len(permissions),
        "permissions_denied": permissions.count("deny"),
        "names_questioned": len(trace.decided(GateKind.NAME_CHECK)),
    }


def _memory(trace: TurnTrace) -> dict[str, Any]:
    counts = Counter(event.event_type for event in trace.memory)
    used = [event for event in trace.memory if event.event_type in (READ, WRITE)]
    proposed = [event for event in trace.memory if event.event_type == CaptureEvent.PROPOSED]
    return {
        "captures_proposed": len(proposed),
        "captures_confirmed": counts[CaptureEvent.CONFIRMED],
        "captures_edited": counts[CaptureEvent.EDITED],
        "captures_dismissed": counts[CaptureEvent.DISMISSED],
        "captures_for_class": sum(event.class_id is not None for event in proposed),
        "promotions_proposed": counts[CaptureEvent.PROMOTION],
        "memory_reads": counts[READ],
        "memory_writes": counts[WRITE],
        "memory_files": _once(str(MemoryPath(each.class_id or "", each.path)) for each in used),
        "memory_actors": _counted(each.actor for each in used),
    }


def _evidence(trace: TurnTrace) -> dict[str, Any]:
    checks = _with(trace.spans, "bottega.evidence.pointers")
    pointers = [each for check in checks for each in _json(check["bottega.evidence.pointers"])]
    return {
        "evidence_checked": len(pointers),
        "evidence_matched": sum(each["status"] == Match.FOUND for each in pointers),
        "evidence": [
            f"{each['path']}:L{each['first_line']}-L{each['last_line']} {each['status']}"
            for each in pointers
        ],
    }


def _others(trace: TurnTrace) -> dict[str, Any]:
    spawned = [each for each in trace.told("subagent") if each.get("state") == "started"]
    return {
        "subagents": [each["agent"] for each in spawned],
        "handoffs": [f"{each['from']} > {each['to']}" for each in trace.told("handoff")],
    }


def _decision(row: AssistantDecision, *, personal: bool) -> DecisionMetrics:
    return DecisionMetrics(
        kind=row.kind,
        decision=row.decision,
        at=row.created_at,
        subject=row.item if row.kind in _IMPERSONAL else None,
        about=row.item if personal and row.kind not in _IMPERSONAL else None,
        text=row.text if personal else None,
    )


def _personal(trace: TurnTrace) -> dict[str, Any]:
    searches = _with(trace.spans, "bottega.sessions.query")
    return {
        "input": trace.run.input.get("input"),
        "output": (trace.run.output or {}).get("text"),
        "session_queries": [each["bottega.sessions.query"] for each in searches],
    }


def _with(spans: Iterable[SpanRow], attribute: str) -> list[dict[str, Any]]:
    return [span.attributes for span in spans if attribute in span.attributes]


def _json(attribute: str | list[Any]) -> list[dict[str, Any]]:
    """A span has lists of anything but texts as JSON, which is cut off where it is very long."""
    if not isinstance(attribute, str):
        return attribute
    try:
        found: list[dict[str, Any]] = json.loads(attribute)
    except ValueError:
        return []
    return found


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def _once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))

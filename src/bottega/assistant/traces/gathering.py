"""One turn's figures, from all that it left: its events, spans, decisions and memory events."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bottega.assistant.gates.gate import GateKind
from bottega.assistant.guardrails.evidence import Match
from bottega.assistant.hooks.captures import CaptureEvent
from bottega.assistant.loop.tracing import trace_id_of
from bottega.assistant.memory_files.files import READ, WRITE
from bottega.assistant.memory_files.paths import MemoryPath
from bottega.assistant.tables import AssistantDecision, AssistantSession, MemoryEvent
from bottega.assistant.traces.metrics import DecisionMetrics, TurnMetrics
from bottega.core.runs.run import Happening
from bottega.core.runs.tables import RunEventRow, RunRow
from bottega.core.traces import SpanRow

#: Gates whose items name a part of the work and no person's words.
_IMPERSONAL = (GateKind.ADJUDICATION, GateKind.PERMISSION)


@dataclass(frozen=True, slots=True)
class Left:
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


def metrics_of(left: Left, *, personal: bool = False) -> TurnMetrics:
    return TurnMetrics(
        **_reference(left),
        **_model_calls(left),
        **_tool_calls(left),
        **_hooks(left),
        **_people(left),
        **_memory(left),
        **_evidence(left),
        **_others(left),
        decisions=[_decision(each, personal=personal) for each in left.decisions],
        **(_personal(left) if personal else {}),
    )


def _reference(left: Left) -> dict[str, Any]:
    run, result = left.run, left.run.output or {}
    ended = run.ended_at
    return {
        "session_id": left.session.session_id,
        "run_id": run.id,
        "trace_id": trace_id_of(run.id),
        "participant": hashlib.sha256(run.user_id.encode()).hexdigest()[:12],
        "plugin": run.input.get("plugin", left.session.plugin),
        "command": run.input.get("command"),
        "agent": result.get("agent") or run.input.get("agent", left.session.agent),
        "class_id": left.session.class_id,
        "started_at": run.created_at,
        "seconds": (ended - run.created_at).total_seconds() if ended else None,
        "waiting_seconds": _waiting(left.events),
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


def _model_calls(left: Left) -> dict[str, Any]:
    calls = left.told("model_turn")
    return {
        "model_calls": len(calls),
        "input_tokens": sum(call["input_tokens"] for call in calls),
        "output_tokens": sum(call["output_tokens"] for call in calls),
        # With what hooks asked models on their own account, if the turn has come to an end.
        "cost_usd": (left.run.output or {}).get("cost") or sum(call["cost"] for call in calls),
        "stop_reasons": _counted(str(call["stop_reason"]) for call in calls),
    }


def _tool_calls(left: Left) -> dict[str, Any]:
    calls = left.told("tool_call")
    skills = _with(left.spans, "bottega.skill.tier")
    lookups = _with(left.spans, "bottega.sessions.found")
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


def _hooks(left: Left) -> dict[str, Any]:
    hooks = left.told("hook")
    return {
        "hooks": _counted(f"{hook['name']} {hook['outcome']}" for hook in hooks),
        "aborted_by": (left.run.output or {}).get("hook"),
    }


def _people(left: Left) -> dict[str, Any]:
    feedforward = [each for each in left.decisions if each.kind == GateKind.FEEDFORWARD]
    reflected = left.decided(GateKind.REFLECTION)
    judged = left.decided(GateKind.ADJUDICATION)
    ratings = [
        each.data["rating"]
        for each in left.decisions
        if each.kind == GateKind.CONFIDENCE and each.data.get("rating") is not None
    ]
    permissions = left.decided(GateKind.PERMISSION)
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
        "names_questioned": len(left.decided(GateKind.NAME_CHECK)),
    }


def _memory(left: Left) -> dict[str, Any]:
    counts = Counter(event.event_type for event in left.memory)
    used = [event for event in left.memory if event.event_type in (READ, WRITE)]
    proposed = [event for event in left.memory if event.event_type == CaptureEvent.PROPOSED]
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


def _evidence(left: Left) -> dict[str, Any]:
    checks = _with(left.spans, "bottega.evidence.pointers")
    pointers = [each for check in checks for each in _json(check["bottega.evidence.pointers"])]
    return {
        "evidence_checked": len(pointers),
        "evidence_matched": sum(each["status"] == Match.FOUND for each in pointers),
        "evidence": [
            f"{each['path']}:L{each['first_line']}-L{each['last_line']} {each['status']}"
            for each in pointers
        ],
    }


def _others(left: Left) -> dict[str, Any]:
    spawned = [each for each in left.told("subagent") if each.get("state") == "started"]
    return {
        "subagents": [each["agent"] for each in spawned],
        "handoffs": [f"{each['from']} > {each['to']}" for each in left.told("handoff")],
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


def _personal(left: Left) -> dict[str, Any]:
    searches = _with(left.spans, "bottega.sessions.query")
    return {
        "input": left.run.input.get("input"),
        "output": (left.run.output or {}).get("text"),
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

"""An agent's way through its stages, as a list of events; pure.

The agent comes from outside and is trusted with nothing: the order of the stages, the pauses, the
required keys and the number of repairs are those of its configuration.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from bottega.errors import Conflict
from bottega.research.agents.definition import Agent, Depth, RepairUnit, StageName

#: An event is `{type, at, …}`.
GateEvent = dict[str, Any]


class GateEventType(StrEnum):
    STARTED = "stage_started"
    COMPLETED = "stage_completed"
    #: Required keys were missing.
    BLOCKED = "stage_blocked"
    PAUSED = "paused"
    RESUMED = "resumed"
    REPAIR = "repair_started"
    RESET = "reset"


class GateStatus(StrEnum):
    READY = "ready"
    RUNNING = "running"
    PAUSED = "paused"
    COMPLETED = "completed"


@dataclass(frozen=True, slots=True)
class StageGate:
    agent: Agent
    depth: Depth | None = None
    #: The stage that may be started.
    next_stage: int = 0
    running: int | None = None
    #: The request that a person has to answer.
    pause_request: str | None = None
    repairs: int = 0
    outputs: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def status(self) -> GateStatus:
        if self.running is not None:
            return GateStatus.RUNNING
        if self.pause_request is not None:
            return GateStatus.PAUSED
        if self.next_stage >= len(self.agent.config.stages):
            return GateStatus.COMPLETED
        return GateStatus.READY

    @property
    def repair_limit(self) -> int:
        # The depth mode wins over the unit's own number.
        return self.agent.depth(self.depth)[1].repair_iterations

    def name(self, stage: int) -> StageName:
        return self.agent.config.stages[stage].name

    def start(self, stage: int | None, depth: Depth | None) -> GateEvent:
        self._refuse_unless(GateStatus.READY, "start a stage")
        if stage not in (None, self.next_stage):
            raise Conflict(
                f"Stage {stage} cannot be started: {self._called(self.next_stage)} is next.",
                next_stage=self.next_stage,
            )
        chosen = self.depth or depth
        return self._event(GateEventType.STARTED, self.next_stage) | {"depth": chosen}

    def complete(self, stage: int | None, output: Mapping[str, Any]) -> GateEvent:
        """What the stage gave; an event that it is blocked if keys are missing."""
        self._refuse_unless(GateStatus.RUNNING, "complete a stage")
        assert self.running is not None
        if stage not in (None, self.running):
            raise Conflict(f"Stage {stage} is not running: {self._called(self.running)} is.")
        required = self.agent.config.stages[self.running].required_keys
        if missing := [key for key in required if key not in output]:
            return self._event(GateEventType.BLOCKED, self.running) | {"missing": missing}
        return self._event(GateEventType.COMPLETED, self.running) | {"output": dict(output)}

    def pauses_after(self, stage: int, output: Mapping[str, Any]) -> bool:
        """As configured, save that a calibration that was skipped has nothing to show."""
        if stage not in self.agent.config.pause_after:
            return False
        if self.name(stage) is not StageName.CALIBRATE:
            return True
        calibration = output.get(StageName.CALIBRATE, output)
        return not (isinstance(calibration, Mapping) and calibration.get("skipped") is True)

    def pause(self, stage: int, request_id: str) -> GateEvent:
        return self._event(GateEventType.PAUSED, stage) | {"request_id": request_id}

    def resume(self, reply: str) -> GateEvent:
        self._refuse_unless(GateStatus.PAUSED, "resume")
        return self._event(GateEventType.RESUMED, self.next_stage - 1) | {"reply": reply}

    def repair(self, failures: Sequence[str]) -> GateEvent:
        unit = self._finished_unit()
        if self.status not in (GateStatus.READY, GateStatus.COMPLETED) or unit is None:
            units = [each.stages for each in self.agent.config.repair_units]
            raise Conflict(
                "A repair follows the last stage of a repair unit, before the next stage is "
                f"started. The units are {units}.",
                status=self.status,
            )
        if self.repairs >= self.repair_limit:
            raise Conflict(
                f"All {self.repair_limit} repairs of this depth are used. Go on with what there "
                "is, and say what could not be confirmed.",
                repairs=self.repairs,
            )
        event = self._event(GateEventType.REPAIR, unit.stages[0])
        return event | {"iteration": self.repairs + 1, "failures": list(failures)}

    def reset(self) -> GateEvent:
        return self._event(GateEventType.RESET, 0)

    def _finished_unit(self) -> RepairUnit | None:
        units = self.agent.config.repair_units
        return next((unit for unit in units if unit.stages[-1] == self.next_stage - 1), None)

    def _event(self, happened: GateEventType, stage: int) -> GateEvent:
        return {"type": happened.value, "stage": stage, "name": self.name(stage).value}

    def _called(self, stage: int) -> str:
        return f"stage {stage} ({self.name(stage).value})"

    def _refuse_unless(self, wanted: GateStatus, doing: str) -> None:
        if self.status is wanted:
            return
        reason = {
            GateStatus.READY: f"{self._called(min(self.next_stage, self._last))} is not started",
            GateStatus.RUNNING: f"{self._called(self.running or 0)} is running",
            GateStatus.PAUSED: "it waits for a person's reply",
            GateStatus.COMPLETED: "all stages are complete; reset to begin anew",
        }[self.status]
        raise Conflict(f"Cannot {doing}: {reason}.", status=self.status)

    @property
    def _last(self) -> int:
        return len(self.agent.config.stages) - 1


def fold(agent: Agent, events: Sequence[GateEvent]) -> StageGate:
    """Where the events lead; `Conflict` if the agent's stages are others than when it began."""
    names = [stage.name for stage in agent.config.stages]
    since = max(
        (at for at, event in enumerate(events) if event["type"] == GateEventType.RESET), default=0
    )
    gate = StageGate(agent)
    for event in events[since:]:
        stage = event["stage"]
        if event["type"] != GateEventType.RESET and names[stage : stage + 1] != [event["name"]]:
            raise Conflict(
                f"The stages of {agent.slug!r} were changed since this began. Reset to begin anew."
            )
        gate = _after(gate, event)
    return gate


def _after(gate: StageGate, event: GateEvent) -> StageGate:
    stage = event["stage"]
    match event["type"]:
        case GateEventType.STARTED:
            depth = event.get("depth")
            return replace(gate, running=stage, depth=Depth(depth) if depth else None)
        case GateEventType.COMPLETED:
            outputs = {**gate.outputs, stage: event["output"]}
            return replace(gate, running=None, next_stage=stage + 1, outputs=outputs)
        case GateEventType.PAUSED:
            return replace(gate, pause_request=event["request_id"])
        case GateEventType.RESUMED:
            return replace(gate, pause_request=None)
        case GateEventType.REPAIR:
            outputs = {each: gate.outputs[each] for each in gate.outputs if each < stage}
            return replace(gate, next_stage=stage, repairs=event["iteration"], outputs=outputs)
        case GateEventType.RESET:
            return StageGate(gate.agent)
    return gate

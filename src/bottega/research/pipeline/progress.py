"""How far a run has come and what follows from that: pure, so that a replay decides alike."""

from dataclasses import dataclass, field, replace
from typing import Any, cast

from bottega.research.agents.definition import (
    Agent,
    Depth,
    DepthSettings,
    RepairUnit,
    StageConfig,
    StageName,
)
from bottega.research.pipeline.orders import ResearchOrder
from bottega.research.pipeline.outputs import Output, QueryPlan
from bottega.research.pipeline.stage import Known

#: Where each stage's output stands in what is known.
KNOWN_AS = {
    StageName.ANALYZE: "plan",
    StageName.CALIBRATE: "calibration",
    StageName.RETRIEVE: "retrieval",
    StageName.SYNTHESIZE: "synthesis",
    StageName.VERIFY: "verified",
    StageName.OUTPUT: "delivered",
}
#: The stages after which the plan can still be changed.
PLANNING = frozenset({StageName.ANALYZE, StageName.CALIBRATE})


@dataclass(frozen=True, slots=True)
class Progress:
    order: ResearchOrder
    agent: Agent
    known: Known = field(default_factory=Known)
    #: What the person said at the pauses to change something, in order.
    replies: tuple[str, ...] = ()
    #: The depth that they asked for there, which counts more than the one that was ordered.
    wanted_depth: Depth | None = None

    @property
    def depth(self) -> tuple[Depth, DepthSettings]:
        planned = self.known.current_plan.depth_mode if self.known.plan else None
        return self.agent.depth(self.wanted_depth or self.order.depth or planned)

    @property
    def has_refused(self) -> bool:
        """The library holds no answer, in its own judgement or in that of the synthesis."""
        retrieval, synthesis = self.known.retrieval, self.known.synthesis
        if retrieval is not None and not retrieval.answerable:
            return True
        return synthesis is not None and synthesis.cannot_answer is not None

    def is_passed_over(self, stage: StageConfig) -> bool:
        """A question without an answer goes straight to the output, which says what is missing."""
        return self.has_refused and stage.name in (StageName.SYNTHESIZE, StageName.VERIFY)

    def pauses_after(self, stage: StageConfig) -> bool:
        if self.order.auto_proceed or stage.id not in self.agent.config.pause_after:
            return False
        # A calibration that did not take place gives nothing to talk about.
        calibration = self.known.calibration
        return stage.name is not StageName.CALIBRATE or not (calibration and calibration.skipped)

    def repair_unit(self, last: StageConfig) -> RepairUnit | None:
        """The unit that ends with this stage."""
        units = self.agent.config.repair_units
        return next((unit for unit in units if unit.stages[-1] == last.id), None)

    def missing_keys(self, stage: StageConfig, output: dict[str, Any]) -> list[str]:
        """Keys that the agent requires of a stage; a refusal has none of an answer's."""
        if self.has_refused:
            return []
        return [key for key in stage.required_keys if output.get(key) in (None, "")]

    def with_output(self, stage: StageConfig, output: Output) -> "Progress":
        # Each stage gives what its name stands for, which the table of stages cannot express.
        given = cast("Any", {KNOWN_AS[stage.name]: output})
        return replace(self, known=replace(self.known, **given))

    def before_repair(self) -> "Progress":
        """What was verified was another text than the one that will be."""
        return replace(self, known=replace(self.known, verified=None))

    def with_plan(self, plan: QueryPlan, reply: str) -> "Progress":
        """As the person wants it: in the place of the plan that was shown to them."""
        before, known = self.known.current_plan, self.known
        if known.calibration is not None:
            refined = known.calibration.model_copy(update={"query_plan_refined": plan})
            known = replace(known, calibration=refined)
        else:
            known = replace(known, plan=plan)
        is_other_depth = plan.depth_mode is not before.depth_mode
        return replace(
            self,
            known=known,
            replies=(*self.replies, reply),
            wanted_depth=plan.depth_mode if is_other_depth else self.wanted_depth,
        )

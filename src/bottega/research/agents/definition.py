"""What an agent's files say: `AGENT.md`, `config.json` and its prompts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0, le=1_000_000)]


class AgentModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Depth(StrEnum):
    QUICK = "quick"
    STANDARD = "standard"
    DEEP = "deep"


class StageName(StrEnum):
    ANALYZE = "analyze_query"
    CALIBRATE = "websearch_calibration"
    RETRIEVE = "retrieve"
    SYNTHESIZE = "synthesize"
    VERIFY = "verify"
    OUTPUT = "output"


class AgentMeta(AgentModel):
    """The frontmatter of `AGENT.md`."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    description: Annotated[str, Field(min_length=1, max_length=2000)]
    #: Slugs of sources that are enabled when the agent is called.
    sources: list[str] = []
    #: The library it asks unless another is named.
    library: str | None = None


class StageConfig(AgentModel):
    id: Count
    name: StageName
    description: str = ""
    #: A prompt of the agent's own, added to the stage's instructions: a file in `prompts/`.
    prompt: str | None = None
    #: Output keys without which the run is blocked here.
    required_keys: list[str] = Field([], alias="requiredKeys")

    @property
    def told(self) -> dict[str, Any]:
        """How events name it."""
        return {"stage": self.id, "name": self.name}


class RepairUnit(AgentModel):
    stages: Annotated[list[Count], Field(min_length=2)]
    #: As people know the unit; what counts is `repairIterations` of the depth.
    max_iterations: Count = Field(2, alias="maxIterations")


class DepthSettings(AgentModel):
    max_sub_queries: Annotated[int, Field(ge=1, le=50)] = Field(alias="maxSubQueries")
    paragraphs_per_query: Annotated[int, Field(ge=1, le=100)] = Field(alias="paragraphsPerQuery")
    repair_iterations: Annotated[int, Field(ge=0, le=10)] = Field(alias="repairIterations")
    context_tokens: Annotated[int, Field(ge=500, le=200_000)] = Field(alias="contextTokens")
    web_search: bool = Field(alias="webSearch")
    synthesis_tokens: Annotated[int, Field(ge=256, le=64_000)] = Field(alias="synthesisTokens")


class Thresholds(AgentModel):
    entity_grounding: Share = Field(0.80, alias="entityGrounding")
    citation_accuracy: Share = Field(0.75, alias="citationAccuracy")
    relation_preservation: Share = Field(0.70, alias="relationPreservation")
    max_contradictions: Count = Field(0, alias="maxContradictions")


class OutputConfig(AgentModel):
    #: Of a citation in the text; `{library}`, `{document}` and `{ref}` are filled in.
    citation_format: str = Field("{document} {ref}", alias="citationFormat")
    progressive_disclosure: bool = Field(True, alias="progressiveDisclosure")
    #: How a citation becomes a link: to the source file, to our own page, or not at all.
    source_linker: Literal["file", "paragraph", "none"] = Field("paragraph", alias="sourceLinker")
    file_name: str = Field("{slug}.md", alias="fileName")


class FollowUpConfig(AgentModel):
    enabled: bool = True
    delta_retrieval: bool = Field(True, alias="deltaRetrieval")
    max_prior_sections: Annotated[int, Field(ge=0, le=30)] = Field(30, alias="maxPriorSections")


class OrchestratorConfig(AgentModel):
    #: `provider:model`; without, the house's strong model.
    model: Annotated[str, Field(pattern=r"^(anthropic|openai):\S+$")] | None = None
    thinking: Literal["none", "low", "medium", "high", "adaptive"] = "adaptive"
    budget_usd: Annotated[float, Field(ge=0, le=10_000)] = Field(10.0, alias="budgetUsd")
    context_window: Annotated[int, Field(ge=1_000, le=10_000_000)] = Field(
        200_000, alias="contextWindow"
    )


class AgentConfig(AgentModel):
    """`config.json`. Whether its parts fit together is checked in `folders.py`."""

    stages: Annotated[list[StageConfig], Field(min_length=1)]
    pause_after: list[Count] = Field([], alias="pauseAfterStages")
    repair_units: list[RepairUnit] = Field([], alias="repairUnits")
    default_depth: Depth = Field(Depth.STANDARD, alias="defaultDepth")
    depth_modes: dict[Depth, DepthSettings] = Field(alias="depthModes")
    verification: Thresholds = Thresholds()
    output: OutputConfig = OutputConfig()
    follow_up: FollowUpConfig = Field(FollowUpConfig(), alias="followUp")
    orchestrator: OrchestratorConfig = OrchestratorConfig()


@dataclass(frozen=True, slots=True)
class Agent:
    slug: str
    meta: AgentMeta
    config: AgentConfig
    #: The body of `AGENT.md`: what the agent is about, for prompts.
    instructions: str
    #: By file name: `stage-0-analyze.md`.
    prompts: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None

    def depth(self, depth: Depth | None) -> tuple[Depth, DepthSettings]:
        chosen = depth if depth in self.config.depth_modes else self.config.default_depth
        assert chosen is not None
        return chosen, self.config.depth_modes[chosen]

    def prompt_of(self, stage: StageConfig) -> str:
        return self.prompts.get(stage.prompt, "") if stage.prompt else ""

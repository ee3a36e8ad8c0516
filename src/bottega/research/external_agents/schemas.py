"""What the tools of agents from outside take, and what people answer. All of it is bounded."""

from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import BaseModel, Field, model_validator

from bottega.core.operations import between, bounded, shaped
from bottega.research.agents.definition import Depth
from bottega.research.external_agents.config_check import Target
from bottega.research.external_agents.rendering import DocumentInput
from bottega.research.external_agents.requests import LONGEST_WAIT, RequestView
from bottega.research.pipeline.schemas import DEFAULT_AGENT

SessionId = Annotated[str, bounded(1, 100)]
Slug = Annotated[str, shaped(r"[a-z0-9][a-z0-9-]{0,63}", "`deep-research`")]
Key = Annotated[str, shaped(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}", "`plan.steps`")]
Credential = Annotated[str, shaped(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", "`brave-search`")]
Words = Annotated[str, bounded(0, 20_000)]
Failures = Annotated[list[Annotated[str, bounded(0, 2_000)]], bounded(0, 100)]
Wait = Annotated[float, between(0, LONGEST_WAIT)]
Answer = Annotated[str, Field(max_length=20_000)]


class InSession(BaseModel):
    session_id: SessionId


class GateAction(StrEnum):
    START = "start"
    COMPLETE = "complete"
    RESUME = "resume"
    REPAIR = "repair"
    STATUS = "status"
    RESET = "reset"


class StageGateInput(InSession):
    agent: Slug
    action: GateAction
    stage: Annotated[int, between(0, 1_000)] | None = None
    depth: Depth | None = None
    #: Of a stage that is completed.
    output: dict[str, Any] | None = None
    message: Words = Field("", description="for the person, at a pause")
    failures: Failures = []
    #: The last that the agent saw: if there is a newer one, nothing is done.
    version: Annotated[int, between(0, 2**31 - 1)] | None = None

    @model_validator(mode="after")
    def _has_what_its_action_needs(self) -> Self:
        if self.action is GateAction.COMPLETE and self.output is None:
            raise ValueError("`complete` needs the stage's `output`")
        return self


class StateAction(StrEnum):
    GET = "get"
    SET = "set"
    DELETE = "delete"
    LIST = "list"


class StateInput(InSession):
    agent: Slug
    action: StateAction
    key: Key | None = None
    # Whatever JSON the agent keeps.
    value: Any = None

    @model_validator(mode="after")
    def _has_what_its_action_needs(self) -> Self:
        if self.action is not StateAction.LIST and self.key is None:
            raise ValueError(f"`{self.action.value}` needs a `key`")
        if self.action is StateAction.SET and "value" not in self.model_fields_set:
            raise ValueError("`set` needs a `value`")
        return self


class RenderInput(InSession, DocumentInput):
    library: Annotated[str, bounded(1, 100)]
    agent: Slug = DEFAULT_AGENT


class AgentInput(BaseModel):
    agent: Slug


class SourceInput(InSession):
    source: Slug


class ConfigInput(BaseModel):
    target: Target = Target.ALL


class CredentialInput(InSession):
    source: Slug
    #: Without, the first that the source names.
    name: Credential | None = None
    reason: Annotated[str, bounded(0, 1_000)] = ""
    request_id: SessionId | None = Field(None, description="to hear of an earlier one")
    wait_seconds: Wait = 0


class MermaidInput(BaseModel):
    diagram: Annotated[str, bounded(1, 50_000)]


class SkillInput(BaseModel):
    skill: Slug
    #: Of a `SKILL.md` that is not stored yet.
    text: Annotated[str, bounded(0, 256 * 1024)] | None = None


class PlanInput(InSession):
    title: Annotated[str, bounded(1, 200)]
    plan: Annotated[str, bounded(1, 100_000)]
    wait_seconds: Wait = 0


class RequestListRequest(BaseModel):
    session_id: Annotated[str, Field(max_length=100)] | None = None
    open_only: bool = True


class RequestList(BaseModel):
    requests: list[RequestView]


class PauseReply(BaseModel):
    text: Answer


class ReplyRequest(PauseReply):
    request_id: str


class PlanJudgement(BaseModel):
    approved: bool
    comment: Answer = ""


class JudgePlanRequest(PlanJudgement):
    request_id: str


class GivenCredential(BaseModel):
    value: Answer


class GiveCredentialRequest(GivenCredential):
    request_id: str


class DeclineRequest(BaseModel):
    request_id: str

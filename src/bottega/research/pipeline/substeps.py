"""What a stage does, told as it does it: each call is a substep of its stage.

Ids come from a counter that a replay counts again, so a substep keeps its id over a crash; events
are keyed by them, so that calls which are made together can be told in any order, and once.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from bottega.core.runs import RunContext
from bottega.research.agents.definition import StageConfig
from bottega.research.pipeline.state import Moment

#: Characters of an input's value and of a result, as they are shown.
LONGEST_SHOWN = 2_000


class SubstepType(StrEnum):
    TOOL_STARTED = "mcp_start"
    TOOL_RESULT = "mcp_result"
    MODEL_STARTED = "llm_start"
    MODEL_ANSWERED = "llm_complete"
    STATUS = "status"


#: The tool that stands for a model's call.
MODEL_TOOL = "orchestrator_llm"


@dataclass(frozen=True, slots=True)
class Substeps:
    """The substeps of one stage, or of one repair iteration of it."""

    run: RunContext
    stage: StageConfig
    iteration: int
    #: One for the whole run.
    counter: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def parent(self) -> str:
        return f"orch-{self.run.id}-s{self.stage.id}-{self.iteration}"

    def next_id(self) -> str:
        return f"orch-{self.run.id}-{next(self.counter)}"

    async def tell(self, id: str, type: SubstepType, tool: str, **details: Any) -> None:
        payload = {
            "id": id,
            "parent": self.parent,
            "stage": self.stage.id,
            "name": self.stage.name,
            "type": type,
            "tool": tool,
            **details,
        }
        await self.run.emit(Moment.SUBSTEP, payload, key=f"{id} {type}")


def cut(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"


def shown_input(input: Mapping[str, Any]) -> dict[str, Any]:
    return {name: cut(value) if isinstance(value, str) else value for name, value in input.items()}

"""Which function does which stage. Each is `async def stage(parts, context) -> output`.

A stage imports `parts.py`, never this module, which imports all of them.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TypeAlias

from bottega.research.agents.definition import StageName
from bottega.research.pipeline.outputs import Output
from bottega.research.pipeline.stage import StageContext
from bottega.research.stages.analyze import analyze
from bottega.research.stages.calibrate import calibrate
from bottega.research.stages.output import output
from bottega.research.stages.parts import Parts
from bottega.research.stages.retrieve import retrieve
from bottega.research.stages.synthesize import synthesize
from bottega.research.stages.verify import verify

__all__ = ["Parts", "StageFunction", "make_stages"]

StageFunction: TypeAlias = Callable[[StageContext], Awaitable[Output]]


def make_stages(parts: Parts) -> Mapping[StageName, StageFunction]:
    return {
        StageName.ANALYZE: partial(analyze, parts),
        StageName.CALIBRATE: partial(calibrate, parts),
        StageName.RETRIEVE: partial(retrieve, parts),
        StageName.SYNTHESIZE: partial(synthesize, parts),
        StageName.VERIFY: partial(verify, parts),
        StageName.OUTPUT: partial(output, parts),
    }

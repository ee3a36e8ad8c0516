"""Whether the parts of an agent's configuration fit together."""

from collections.abc import Collection, Iterator
from itertools import pairwise

from bottega.core.documents import KeyPath
from bottega.research.agents.definition import AgentConfig, StageName

#: What each stage needs to have been done before it. Nothing goes out that was not verified.
NEEDS = {
    StageName.CALIBRATE: {StageName.ANALYZE},
    StageName.RETRIEVE: {StageName.ANALYZE},
    StageName.SYNTHESIZE: {StageName.ANALYZE, StageName.RETRIEVE},
    StageName.VERIFY: {StageName.SYNTHESIZE},
    StageName.OUTPUT: {StageName.VERIFY},
}

#: Where something stands in the file, and what is wrong with it.
Misfit = tuple[KeyPath, str]


def misfits(config: AgentConfig) -> Iterator[Misfit]:
    """What does not go together although each value is fine by itself."""
    yield from _misfits_of_stages(config)
    yield from _misfits_of_pauses(config)
    for index in range(len(config.repair_units)):
        yield from _misfits_of_repairs(config, index)
    if config.default_depth not in config.depth_modes:
        has, default = listed(config.depth_modes), config.default_depth.value
        yield ("defaultDepth",), f"depthModes does not have {default!r}; it has {has}"


def listed(names: Collection[str]) -> str:
    return ", ".join(repr(str(name)) for name in names)


def _misfits_of_stages(config: AgentConfig) -> Iterator[Misfit]:
    before: set[StageName] = set()
    for index, stage in enumerate(config.stages):
        if stage.id != index:
            message = f"stages are numbered in their order: this is {index}, not {stage.id}"
            yield ("stages", index, "id"), message
        if stage.name in before:
            yield ("stages", index, "name"), f"the stage {stage.name.value!r} is there twice"
        if missing := sorted(NEEDS.get(stage.name, set()) - before):
            message = f"{stage.name.value!r} needs {listed(missing)} before it"
            yield ("stages", index, "name"), message
        before.add(stage.name)


def _misfits_of_pauses(config: AgentConfig) -> Iterator[Misfit]:
    ids = list(range(len(config.stages)))
    for index, stage in enumerate(config.pause_after):
        if stage not in ids:
            yield ("pauseAfterStages", index), f"there is no stage {stage}; stages are {ids}"


def _misfits_of_repairs(config: AgentConfig, index: int) -> Iterator[Misfit]:
    where: KeyPath = ("repairUnits", index, "stages")
    names = {place: stage.name for place, stage in enumerate(config.stages)}
    stages = config.repair_units[index].stages
    unknown = [(at, stage) for at, stage in enumerate(stages) if stage not in names]
    for at, stage in unknown:
        yield (*where, at), f"there is no stage {stage}; stages are {sorted(names)}"
    if unknown:
        return
    if any(after != before + 1 for before, after in pairwise(stages)):
        yield where, f"a repair unit is stages that follow each other, not {stages}"
    elif (names[stages[0]], names[stages[-1]]) != (StageName.SYNTHESIZE, StageName.VERIFY):
        yield where, "a repair unit begins with 'synthesize' and ends with 'verify'"

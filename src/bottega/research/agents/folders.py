"""Where agents are found: shipped with the house, a person's own, a project's. Later wins.

Everything that is wrong with an agent's files is told with its file, line and column. All of it
reads files: call it from a thread.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from bottega.core.definitions import DocumentError, KeyPath, parse_document
from bottega.core.definitions.document import Document, check
from bottega.core.definitions.folders import (
    DefinitionFolder,
    DefinitionFolders,
    FoundFolder,
    Origin,
    Trusts,
    standard_places,
    trust_nothing,
)
from bottega.core.definitions.json_document import read_json
from bottega.core.definitions.problems import Positions, place
from bottega.core.services import Core
from bottega.errors import InvalidInput
from bottega.research.agents.definition import Agent, AgentConfig, AgentMeta, StageName
from bottega.research.sources.folders import source_folders

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
#: More than anybody writes by hand.
MOST_BYTES = 1_000_000


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


@dataclass(frozen=True, slots=True, order=True)
class AgentProblem:
    """Lines and columns count from 1, as editors show them."""

    #: Relative to the agent's folder: `config.json`.
    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


@dataclass(frozen=True, slots=True)
class AgentFiles:
    """An agent as far as its files could be read; one with problems cannot be used."""

    found: FoundFolder
    problems: Sequence[AgentProblem]
    document: Document[AgentMeta] | None = None
    config: AgentConfig | None = None
    prompts: Mapping[str, str] = field(default_factory=dict)

    @property
    def slug(self) -> str:
        return self.found.name

    @property
    def name(self) -> str:
        return self.document.meta.name if self.document else self.slug


def read_agent(found: FoundFolder, sources: Collection[str] | None = None) -> AgentFiles:
    """With all problems at once. `sources` are those that the agent may require; `None` leaves that
    to whoever calls the agent."""
    problems: list[AgentProblem] = []
    files = DefinitionFolder(found.folder, most_bytes=MOST_BYTES)
    document = _collect(problems, "AGENT.md", lambda: _read_document(files))
    if document is not None:
        for where, message in _unknown_sources(document.meta, sources):
            at = place(document.positions, where)
            problems.append(AgentProblem("AGENT.md", *at, message))
    checked = _collect(problems, "config.json", lambda: _read_config(files))
    prompts: dict[str, str] = {}
    config = None
    if checked is not None:
        config, positions = checked
        for where, message in [*misfits(config), *_read_prompts(files, config, prompts)]:
            at = place(positions, where)
            problems.append(AgentProblem("config.json", *at, message))
    problems.sort()
    if found.distrust:
        # It can be looked at all the same, so that a person can decide.
        problems.append(AgentProblem("AGENT.md", 1, 1, found.distrust))
    return AgentFiles(found, problems, document, config, prompts)


def _unknown_sources(
    meta: AgentMeta, sources: Collection[str] | None
) -> Iterator[tuple[KeyPath, str]]:
    for index, slug in enumerate(meta.sources):
        if sources is not None and slug not in sources:
            there_are = f"there are {listed(sorted(sources))}" if sources else "there is none"
            yield ("sources", index), f"there is no source {slug!r}; {there_are}"


def _read_prompts(
    files: DefinitionFolder, config: AgentConfig, prompts: dict[str, str]
) -> Iterator[tuple[KeyPath, str]]:
    for index, stage in enumerate(config.stages):
        if stage.prompt is None:
            continue
        if Path(stage.prompt).name != stage.prompt or "\\" in stage.prompt:
            message = f"{stage.prompt!r} must be the name of a file in prompts/, without a path"
        else:
            try:
                prompts[stage.prompt] = files.read_definition(f"prompts/{stage.prompt}")
                continue
            except DocumentError as error:
                message = f"prompts/{stage.prompt}: {error.problems[0].message}"
        yield ("stages", index, "prompt"), message


def _read_document(files: DefinitionFolder) -> Document[AgentMeta]:
    return parse_document(files.read_definition("AGENT.md"), "AGENT.md", AgentMeta)


def _read_config(files: DefinitionFolder) -> tuple[AgentConfig, Positions]:
    data, positions = read_json(files.read_definition("config.json"), "config.json")
    return check(data, positions, "config.json", AgentConfig), positions


def _collect(problems: list[AgentProblem], file: str, read: Callable[[], Any]) -> Any:
    try:
        return read()
    except DocumentError as error:
        problems += [AgentProblem(file, p.line, p.column, p.message) for p in error.problems]
        return None


SHIPPED = Path(__file__).parents[1] / "shipped" / "agents"
TEMPLATE = SHIPPED / "_template"


@dataclass(frozen=True, slots=True)
class AgentFolders:
    places: Sequence[tuple[Origin, Path]]
    #: Those that agents may require; `None` leaves that to whoever calls the agent.
    sources: Collection[str] | None = None
    trusts: Trusts = trust_nothing

    @property
    def _folders(self) -> DefinitionFolders:
        return DefinitionFolders("agent", self.places, trusts=self.trusts)

    def look_up(self, slug: str) -> AgentFiles:
        return read_agent(self._folders.find(slug), self.sources)

    def list(self) -> list[AgentFiles]:
        """Every agent by its slug, the broken ones with what is wrong."""
        return [read_agent(found, self.sources) for found in self._folders.find_all().values()]

    def load(self, slug: str) -> Agent:
        """The agent; `InvalidInput` with every problem if its files are broken."""
        files = self.look_up(slug)
        if files.problems or files.document is None or files.config is None:
            lines = "\n".join(f"{slug}/{problem}" for problem in files.problems)
            raise InvalidInput(
                f"The agent {slug!r} cannot be used until this is put right:\n{lines}",
                problems=[str(problem) for problem in files.problems],
            )
        return Agent(
            slug=slug,
            meta=files.document.meta,
            config=files.config,
            instructions=files.document.body.strip(),
            prompts=files.prompts,
            folder=files.found.folder,
        )


def agent_folders(core: Core) -> AgentFolders:
    """As they are now: what is there may change at any time. Reads files."""
    data_dir, project = core.choices.data_dir, core.files.root
    places = standard_places("agents", SHIPPED, data_dir, project)
    trusts = core.trust.is_trusted
    sources = source_folders(data_dir, project, trusts).find_all()
    return AgentFolders(places, set(sources), trusts)

"""Where agents are found: shipped with the house, a person's own, a project's. Later wins.

All of it reads files: call it from a thread.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from bottega.core.services import Core
from bottega.errors import InvalidInput, NotFound
from bottega.research.agents.definition import Agent
from bottega.research.agents.validation import AgentFiles, AgentProblem, read_agent
from bottega.research.sources.loading import source_folders

SHIPPED = Path(__file__).parents[1] / "shipped" / "agents"
TEMPLATE = SHIPPED / "_template"
SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


class Origin(StrEnum):
    SHIPPED = "shipped"
    #: In the data directory.
    OWN = "own"
    PROJECT = "project"


@dataclass(frozen=True, slots=True)
class AgentListing:
    """An agent as lists show it; one with problems cannot be used, and its name may be missing."""

    slug: str
    name: str
    description: str
    origin: Origin
    sources: Sequence[str] = ()
    problems: Sequence[AgentProblem] = ()


@dataclass(frozen=True, slots=True)
class AgentDescription:
    """An agent and all that could be read of its files, however broken they are."""

    listing: AgentListing
    folder: Path
    files: AgentFiles


@dataclass(frozen=True, slots=True)
class AgentFolders:
    places: Sequence[tuple[Origin, Path]]
    #: Those that agents may require; `None` leaves that to whoever calls the agent.
    sources: Collection[str] | None = None

    def load(self, slug: str) -> Agent:
        """The agent; `InvalidInput` with every problem if its files are broken."""
        folder = self._find(slug)
        files = read_agent(folder, self.sources)
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
            prompts=files.prompts or {},
            folder=folder,
        )

    def list(self) -> list[AgentListing]:
        """Every agent by its slug, the broken ones with what is wrong."""
        found = {slug: (origin, folder) for slug, origin, folder in self._folders()}
        return [
            _listing(slug, origin, read_agent(folder, self.sources))
            for slug, (origin, folder) in sorted(found.items())
        ]

    def folder(self, slug: str) -> Path:
        return self._find(slug)

    def describe(self, slug: str) -> AgentDescription:
        self._find(slug)
        _, origin, folder = [found for found in self._folders() if found[0] == slug][-1]
        files = read_agent(folder, self.sources)
        return AgentDescription(_listing(slug, origin, files), folder, files)

    def _find(self, slug: str) -> Path:
        found = {name: folder for name, _, folder in self._folders()}
        if slug not in found:
            raise NotFound(
                f"There is no agent {slug[:64]!r}. There are: {', '.join(sorted(found))}.",
                valid_options=sorted(found),
            )
        return found[slug]

    def _folders(self) -> Iterator[tuple[str, Origin, Path]]:
        """Each place's agents; a later one of the same name stands in for an earlier."""
        for origin, place in self.places:
            if place.is_dir():
                for folder in sorted(place.iterdir()):
                    if SLUG.fullmatch(folder.name) and folder.is_dir():
                        yield folder.name, origin, folder


def _listing(slug: str, origin: Origin, files: AgentFiles) -> AgentListing:
    meta = files.document.meta if files.document else None
    return AgentListing(
        slug=slug,
        name=meta.name if meta else slug,
        description=meta.description if meta else "",
        origin=origin,
        sources=meta.sources if meta else (),
        problems=files.problems,
    )


def agent_folders(core: Core) -> AgentFolders:
    """As they are now: what is there may change at any time. Reads files."""
    data_dir, project = core.choices.data_dir, core.files.root
    places = (
        (Origin.SHIPPED, SHIPPED),
        (Origin.OWN, data_dir / "agents"),
        (Origin.PROJECT, project / ".bottega" / "agents"),
    )
    return AgentFolders(places, set(source_folders(data_dir, project).find_all()))

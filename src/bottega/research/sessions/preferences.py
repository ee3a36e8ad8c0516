"""What a new session starts with: `config.json`, first the person's, then the project's."""

import asyncio
from pathlib import Path
from typing import Literal

from bottega.core.documents.json_document import parse_json
from bottega.core.permissions import PermissionMode
from bottega.core.wire import Wired
from bottega.research.sessions.vocabulary import Name, Slug, read_config

FILE = "config.json"
PROJECT_FOLDER = ".bottega"


class Preferences(Wired, extra="forbid", frozen=True):
    version: Literal[1] = 1
    library: Name | None = None
    agent: Slug | None = None
    permission_mode: PermissionMode | None = None


def config_files(data_dir: Path, project: Path) -> list[tuple[str, Path]]:
    """The person's and the project's: how each is named to people, and where it is."""
    return [
        (FILE, data_dir / FILE),
        (f"{PROJECT_FOLDER}/{FILE}", project / PROJECT_FOLDER / FILE),
    ]


async def read_preferences(data_dir: Path, project: Path) -> Preferences:
    """Raises `DocumentError` with the place of what is wrong."""
    return await asyncio.to_thread(_read, data_dir, project)


def _read(data_dir: Path, project_dir: Path) -> Preferences:
    person, project = (
        Preferences()
        if (text := read_config(path)) is None
        else parse_json(text, name, Preferences)
        for name, path in config_files(data_dir, project_dir)
    )
    mode = person.permission_mode or PermissionMode.ASK
    if project.permission_mode is not None:
        # A project's files come from anybody: they can hold an agent back, not let it loose.
        mode = min(mode, project.permission_mode, key=list(PermissionMode).index)
    return Preferences(
        library=project.library or person.library,
        agent=project.agent or person.agent,
        permission_mode=mode,
    )

"""`config_validate`: what is wrong in the house's own files, with the place of each problem."""

from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel

from bottega.core.definitions import DocumentError
from bottega.core.definitions.json_document import parse_json
from bottega.core.services import Core
from bottega.research.sessions.config import (
    LABELS,
    STATUSES,
    Labels,
    SessionPreferences,
    Statuses,
    config_files,
    read_config,
)
from bottega.research.sources.folders import BrokenSource, source_folders


class Target(StrEnum):
    CONFIG = "config"
    SOURCES = "sources"
    STATUSES = "statuses"
    LABELS = "labels"
    ALL = "all"


class ConfigProblem(BaseModel):
    file: str
    line: int
    column: int
    message: str


class ConfigReport(BaseModel):
    valid: bool
    #: The files that were there to be checked.
    checked: list[str]
    problems: list[ConfigProblem]


def validate_configs(core: Core, target: Target) -> ConfigReport:
    """Blocking."""
    data_dir, project = core.choices.data_dir, core.files.root
    checks: dict[Target, Callable[[], Iterator[tuple[str, DocumentError | None]]]] = {
        Target.CONFIG: lambda: _files(config_files(data_dir, project), SessionPreferences),
        Target.SOURCES: lambda: _sources(data_dir, project),
        Target.STATUSES: lambda: _files([(STATUSES, data_dir / STATUSES)], Statuses),
        Target.LABELS: lambda: _files([(LABELS, data_dir / LABELS)], Labels),
    }
    chosen = [check for name, check in checks.items() if target in (name, Target.ALL)]
    found = [result for check in chosen for result in check()]
    problems = [
        ConfigProblem(file=file, line=each.line, column=each.column, message=each.message)
        for file, error in found
        if error is not None
        for each in error.problems
    ]
    return ConfigReport(valid=not problems, checked=[file for file, _ in found], problems=problems)


def _files(
    files: list[tuple[str, Path]], model: type[BaseModel]
) -> Iterator[tuple[str, DocumentError | None]]:
    for name, path in files:
        try:
            text = read_config(path)
            if text is None:
                continue
            parse_json(text, name, model)
        except DocumentError as error:
            yield name, error
        else:
            yield name, None


def _sources(data_dir: Path, project: Path) -> Iterator[tuple[str, DocumentError | None]]:
    for slug, found in source_folders(data_dir, project).find_all().items():
        error = found.error if isinstance(found, BrokenSource) else None
        yield f"sources/{slug}/config.json", error

"""One project, however it is named.

A path is the same with and without a slash at its end, and a worktree's is that of the repository's
main one. A bare name, `shop`, is every project whose folder is called so; and what was stored
under the bare name is found by each of their paths.
"""

import asyncio
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, SQLColumnExpression, or_

from bottega.core.git import find_repository


async def identify(project: str | None) -> str | None:
    """The name under which everything about a project is stored."""
    plain = without_slash(project)
    if plain is None or not Path(plain).is_absolute():
        return plain
    return await asyncio.to_thread(_main_worktree, plain)


def without_slash(project: str | None) -> str | None:
    return None if project is None else project.rstrip("/") or project


def folder_of(project: str) -> str:
    return project.rpartition("/")[2]


def is_of(project: str) -> dict[str, Any]:
    """The items of an identified project, by their metadata."""
    if "/" not in project:
        return {"project_folder": project}
    return {"project": {"$in": [project, folder_of(project)]}}


def condition(column: SQLColumnExpression[str | None], project: str) -> ColumnElement[bool]:
    """The same, by their rows."""
    if "/" not in project:
        return or_(column == project, column.endswith(f"/{project}", autoescape=True))
    return column.in_([project, folder_of(project)])


def _main_worktree(project: str) -> str:
    path = Path(project)
    try:
        repository = find_repository(path)
        if repository is None or repository.own.parent.name != "worktrees":
            return project
        inside = path.resolve().relative_to(repository.work_tree)
    except (OSError, ValueError):
        return project
    return str(repository.common.parent / inside)

"""What every command of the board asks first: whom, and about which project."""

from pathlib import Path
from typing import Annotated, Any

import typer

from bottega.core.client import Api
from bottega.errors import InvalidInput, NotFound

PATH = "/api/board"

InProject = Annotated[
    str | None, typer.Option("--project", "-p", help="A project's name, path or id.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


def find_project(api: Api, wanted: str | None) -> dict[str, Any]:
    """By name, path or id; by the current directory if nothing is said."""
    projects: list[dict[str, Any]] = api.get("/api/projects")["projects"]
    here = Path.cwd().resolve()
    if wanted is None:
        found = [each for each in projects if here.is_relative_to(each["path"])]
        found = found or (projects if len(projects) == 1 else [])
    else:
        path = str(Path(wanted).expanduser().resolve())
        found = [each for each in projects if wanted in (each["id"], each["name"])]
        found = found or [each for each in projects if each["path"] == path]
    if found:
        return max(found, key=lambda each: len(each["path"]))
    names = ", ".join(each["name"] for each in projects) or "none"
    if wanted is None:
        raise InvalidInput(f"Say which project with --project. There are: {names}.")
    raise NotFound(f"There is no project {wanted!r}. There are: {names}.")


def api_of(context: typer.Context) -> Api:
    asked: Api = context.obj
    return asked

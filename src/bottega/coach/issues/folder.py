"""A project's own issues: markdown files in its folder `issues`, for those without GitHub."""

import asyncio
import re
from pathlib import Path, PurePosixPath

import structlog
from pydantic import BaseModel, Field, ValidationError

from bottega.coach.issues.issue import Issue
from bottega.core.documents import parse_document
from bottega.core.files.sandbox import Sandbox
from bottega.errors import BottegaError, Forbidden, InvalidInput, NotFound

log = structlog.get_logger()

FOLDER = "issues"
MAX_FILES = 200
MAX_BYTES = 1024 * 1024


class _Meta(BaseModel):
    #: The file's name may begin with it instead: `7-cents-get-lost.md`.
    number: int | None = Field(None, ge=1)
    title: str | None = None
    state: str = "open"
    labels: list[str] = Field(default_factory=list)
    assignees: list[str] = Field(default_factory=list)
    url: str | None = None


class IssueFolder:
    def __init__(self, project_root: Path) -> None:
        # Resolved before any reading: a link in the folder leads nowhere else.
        self._files = Sandbox(project_root, max_file_bytes=MAX_BYTES)

    async def open_issues(self) -> list[Issue]:
        """By number. A file that is no issue is passed over."""
        try:
            listing = await self._files.list(FOLDER)
        except (NotFound, InvalidInput, Forbidden):
            return []
        names = [name for name in listing.files if name.endswith(".md")][:MAX_FILES]
        found = [await self._read(listing.path_of(name)) for name in names]
        by_number = {issue.number: issue for issue in reversed(found) if issue is not None}
        return [by_number[number] for number in sorted(by_number)]

    async def _read(self, path: str) -> Issue | None:
        try:
            content = await self._files.read_text(path)
            return await asyncio.to_thread(read_issue, content.content, path)
        except BottegaError as error:
            log.warning("issues.passed_over", path=path, reason=error.message)
            return None


def read_issue(text: str, path: str) -> Issue | None:
    """None for one that is closed, or that has no number anywhere."""
    document = parse_document(text, path)
    try:
        meta = _Meta.model_validate(document.meta)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in problem["loc"])
        raise InvalidInput(f"{path}: {where}: {problem['msg']}") from None
    name = PurePosixPath(path).stem
    number = meta.number or _leading_number(name)
    if number is None or meta.state.lower() == "closed":
        return None
    return Issue(
        number=number,
        title=meta.title or _heading(document.body) or _words(name),
        body=document.body.strip(),
        labels=tuple(meta.labels),
        assignees=tuple(meta.assignees),
        url=meta.url,
    )


def _leading_number(name: str) -> int | None:
    found = re.match(r"0*([1-9][0-9]{0,8})(?![0-9A-Za-z])", name)
    return int(found[1]) if found else None


def _heading(body: str) -> str | None:
    found = re.search(r"^#\s+(.+?)\s*#*$", body, re.MULTILINE)
    return found[1] if found else None


def _words(name: str) -> str:
    return re.sub(r"^[0-9]+[-_ ]*", "", name).replace("-", " ").replace("_", " ") or name

"""The project's issues: GitHub's, or the folder's where GitHub cannot be asked.

A project's own issues: markdown files in its folder `issues`, for those without GitHub.
"""

import asyncio
import re
from pathlib import Path, PurePosixPath

import structlog
from pydantic import BaseModel, Field, ValidationError

from bottega.coach.editor.schemas import IssueContext
from bottega.coach.plans.github import LIST_SECONDS, VIEW_SECONDS, GitHub
from bottega.coach.plans.schemas import Issue, IssueList, Source
from bottega.core.definitions import parse_document
from bottega.core.files.sandbox import Sandbox
from bottega.errors import BottegaError, Forbidden, InvalidInput, NotFound, Unavailable

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


TITLE_CHARS = 100


class Issues:
    def __init__(
        self,
        project_root: Path,
        gh: str = "gh",
        *,
        list_seconds: float = LIST_SECONDS,
        view_seconds: float = VIEW_SECONDS,
    ) -> None:
        self._root = project_root
        self._github = GitHub(
            project_root, gh, list_seconds=list_seconds, view_seconds=view_seconds
        )
        self._folder = IssueFolder(project_root)
        #: Those of the last list: what a person picks from it is known already.
        self._listed: dict[int, Issue] = {}
        self._login: str | None = None

    async def list(self) -> IssueList:
        """The open issues; `Unavailable` says why there are none to show."""
        found = await self._list()
        self._listed = {issue.number: issue for issue in found.issues}
        return found

    async def find(self, number: int) -> Issue | None:
        """What is known nearby comes first; GitHub is asked last and may fail."""
        if number in self._listed:
            return self._listed[number]
        for issue in await self._folder.open_issues():
            if issue.number == number:
                return issue
        if not await asyncio.to_thread(_has_remote, self._root):
            return None
        try:
            return await self._github.issue(number)
        except Unavailable as error:
            log.info("issues.not_found", number=number, reason=error.message)
            return None

    async def login(self) -> str | None:
        """Who the person is on GitHub, if that can be told."""
        if self._login is None:
            try:
                self._login = await self._github.login()
            except Unavailable as error:
                log.info("issues.nobody_logged_in", reason=error.message)
        return self._login

    async def _list(self) -> IssueList:
        try:
            return IssueList(source=Source.GITHUB, issues=await self._github.open_issues())
        except Unavailable as error:
            own = await self._folder.open_issues()
            if not own:
                raise
            return IssueList(source=Source.FILES, issues=own, note=error.message)


def _has_remote(root: Path) -> bool:
    """Whether GitHub is worth asking. Blocking."""
    for folder in (root, *root.parents):
        git = folder / ".git"
        if git.is_file():
            # A worktree or submodule, whose configuration is elsewhere.
            return True
        if git.is_dir():
            try:
                return "[remote " in (git / "config").read_text(errors="replace")
            except OSError:
                return False
    return False


async def describe_issue(
    issues: Issues, number: int | None, title: str | None, summary: str | None
) -> IssueContext:
    """What a session is about: the person's own words first, then what the issue itself says.

    Raises `InvalidInput` where neither gives a title.
    """
    found = await issues.find(number) if number else None
    summary = (summary or "").strip()
    title = (title or "").strip() or _title(found, summary, number)
    if not title:
        raise InvalidInput(
            "There is nothing to work on in this: give issueNumber, or say in issueTitle what you "
            "want to do."
        )
    return IssueContext(
        number=number,
        title=title,
        summary=summary or (found.body if found else ""),
        labels=list(found.labels) if found else [],
        url=found.url if found else None,
    )


def _title(found: Issue | None, summary: str, number: int | None) -> str:
    if found is not None:
        return found.title
    if summary:
        return summary.splitlines()[0][:TITLE_CHARS]
    return f"Issue #{number}" if number else ""

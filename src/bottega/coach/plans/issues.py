"""The project's issues: GitHub's, through its own command line, which knows the repository and who
is logged in; or, where GitHub cannot be asked, the markdown files in the folder `issues`.
"""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import TypeVar

import structlog
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from bottega.coach.editor.schemas import IssueContext
from bottega.coach.plans.schemas import Comment, Issue, IssueList, Source
from bottega.core import git
from bottega.core.definitions import parse_document
from bottega.core.files.sandbox import Sandbox
from bottega.core.programs import Finished, run
from bottega.errors import BottegaError, Forbidden, InvalidInput, NotFound, Unavailable

log = structlog.get_logger()

FIELDS = "number,title,body,labels,assignees,comments,url"
LIST_SECONDS = 15.0
VIEW_SECONDS = 10.0
#: Of what `gh` says went wrong.
SHOWN_CHARS = 300

#: What `gh` prints, and what a person should hear.
NO_REMOTE = ("no git remotes found", "none of the git remotes", "not a git repository")
NOT_LOGGED_IN = ("gh auth login", "not logged in", "authentication", "http 401")


class _Label(BaseModel):
    name: str


class _Person(BaseModel):
    login: str


class _Comment(BaseModel):
    #: GitHub has none for an account that is gone.
    author: _Person | None = None
    body: str = ""


class _Issue(BaseModel):
    number: int
    title: str
    body: str | None = None
    labels: list[_Label] = Field(default_factory=list)
    assignees: list[_Person] = Field(default_factory=list)
    comments: list[_Comment] = Field(default_factory=list)
    url: str | None = None

    def as_issue(self) -> Issue:
        comments = (
            Comment(author=said.author.login if said.author else "ghost", body=said.body)
            for said in self.comments
        )
        return Issue(
            number=self.number,
            title=self.title,
            body=self.body or "",
            labels=tuple(label.name for label in self.labels),
            assignees=tuple(person.login for person in self.assignees),
            comments=tuple(comments),
            url=self.url,
        )


Shape = TypeVar("Shape")
ONE = TypeAdapter(_Issue)
MANY = TypeAdapter(list[_Issue])


class GitHub:
    def __init__(
        self,
        project_root: Path,
        gh: str = "gh",
        *,
        list_seconds: float = LIST_SECONDS,
        view_seconds: float = VIEW_SECONDS,
    ) -> None:
        self._root = project_root
        self._gh = gh
        self._list_seconds = list_seconds
        self._view_seconds = view_seconds

    async def open_issues(self) -> list[Issue]:
        """FR-171's command."""
        asked = ("issue", "list", "--state", "open", "--json", FIELDS, "--limit", "50")
        answer = await self._ask(asked, self._list_seconds)
        return [found.as_issue() for found in await _understood(answer, MANY)]

    async def issue(self, number: int) -> Issue:
        asked = ("issue", "view", str(number), "--json", FIELDS)
        answer = await self._ask(asked, self._view_seconds)
        return (await _understood(answer, ONE)).as_issue()

    async def login(self) -> str | None:
        """Who is logged in."""
        answer = await self._ask(("api", "user", "-q", ".login"), self._view_seconds)
        return answer.decode(errors="replace").strip() or None

    async def _ask(self, arguments: Sequence[str], seconds: float) -> bytes:
        try:
            finished = await run(
                (self._gh, *arguments),
                self._root,
                seconds,
                # It asks git where the project came from.
                environment=git.environment_for_others(),
            )
        except TimeoutError:
            raise Unavailable(
                f"GitHub did not answer within {seconds:g} seconds. Check the network and try "
                "again."
            ) from None
        except OSError as error:
            # EC-82
            raise Unavailable(
                "GitHub CLI not found. Install it from https://cli.github.com and run "
                f"`gh auth login` ({error.strerror or error})."
            ) from error
        if finished.code != 0 or finished.flooded:
            raise _explained(finished)
        return finished.output


def _explained(finished: Finished) -> Unavailable:
    if finished.flooded:
        return Unavailable("GitHub's answer is too long to be a list of issues; it was stopped.")
    said = finished.errors.strip()
    lowered = said.lower()
    # EC-83
    if any(words in lowered for words in NO_REMOTE):
        return Unavailable(
            "No GitHub remote found for this project. Add one with `git remote add origin …`, or "
            "keep issues as files in the folder `issues`."
        )
    if any(words in lowered for words in NOT_LOGGED_IN):
        return Unavailable("GitHub CLI is not logged in. Run `gh auth login` and try again.")
    reason = said.splitlines()[0][:SHOWN_CHARS] if said else f"exit code {finished.code}"
    return Unavailable(f"GitHub CLI could not read the issues: {reason}")


async def _understood(answer: bytes, shape: TypeAdapter[Shape]) -> Shape:
    try:
        return await asyncio.to_thread(shape.validate_json, answer)
    except ValidationError as error:
        log.warning("github.not_understood", problems=error.error_count(), size=len(answer))
        raise Unavailable(
            "GitHub CLI answered with something that is no list of issues. Update `gh` and try "
            "again."
        ) from error


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
    def __init__(self, project_root: Path, gh: str = "gh", **patience: float) -> None:
        """`patience` is GitHub's: `list_seconds`, `view_seconds`."""
        self._root = project_root
        self._github = GitHub(project_root, gh, **patience)
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

"""GitHub through its own command line, which knows the repository and who is logged in."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import structlog
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from bottega.coach.plans.schemas import Comment, Issue
from bottega.core import git
from bottega.core.programs import Finished, run
from bottega.errors import Unavailable

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

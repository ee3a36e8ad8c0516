"""The project's issues: GitHub's, or the folder's where GitHub cannot be asked."""

import asyncio
from pathlib import Path

import structlog

from bottega.coach.issues.folder import IssueFolder
from bottega.coach.issues.github import LIST_SECONDS, VIEW_SECONDS, GitHub
from bottega.coach.issues.issue import Issue, IssueList, Source
from bottega.errors import Unavailable

log = structlog.get_logger()


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

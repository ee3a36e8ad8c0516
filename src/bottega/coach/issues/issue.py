"""An issue, wherever it is kept."""

import re
from enum import StrEnum

from pydantic import ConfigDict

from bottega.core.wire import Wired


class Source(StrEnum):
    GITHUB = "github"
    #: The project's own `issues/*.md`.
    FILES = "files"


class Comment(Wired):
    model_config = ConfigDict(frozen=True)

    author: str
    body: str


class Issue(Wired):
    model_config = ConfigDict(frozen=True)

    number: int
    title: str
    #: Whole: whoever sends it to a model cuts it.
    body: str = ""
    labels: tuple[str, ...] = ()
    #: Logins.
    assignees: tuple[str, ...] = ()
    comments: tuple[Comment, ...] = ()
    url: str | None = None

    def concerns(self, login: str) -> bool:
        """Whether it is this person's: assigned to them, or they are mentioned in it."""
        if login.casefold() in (name.casefold() for name in self.assignees):
            return True
        mention = re.compile(rf"(?<![\w@/.-])@{re.escape(login)}(?![\w-])", re.IGNORECASE)
        words = (self.body, *(comment.body for comment in self.comments))
        return any(mention.search(text) for text in words)


class IssueList(Wired):
    source: Source
    issues: list[Issue]
    #: Why these are not GitHub's, if they are not.
    note: str | None = None

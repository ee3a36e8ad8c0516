"""What a session says about the queue and its work, by tool or over HTTP.

Models pay for every word of a tool's schema: no descriptions where the name says it, and lengths
are checked without being listed.
"""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from bottega.board.changes.states import ChangeStatus
from bottega.board.queue.schemas import WorkResult

MOST_FILES = 1_000


def up_to(longest: int) -> AfterValidator:
    def check(text: str) -> str:
        if not text:
            raise ValueError(f"it is empty; write 1 to {longest} characters")
        if len(text) > longest:
            raise ValueError(f"it has {len(text)} characters; the limit is {longest}")
        if "\0" in text:
            raise ValueError("it contains a NUL character, which no database stores")
        return text

    return AfterValidator(check)


def at_most(number: int) -> AfterValidator:
    def check(items: list[str]) -> list[str]:
        if len(items) > number:
            raise ValueError(f"it has {len(items)} items; the limit is {number}")
        return items

    return AfterValidator(check)


_STRIPPED = StringConstraints(strip_whitespace=True)
Word = Annotated[str, _STRIPPED, up_to(40)]
Id = Annotated[str, _STRIPPED, up_to(200)]
Line = Annotated[str, _STRIPPED, up_to(4_096)]
Why = Annotated[str, _STRIPPED, up_to(5_000)]
Words = Annotated[str, _STRIPPED, up_to(20_000)]


class OfSession(BaseModel):
    session_id: Id


class Holding(OfSession):
    lease_token: int


class Completing(Holding):
    result: Words = Field(description="What you did.")
    files_changed: Annotated[list[Line], at_most(MOST_FILES)] = []
    tests: Words | None = Field(None, description="How it was tested.")

    def finish(self) -> WorkResult:
        return WorkResult(self.result, self.files_changed, self.tests or "")


class Releasing(Holding):
    why: Why


class Completion(Completing):
    change_id: Id


class Release(Releasing):
    change_id: Id


class TaskUpdate(Holding):
    change_id: Id
    tasks: list[Id] = Field(description="Their ids.")
    done: bool = True


class Asking(OfSession):
    change_id: Id | None = Field(None, description="This one, whoever's turn it is.")


class WorkFilter(BaseModel):
    project_id: Id | None = None
    status: ChangeStatus | None = None


class OfChange(BaseModel):
    change_id: Id
    project_id: Id | None = None


class QueueRequest(BaseModel):
    project_id: Id | None = None
    limit: int = Field(200, ge=1, le=1_000)

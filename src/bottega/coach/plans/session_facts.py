"""What the coach notes about a session in the session's own row (`Session.data`)."""

from typing import Any

from pydantic import BaseModel, Field

from bottega.coach.editor.schemas import IssueContext
from bottega.coach.enums import HintLevel
from bottega.core.db.database import Database
from bottega.core.sessions.session import Session, lock


class SessionFacts(BaseModel):
    #: What is worked on, as it was known at the start.
    issue: IssueContext | None = None
    #: The person's own choice, if they made one.
    hint_level: HintLevel | None = None
    #: The abandoned session that this one goes on with.
    previous_session_id: str | None = None
    #: Those that were open when it began; the log tells what was opened and closed since.
    open_files: list[str] = Field(default_factory=list)

    def as_data(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude_none=True)


def facts_of(row: Session) -> SessionFacts:
    return SessionFacts.model_validate(row.data)


def issue_of(row: Session) -> IssueContext:
    """Known from the start, or put together from what the row has."""
    if (issue := facts_of(row).issue) is not None:
        return issue
    number, title = row.issue_number, row.issue_title or row.title
    return IssueContext(number=number, title=title or (f"Issue #{number}" if number else "Session"))


async def choose_level(
    database: Database, session_id: str, user_id: str, level: HintLevel
) -> Session:
    # Merged under the row's lock: another fact may be noted at the same moment.
    async with database.write() as session:
        row = await lock(session, session_id, user_id)
        row.data = {**row.data, "hint_level": level.value}
    return row

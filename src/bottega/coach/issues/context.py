"""What a session is about: the person's own words first, then what is found under the number."""

from bottega.coach.issues.issue import Issue
from bottega.coach.issues.issues import Issues
from bottega.coach.protocol.sessions import IssueContext, StartSession
from bottega.errors import InvalidInput

TITLE_CHARS = 100


async def understand(issues: Issues, asked: StartSession) -> IssueContext:
    found = await issues.find(asked.issue_number) if asked.issue_number else None
    summary = (asked.issue_summary or "").strip()
    title = (asked.issue_title or "").strip() or _title(found, summary, asked.issue_number)
    if not title:
        raise InvalidInput(
            "There is nothing to work on in this: give issueNumber, or say in issueTitle what you "
            "want to do."
        )
    return IssueContext(
        number=asked.issue_number,
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

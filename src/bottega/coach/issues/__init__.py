"""What there is to work on: the project's issues on GitHub, or in a folder of its own."""

from bottega.coach.issues.issue import Comment, Issue, IssueList, Source
from bottega.coach.issues.issues import Issues

__all__ = ["Comment", "Issue", "IssueList", "Issues", "Source"]

"""One failure, with all that is known of it from a report."""

from dataclasses import dataclass

from bottega.board.failures.fingerprint import fingerprint
from bottega.board.failures.report import Runner, TestResult


@dataclass(frozen=True, slots=True)
class FailureFacts:
    fingerprint: str
    test_id: str
    title: str
    runner: Runner
    message: str
    stack: str | None = None
    suite: str = ""
    file: str | None = None
    line: int | None = None
    project: str | None = None
    attachments: tuple[str, ...] = ()

    @classmethod
    def of(cls, result: TestResult, runner: Runner) -> "FailureFacts | None":
        """Nothing for a test without an error."""
        if result.error is None:
            return None
        return cls(
            fingerprint=fingerprint(result.test_id, result.error.message),
            test_id=result.test_id,
            title=result.title,
            runner=runner,
            message=result.error.message,
            stack=result.error.stack,
            suite=result.suite,
            file=result.file,
            line=result.line,
            project=result.project,
            attachments=result.attachments,
        )

"""What our own Playwright reporter posts (`integrations/playwright`): flat, and only what we keep.

    {"format": "bottega-report", "version": 1, "runner": "playwright",
     "started_at": "2026-05-04T09:30:00.000Z", "duration_ms": 5321, "status": "failed",
     "shard": {"current": 1, "total": 3},
     "tests": [{"file": "checkout.spec.ts", "line": 12, "titles": ["checkout", "pays by card"],
                "project": "chromium", "status": "failed", "duration_ms": 812, "retries": 1,
                "error": {"message": "…", "stack": "…"}, "attachments": ["results/trace.zip"]}],
     "errors": [{"message": "…", "stack": "…"}]}

Only `format` and `version` are required, and of a test `titles` and `status`.
"""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from bottega.board.failures.playwright import Milliseconds, Shard
from bottega.board.failures.report import ReportedError, Status, TestResult


class Error(BaseModel):
    message: str
    stack: str | None = None

    def reported(self) -> ReportedError:
        return ReportedError.of(self.message, self.stack)


class Test(BaseModel):
    __test__ = False

    titles: list[str] = Field(min_length=1)
    status: Status
    file: str | None = None
    line: int | None = None
    project: str | None = None
    duration_ms: Milliseconds = 0
    retries: int = Field(0, ge=0, le=1000)
    error: Error | None = None
    attachments: list[str] = []


class Head(BaseModel):
    """Everything of the report but its tests."""

    format: Literal["bottega-report"]
    version: Literal[1]
    started_at: datetime | None = None
    duration_ms: Milliseconds = 0
    status: str = ""
    shard: Shard | None = None
    errors: list[Error] = []


def read_test(test: Test) -> TestResult:
    return TestResult.of(
        test.titles,
        test.status,
        file=test.file,
        line=test.line,
        project=test.project,
        duration_ms=test.duration_ms,
        retries=test.retries,
        error=test.error.reported() if test.error else None,
        attachments=test.attachments,
    )

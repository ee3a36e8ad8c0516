"""Reports as the runners write them, small enough to read."""

import json
from typing import Any


def playwright_error(message: str, at: str = "checkout.spec.ts:12:5") -> dict[str, Any]:
    return {"message": message, "stack": f"{message}\n    at /home/me/shop/e2e/{at}"}


def attempt(
    status: str = "passed", error: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    return {
        "workerIndex": 0,
        "status": status,
        "duration": 120,
        "error": error,
        "errors": [error] if error else [],
        "stdout": [{"text": "noise"}],
        "stderr": [],
        "retry": 0,
        "startTime": "2026-05-04T09:30:01.000Z",
        "attachments": [],
        **more,
    }


def spec(title: str, *tests: dict[str, Any], line: int = 12) -> dict[str, Any]:
    file = "checkout.spec.ts"
    return {
        "title": title,
        "ok": True,
        "tags": [],
        "tests": list(tests),
        "file": file,
        "line": line,
    }


def run_of(outcome: str, *attempts: dict[str, Any], project: str = "chromium") -> dict[str, Any]:
    return {
        "timeout": 30000,
        "expectedStatus": "passed",
        "projectId": project,
        "projectName": project,
        "results": list(attempts),
        "status": outcome,
    }


def suite(title: str, *specs: dict[str, Any], suites: list[Any] | None = None) -> dict[str, Any]:
    described = {"title": title, "file": "checkout.spec.ts", "line": 3, "specs": list(specs)}
    return {**described, "suites": suites} if suites else described


def playwright_report(*files: dict[str, Any], **more: Any) -> bytes:
    report = {
        "config": {"rootDir": "/home/me/shop/e2e", "shard": None},
        "suites": list(files),
        "errors": [],
        "stats": {"startTime": "2026-05-04T09:30:00.000Z", "duration": 5321.7, "unexpected": 1},
        **more,
    }
    return json.dumps(report, indent=2).encode()


def reporter_report(*tests: dict[str, Any], **more: Any) -> bytes:
    head = {"format": "bottega-report", "version": 1, "runner": "playwright"}
    return json.dumps({**head, "tests": list(tests), **more}).encode()

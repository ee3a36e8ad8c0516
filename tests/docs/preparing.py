"""What must have happened before a command of a page can be typed: a reader would have done it, an
agent would have worked. It is done here through the same doors."""

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from mcp import Client

from tests.core.transcripts.test_transcripts import sitting, write
from tests.docs.sandbox import Sandbox

#: As a page writes what differs each time, and as it is really printed. In a command the newest
#: that was printed stands in for it.
VOLATILE = (
    (re.compile(r"\bmem_\w*…"), re.compile(r"\bmem_[0-9a-f]{32}")),
    (re.compile(r"\bvalue_[0-9a-f]{32}"), re.compile(r"\bvalue_[0-9a-f]{32}")),
    (
        re.compile(r"\b(?:run|res|ses|sess)_\w*…"),
        re.compile(r"\b(?:run|res|ses|sess)_[0-9a-f]{32}"),
    ),
    (
        re.compile(r"\bbottega-backup-\d{8}-\d{6}\.tar\.gz"),
        re.compile(r"\bbottega-backup-\d{8}-\d{6}\.tar\.gz"),
    ),
    (re.compile(r"\bactive\.json\.bad-\w+"), re.compile(r"\bactive\.json\.bad-\w+")),
)
#: What differs between two runs of the same command, on whichever page.
VARYING = re.compile(
    r"value_[0-9a-f]{32}|\d{4}-\d\d-\d\dT\d\d:\d\d|(?<=0\.\d\d {8})\d{4}-\d\d-\d\d"
    r"|bottega-backup-\d{8}-\d{6}|[\d.]+ [kMG]B\b|\b\d+ files\b|schema \w+"
    r"|\b\d+ (?=messages|new sessions)"
)


def fill_in(command: str, printed: str) -> str:
    """The command with what was really printed in place of what the page shows."""
    for shown, real in VOLATILE:
        found = real.findall(printed)
        if found:
            command = shown.sub(found[-1], command)
    return command


def start_coaching(sandbox: Sandbox) -> str:
    return post(sandbox, "/api/coach/sessions", {"issueNumber": 1})


def propose_twice(sandbox: Sandbox) -> str:
    """Beside the example's own change another, so that one can be turned down."""
    changes = Path(sandbox.environment["PROJECT_DIR"], "openspec", "changes")
    text = (changes / "share-by-some" / "proposal.md").read_text()
    folder = changes / "fix-flaky-login"
    folder.mkdir(exist_ok=True)
    (folder / "proposal.md").write_text(text)
    (folder / "tasks.md").write_text("## 1. Login\n\n- [ ] 1.1 Wait for the token\n")
    with client(sandbox) as http:
        for _ in range(200):
            listed = http.get("/api/board/changes").json()
            if "fix-flaky-login" in json.dumps(listed):
                return ""
            asyncio.run(asyncio.sleep(0.05))
    raise TimeoutError("the board did not see the new change")


def let_an_agent_work(sandbox: Sandbox) -> str:
    asyncio.run(_work(sandbox))
    return ""


async def _work(sandbox: Sandbox) -> None:
    async with Client(f"{sandbox.url}/mcp/board") as agent:

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            result = await agent.call_tool(tool, arguments)
            assert not result.is_error, result.structured_content
            return result.structured_content or {}

        project = sandbox.environment["PROJECT_DIR"]
        session = await call("board_register_session", project_path=project)
        me = {"session_id": session["session_id"]}
        claim = (await call("board_next_work", **me))["work"]
        held = me | {"change_id": claim["change_id"], "lease_token": claim["lease_token"]}
        await call("board_update_tasks", **held, tasks=[task["id"] for task in claim["tasks"]])
        await call("board_complete_work", **held, result="Done.", files_changed=["trip.py"])


def break_an_open_entry(sandbox: Sandbox) -> str:
    """By a slip of the hand; the next look at it sets it aside. What is in the folder then."""
    entry = {
        "domain": "testing",
        "strategy": "systematic-elimination",
        "goal": "Make the export test dependable",
        "hypothesis": "The test shares its directory with another test of the suite",
        "action": "Give the test a directory of its own",
        "prediction": "Fifty runs in a row are green",
        "confidence": 0.8,
    }
    post(sandbox, "/api/journal/entries", entry)
    [folder] = (sandbox.data / "journal" / "local").glob("tally-*")
    active = folder / "active.json"
    active.write_text(active.read_text().replace('"confidence": 0.8', '"confidence": 8'))
    with client(sandbox) as http:
        http.get("/api/journal/active")
    # Where it is by default.
    (sandbox.home / ".bottega").symlink_to(sandbox.data)
    return " ".join(path.name for path in folder.iterdir())


def leave_transcripts(sandbox: Sandbox) -> str:
    here = sandbox.home / ".claude" / "projects"
    old = sandbox.home / "old-laptop" / ".claude" / "projects"
    for folder in (here, old):
        folder.mkdir(parents=True, exist_ok=True)
    write(here / "shop" / "one.jsonl", sitting())
    (here / "notes.jsonl").write_text("Milk, bread\n")
    write(old / "shop" / "two.jsonl", sitting())
    write(sandbox.checkout / "one-more.jsonl", sitting())
    return ""


def stop_the_server(sandbox: Sandbox) -> str:
    sandbox.stop()
    return ""


#: By what a command begins with. What a step returns counts as printed.
STEPS: dict[str, Callable[[Sandbox], str]] = {
    "bottega coach status": start_coaching,
    "bottega board list": propose_twice,
    "bottega board apply": let_an_agent_work,
    "cd ~/.bottega/journal": break_an_open_entry,
    "bottega transcripts import": leave_transcripts,
    "bottega restore": stop_the_server,
}


def prepare(sandbox: Sandbox, command: str) -> str:
    return "\n".join(step(sandbox) for begins, step in STEPS.items() if command.startswith(begins))


def client(sandbox: Sandbox) -> httpx.Client:
    return httpx.Client(base_url=sandbox.url, trust_env=False, timeout=30)


def post(sandbox: Sandbox, path: str, body: dict[str, Any]) -> str:
    with client(sandbox) as http:
        answer = http.post(path, json=body)
    assert answer.is_success, answer.text
    return answer.text

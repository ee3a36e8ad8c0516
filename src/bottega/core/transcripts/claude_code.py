"""Claude Code's transcripts: a JSON object a line, each with the session it belongs to.

What was said has a `uuid` and a `message` in the shape of Anthropic's API. A file may hold several
sessions, one that was resumed under another id; subagents have files of their own, whose lines name
the `agentId`. Lines of other types (snapshots of files, queues, progress) are no part of the talk.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from bottega.core.transcripts.transcript import Transcript, TranscriptMessage, moment, words

SOURCE = "claude-code"
SPOKEN = frozenset({"user", "assistant", "system"})
#: Parts of a block that are names and numbers, not words.
UNSPOKEN = frozenset({"type", "id", "tool_use_id", "signature", "cache_control", "source"})
FACTS = {"version": "version", "gitBranch": "git_branch", "sessionId": "session_id"}

Line = Mapping[str, Any]


def recognises(line: Line) -> bool:
    return isinstance(line.get("sessionId"), str) and isinstance(line.get("type"), str)


def read(lines: Iterable[tuple[int, Line]]) -> list[Transcript]:
    found: dict[str, Transcript] = {}
    title = None
    for _, line in lines:
        if line.get("type") == "summary":
            title = str(line.get("summary") or "") or title
        elif (said := _said(line)) is not None:
            _of(found, line).said.append(said)
    transcripts = list(found.values())
    if len(transcripts) == 1:
        transcripts[0].title = title
    return transcripts


def _of(found: dict[str, Transcript], line: Line) -> Transcript:
    session, agent = line["sessionId"], line.get("agentId")
    name = f"{SOURCE}-{session}-{agent}" if agent else f"{SOURCE}-{session}"
    if name not in found:
        facts = {ours: line[theirs] for theirs, ours in FACTS.items() if line.get(theirs)}
        if agent:
            facts |= {"agent_id": agent, "parent": f"{SOURCE}-{session}"}
        found[name] = Transcript(name, SOURCE, str(line.get("cwd") or ""), facts=facts)
    return found[name]


def _said(line: Line) -> TranscriptMessage | None:
    at, uuid = moment(line.get("timestamp")), line.get("uuid")
    if line.get("type") not in SPOKEN or not recognises(line) or at is None:
        return None
    if not isinstance(uuid, str) or not uuid:
        return None
    message = line.get("message")
    if not isinstance(message, dict):
        # The system's own lines have a text instead.
        message = {"content": str(line.get("content") or "")}
    content = _without_pictures(message.get("content"))
    kept = {name: message[name] for name in ("model", "usage", "stop_reason") if name in message}
    if line.get("isSidechain"):
        kept["sidechain"] = True
    return TranscriptMessage(
        uuid, _role(line, content), {"content": content, **kept}, words(_spoken(content)), at
    )


def _role(line: Line, content: Any) -> str:
    if line["type"] == "user":
        if line.get("isMeta"):
            return "system"
        if isinstance(content, list) and any(_is(block, "tool_result") for block in content):
            return "tool"
    return str(line["type"])


def _without_pictures(content: Any) -> Any:
    """Base64 by the megabyte, which nobody can search."""
    if isinstance(content, list):
        return [_without_pictures(block) for block in content]
    if not isinstance(content, dict):
        return content
    if _is(content, "image") or _is(content, "document"):
        source = content.get("source")
        kind = source.get("media_type") if isinstance(source, dict) else None
        return {"type": content["type"], "media_type": kind, "left_out": True}
    return {name: _without_pictures(value) for name, value in content.items()}


def _spoken(content: Any) -> Any:
    if isinstance(content, list):
        return [_spoken(block) for block in content]
    if isinstance(content, dict):
        return [value for name, value in content.items() if name not in UNSPOKEN]
    return content


def _is(block: Any, type: str) -> bool:
    return isinstance(block, dict) and block.get("type") == type

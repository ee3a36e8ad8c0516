"""Codex's rollouts: `{timestamp, type, payload}` a line, the session's own first.

What was said is in `response_item`; `event_msg` says the same again for the screen. Nothing has an
id, but a rollout only grows: a line's number is its name.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from bottega.core.transcripts.transcript import Transcript, TranscriptMessage, moment, words

SOURCE = "codex"
#: What Codex puts before a person's words.
PREAMBLES = ("<environment_context>", "<user_instructions>", "# AGENTS.md instructions")
#: Parts of an item that are names and numbers, or can be read by nobody.
UNSPOKEN = frozenset({"type", "id", "call_id", "role", "status", "encrypted_content", "image_url"})

Line = Mapping[str, Any]


def recognises(line: Line) -> bool:
    payload = line.get("payload")
    if line.get("type") != "session_meta" or not isinstance(payload, dict):
        return False
    return isinstance(payload.get("id"), str)


def read(lines: Iterable[tuple[int, Line]]) -> list[Transcript]:
    transcript: Transcript | None = None
    for number, line in lines:
        if transcript is None and recognises(line):
            transcript = _begin(line["payload"])
        elif transcript is not None and line.get("type") == "response_item":
            said = _said(transcript.id, number, line)
            if said is not None:
                transcript.said.append(said)
    return [] if transcript is None else [transcript]


def _begin(meta: Mapping[str, Any]) -> Transcript:
    facts: dict[str, Any] = {"session_id": meta["id"]}
    if meta.get("cli_version"):
        facts["version"] = meta["cli_version"]
    git = meta.get("git")
    if isinstance(git, dict) and git.get("branch"):
        facts["git_branch"] = git["branch"]
    return Transcript(f"{SOURCE}-{meta['id']}", SOURCE, str(meta.get("cwd") or ""), facts=facts)


def _said(transcript_id: str, number: int, line: Line) -> TranscriptMessage | None:
    item, at = line.get("payload"), moment(line.get("timestamp"))
    if not isinstance(item, dict) or at is None:
        return None
    text = words(_spoken(item))
    if not text.strip():
        return None
    kept = {name: value for name, value in item.items() if name != "encrypted_content"}
    return TranscriptMessage(f"{transcript_id}-{number}", _role(item, text), kept, text, at)


def _role(item: Mapping[str, Any], text: str) -> str:
    if item.get("type") != "message":
        return "tool" if str(item.get("type")).endswith("_output") else "assistant"
    role = item.get("role")
    if role == "user":
        return "system" if text.lstrip().startswith(PREAMBLES) else "user"
    return "assistant" if role == "assistant" else "system"


def _spoken(value: Any) -> Any:
    if isinstance(value, list):
        return [_spoken(each) for each in value]
    if isinstance(value, dict):
        return [_spoken(each) for name, each in value.items() if name not in UNSPOKEN]
    return value

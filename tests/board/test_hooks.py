"""Claude Code's hook JSON: what is understood of it, and what is kept."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.board.agents.hook_events import LONGEST_BYTES, bounded, read
from bottega.errors import InvalidInput

COMMON = {
    "session_id": "00893aaf-19fa-41d2-8238-13269b9b3ca0",
    "prompt_id": "550e8400-e29b-41d4-a716-446655440000",
    "transcript_path": "/home/ada/.claude/projects/bakery/00893aaf.jsonl",
    "cwd": "/home/ada/bakery",
    "permission_mode": "default",
}
BASH = {
    "tool_name": "Bash",
    "tool_input": {"command": "make test", "description": "Run the tests", "timeout": 120000},
    "tool_use_id": "toolu_01ABC123",
}
EVENTS: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup", "model": "claude-sonnet"},
    "UserPromptSubmit": {"prompt": "Take the next change from the board"},
    "PreToolUse": BASH,
    "PostToolUse": BASH
    | {"tool_response": {"stdout": "ok", "stderr": "", "interrupted": False}, "duration_ms": 4187},
    "PostToolUseFailure": BASH | {"error": "exit code 2", "is_interrupt": False},
    "PermissionRequest": BASH | {"permission_suggestions": [{"type": "addRules"}]},
    "Notification": {"message": "Claude needs your permission", "notification_type": "idle"},
    "Stop": {"stop_hook_active": False, "last_assistant_message": "Done."},
    "SubagentStart": {"agent_id": "agent-1", "agent_type": "Explore"},
    "SubagentStop": {"stop_hook_active": False, "agent_id": "agent-1", "agent_type": "Explore"},
    "PreCompact": {"trigger": "auto", "custom_instructions": ""},
    "SessionEnd": {"reason": "prompt_input_exit"},
    "AnEventOfNextYear": {"new_field": {"deep": [1, 2, {"er": None}]}},
}
Json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda children: (
        st.lists(children, max_size=4) | st.dictionaries(st.text(), children, max_size=4)
    ),
    max_leaves=12,
)


def as_is(text: str) -> str:
    return text


@pytest.mark.requirement("BD-534")
@pytest.mark.parametrize("event", EVENTS)
def test_every_event_is_taken_as_it_is_sent(event: str) -> None:
    """Events and fields that are not known are kept."""
    own = EVENTS[event]
    hook = read(COMMON | {"hook_event_name": event} | own, as_is)
    assert (hook.event, hook.client_session_id) == (event, COMMON["session_id"])
    assert hook.cwd == "/home/ada/bakery"
    columns = ("session_id", "tool_name", "tool_use_id")
    expected = {name: value for name, value in (COMMON | own).items() if name not in columns}
    assert hook.payload == expected
    assert (hook.tool_name, hook.tool_use_id) == (own.get("tool_name"), own.get("tool_use_id"))


@pytest.mark.requirement("BD-545")
@pytest.mark.parametrize(
    ("event", "more", "worked"),
    [
        ("PostToolUse", {"tool_response": {"stdout": "fine", "interrupted": False}}, True),
        ("PostToolUse", {"tool_response": {"filePath": "a.py", "success": True}}, True),
        ("PostToolUse", {"tool_response": {"error": "", "is_error": False}}, True),
        ("PostToolUse", {"tool_response": "plain text"}, True),
        ("PostToolUse", {"tool_response": [{"type": "text", "text": "from MCP"}]}, True),
        ("PostToolUse", {}, True),
        ("PostToolUse", {"tool_response": {"error": "no such file"}}, False),
        ("PostToolUse", {"tool_response": {"is_error": True}}, False),
        ("PostToolUse", {"tool_response": {"isError": True, "content": []}}, False),
        ("PostToolUse", {"tool_response": {"interrupted": True}}, False),
        ("PostToolUse", {"tool_response": {"success": False}}, False),
        ("PostToolUseFailure", {"error": "exit code 1"}, False),
        ("PreToolUse", {}, None),
        ("Stop", {}, None),
    ],
)
def test_whether_a_tool_worked_is_read_from_its_response(
    event: str, more: dict[str, Any], worked: bool | None
) -> None:
    assert read(COMMON | {"hook_event_name": event} | more, as_is).success is worked


@pytest.mark.requirement("BD-546")
@pytest.mark.parametrize(
    ("said", "understood"),
    [(4187, 4187), (12.7, 12), (-5, None), ("soon", None), (True, None), (10**12, None)],
)
def test_a_duration_that_cannot_be_one_is_left_out(said: object, understood: int | None) -> None:
    """Claude Code's own figure, where it makes sense."""
    body = COMMON | {"hook_event_name": "PostToolUse", "duration_ms": said}
    assert read(body, as_is).duration_ms == understood


@pytest.mark.requirement("BD-537")
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"session_id": "s"},
        {"hook_event_name": "Stop"},
        {"session_id": "", "hook_event_name": "Stop"},
        {"session_id": 7, "hook_event_name": "Stop"},
        {"session_id": "s", "hook_event_name": ["Stop"]},
    ],
)
def test_what_is_no_hook_event_is_refused(body: dict[str, Any]) -> None:
    """With the field that is wrong and what to send."""
    with pytest.raises(InvalidInput, match=r"(session_id|hook_event_name) is .*as it is"):
        read(body, as_is)


@pytest.mark.requirement("BD-535")
def test_secrets_are_hidden_wherever_they_stand() -> None:
    """By name at any depth, in JSON inside a text, on a command line, or known."""
    body = COMMON | {
        "hook_event_name": "PreToolUse",
        "tool_input": {
            "command": "API_KEY=s3cr3t-one deploy --token=s3cr3t-two -H 'Authorization: "
            "Bearer s3cr3t-three' && curl -u x:known-secret",
            "env": {"GITHUB_TOKEN": "s3cr3t-four", "LANG": "C"},
            "content": json.dumps({"password": "s3cr3t-five", "user": "ada"}),
        },
        "api_key": "s3cr3t-six",
        "headers": ["Authorization: Basic s3cr3t-seven"],
    }
    kept = read(body, lambda text: text.replace("known-secret", "•••")).payload
    text = json.dumps(kept)
    assert "s3cr3t" not in text
    assert "known-secret" not in text
    assert kept["tool_input"]["env"]["LANG"] == "C"
    assert "deploy --token=[hidden]" in kept["tool_input"]["command"]
    assert '"user": "ada"' in kept["tool_input"]["content"]


@pytest.mark.requirement("BD-535")
def test_ordinary_commands_are_kept_as_they_are() -> None:
    """Nothing else is hidden."""
    command = "pytest -k 'test_keys and not slow' --maxfail=1; git log --format=%H key_findings.md"
    assert bounded({"command": command}, as_is) == {"command": command}


@pytest.mark.requirement("BD-536")
@pytest.mark.parametrize(
    "fields",
    [
        {"tool_input": {"content": "x" * 1_000_000}},
        {"tool_response": {"stdout": "ü" * 50_000, "stderr": "e" * 50_000}},
        {"list": ["y" * 1_000] * 10_000},
        {f"field {n}": "z" * 500 for n in range(1_000)},
        {"deep": [[[[[[[[[["end"]]]]]]]]]]},
        {"n" * 100_000: "name"},
    ],
)
def test_a_payload_is_cut_to_its_bound(fields: dict[str, Any]) -> None:
    """And says so."""
    kept = bounded(fields, as_is)
    assert len(json.dumps(kept, ensure_ascii=False).encode()) <= LONGEST_BYTES
    assert kept.get("truncated") or "…" in json.dumps(kept, ensure_ascii=False)


@pytest.mark.requirement("BD-536")
def test_a_small_field_survives_beside_a_large_one() -> None:
    """The longest texts are cut first."""
    kept = bounded({"tool_input": {"file_path": "src/a.py", "content": "x" * 100_000}}, as_is)
    assert kept["tool_input"]["file_path"] == "src/a.py"
    assert kept["truncated"] is True
    assert len(kept["tool_input"]["content"]) == 2_001


@pytest.mark.requirement("BD-534", "BD-536")
@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.text(), Json, max_size=4))
def test_no_json_object_is_too_odd_to_be_read(body: dict[str, Any]) -> None:
    """Whatever an extension adds."""
    hook = read(body | {"session_id": "s", "hook_event_name": "Custom"}, as_is)
    assert len(json.dumps(hook.payload, ensure_ascii=False).encode()) <= LONGEST_BYTES

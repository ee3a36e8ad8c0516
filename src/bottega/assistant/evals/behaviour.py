"""Criteria about what was done on the way, from the trace: skills, reads, guardrails, gates."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence

from pydantic import BaseModel, ConfigDict

from bottega.assistant.evals.findings import Finding, Kind
from bottega.assistant.evals.playing import Played
from bottega.assistant.hooks.lifecycle import HookOutcome
from bottega.assistant.hooks.registry import GUARDRAILS
from bottega.core.traces import SpanKind, SpanRow


class Conduct(BaseModel):
    """What an agent and its hooks did, in numbers."""

    model_config = ConfigDict(frozen=True)

    tool_calls: int = 0
    skills: list[str] = []
    skill_files: list[str] = []
    files_read: list[str] = []
    memory_reads: int = 0
    memory_writes: int = 0
    subagents: int = 0
    guardrails_passed: int = 0
    guardrails_run: int = 0
    #: Answers at gates: `feedforward confirm`.
    decisions: dict[str, int] = {}
    #: Tokens of the prompt by section, at its first assembly.
    prompt_tokens: dict[str, int] = {}


def conduct_of(played: Played) -> Conduct:
    spans = played.spans
    skills = _arguments(spans, "read_skill")
    guardrails = [
        span.attributes.get("bottega.hook.outcome")
        for span in spans
        if span.attributes.get("bottega.hook.name") in GUARDRAILS
    ]
    memory = Counter(
        span.attributes.get("bottega.memory.event")
        for span in spans
        if span.kind == SpanKind.MEMORY
    )
    return Conduct(
        tool_calls=sum(span.kind == SpanKind.TOOL for span in spans),
        skills=[each for each in skills if "/" not in each],
        skill_files=[each for each in skills if "/" in each],
        files_read=_arguments(spans, "read_file"),
        memory_reads=memory["read"],
        memory_writes=memory["write"],
        subagents=sum(span.name.startswith("subagent ") for span in spans),
        guardrails_passed=sum(outcome == HookOutcome.PASSED for outcome in guardrails),
        guardrails_run=len(guardrails),
        decisions=dict(Counter(f"{each.gate.kind} {each.reply.decision}" for each in played.asked)),
        prompt_tokens=next(
            (
                event.payload["tokens"]
                for event in played.events
                if event.type == "prompt_assembled"
            ),
            {},
        ),
    )


def judge_conduct(played: Played, conduct: Conduct) -> Iterator[Finding]:
    expect = played.case.expect
    if expect.skills:
        yield _enough("skills read", conduct.skills, expect.skills)
    if expect.skill_files:
        yield _enough("skill files read", conduct.skill_files, expect.skill_files)
    if expect.reads:
        read = {path.removeprefix("workspace/") for path in conduct.files_read}
        missing = [path for path in expect.reads if path not in read]
        yield _finding(
            "workspace read",
            1 - len(missing) / len(expect.reads),
            f"not read: {', '.join(missing)}" if missing else "",
        )
    if played.case.memory:
        sections = {"teacher_memory", "class_memory"} & set(conduct.prompt_tokens)
        is_used = bool(sections) or conduct.memory_reads > 0
        yield _finding("memory read", float(is_used), "" if is_used else "memory was not looked at")
    if conduct.guardrails_run:
        passed, all_run = conduct.guardrails_passed, conduct.guardrails_run
        yield _finding("guardrails passed", passed / all_run, f"{passed} of {all_run}")


def _enough(criterion: str, found: Sequence[str], wanted: int) -> Finding:
    different = sorted(set(found))
    return _finding(criterion, min(1.0, len(different) / wanted), ", ".join(different) or "none")


def _finding(criterion: str, score: float, note: str) -> Finding:
    return Finding(criterion=criterion, kind=Kind.BEHAVIOURAL, score=round(score, 4), note=note)


def _arguments(spans: Sequence[SpanRow], tool: str) -> list[str]:
    """What a tool that takes one thing was asked for, where it succeeded."""
    asked: list[str] = []
    for span in spans:
        attributes = span.attributes
        is_answered = "gen_ai.tool.call.result" in attributes
        if span.name == f"tool {tool}" and is_answered:
            arguments = json.loads(attributes.get("gen_ai.tool.call.arguments", "{}"))
            asked += [str(value) for value in list(arguments.values())[:1]]
    return asked

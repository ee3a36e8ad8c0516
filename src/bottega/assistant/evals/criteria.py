"""What a case is judged by without a model: its document by rules, its conduct by the trace."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence

from bottega.assistant.curriculum.evidence import Match, Unread, check_evidence
from bottega.assistant.curriculum.pointers import Pointer, pointers_in
from bottega.assistant.drafts.phrases import has_any
from bottega.assistant.drafts.sections import split_sections
from bottega.assistant.evals.playthrough import Played
from bottega.assistant.evals.report import AssistantKind, Conduct, EvalFinding, share
from bottega.assistant.hooks.registry import GUARDRAILS
from bottega.assistant.sessions.schemas import HookOutcome, LoopStatus
from bottega.core.traces import SpanKind, SpanRow

CURRICULUM = "curriculum/"
#: Titles of the section in which needs are answered to.
SUPPORT = ("differentiation", "support*", "adapt*")


def judge_structure(played: Played) -> Iterator[EvalFinding]:
    """Takes some milliseconds: for a thread."""
    expect, text = played.case.expect, played.text
    yield _ended(played)
    if expect.sections:
        titles = "\n".join(section.title for section in split_sections(text).sections)
        yield share("sections", AssistantKind.STRUCTURAL, expect.sections, titles)
    if expect.class_context:
        yield share("class context", AssistantKind.STRUCTURAL, expect.class_context, text)
    if expect.evidence:
        yield _judge_evidence(played)
    if expect.differentiation:
        yield share(
            "differentiation", AssistantKind.STRUCTURAL, expect.differentiation, _support(text)
        )
    if expect.memory:
        yield share("memory", AssistantKind.STRUCTURAL, expect.memory, text)
    if expect.mentions:
        yield share("mentions", AssistantKind.STRUCTURAL, expect.mentions, text)


def _ended(played: Played) -> EvalFinding:
    result = played.result
    is_done = result is not None and result.status is LoopStatus.SUCCESS
    reason = played.error or (result.reason if result else None) or ""
    note = "" if is_done else f"{result.status if result else 'failed'}: {reason}"
    return EvalFinding(
        criterion="ended well", kind=AssistantKind.STRUCTURAL, score=float(is_done), note=note[:500]
    )


def _judge_evidence(played: Played) -> EvalFinding:
    """Pointers that hold, of all that there are and of all claims that have none."""
    files = played.files
    named = {each.path for each in pointers_in(played.text) if isinstance(each, Pointer)}
    none = Unread(status=Match.NO_FILE, reason="the workspace has no such file.")
    read = {path: files.get(path.removeprefix("workspace/"), none) for path in named}
    curriculum = {path: text for path, text in files.items() if path.startswith(CURRICULUM)}
    report = check_evidence(played.text, read, curriculum)
    matched = sum(pointer.status is Match.FOUND for pointer in report.pointers)
    asked = matched + len(report.problems)
    problems = "; ".join(str(problem) for problem in report.problems[:3])
    return EvalFinding(
        criterion="evidence",
        kind=AssistantKind.STRUCTURAL,
        score=round(matched / asked, 4) if asked else 0.0,
        note=problems or ("" if asked else "nothing of the curriculum is quoted"),
    )


def _support(text: str) -> str:
    """The section about needs, or all of it if there is none."""
    found = [each.text for each in split_sections(text).sections if has_any(each.title, SUPPORT)]
    return "\n".join(found) or text


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


def judge_conduct(played: Played, conduct: Conduct) -> Iterator[EvalFinding]:
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


def _enough(criterion: str, found: Sequence[str], wanted: int) -> EvalFinding:
    different = sorted(set(found))
    return _finding(criterion, min(1.0, len(different) / wanted), ", ".join(different) or "none")


def _finding(criterion: str, score: float, note: str) -> EvalFinding:
    return EvalFinding(
        criterion=criterion, kind=AssistantKind.BEHAVIOURAL, score=round(score, 4), note=note
    )


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

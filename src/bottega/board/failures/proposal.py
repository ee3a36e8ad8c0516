"""A failure worded as a proposal: a change that the `openspec` CLI accepts.

`proposal.md` stays short enough to decide on; the whole error, its stack and the questions about
its cause are in `design.md`, which the one who takes the work gets too. Everything that comes
from the report is quoted.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime

from bottega.board.failures.facts import FailureFacts, rerun_command
from bottega.board.failures.recorder import MainSpecs
from bottega.board.failures.reports.report import BoardOutcome, block, code, cut, inline
from bottega.board.failures.triage import (
    GUIDES,
    RUNS_LOOKED_AT,
    FailureClass,
    FailureHistory,
    kind_of,
    questions_for,
)
from bottega.board.openspec.drafts import (
    DeltaInput,
    NewChange,
    RequirementInput,
    ScenarioInput,
    TaskGroupInput,
    render_change,
)
from bottega.board.openspec.layout import change_id
from bottega.board.openspec.specs import fold

#: OpenSpec finds a longer "Why" worth a warning.
LONGEST_WHY = 1_000
LONGEST_STACK_LINES = 60
#: Enough of a fingerprint to tell a project's failures apart.
MARK = 6
#: Runs in a row that make one believe that a flaky test is cured.
FLAKY_PROOF = 10

_SIGNS = {BoardOutcome.PASSED: "○", BoardOutcome.FAILED: "●", BoardOutcome.FLAKED: "◐"}
_TEST_WORDS = re.compile(r"^test[_-]|[._-](?:spec|test|tests|cy|e2e)$|Tests?$", re.IGNORECASE)


def proposal_for(
    failure: FailureFacts, history: FailureHistory, pattern: FailureClass
) -> NewChange:
    """Word the change that is to fix the failure."""
    return NewChange(
        id=proposal_id(failure),
        title=f"Fix: {inline(failure.title, 100)}",
        why=_why(failure, history, pattern),
        what_changes=_what_changes(failure),
        impact=_impact(failure),
        tasks=_tasks(failure, pattern),
        deltas=(_delta(failure, capability_of(failure)),),
        design=_design(failure, history, pattern),
    )


def proposal_id(failure: FailureFacts) -> str:
    """The same for the same failure, so that it is never proposed twice."""
    words = change_id(f"Fix {failure.title}")[:50].rstrip("-")
    return f"{words}-{failure.fingerprint[:MARK]}"


def capability_of(failure: FailureFacts) -> str:
    """What the test's file is about: `e2e/checkout.spec.ts` is about checkout."""
    name = re.split(r"[/\\]", failure.file or "")[-1] or failure.suite.rpartition(".")[2]
    stem = re.sub(r"\.\w+$", "", name) if failure.file else name
    subject = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", _TEST_WORDS.sub("", stem)) or stem
    return change_id(subject) if re.search(r"[a-zA-Z0-9]", subject) else "tested-behaviour"


def timeline(history: FailureHistory) -> str:
    return "".join(_SIGNS[outcome] for outcome in history.outcomes[-RUNS_LOOKED_AT:])


def _why(failure: FailureFacts, history: FailureHistory, pattern: FailureClass) -> str:
    where = f" in {code(failure.file, 100)}" if failure.file else ""
    opening = f"The test {code(failure.title, 150)}{where} {_PATTERN_WORDS[pattern]}"
    seen = _seen(history)
    room = LONGEST_WHY - len(opening) - len(seen) - 40
    return f"{opening}\n\n{block(cut(failure.message, min(500, room)))}\n\n{seen}"


_PATTERN_WORDS = {
    FailureClass.PERSISTENT: "fails in every run now.",
    FailureClass.RECURRING: "keeps failing with the same error.",
    FailureClass.FLAKY: "sometimes fails and sometimes passes.",
    FailureClass.NEW: "has begun to fail.",
}


def _seen(history: FailureHistory) -> str:
    times = "once" if history.occurrences == 1 else f"{history.occurrences} times"
    lines = [
        f"- Seen {times}, {history.consecutive_failures} in a row up to now",
        f"- First seen {_day(history.first_seen)}, last seen {_day(history.last_seen)}",
    ]
    if history.outcomes:
        lines.append(
            f"- The last runs, newest on the right: {timeline(history)} "
            "(● failed, ◐ passed when tried again, ○ passed)"
        )
    return "\n".join(lines)


def _day(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _what_changes(failure: FailureFacts) -> str:
    return "\n".join(
        [
            f"- {GUIDES[kind_of(failure.message)].change}",
            "- Remove the cause, not the symptom: no extra waiting, no added retries, no skipping.",
            f"- This test turns green and stays so: {code(failure.test_id)}",
            f"- It is run with {_command(failure)}",
        ]
    )


def _impact(failure: FailureFacts) -> str:
    lines = [
        f"- Kind of error: {kind_of(failure.message).replace('_', ' ')}",
        f"- Test: {code(failure.test_id)}",
    ]
    if failure.project:
        lines.append(f"- Seen in: {code(failure.project)}")
    return "\n".join([*lines, f"- Failure: {code(failure.fingerprint)}"])


def _command(failure: FailureFacts, *, times: int = 1) -> str:
    command = rerun_command(failure, times=times)
    return code(command, 1000) if command else f"your test runner, for {code(failure.test_id)}"


def _tasks(failure: FailureFacts, pattern: FailureClass) -> tuple[TaskGroupInput, ...]:
    proof = [f"See the test pass: {_command(failure)}"]
    if pattern is FailureClass.FLAKY:
        again = _command(failure, times=FLAKY_PROOF)
        proof = [f"See it pass {FLAKY_PROOF} times in a row, without retries: {again}"]
    return (
        TaskGroupInput(
            "Reproduce", [f"See the test fail with the same error: {_command(failure)}"]
        ),
        TaskGroupInput(
            "Find the cause", ["Answer the questions in design.md, and write the cause there"]
        ),
        TaskGroupInput(
            "Fix", ["Remove the cause, in the code, or in the test if the test is wrong"]
        ),
        TaskGroupInput("Prove", [*proof, "See the whole suite pass"]),
        TaskGroupInput(
            "Guard", ["Add a test that is closer to the cause and fails without the fix"]
        ),
    )


def _design(failure: FailureFacts, history: FailureHistory, pattern: FailureClass) -> str:
    parts = [f"### Error\n\n{block(failure.message)}"]
    if failure.stack:
        lines = failure.stack.splitlines()
        left_out = len(lines) - LONGEST_STACK_LINES
        shown = lines[:LONGEST_STACK_LINES] + ([f"… {left_out} more lines"] if left_out > 0 else [])
        parts.append("### Stack\n\n" + block("\n".join(shown)))
    if failure.attachments:
        paths = "\n".join(f"- {code(path)}" for path in failure.attachments)
        parts.append(f"### Traces and pictures\n\n{paths}")
    parts.append(f"### Pattern: {pattern}\n\n{_seen(history)}")
    questions = questions_for(kind_of(failure.message), pattern)
    parts.append(
        "### Questions about the root cause\n\n"
        + "\n".join(f"{number}. {question}" for number, question in enumerate(questions, 1))
    )
    return "\n\n".join(parts)


def _delta(failure: FailureFacts, capability: str) -> DeltaInput:
    place = f" in {code(failure.file, 120)}" if failure.file else ""
    first_line = next(iter(failure.message.splitlines()), "")
    requirement = RequirementInput(
        name=f"{inline(failure.title, 120)} (failure {failure.fingerprint[:MARK]})",
        text=f"The product SHALL behave as the test {code(failure.title, 150)}{place} describes, "
        "in every run and at the first attempt.",
        scenarios=[
            ScenarioInput(
                inline(failure.title, 120),
                [
                    f"WHEN the test is run with {_command(failure)}",
                    "THEN it passes without a retry",
                    f"AND this error does not appear: {code(first_line, 200)}",
                ],
            )
        ],
    )
    purpose = f"What {capability} promises to those who use it, as its tests have brought to light."
    return DeltaInput(capability, added=[requirement], purpose=purpose)


#: The day is in a file that is not asked for here.
ANY_DAY = date(2000, 1, 1)
PROPOSAL, DESIGN = "proposal.md", "design.md"

_SIGNATURE = "Bottega keeps this text up to date until somebody edits it. ({})"
_SIGNED = re.compile(re.escape(_SIGNATURE).replace(r"\{\}", "([0-9a-f]{16})") + r"\s*\Z")


def draft_for(
    facts: FailureFacts,
    history: FailureHistory,
    pattern: FailureClass,
    main_specs: MainSpecs,
    predecessor: str | None = None,
) -> NewChange:
    """`predecessor` is an archived change that was to mend the same failure."""
    change = proposal_for(facts, history, pattern)
    if predecessor is not None:
        came_back = f"- It came back: {code(predecessor)} was to mend it, and is archived."
        change = replace(change, impact=f"{change.impact}\n{came_back}")
    return _signed(
        replace(change, deltas=[_as_promised(delta, main_specs) for delta in change.deltas])
    )


def texts_of(change: NewChange) -> dict[str, str]:
    """Those that change with every run."""
    files = render_change(change, ANY_DAY)
    return {name: files[name] for name in (PROPOSAL, DESIGN)}


def is_ours(proposal: str, design: str | None) -> bool:
    """Whether both texts are as we wrote them."""
    signature = _SIGNED.search(design or "")
    if signature is None or design is None:
        return False
    return signature[1] == _sum((proposal, design[: signature.start()]))


def _signed(change: NewChange) -> NewChange:
    signature = _SIGNATURE.format(_sum(texts_of(change).values()))
    return replace(change, design=f"{change.design}\n\n{signature}")


def _sum(texts: Iterable[str]) -> str:
    joined = "\0".join(text.strip() for text in texts)
    return hashlib.sha256(joined.encode("utf-8", "replace")).hexdigest()[:16]


def _as_promised(delta: DeltaInput, main_specs: MainSpecs) -> DeltaInput:
    """A requirement that an earlier change brought into the main specs is not added again."""
    known = [
        one for one in delta.added if (delta.capability, fold(one.name)) in main_specs.requirements
    ]
    added = [one for one in delta.added if one not in known]
    return replace(delta, added=added, modified=[*delta.modified, *known])

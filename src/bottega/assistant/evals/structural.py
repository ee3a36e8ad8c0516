"""Criteria that rules decide, from the document alone."""

from collections.abc import Iterator

from bottega.assistant.evals.findings import Finding, Kind, share
from bottega.assistant.evals.playing import Played
from bottega.assistant.guardrails.evidence import Match, Unread, check_evidence
from bottega.assistant.guardrails.pointers import Pointer, pointers_in
from bottega.assistant.hooks.sections import cut
from bottega.assistant.offline.phrases import has_any
from bottega.assistant.orders import LoopStatus

CURRICULUM = "curriculum/"
#: Titles of the section in which needs are answered to.
SUPPORT = ("differentiation", "support*", "adapt*")


def judge_structure(played: Played) -> Iterator[Finding]:
    """Takes some milliseconds: for a thread."""
    expect, text = played.case.expect, played.text
    yield _ended(played)
    if expect.sections:
        titles = "\n".join(section.title for section in cut(text).sections)
        yield share("sections", Kind.STRUCTURAL, expect.sections, titles)
    if expect.class_context:
        yield share("class context", Kind.STRUCTURAL, expect.class_context, text)
    if expect.evidence:
        yield _evidence(played)
    if expect.differentiation:
        yield share("differentiation", Kind.STRUCTURAL, expect.differentiation, _support(text))
    if expect.memory:
        yield share("memory", Kind.STRUCTURAL, expect.memory, text)
    if expect.mentions:
        yield share("mentions", Kind.STRUCTURAL, expect.mentions, text)


def _ended(played: Played) -> Finding:
    result = played.result
    is_done = result is not None and result.status is LoopStatus.SUCCESS
    reason = played.error or (result.reason if result else None) or ""
    note = "" if is_done else f"{result.status if result else 'failed'}: {reason}"
    return Finding(
        criterion="ended well", kind=Kind.STRUCTURAL, score=float(is_done), note=note[:500]
    )


def _evidence(played: Played) -> Finding:
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
    return Finding(
        criterion="evidence",
        kind=Kind.STRUCTURAL,
        score=round(matched / asked, 4) if asked else 0.0,
        note=problems or ("" if asked else "nothing of the curriculum is quoted"),
    )


def _support(text: str) -> str:
    """The section about needs, or all of it if there is none."""
    found = [each.text for each in cut(text).sections if has_any(each.title, SUPPORT)]
    return "\n".join(found) or text

"""Stops a draft that claims more of the curriculum than the workspace's files bear out.

Aborts on any problem: a pointer that does not hold, an outcome that no curriculum file has, a claim
without a pointer. The reason lists all of them with their places in the draft, and the trace has
every pointer with its file, its lines and what became of it.
"""

import asyncio

from bottega.assistant.curriculum.evidence import EvidenceReport, Match, Unread, check_evidence
from bottega.assistant.curriculum.pointers import Pointer, pointers_in
from bottega.assistant.loop.hooks import Hook, HookAbort
from bottega.assistant.loop.turn import Turn
from bottega.assistant.workspace.service import Workspace, workspace_for
from bottega.errors import BottegaError, Forbidden, NotFound

#: Only what stands in here can say which outcomes there are.
CURRICULUM = "curriculum/"


class CurriculumEvidence(Hook):
    name = "curriculum-evidence"

    async def post_loop(self, turn: Turn) -> None:
        report = await turn.steps.step("curriculum evidence", self._check, turn)
        for note in report.notes:
            turn.note(self.name, note)
        if report.problems:
            raise HookAbort(self.name, _reason(report))
        if report.claims:
            turn.note(self.name, f"{_count(report.claims, 'curriculum claim')} checked, all hold.")

    async def _check(self, turn: Turn) -> EvidenceReport:
        """In a step: files change."""
        workspace = workspace_for(turn.core, turn.user_id, turn.plugin)
        named = {each.path for each in pointers_in(turn.output) if isinstance(each, Pointer)}
        files = {path: await _read(workspace, path, turn.written) for path in sorted(named)}
        curriculum = {
            path: text
            for path in await workspace.files()
            if path.startswith(CURRICULUM)
            and isinstance(text := await _read(workspace, path, turn.written), str)
        }
        report = await asyncio.to_thread(check_evidence, turn.output, files, curriculum)
        _trace(turn, report)
        return report


async def _read(workspace: Workspace, path: str, written: list[str]) -> str | Unread:
    if path.removeprefix("workspace/") in written:
        reason = "this draft wrote that file itself, so it proves nothing."
        return Unread(status=Match.OWN_DRAFT, reason=reason)
    try:
        return await workspace.read(path)
    except Forbidden:
        return Unread(status=Match.OUTSIDE, reason="that is outside the workspace.")
    except NotFound:
        return Unread(status=Match.NO_FILE, reason="the workspace has no such file.")
    except BottegaError as error:
        return Unread(status=Match.UNREADABLE, reason=error.message)


def _reason(report: EvidenceReport) -> str:
    problems = "\n".join(f"- {problem}" for problem in report.problems)
    return (
        f"The draft says things about the curriculum that your files do not bear out "
        f"({_count(len(report.problems), 'problem')}):\n{problems}"
    )


def _trace(turn: Turn, report: EvidenceReport) -> None:
    turn.trace(
        "curriculum evidence",
        {
            "bottega.evidence.files": sorted({each.path for each in report.pointers if each.path}),
            "bottega.evidence.pointers": [each.model_dump(mode="json") for each in report.pointers],
            "bottega.evidence.matched": sum(each.status is Match.FOUND for each in report.pointers),
            "bottega.evidence.claims": report.claims,
            "bottega.evidence.codes": report.codes,
            "bottega.evidence.problems": [str(problem) for problem in report.problems],
        },
    )


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"

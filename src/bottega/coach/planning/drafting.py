"""A first plan for the session's issue, so that nobody begins with an empty page."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import structlog

from bottega.coach.desk.desk import Desk
from bottega.coach.planning.clues import find_clues, stems
from bottega.coach.planning.concepts import language_name
from bottega.coach.prompts.draft_plan import PlanQuestion, draft_plan
from bottega.coach.protocol.sessions import IssueContext, PlanDraft
from bottega.coach.sessions.facts import issue_of
from bottega.core.files.languages import is_binary
from bottega.core.files.sandbox import Sandbox
from bottega.core.files.tree import TreeNode, file_paths
from bottega.core.services import Core
from bottega.errors import BottegaError

log = structlog.get_logger()

MOST_PATHS = 400
MOST_LANGUAGES = 5
#: What is read in search of the issue's words.
MOST_FILES = 200
LONGEST_FILE = 100_000
MOST_CHARS = 4_000_000
#: Of the issue.
LONGEST_SUMMARY = 20_000


@dataclass(frozen=True, slots=True)
class Outline:
    """A project, as far as a draft looks at it."""

    paths: Sequence[str] = ()
    #: The most used first.
    languages: Sequence[str] = ()
    #: Code only: what is named like the issue's words first, then from the top.
    worth_reading: Sequence[str] = ()


class Drafting:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def draft(self, desk: Desk) -> PlanDraft:
        """Nothing is stored: it becomes a plan when it is submitted."""
        session_id = desk.require_session()
        issue = issue_of(await self._core.sessions.get(session_id, user_id=desk.user_id))
        question = await self._question(desk, issue)
        answer = await self._core.gateway.call(
            draft_plan, question, retry=True, session_id=session_id
        )
        return PlanDraft(plan_text=answer.output.plan_text, offline=answer.offline)

    async def _question(self, desk: Desk, issue: IssueContext) -> PlanQuestion:
        title, summary = issue.title, issue.summary[:LONGEST_SUMMARY]
        outline = await self._outline(desk, f"{title}\n{summary}")
        sources = await self._read(desk, outline.worth_reading)
        return PlanQuestion(
            title=title,
            summary=summary,
            labels=tuple(issue.labels),
            tree=tuple(outline.paths),
            languages=tuple(outline.languages),
            clues=await asyncio.to_thread(find_clues, title, summary, sources),
        )

    async def _outline(self, desk: Desk, issue: str) -> Outline:
        try:
            root = await desk.files.tree()
        except BottegaError as error:
            log.warning("drafting.no_tree", project=desk.project, reason=error.message)
            return Outline()
        return await asyncio.to_thread(_outline, root, issue)

    async def _read(self, desk: Desk, paths: Sequence[str]) -> Mapping[str, str]:
        """As the person sees them: unsaved edits before the disk."""
        small_files = Sandbox(desk.files.root, max_file_bytes=LONGEST_FILE)
        sources: dict[str, str] = {}
        chars = 0
        for path in paths:
            buffer = desk.files.get_buffer(path)
            try:
                text = buffer.content if buffer else (await small_files.read_text(path)).content
            except BottegaError as error:
                log.debug("drafting.passed_over", path=path, reason=error.message)
                continue
            sources[path] = text[:LONGEST_FILE]
            chars += len(sources[path])
            if chars > MOST_CHARS:
                break
        return sources


def _outline(root: TreeNode, issue: str) -> Outline:
    paths = [path for path in file_paths(root) if not is_binary(path)]
    code = {path: name for path in paths if (name := language_name(path))}
    asked = stems(issue)
    nearest = sorted(code, key=lambda path: (-len(asked & stems(path)), path.count("/"), path))
    languages = [name for name, _ in Counter(code.values()).most_common(MOST_LANGUAGES)]
    return Outline(paths[:MOST_PATHS], languages, nearest[:MOST_FILES])

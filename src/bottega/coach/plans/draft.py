"""A first plan for the session's issue, so that nobody begins with an empty page.

A plan without a model: steps that fit the kind of issue, at the places that share its words.
"""

import asyncio
import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple

import structlog
from pydantic import BaseModel, Field

from bottega.coach.editor.schemas import IssueContext
from bottega.coach.editor.state import EditorState
from bottega.coach.file_roles import language_name
from bottega.coach.plans.plan_context import Clues, LikelyFile, find_clues, stems, words
from bottega.coach.plans.repository import issue_of
from bottega.coach.plans.schemas import PlanDraft
from bottega.core.files.languages import is_binary
from bottega.core.files.sandbox import Sandbox
from bottega.core.files.tree import TreeNode, file_paths
from bottega.core.llm.tasks import Task, Tier
from bottega.core.services import Core
from bottega.core.text.words import one_line
from bottega.errors import BottegaError

STEPS = Path(__file__).with_name("draft_steps.toml")
MOST_WORDS = 5
NOTE = (
    "*Drafted without a model, from the issue's words and the names in this project. Change "
    "whatever does not fit.*"
)


class IssueKind(StrEnum):
    BUG = "bug"
    FEATURE = "feature"
    DOCS = "docs"


LABELS = {
    IssueKind.BUG: {"bug", "fix", "defect", "regression", "crash"},
    IssueKind.DOCS: {"docs", "documentation", "doc"},
    IssueKind.FEATURE: {"feature", "enhancement", "improvement"},
}
#: What titles say where labels say nothing; the first that is found decides.
SPOKEN = {
    IssueKind.DOCS: re.compile(r"\b(?:docs?|document\w*|readme|typos?)\b", re.IGNORECASE),
    IssueKind.BUG: re.compile(
        r"\b(?:bugs?|crash\w*|errors?|exception|traceback|wrong|incorrect\w*|broken|breaks?|"
        r"fail\w*|lost|lose[sn]?|missing|off by|raises?|leaks?|hangs?|never|cannot|can't|"
        r"doesn't|does not|should not|shouldn't)\b",
        re.IGNORECASE,
    ),
}


class Scene(NamedTuple):
    """What a step may speak of, in words that stand in a sentence."""

    test: str
    begin: str
    change: str
    readme: str


class DraftStep(NamedTuple):
    title: str
    #: With the scene's names in braces.
    text: str


@cache
def _steps(kind: IssueKind) -> tuple[DraftStep, ...]:
    read = tomllib.loads(STEPS.read_text(encoding="utf-8"))
    return tuple(DraftStep(**fields) for fields in read[kind])


def drafted_plan(
    title: str, summary: str, labels: Sequence[str], tree: Sequence[str], clues: Clues
) -> str:
    scene = _scene(title, summary, tree, clues)._asdict()
    steps = _steps(kind_of(title, summary, labels))
    numbered = (
        f"{number}. **{step.title}.** {step.text.format(**scene)}"
        for number, step in enumerate(steps, 1)
    )
    return "\n\n".join([f"# Plan: {one_line(title)}", *numbered, NOTE]) + "\n"


def kind_of(title: str, summary: str, labels: Sequence[str]) -> IssueKind:
    said = {word for label in labels for word in re.findall(r"[a-z]+", label.lower())}
    by_label = next((kind for kind, known in LABELS.items() if said & known), None)
    if by_label is not None:
        return by_label
    for text in (title, summary):
        for kind, pattern in SPOKEN.items():
            if pattern.search(text):
                return kind
    return IssueKind.FEATURE


def _scene(title: str, summary: str, tree: Sequence[str], clues: Clues) -> Scene:
    readme = next((path for path in tree if path.lower() in ("readme.md", "readme.rst")), None)
    first, others = next(iter(clues.places), None), clues.places[1:]
    return Scene(
        test=f"in `{clues.tests[0]}`" if clues.tests else "in a new test file, for there is none",
        begin=_begin(first, others) if first else _search_for(title, summary),
        change=f"in `{first.path}`" if first else "at the place that you found",
        readme=f"`{readme}`" if readme else "the documentation",
    )


def _begin(place: LikelyFile, others: Sequence[LikelyFile]) -> str:
    begin = f"Read `{place.path}`"
    if place.definition:
        begin += f", beginning with `{place.definition}` (line {place.line})"
    if place.words:
        begin += f": it shares the words {_listed(place.words[:MOST_WORDS])} with the issue"
    also = " and ".join(f"`{other.path}`" for other in others[:2])
    return f"{begin}. {also} may have a part in it." if also else f"{begin}."


def _search_for(title: str, summary: str) -> str:
    wanted = list(dict.fromkeys(words(f"{title} {summary}")))[:MOST_WORDS]
    if not wanted:
        return "Nothing in the project shares a word with the issue: look at its files one by one."
    return (
        "No file shares words with the issue, so search the project for what it might say instead "
        f"of {_listed(wanted)}."
    )


def _listed(found: Sequence[str]) -> str:
    return ", ".join(f"“{word}”" for word in found)


log = structlog.get_logger()

MOST_PATHS = 400
MOST_LANGUAGES = 5
#: What is read in search of the issue's words.
MOST_FILES = 200
LONGEST_FILE = 100_000
MOST_CHARS = 4_000_000
#: Of the issue.
LONGEST_SUMMARY = 20_000

INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8")


@dataclass(frozen=True, slots=True)
class PlanQuestion:
    title: str
    summary: str = ""
    labels: tuple[str, ...] = ()
    #: Paths; the beginning of the list in a big project.
    tree: tuple[str, ...] = ()
    #: The most used first.
    languages: tuple[str, ...] = ()
    clues: Clues = field(default_factory=Clues)


class DraftedPlan(BaseModel):
    plan_text: str = Field(min_length=1, description="The plan, as markdown.")


def prompt(question: PlanQuestion) -> str:
    return json.dumps(asdict(question), ensure_ascii=False)


def offline(question: PlanQuestion) -> DraftedPlan:
    text = drafted_plan(
        question.title, question.summary, question.labels, question.tree, question.clues
    )
    return DraftedPlan(plan_text=text)


draft_plan = Task("draft_plan", Tier.STRONG, INSTRUCTIONS, prompt, DraftedPlan, offline)


@dataclass(frozen=True, slots=True)
class Outline:
    """A project, as far as a draft looks at it."""

    paths: Sequence[str] = ()
    #: The most used first.
    languages: Sequence[str] = ()
    #: Code only: what is named like the issue's words first, then from the top.
    worth_reading: Sequence[str] = ()


class PlanDrafter:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def draft(self, editor: EditorState) -> PlanDraft:
        """Nothing is stored: it becomes a plan when it is submitted."""
        session_id = editor.require_session()
        issue = issue_of(await self._core.sessions.get(session_id, user_id=editor.user_id))
        question = await self._question(editor, issue)
        answer = await self._core.gateway.call(
            draft_plan, question, retry=True, session_id=session_id
        )
        return PlanDraft(plan_text=answer.output.plan_text, offline=answer.offline)

    async def _question(self, editor: EditorState, issue: IssueContext) -> PlanQuestion:
        title, summary = issue.title, issue.summary[:LONGEST_SUMMARY]
        outline = await self._outline(editor, f"{title}\n{summary}")
        sources = await self._read(editor, outline.worth_reading)
        return PlanQuestion(
            title=title,
            summary=summary,
            labels=tuple(issue.labels),
            tree=tuple(outline.paths),
            languages=tuple(outline.languages),
            clues=await asyncio.to_thread(find_clues, title, summary, sources),
        )

    async def _outline(self, editor: EditorState, issue: str) -> Outline:
        try:
            root = await editor.files.tree()
        except BottegaError as error:
            log.warning("drafting.no_tree", project=editor.project, reason=error.message)
            return Outline()
        return await asyncio.to_thread(_outline, root, issue)

    async def _read(self, editor: EditorState, paths: Sequence[str]) -> Mapping[str, str]:
        """As the person sees them: unsaved edits before the disk."""
        small_files = Sandbox(
            editor.files.root, max_file_bytes=LONGEST_FILE, closed=editor.files.sandbox.closed
        )
        sources: dict[str, str] = {}
        chars = 0
        for path in paths:
            buffer = editor.files.get_buffer(path)
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

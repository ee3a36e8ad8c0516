"""A plan changed by what a person said at a pause: by a model, or by rules ("only fees", "drop 2").

The rules read instruction by instruction. Whatever is not understood is not lost: it stands in the
plan's assumptions, and is looked up as well if it names anything.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from bottega.core.llm.tasks import Task, Tier
from bottega.core.text.words import shorten_to_words, words
from bottega.library.service import Role
from bottega.research.agents.definition import Depth
from bottega.research.pipeline.context import StageContext
from bottega.research.pipeline.schemas import QueryPlan, SubQuery
from bottega.research.stages.analyze import Analysis, made_plan
from bottega.research.stages.question import concepts, content_words

#: What an answered question is worth, at least.
ANSWERED = 0.8
#: How much of what a person names has to stand in a sub-query for that to be meant.
MEANT = 0.5

_BETWEEN = re.compile(
    r"(?:\.+(?=\s|$)|[;\n]+)\s*|,?\s+(?:and|but|then)\s+(?=(?:also|add|remove|drop|skip|only|without|focus)\b)"
    r"|,\s*(?=(?:also|add|remove|drop|skip|only|without|but|focus)\b)",
    re.IGNORECASE,
)

_POLITE = re.compile(r"^(?:please|ok(?:ay)?|well|but|and|so|yes|no)\b[,\s]*", re.IGNORECASE)


def _any_of(name: str) -> str:
    """Any of the phrases that `revise.toml` lists under the name."""
    return f"(?:{'|'.join(_LISTED[name])})"


_LISTED: dict[str, list[str]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text("utf-8")
)
_DEPTHS = {
    depth: re.compile(rf"\b{_any_of(depth)}\b", re.I)
    for depth in (Depth.DEEP, Depth.QUICK, Depth.STANDARD)
}
#: What is left of "make it deep please" once the depth is taken out.
_DEPTH_TALK = re.compile(rf"\b{_any_of('depth_talk')}\b", re.I)
_CHANGE = re.compile(
    rf"^{_any_of('change')}\s+(?:sub-?query\s+|number\s+|#)?(\d{{1,2}})\s+"
    r"(?:to|with|into|by)\s+(.+)",
    re.I,
)
_REMOVE, _ONLY, _ADD = (
    re.compile(rf"^{_any_of(name)}\s+(.+)", re.I) for name in ("remove", "only", "add")
)
_NUMBERS = re.compile(
    r"^(?:(?:sub-?)?quer(?:y|ies)|numbers?|points?|#)?\s*"
    r"(\d{1,2}(?:\s*(?:,|and|&)\s*\d{1,2})*)$",
    re.I,
)

_PLEASE = re.compile(r"[,\s]*\b(?:please|thanks|thank you)\b[.!\s]*$", re.IGNORECASE)
#: What outranks the guides; what they tell is only looked up for context.
_STANDARDS = re.compile(r"^(?:the\s+)?(?:standards?|rules|binding texts?)(?:\s+themselves)?$", re.I)
_DOCUMENT = re.compile(r"\bstandards?\s+(\w+(?:(?:,| and| or)\s*\d+)*)", re.IGNORECASE)
#: The sub-queries that the person saw: numbers count these, whatever was changed since.
Shown: TypeAlias = Sequence[SubQuery]
#: The plan after what was named, or nothing if that cannot be done.
Change: TypeAlias = Callable[[QueryPlan, str, Shown], QueryPlan | None]


def revise(plan: QueryPlan, text: str) -> QueryPlan:
    was_unclear, shown = bool(plan.clarification_questions), plan.sub_queries
    text = "\n".join(" ".join(line.split()) for line in text.splitlines())
    for instruction in filter(None, map(str.strip, _BETWEEN.split(text))):
        # "No" alone is an answer, not politeness.
        said = _PLEASE.sub("", _POLITE.sub("", instruction)) or instruction
        plan = _apply(plan, said, shown, was_unclear)
    return plan


def _apply(plan: QueryPlan, said: str, shown: Shown, was_unclear: bool) -> QueryPlan:
    if (depth := _depth(said)) is not None:
        return plan.model_copy(update={"depth_mode": depth})
    if changed := _CHANGE.match(said):
        return _changed(plan, changed[1], changed[2], shown) or _noted(plan, said)
    for pattern, change in _CHANGES:
        found = pattern.match(said)
        if found and (revised := change(plan, found[1].strip(" .!"), shown)):
            return revised
    return _answered(plan, said) if was_unclear else _noted(plan, said)


def _depth(said: str) -> Depth | None:
    """Only if nothing else is said: "deep water" is no depth of research."""
    for depth, pattern in _DEPTHS.items():
        if pattern.search(said) and not content_words(_DEPTH_TALK.sub(" ", pattern.sub(" ", said))):
            return depth
    return None


def _changed(plan: QueryPlan, number: str, query: str, shown: Shown) -> QueryPlan | None:
    meant = _meant(plan, number, shown)
    sub_queries = [
        each.model_copy(update={"query": query}) if each in meant else each
        for each in plan.sub_queries
    ]
    return plan.model_copy(update={"sub_queries": sub_queries}) if meant else None


def _without(plan: QueryPlan, named: str, shown: Shown) -> QueryPlan | None:
    meant = _meant(plan, named, shown)
    left = [each for each in plan.sub_queries if each not in meant]
    by_number = _NUMBERS.match(named) is not None
    if (by_number and not meant) or not any(each.role is Role.PRIMARY for each in left):
        return None
    noted = plan if by_number else _note(plan, f"Leave out: {named}")
    return noted.model_copy(update={"sub_queries": left})


def _only(plan: QueryPlan, named: str, shown: Shown) -> QueryPlan | None:
    if documents := documents_named(named):
        held = [each.model_copy(update={"standards": documents}) for each in plan.sub_queries]
        return plan.model_copy(update={"sub_queries": held, "primary_standards": documents})
    if _STANDARDS.match(named):
        without_guides = [each for each in plan.sub_queries if each.role is not Role.CONTEXT]
        update = {"sub_queries": without_guides, "scope": "Only the standards, no guides."}
        return plan.model_copy(update=update)
    meant = _meant(plan, named, shown)
    if _NUMBERS.match(named):
        return plan.model_copy(update={"sub_queries": meant}) if meant else None
    asked = [each for each in meant if each.role is Role.PRIMARY] or [SubQuery(query=named)]
    support = [each for each in plan.sub_queries if each.role is Role.SUPPORTING]
    return plan.model_copy(update={"sub_queries": [*asked, *support], "scope": f"Only {named}."})


def _with(plan: QueryPlan, named: str, _shown: Shown = ()) -> QueryPlan:
    if documents := documents_named(named):
        known = list(dict.fromkeys([*plan.primary_standards, *documents]))
        widened = [
            each.model_copy(update={"standards": [*each.standards, *documents]})
            if each.standards
            else each
            for each in plan.sub_queries
        ]
        return plan.model_copy(update={"primary_standards": known, "sub_queries": widened})
    # Before the others that are not primary: a bound on their number drops the last.
    return plan.model_copy(update={"sub_queries": [SubQuery(query=named), *plan.sub_queries]})


def _answered(plan: QueryPlan, said: str) -> QueryPlan:
    """An answer to what the plan asked: every primary sub-query is about that."""
    about = [
        each.model_copy(update={"query": f"{each.query.rstrip('?. ')}: {said}"})
        if each.role is Role.PRIMARY
        else each
        for each in plan.sub_queries
    ]
    return _note(plan, f"You said: {said}").model_copy(
        update={
            "sub_queries": about,
            "clarity_score": max(plan.clarity_score, ANSWERED),
            "recommended_action": "proceed",
            "clarification_questions": [],
        }
    )


def _noted(plan: QueryPlan, said: str) -> QueryPlan:
    noted = _note(plan, f"You said: {said}")
    return _with(noted, said) if len(content_words(said)) > 1 else noted


def _note(plan: QueryPlan, remark: str) -> QueryPlan:
    return plan.model_copy(
        update={"assumptions": [*plan.assumptions, shorten_to_words(remark, 600)]}
    )


def _meant(plan: QueryPlan, named: str, shown: Shown) -> list[SubQuery]:
    """By number, from 1, or by what they are about."""
    if numbers := _NUMBERS.match(named):
        wanted_numbers = {int(each) for each in re.findall(r"\d+", numbers[1])}
        chosen = [each for number, each in enumerate(shown, 1) if number in wanted_numbers]
        return [each for each in plan.sub_queries if each in chosen]
    wanted = concepts(named)
    return [
        each
        for each in plan.sub_queries
        if wanted and len(wanted & concepts(each.query)) / len(wanted) >= MEANT
    ]


def documents_named(text: str) -> list[str]:
    """`standard 450`, `standards 210 and 315`."""
    found = (re.findall(r"\w+", each) for each in _DOCUMENT.findall(text))
    return [word for words in found for word in words if any(map(str.isdigit, word))]


_CHANGES: Sequence[tuple[re.Pattern[str], Change]] = (
    (_REMOVE, _without),
    (_ONLY, _only),
    (_ADD, _with),
)

INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8").removesuffix("\n")


@dataclass(frozen=True, slots=True)
class RevisionInput:
    plan: QueryPlan
    text: str
    max_sub_queries: int


def prompt(asked: RevisionInput) -> str:
    return json.dumps(
        {
            "plan": asked.plan.model_dump(mode="json"),
            "what_they_said": asked.text,
            "max_sub_queries": asked.max_sub_queries,
        },
        ensure_ascii=False,
    )


def offline(asked: RevisionInput) -> Analysis:
    return Analysis.model_validate(
        revise(asked.plan, asked.text).model_dump(exclude={"original_query"})
    )


revise_query_plan = Task(
    "research_revise_plan", Tier.STRONG, INSTRUCTIONS, prompt, Analysis, offline
)


async def revise_plan(context: StageContext, text: str) -> QueryPlan:
    plan = context.known.current_plan
    asked = RevisionInput(plan, text, context.settings.max_sub_queries)
    revised = await context.ask(revise_query_plan, asked)
    return made_plan(context, _without_new_documents(revised, plan, text), revised.depth_mode)


def _without_new_documents(revised: Analysis, plan: QueryPlan, text: str) -> Analysis:
    """Only documents that the plan had or the person named; whether they exist, retrieval sees."""
    named = {each for sub_query in plan.sub_queries for each in sub_query.standards}
    known = {each.casefold() for each in (*named, *plan.primary_standards)} | set(words(text))

    def kept(standards: Iterable[str]) -> list[str]:
        return [each for each in standards if each.casefold() in known]

    sub_queries = [
        each.model_copy(update={"standards": kept(each.standards)}) for each in revised.sub_queries
    ]
    standards = kept(revised.primary_standards)
    return revised.model_copy(update={"sub_queries": sub_queries, "primary_standards": standards})

"""What an assistant is tried on: cases, and the variants in which each is played."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bottega.conversation.gates import GateKind, GateReply
from bottega.core.trust.permissions import PermissionMode
from bottega.errors import InvalidInput, NotFound

SHIPPED = Path(__file__).parents[1] / "shipped" / "evals"

#: Words with `*` for the rest of a word, as `drafts/phrases.py` reads them.
Phrases = Annotated[list[Annotated[str, Field(min_length=1, max_length=200)]], Field(max_length=50)]
BASELINE = "all of it"
#: What can be switched off, and what it is called then.
ABLATIONS = {
    "skills": "no skills",
    "workspace": "no workspace",
    "memory": "no memory",
    "subagents": "one agent",
}


class CasePart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Expectations(CasePart):
    """What is empty is not asked."""

    #: Headings of the document.
    sections: Phrases = []
    #: What the profile of the class says, and the document should have taken up.
    class_context: Phrases = []
    #: Whether it must quote the curriculum.
    evidence: bool = False
    #: Needs that the profile flags, and that the document must answer to.
    differentiation: Phrases = []
    #: What is remembered, and should be seen in the document.
    memory: Phrases = []
    #: Anything else that must be there, such as what is wrong in code.
    mentions: Phrases = []
    #: Skills that are read at the second tier, and files of skills at the third.
    skills: int = Field(0, ge=0, le=10)
    skill_files: int = Field(0, ge=0, le=10)
    #: Workspace files that must have been before the agent.
    reads: list[str] = []
    #: What a judge holds it against, each to be answered by itself.
    rubric: Phrases = []


class EvalCase(CasePart):
    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,79}$")
    #: `plugin:command`.
    command: str = Field(max_length=130)
    input: str = Field(min_length=1, max_length=50_000)
    #: The class that it is about.
    class_id: str | None = Field(None, max_length=80)
    #: Memory files that are there before, by path.
    memory: dict[str, str] = {}
    #: Files that are put into the workspace before, by path.
    files: dict[str, str] = {}
    #: Answers at gates, each kind's in order; where none is left, what Enter would say.
    replies: dict[GateKind, list[GateReply]] = {}
    permission: PermissionMode = PermissionMode.ASK
    expect: Expectations = Expectations()


class CaseFile(CasePart):
    #: Stands in for what a case leaves out.
    rubric: Phrases = []
    cases: list[EvalCase]


async def load_cases(folder: Path = SHIPPED, containing: str | None = None) -> list[EvalCase]:
    """All cases of a folder's files, or those whose names contain a text."""
    cases = await asyncio.to_thread(_load, folder)
    if containing is None:
        return cases
    chosen = [case for case in cases if containing.casefold() in case.name.casefold()]
    if not chosen:
        names = [case.name for case in cases]
        raise NotFound(f"No case has {containing!r} in its name.", valid_options=names)
    return chosen


def _load(folder: Path) -> list[EvalCase]:
    cases = [case for path in sorted(folder.glob("*.yaml")) for case in _read(path)]
    names = [case.name for case in cases]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidInput(f"Cases must have names of their own. Twice: {', '.join(twice)}.")
    return cases


def _read(path: Path) -> Sequence[EvalCase]:
    try:
        file = CaseFile.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (yaml.YAMLError, ValidationError) as error:
        raise InvalidInput(f"{path.name} cannot be used: {error}") from error
    return [_with_rubric(case, file.rubric) for case in file.cases]


def _with_rubric(case: EvalCase, rubric: list[str]) -> EvalCase:
    if case.expect.rubric or not rubric:
        return case
    return case.model_copy(update={"expect": case.expect.model_copy(update={"rubric": rubric})})


@dataclass(frozen=True, slots=True)
class Variant:
    name: str
    without: Sequence[str] = ()
    #: In full, `provider:model`; the agents' own without.
    model: str | None = None


def variants(without: Sequence[str] = (), models: Sequence[str] = ()) -> list[Variant]:
    """The baseline first; each ablation takes away one thing."""
    for each in without:
        if each not in ABLATIONS:
            raise InvalidInput(f"{each!r} cannot be switched off.", valid_options=sorted(ABLATIONS))
    return [
        Variant(BASELINE),
        *(Variant(ABLATIONS[each], [each]) for each in dict.fromkeys(without)),
        *(Variant(model, model=model) for model in dict.fromkeys(models)),
    ]

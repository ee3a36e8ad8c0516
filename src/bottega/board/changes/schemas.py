"""What callers send about changes: edits, decisions and proposals."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from bottega.board.openspec import (
    NewChange,
    NewDelta,
    NewRequirement,
    NewScenario,
    TaskGroup,
)

#: As long as a file that is still read.
Text = Annotated[str, Field(max_length=500_000)]
Words = Annotated[str, Field(min_length=1, max_length=5_000)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Priority = Annotated[int, Field(ge=1, le=5, description="5 is the most urgent.")]
Reason = Annotated[str, Field(min_length=1, max_length=5_000, pattern=r"\S")]


class Input(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ChangeEdit(Input):
    """What an editor changed, and what it had before it."""

    #: `proposal.md`, `tasks.md`, `design.md` or `specs/{capability}/spec.md` → its new text.
    texts: dict[Name, Text] = Field(default_factory=dict, max_length=100)
    #: The hash of the text each edit was made from; none for a file that was not there.
    base_hashes: dict[Name, str | None] = Field(default_factory=dict, max_length=100)
    priority: Priority | None = None


class Approval(Input):
    notes: Reason | None = None
    priority: Priority | None = None


class Rejection(Input):
    reason: Reason


class Note(Input):
    notes: Reason


class MaybeNote(Input):
    notes: Reason | None = None


class Ticks(Input):
    #: A task's id, or its number in the list from 1 on.
    tasks: list[Name] = Field(min_length=1, max_length=500)
    done: bool = True


class ScenarioInput(Input):
    name: Words
    steps: list[Words] = Field(min_length=1, max_length=50)


class RequirementInput(Input):
    name: Words
    text: Words
    scenarios: list[ScenarioInput] = Field(min_length=1, max_length=50)

    def draft(self) -> NewRequirement:
        scenarios = [NewScenario(scenario.name, scenario.steps) for scenario in self.scenarios]
        return NewRequirement(self.name, self.text, scenarios)


class RenameInput(Input):
    old: Words
    new: Words


class DeltaInput(Input):
    capability: Name
    added: list[RequirementInput] = Field(default_factory=list, max_length=100)
    modified: list[RequirementInput] = Field(default_factory=list, max_length=100)
    removed: list[Words] = Field(default_factory=list, max_length=100)
    renamed: list[RenameInput] = Field(default_factory=list, max_length=100)
    purpose: str = Field(default="", max_length=5_000)

    def draft(self) -> NewDelta:
        return NewDelta(
            self.capability,
            [requirement.draft() for requirement in self.added],
            [requirement.draft() for requirement in self.modified],
            self.removed,
            [(rename.old, rename.new) for rename in self.renamed],
            self.purpose,
        )


class TaskGroupInput(Input):
    title: Words
    items: list[Words] = Field(min_length=1, max_length=100)


class ProposalInput(Input):
    """A change to propose. Without deltas it says of itself that no behaviour changes."""

    project_id: Name
    title: Name
    why: Text
    what_changes: Text
    impact: Text = ""
    tasks: list[TaskGroupInput] = Field(min_length=1, max_length=50)
    deltas: list[DeltaInput] = Field(default_factory=list, max_length=50)
    design: Text | None = None
    id: Name | None = None
    priority: Priority = 3

    def draft(self) -> NewChange:
        return NewChange(
            title=self.title,
            why=self.why,
            what_changes=self.what_changes,
            impact=self.impact,
            tasks=[TaskGroup(group.title, group.items) for group in self.tasks],
            deltas=[delta.draft() for delta in self.deltas],
            design=self.design,
            id=self.id,
        )

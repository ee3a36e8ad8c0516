"""A main spec: what a capability is for, and what it must do."""

from dataclasses import dataclass

from bottega.board.openspec.markdown import fence_mask, headings, lines_of, section
from bottega.board.openspec.requirements import Requirement, requirements_in
from bottega.board.openspec.texts import TextFile


@dataclass(frozen=True, slots=True)
class Spec:
    #: The capability's path below `openspec/specs`, `area/name` where areas are used.
    id: str
    title: str
    purpose: str
    requirements: tuple[Requirement, ...]
    file: TextFile

    def requirement(self, name: str) -> Requirement | None:
        return next((block for block in self.requirements if block.name == name), None)


def parse_spec(capability: str, file: TextFile) -> Spec:
    lines = lines_of(file.text)
    title = next((found.title for found in headings(lines) if found.level == 1), "")
    return Spec(
        capability,
        title.removesuffix("Specification").strip() or capability,
        section(lines, "Purpose"),
        tuple(_requirements(lines)),
        file,
    )


def _requirements(lines: list[str]) -> list[Requirement]:
    """Those of the first `## Requirements`, up to the next heading of that level."""
    tops = [found for found in headings(lines) if found.level == 2]
    for index, top in enumerate(tops):
        if top.title.lower() == "requirements":
            end = tops[index + 1].start if index + 1 < len(tops) else len(lines)
            return list(requirements_in(lines, fence_mask(lines), top.start + 1, end))
    return []

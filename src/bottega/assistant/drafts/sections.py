"""An output cut into the sections that a person judges one by one, and put together again.

Sections begin at the headings of the highest level that occurs more than once: a lone title above
them is no section. Nothing is lost: opening and sections together are the text, to the letter.
"""

import difflib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bottega.core.definitions import Document, sections

#: Headings that are this alike are the same section: "Starter", "Starter (5 minutes)".
ALIKE = 0.75
WHOLE = "whole"

_ASIDE = re.compile(r"\([^)]*\)|\[[^\]]*\]|[*_`#:]|^\s*\d+[.)]?\s")


@dataclass(frozen=True, slots=True)
class DraftSection:
    id: str
    title: str
    #: With its heading and the lines below it, up to the next section.
    text: str

    @property
    def body(self) -> str:
        return (self.text if self.id == WHOLE else self.text.partition("\n")[2]).strip()


@dataclass(frozen=True, slots=True)
class DraftDocument:
    opening: str = ""
    sections: Sequence[DraftSection] = ()
    #: Of the headings that divide it; 0 is a text without any.
    level: int = 0

    @property
    def text(self) -> str:
        return self.opening + "".join(section.text for section in self.sections)

    def find(self, id: str) -> DraftSection | None:
        return next((section for section in self.sections if section.id == id), None)


@dataclass(frozen=True, slots=True)
class MergedDraft:
    output: DraftDocument
    #: Titles of sections that had to be put back, because they had been accepted.
    restored: Sequence[str] = ()
    #: Titles of sections that were to change and did not.
    missing: Sequence[str] = ()


def split_sections(text: str, level: int | None = None) -> DraftDocument:
    """With a `level`, at its headings only; one at which there are none is no help."""
    text = text.replace("\r\n", "\n")
    headings = [section for section in sections(Document("output", {}, text)) if section.level]
    level = _dividing([heading.level for heading in headings], level)
    starts = [heading.start_line - 1 for heading in headings if heading.level == level]
    if not starts:
        return DraftDocument("", [DraftSection(WHOLE, "The whole", text)] if text.strip() else [])
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    titles = [_title(heading.path[-1]) for heading in headings if heading.level == level]
    found: list[DraftSection] = []
    for start, end, title in zip(starts, [*starts[1:], len(lines)], titles, strict=True):
        free_id = _free(_slug(title), {section.id for section in found})
        found.append(DraftSection(free_id, title, "".join(lines[start:end])))
    return DraftDocument("".join(lines[: starts[0]]), found, level)


def merge(shown: DraftDocument, accepted: Collection[str], newer: DraftDocument) -> MergedDraft:
    """The newer output, with what was accepted of the shown one as it was, letter by letter.

    An answer without any heading that we know is what the one open section is to be.
    """
    if not accepted:
        return MergedDraft(newer)
    pairs = _pair(shown, newer)
    is_open = [section for section in shown.sections if section.id not in accepted]
    if not pairs and len(is_open) == 1 and newer.text.strip():
        newer = DraftDocument("", [_with_body(is_open[0], newer.text)])
        pairs = {is_open[0].id: newer.sections[0]}
    merged: list[DraftSection] = []
    restored: list[str] = []
    for old in shown.sections:
        new = pairs.get(old.id)
        if old.id in accepted:
            if _has_changed(old, new):
                restored.append(old.title)
            merged.append(old)
        else:
            merged.append(DraftSection(old.id, new.title, new.text) if new else old)
        merged += _added_after(new, newer, pairs.values())
    missing = [old.title for old in is_open if not _has_changed(old, pairs.get(old.id))]
    return MergedDraft(DraftDocument(shown.opening, _ended(merged), shown.level), restored, missing)


def replace_body(output: DraftDocument, id: str, body: str) -> DraftDocument:
    changed = [_with_body(each, body) if each.id == id else each for each in output.sections]
    return DraftDocument(output.opening, _ended(changed), output.level)


def _dividing(levels: Sequence[int], asked: int | None) -> int:
    if asked is not None and (asked == 0 or asked in levels):
        return asked
    repeated = [level for level in levels if levels.count(level) > 1]
    return min(repeated or levels, default=0)


def _title(heading: str) -> str:
    """Without what is beside the point: numbers, timings in brackets, emphasis."""
    return " ".join(_ASIDE.sub(" ", heading).split()) or heading


def _has_changed(old: DraftSection, new: DraftSection | None) -> bool:
    return new is not None and new.text.strip() != old.text.strip()


def _pair(shown: DraftDocument, newer: DraftDocument) -> dict[str, DraftSection]:
    """The newer section for each of the shown ones, by id and else by likeness of the titles."""
    pairs = {old.id: new for old in shown.sections if (new := newer.find(old.id)) is not None}
    free = [new for new in newer.sections if new not in pairs.values() and new.id != WHOLE]
    for old in shown.sections:
        if old.id not in pairs and free:
            nearest = max(free, key=lambda new: _likeness(old.title, new.title))
            if _likeness(old.title, nearest.title) >= ALIKE:
                pairs[old.id] = nearest
                free.remove(nearest)
    return pairs


def _added_after(
    new: DraftSection | None, newer: DraftDocument, paired: Collection[DraftSection]
) -> list[DraftSection]:
    """Sections that came in behind this one."""
    if new is None:
        return []
    behind = newer.sections[newer.sections.index(new) + 1 :]
    upto = next((n for n, section in enumerate(behind) if section in paired), len(behind))
    return list(behind[:upto])


def _with_body(section: DraftSection, body: str) -> DraftSection:
    heading = section.text.partition("\n")[0] if section.id != WHOLE else ""
    text = f"{heading}\n\n{body.strip()}\n\n" if heading else f"{body.strip()}\n"
    return DraftSection(section.id, section.title, text)


def _ended(found: Sequence[DraftSection]) -> list[DraftSection]:
    """A section that ends without a line break would swallow the next heading."""
    ended = [
        section
        if section.text.endswith("\n")
        else DraftSection(section.id, section.title, section.text + "\n\n")
        for section in found[:-1]
    ]
    return [*ended, *found[-1:]]


def _likeness(one: str, other: str) -> float:
    one, other = one.casefold(), other.casefold()
    if one.startswith(other) or other.startswith(one):
        return 1.0
    return difflib.SequenceMatcher(None, one, other).ratio()


def _slug(title: str) -> str:
    return re.sub(r"[^\w]+", "-", title.casefold()).strip("-")[:60] or "section"


def _free(id: str, taken: Collection[str]) -> str:
    number = 2
    free = id
    while free in taken:
        free, number = f"{id}-{number}", number + 1
    return free

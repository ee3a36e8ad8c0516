"""A document changed as a person asked: the sections that they named, and no others.

The plugin's `offline/changes.md` says which words ask for what (its frontmatter), and what then
stands in a section: below `## Starter` the texts for it, below `## Any section` those for the rest.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from bottega.assistant.drafts.phrases import has_any
from bottega.assistant.drafts.playbook import Changes
from bottega.assistant.drafts.revision_requests import ALTERNATIVES, ChangeRequest, RevisionRequests
from bottega.assistant.drafts.sections import (
    DraftDocument,
    DraftSection,
    replace_body,
    split_sections,
)
from bottega.assistant.drafts.template import TemplateData, fill
from bottega.assistant.drafts.timing import asked_minutes, minutes_in
from bottega.assistant.workspace.texts import words_of
from bottega.core.definitions import Document, sections

SHORTER, LONGER = "shorter", "longer"
ANY = "any section"
LEAST_MINUTES = 3
#: Minutes by which a section grows if nobody says.
STEP = 5
FEWEST_ITEMS = 2

_TIME_IN_HEADING = re.compile(r"\b\d{1,3}(?=[\s-]*min)")
_ITEM = re.compile(r"^(?:[-*+]|\d+[.)])\s")


class Reviser:
    def __init__(self, changes: Changes | None, known: TemplateData) -> None:
        self._effects: Mapping[str, Sequence[str]] = changes.meta.effects if changes else {}
        self._texts = _texts(changes.body) if changes else {}
        self._known = known

    def revise(self, document: str, requests: RevisionRequests) -> str:
        output = split_sections(document)
        for change in requests.changes:
            for section in self._meant(output, change):
                output = self._change(output, section, change.text)
        for title in requests.alternatives:
            if (varied := _section(output, title)) is not None:
                output = replace_body(output, varied.id, self._alternatives(varied))
        return output.text

    def effect(self, words: str) -> str | None:
        """What they ask for, such as `shorter`, if the plugin knows it."""
        return next((name for name, said in self._effects.items() if has_any(words, said)), None)

    def _meant(self, output: DraftDocument, change: ChangeRequest) -> list[DraftSection]:
        if change.section is not None:
            found = _section(output, change.section)
            return [found] if found else []
        if named := named_sections(output, change.text):
            return named
        # For the whole: wherever the plugin has a text for just this.
        effect = self.effect(change.text)
        fitting = [each for each in output.sections if effect in self._of(each, strictly=True)]
        return fitting or list(output.sections[-1:])

    def _change(self, output: DraftDocument, section: DraftSection, words: str) -> DraftDocument:
        effect = self.effect(words) or _timed(section, words)
        if effect in (SHORTER, LONGER):
            return self._retime(output, section, words, effect)
        text = self._of(section).get(effect or "")
        # What no rule knows is noted where it belongs, and nothing is pretended.
        added = self._fill(text, section) if text else f"**You asked:** {words}"
        return replace_body(output, section.id, f"{section.body}\n\n{added}")

    def _retime(
        self, output: DraftDocument, section: DraftSection, words: str, effect: str
    ) -> DraftDocument:
        """The heading has the new time, and what becomes free is said: the whole stays as long."""
        body = _trimmed(section.body) if effect == SHORTER else section.body
        if text := self._of(section).get(effect):
            body = f"{body}\n\n{self._fill(text, section)}"
        heading, _, rest = section.text.partition("\n")
        now = next((minutes for minutes, _ in minutes_in(heading)), None)
        if now is None:
            return replace_body(output, section.id, body)
        minutes = _asked(words, section) or (
            max(LEAST_MINUTES, now // 2) if effect == SHORTER else now + STEP
        )
        if minutes < now:
            body += f"\n\n**In hand:** {now - minutes} minutes, for whichever part needs them."
        elif minutes > now:
            body += f"\n\n**Borrowed:** {minutes - now} minutes. Take them from another part."
        timed = _TIME_IN_HEADING.sub(str(minutes), heading, count=1)
        retimed = [
            replace(each, text=f"{timed}\n{rest}") if each.id == section.id else each
            for each in output.sections
        ]
        return replace_body(replace(output, sections=retimed), section.id, body)

    def _alternatives(self, section: DraftSection) -> str:
        texts = self._of(section)
        names = [f"alternative {number}" for number in range(1, ALTERNATIVES + 1)]
        if not texts.keys() >= set(names):
            return (
                f"{section.body}\n\n**You asked:** for alternatives. The plugin has none for this."
            )
        return "\n\n".join(
            f"### {name.capitalize()}\n\n{self._fill(texts[name], section)}" for name in names
        )

    def _of(self, section: DraftSection, *, strictly: bool = False) -> Mapping[str, str]:
        """The plugin's texts for a section, by what they are for."""
        own = {
            name: text
            for title, texts in self._texts.items()
            if title != ANY and words_of(title) & words_of(section.title)
            for name, text in texts.items()
        }
        return own if strictly else {**self._texts.get(ANY, {}), **own}

    def _fill(self, text: str, section: DraftSection) -> str:
        minutes = next((each for each, _ in minutes_in(section.text.partition("\n")[0])), 0)
        values = {
            **self._known.values,
            "section": section.title,
            "minutes": str(minutes or "a few"),
        }
        return fill(text, replace(self._known, values=values)).strip()


def named_sections(output: DraftDocument, words: str) -> list[DraftSection]:
    """Those whose titles share a word with what was said."""
    said = words_of(words)
    return [each for each in output.sections if words_of(each.title) & said]


def _section(output: DraftDocument, title: str) -> DraftSection | None:
    exact = (each for each in output.sections if each.title.casefold() == title.casefold())
    return next(exact, None) or next(iter(named_sections(output, title)), None)


def _timed(section: DraftSection, words: str) -> str | None:
    """Whether a number of minutes makes it shorter or longer: "make the starter 5 minutes"."""
    heading = section.text.partition("\n")[0]
    now, asked = next((each for each, _ in minutes_in(heading)), None), _asked(words, section)
    if now is None or asked is None or asked == now:
        return None
    return SHORTER if asked < now else LONGER


def _asked(words: str, section: DraftSection) -> int | None:
    """The minutes that somebody wants it to take."""
    of_section = asked_minutes(words, section.title.split()[0].rstrip("s"))
    return of_section or next((minutes for minutes, _ in minutes_in(words)), None)


def _trimmed(body: str) -> str:
    """Without the last third of its list items."""
    lines = body.split("\n")
    items = [number for number, line in enumerate(lines) if _ITEM.match(line)]
    keep = max(FEWEST_ITEMS, round(len(items) * 2 / 3))
    dropped = set(items[keep:])
    return "\n".join(line for number, line in enumerate(lines) if number not in dropped)


def _texts(body: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for path, text in _below_headings(body):
        if len(path) == 2:
            title, name = (each.casefold() for each in path)
            found.setdefault(title, {})[name] = text
    return found


def _below_headings(body: str) -> Iterator[tuple[tuple[str, ...], str]]:
    for section in sections(Document("changes", {}, body)):
        yield section.path, section.text.partition("\n")[2].strip()

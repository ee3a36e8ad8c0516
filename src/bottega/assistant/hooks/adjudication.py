"""The person decides about the draft: as a whole, or section by section.

    accept         it stays as it is, to the letter, whatever the model does to it later
    revise         their words go back into the loop
    alternatives   versions of a section are written, and the person chooses

Accepted sections are asked of the model word for word, but a model may smooth them all the same: so
they are put back from the draft that the person saw, and both they and the trace are told.
"""

import re
from collections.abc import Sequence

from bottega.assistant.drafts.revision_requests import (
    ChangeRequest,
    RevisionRequests,
    write_requests,
)
from bottega.assistant.drafts.sections import (
    DraftDocument,
    DraftSection,
    MergedDraft,
    merge,
    replace_body,
    split_sections,
)
from bottega.assistant.hooks.reflection import ask_confidence
from bottega.assistant.hooks.surroundings import HookDependencies
from bottega.assistant.loop.hooks import Hook, Revision
from bottega.assistant.loop.turn import Turn, record
from bottega.conversation.gates import Gate, GateDecision, GateItem, GateKind, GateReply, ItemReply
from bottega.conversation.replies import settle_items

KEEP, REVISE = "keep", "revise"

_HEADING = re.compile(
    r"^\s*(?:#{1,6}\s*|\*\*\s*)?(?:alternative|option|version)\s+(?:\d+|[a-e])\b[^\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
ACCEPT, ALTERNATIVES = "accept", "alternatives"
OPTIONS = [ACCEPT, REVISE, ALTERNATIVES]


def alternatives_in(section: DraftSection) -> list[str]:
    """The versions that stand in the section; none unless there are at least two."""
    _, *found = _HEADING.split(section.body)
    versions = [text.strip() for text in found if text.strip()]
    return versions if len(versions) > 1 else []


def option_for(number: int) -> str:
    return f"alternative {number}"


def choice_gate(section: DraftSection, standing: str, versions: Sequence[str]) -> Gate:
    shown = [
        f"**{option_for(number).capitalize()}**\n\n{text}"
        for number, text in enumerate(versions, 1)
    ]
    options = [option_for(number) for number in range(1, len(versions) + 1)]
    return Gate(
        kind=GateKind.ADJUDICATION,
        text="\n\n".join((f"Which “{section.title}” do you want?", *shown)),
        options=[*options, KEEP, REVISE],
        # Nothing changes by itself.
        default=KEEP,
        data={"section": section.title, "standing": standing, "alternatives": list(versions)},
    )


class TeacherAdjudication(Hook):
    """Lives as long as a turn: it knows what was accepted in the rounds before."""

    name = "teacher-adjudication"

    def __init__(self, _: HookDependencies) -> None:
        self._shown = DraftDocument()
        self._accepted: set[str] = set()
        #: What this round asks for, by the section's id; `None` is the whole.
        self._changes: dict[str | None, str] = {}
        #: Sections to write alternatives for.
        self._varied: list[str] = []

    async def post_loop(self, turn: Turn) -> Revision | None:
        merged = self._take_in(turn)
        varied, self._varied, self._changes = self._varied, [], {}
        output = await self._choose(turn, merged.output, varied)
        self._shown, turn.output = output, output.text
        settled = {*self._accepted, *self._changes}
        to_judge = [section for section in output.sections if section.id not in settled]
        if to_judge:
            await ask_confidence(turn)
            await self._judge(turn, _gate(output, to_judge, merged))
        requests = self._requests()
        return Revision(write_requests(requests)) if requests else None

    def _take_in(self, turn: Turn) -> MergedDraft:
        # Headings of alternatives are no sections: then the draft is cut as it was before.
        level = self._shown.level if self._varied else None
        merged = merge(self._shown, self._accepted, split_sections(turn.output, level))
        if merged.restored:
            turn.note(self.name, _put_back(merged))
        return merged

    async def _choose(
        self, turn: Turn, output: DraftDocument, varied: Sequence[str]
    ) -> DraftDocument:
        """Settle the sections that came back in several versions; others are judged as any."""
        for section_id in varied:
            section, before = output.find(section_id), self._shown.find(section_id)
            versions = alternatives_in(section) if section else []
            if section is None or before is None or not versions:
                continue
            gate = choice_gate(section, before.body, versions)
            reply = await turn.person.ask(gate)
            is_chosen = reply.decision not in (KEEP, REVISE)
            chosen = versions[gate.options.index(reply.decision)] if is_chosen else before.body
            output = replace_body(output, section_id, chosen)
            if reply.decision == REVISE:
                self._changes[section_id] = reply.text or ""
            else:
                self._accepted.add(section_id)
            data = {"alternatives": versions, "before": before.text}
            text = reply.text if reply.decision == REVISE else chosen
            decision = GateDecision(
                GateKind.ADJUDICATION, reply.decision, section.title, text, data
            )
            await record(turn, decision)
        return output

    async def _judge(self, turn: Turn, gate: Gate) -> None:
        reply = await turn.person.ask(gate)
        await record(turn, *_decisions(gate, reply, self._shown))
        if reply.decision == REVISE and not reply.items and not self._accepted:
            self._changes[None] = reply.text or ""
            return
        for item in settle_items(gate, reply):
            if item.decision == REVISE:
                self._changes[item.id] = item.text or ""
            elif item.decision == ALTERNATIVES:
                self._varied.append(item.id)
            else:
                self._accepted.add(item.id)

    def _requests(self) -> RevisionRequests:
        titles = {section.id: section.title for section in self._shown.sections}
        return RevisionRequests(
            changes=[
                ChangeRequest(titles[section_id] if section_id else None, text)
                for section_id, text in self._changes.items()
            ],
            alternatives=[titles[section_id] for section_id in self._varied],
            accepted=[
                title for section_id, title in titles.items() if section_id in self._accepted
            ],
        )


def _put_back(merged: MergedDraft) -> str:
    return f"Put back as you accepted them: {', '.join(merged.restored)}."


def _gate(output: DraftDocument, to_judge: list[DraftSection], merged: MergedDraft) -> Gate:
    is_first = len(to_judge) == len(output.sections)
    text = ["Here is the draft." if is_first else "Here is what has changed; the rest stands."]
    if merged.restored:
        text.append(_put_back(merged))
    if merged.missing:
        text.append(f"These did not come back changed: {', '.join(merged.missing)}.")
    text.append("Is it right? You can answer for all of it, or for one section at a time.")
    return Gate(
        kind=GateKind.ADJUDICATION,
        text=" ".join(text),
        items=[
            GateItem(id=each.id, title=each.title, text=each.body, options=OPTIONS, default=ACCEPT)
            for each in to_judge
        ],
        options=OPTIONS,
        default=ACCEPT,
        data={
            "artefact": output.text,
            "restored": list(merged.restored),
            "missing": list(merged.missing),
        },
    )


def _decisions(gate: Gate, reply: GateReply, shown: DraftDocument) -> list[GateDecision]:
    """One for the whole, if the person judged it as a whole; else one for every section."""
    if not reply.items:
        data = {"sections": [item.title for item in gate.items], **_before(reply, shown.text)}
        return [GateDecision(GateKind.ADJUDICATION, reply.decision, text=reply.text, data=data)]
    texts = {section.id: section.text for section in shown.sections}
    return [
        GateDecision(
            GateKind.ADJUDICATION,
            decided.decision,
            item.title,
            decided.text,
            _before(decided, texts[item.id]),
        )
        for item, decided in zip(gate.items, settle_items(gate, reply), strict=True)
    ]


def _before(reply: GateReply | ItemReply, text: str) -> dict[str, object]:
    """What they judged: of interest where it is to change."""
    return {} if reply.decision == ACCEPT else {"before": text}

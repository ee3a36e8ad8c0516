"""The person decides about the draft: as a whole, or section by section.

    accept         it stays as it is, to the letter, whatever the model does to it later
    revise         their words go back into the loop
    alternatives   versions of a section are written, and the person chooses

Accepted sections are asked of the model word for word, but a model may smooth them all the same: so
they are put back from the draft that the person saw, and both they and the trace are told.
"""

from collections.abc import Sequence

from bottega.assistant.gates.decisions import Decision, record
from bottega.assistant.gates.gate import Gate, GateItem, GateKind, GateReply, ItemReply
from bottega.assistant.gates.replies import settle_items
from bottega.assistant.hooks.alternatives import KEEP, REVISE, alternatives_in, choice_gate
from bottega.assistant.hooks.confidence import ask_confidence
from bottega.assistant.hooks.hook import Hook, Revision
from bottega.assistant.hooks.parts import HookParts
from bottega.assistant.hooks.requests import Change, Requests, write_requests
from bottega.assistant.hooks.sections import Merged, Output, OutputSection, cut, merge, replace_body
from bottega.assistant.loop.turn import Turn

ACCEPT, ALTERNATIVES = "accept", "alternatives"
OPTIONS = [ACCEPT, REVISE, ALTERNATIVES]


class TeacherAdjudication(Hook):
    """Lives as long as a turn: it knows what was accepted in the rounds before."""

    name = "teacher-adjudication"

    def __init__(self, _: HookParts) -> None:
        self._shown = Output()
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

    def _take_in(self, turn: Turn) -> Merged:
        # Headings of alternatives are no sections: then the draft is cut as it was before.
        level = self._shown.level if self._varied else None
        merged = merge(self._shown, self._accepted, cut(turn.output, level))
        if merged.restored:
            turn.note(self.name, _put_back(merged))
        return merged

    async def _choose(self, turn: Turn, output: Output, varied: Sequence[str]) -> Output:
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
            decision = Decision(GateKind.ADJUDICATION, reply.decision, section.title, text, data)
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

    def _requests(self) -> Requests:
        titles = {section.id: section.title for section in self._shown.sections}
        return Requests(
            changes=[
                Change(titles[section_id] if section_id else None, text)
                for section_id, text in self._changes.items()
            ],
            alternatives=[titles[section_id] for section_id in self._varied],
            accepted=[
                title for section_id, title in titles.items() if section_id in self._accepted
            ],
        )


def _put_back(merged: Merged) -> str:
    return f"Put back as you accepted them: {', '.join(merged.restored)}."


def _gate(output: Output, to_judge: list[OutputSection], merged: Merged) -> Gate:
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


def _decisions(gate: Gate, reply: GateReply, shown: Output) -> list[Decision]:
    """One for the whole, if the person judged it as a whole; else one for every section."""
    if not reply.items:
        data = {"sections": [item.title for item in gate.items], **_before(reply, shown.text)}
        return [Decision(GateKind.ADJUDICATION, reply.decision, text=reply.text, data=data)]
    texts = {section.id: section.text for section in shown.sections}
    return [
        Decision(
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

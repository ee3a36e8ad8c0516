"""What a run asks as a form, for clients that put questions to their person.

A gate is a form of a few plain fields, and what was filled in is a reply to the gate.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bottega.conversation.gates import (
    EXPLAINED,
    NEEDS_TEXT,
    Gate,
    GateItem,
    GateKind,
    GateReply,
    ItemReply,
)
from bottega.core.rooms import Asking, Caller
from bottega.core.run_status import RunStatus
from bottega.errors import InvalidInput

if TYPE_CHECKING:
    from bottega.core.services import Core

#: Things to decide about that a form can still show; more are decided as a whole.
MOST_ITEMS = 12
Field = dict[str, Any]
NOT_PAUSED = frozenset(RunStatus) - {RunStatus.PAUSED}


class RunForms(Asking):
    """For tools whose result shows a run; a room says which question that is, and its answer."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    async def closed(self, about: Mapping[str, str], caller: Caller) -> None:
        await self._core.runs.get(about["run_id"], user_id=caller.user_id)
        await self._core.runs.wait(about["run_id"], NOT_PAUSED)


def form_of(gate: Gate) -> dict[str, Any]:
    fields: dict[str, Field] = {"decision": {**_options(gate.options), "default": gate.default}}
    if any(option in NEEDS_TEXT for option in gate.options):
        fields["text"] = {"type": "string", "title": "Text", "description": _texts(gate.options)}
    if gate.kind is GateKind.CONFIDENCE:
        fields["rating"] = {"type": "integer", "title": "Rating", "minimum": 1, "maximum": 5}
    for number, item in enumerate(gate.items[:MOST_ITEMS], start=1):
        fields |= _item_fields(number, item)
    return {"type": "object", "properties": fields, "required": ["decision"]}


def message_of(gate: Gate) -> str:
    """What is asked, with what there is to decide about: a form shows no more than a line each."""
    parts = [gate.text]
    for number, item in enumerate(gate.items[:MOST_ITEMS], start=1):
        parts.append(f"{number}. {item.title}" + (f"\n{item.text}" if item.text else ""))
    return "\n\n".join(parts)


def reply_of(gate: Gate, form: Mapping[str, Any]) -> GateReply:
    """`InvalidInput` for what is no answer; what the gate does not offer is found later."""
    rating = form.get("rating")
    if rating is not None and (isinstance(rating, bool) or not isinstance(rating, int | float)):
        raise InvalidInput(f"The rating is {rating!r}; it should be a number from 1 to 5.")
    return GateReply(
        decision=_text(form, "decision") or gate.default,
        text=_text(form, "text"),
        items=[
            reply
            for number, item in enumerate(gate.items[:MOST_ITEMS], start=1)
            if (reply := _item_reply(number, item, form)) is not None
        ],
        rating=None if rating is None else int(rating),
    )


def _item_fields(number: int, item: GateItem) -> dict[str, Field]:
    # No default: what is left alone goes with the decision on the whole.
    fields = {f"item_{number}": {**_options(item.options), "title": f"{number}. {item.title}"}}
    if any(option in NEEDS_TEXT for option in item.options):
        fields[f"item_{number}_text"] = {
            "type": "string",
            "title": f"{number}. {item.title}: text",
            "description": _texts(item.options),
        }
    return {name: field for name, field in fields.items() if field.get("enum") != []}


def _item_reply(number: int, item: GateItem, form: Mapping[str, Any]) -> ItemReply | None:
    decision, text = _text(form, f"item_{number}"), _text(form, f"item_{number}_text")
    if decision is None and text is not None:
        # Who writes a text means the one thing that takes one.
        decision = next((option for option in item.options if option in NEEDS_TEXT), None)
    return None if decision is None else ItemReply(id=item.id, decision=decision, text=text)


def _options(options: list[str]) -> Field:
    explained = [f"{each}: {EXPLAINED[each]}" for each in options if each in EXPLAINED]
    field: Field = {"type": "string", "title": "Decision", "enum": options}
    return {**field, "description": "; ".join(explained)} if explained else field


def _texts(options: list[str]) -> str:
    return "; ".join(f"{each}: {NEEDS_TEXT[each]}" for each in options if each in NEEDS_TEXT)


def _text(form: Mapping[str, Any], name: str) -> str | None:
    value = form.get(name)
    if value is not None and not isinstance(value, str):
        raise InvalidInput(f"`{name}` is {value!r}; it should be text.")
    return value

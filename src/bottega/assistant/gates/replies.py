"""A reply, held against its gate before anything acts on it."""

from collections.abc import Collection, Sequence

from pydantic import JsonValue, ValidationError

from bottega.assistant.gates.gate import Gate, GateItem, GateKind, GateReply, ItemReply
from bottega.assistant.gates.typed import parse_line
from bottega.assistant.gates.words import NEEDS_TEXT
from bottega.errors import InvalidInput

#: Characters; a whole lesson plan is a tenth of it.
LONGEST_TEXT = 50_000
RATINGS = range(1, 6)


def read_reply(gate: Gate, message: JsonValue) -> GateReply:
    """What a door handed over: a reply as JSON, or a line that a person typed."""
    if message is None or isinstance(message, str):
        return check_reply(gate, parse_line(gate, message or ""))
    try:
        reply = GateReply.model_validate(message)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the reply"
        raise InvalidInput(f"{where}: {first['msg']}.", valid_options=gate.options) from None
    return check_reply(gate, reply)


def check_reply(gate: Gate, reply: GateReply) -> GateReply:
    """The reply, trimmed; `InvalidInput` says what may be answered instead."""
    _check_option("answer", reply.decision, gate.options)
    _check_rating(gate, reply)
    items = [_check_item(gate, item) for item in reply.items]
    if len({item.id for item in items}) < len(items):
        raise InvalidInput("An item is answered twice. Answer each once.")
    text = _trimmed(reply.text)
    # What the whole asks for may be said item by item instead.
    if not any(item.text for item in items):
        _check_text(reply.decision, text)
    return reply.model_copy(update={"text": text, "items": items})


def settle_items(gate: Gate, reply: GateReply) -> Sequence[ItemReply]:
    """An answer for every item: its own, else the one to the whole, else what Enter means."""
    named = {item.id: item for item in reply.items}
    return [named.get(item.id) or _unnamed(gate, item, reply) for item in gate.items]


def _unnamed(gate: Gate, item: GateItem, reply: GateReply) -> ItemReply:
    wants_text = reply.decision in NEEDS_TEXT
    if reply.decision in item.options and (reply.text or not wants_text):
        text = reply.text if wants_text else None
        return ItemReply(id=item.id, decision=reply.decision, text=text)
    return ItemReply(id=item.id, decision=item.default or gate.default)


def _check_item(gate: Gate, reply: ItemReply) -> ItemReply:
    item = next((item for item in gate.items if item.id == reply.id), None)
    if item is None:
        known = [item.id for item in gate.items]
        there_are = ", ".join(known) or "none"
        raise InvalidInput(
            f"There is no item {reply.id!r} to answer; there are {there_are}.", valid_options=known
        )
    _check_option(f"answer to {item.title!r}", reply.decision, item.options)
    text = _trimmed(reply.text)
    _check_text(reply.decision, text)
    return reply.model_copy(update={"text": text})


def _check_option(what: str, decision: str, options: Collection[str]) -> None:
    if decision not in options:
        raise InvalidInput(
            f"{decision!r} is no {what} here; it may be {', '.join(options)}.",
            valid_options=list(options),
        )


def _check_text(decision: str, text: str | None) -> None:
    if decision in NEEDS_TEXT and not text:
        raise InvalidInput(f"{decision!r} needs a text: {NEEDS_TEXT[decision]}.")


def _check_rating(gate: Gate, reply: GateReply) -> None:
    if gate.kind is not GateKind.CONFIDENCE:
        if reply.rating is not None:
            raise InvalidInput(f"No rating is asked for here, and it is {reply.rating}.")
    elif (reply.decision == "rate") != (reply.rating in RATINGS):
        raise InvalidInput(
            f"`rate` goes with a rating from 1 to 5; it is {reply.rating} with {reply.decision!r}."
        )


def _trimmed(text: str | None) -> str | None:
    if text is not None and len(text) > LONGEST_TEXT:
        raise InvalidInput(
            f"The text has {len(text):,} characters; at most {LONGEST_TEXT:,} are taken."
        )
    return (text or "").strip() or None

"""Replies to a gate, checked before anything acts on them; also as a line that a person typed:

(Enter)                       what the gate takes for granted
accept · y · no               an option, by its word or by what people say for it
2                             an option by its number, where there are no items
revise 2: shorter starter     an option for one item, by number or by name
accept 1, 3; alternatives 2   several
2: yes, the pair in row two   a text for an item
there are three EAL pupils    anything else is the text that the gate can take
"""

import re
from collections.abc import Collection, Sequence

from pydantic import JsonValue, ValidationError

from bottega.conversation.gates import (
    NEEDS_TEXT,
    SAID_FOR,
    Gate,
    GateItem,
    GateKind,
    GateReply,
    ItemReply,
)
from bottega.errors import InvalidInput

#: Where another command may begin.
_BREAK = re.compile(r"\s*[;\n]\s*")
_NUMBERS = re.compile(r"\d{1,4}(?:\s*(?:,|and|&)\s*\d{1,4})*")
#: Characters; a whole lesson plan is a tenth of it.
LONGEST_TEXT = 50_000
RATINGS = range(1, 6)


def parse_line(gate: Gate, line: str) -> GateReply:
    """The reply that the line means; `InvalidInput` if it can mean nothing here."""
    said = line.strip()
    if not said:
        return GateReply(decision=gate.default)
    if gate.kind is GateKind.CONFIDENCE and re.fullmatch(r"[1-5]", said):
        return GateReply(decision="rate", rating=int(said))
    if (option := _option(gate, said)) is not None:
        return GateReply(decision=option)
    if items := _commands(gate, said):
        return GateReply(decision=gate.default, items=items)
    return _with_text(gate, said)


def _option(gate: Gate, said: str) -> str | None:
    """The option for the whole, if the line is nothing but that."""
    word = _plain(said).removesuffix(" all").removesuffix(" everything")
    if word.isdecimal() and not gate.items and 1 <= int(word) <= len(gate.options):
        return gate.options[int(word) - 1]
    return _named(word, gate.options)


def _named(word: str, options: Sequence[str]) -> str | None:
    if word in options:
        return word
    return next((option for option in SAID_FOR.get(word, ()) if option in options), None)


def _with_text(gate: Gate, said: str) -> GateReply:
    """The whole line as a text: for the option that it names, or for the first that takes one."""
    for option in (option for option in gate.options if option in NEEDS_TEXT):
        if named := re.match(rf"{option}\s*:\s*(.+)", said, re.IGNORECASE | re.DOTALL):
            return GateReply(decision=option, text=named[1])
    takes_text = next((option for option in gate.options if option in NEEDS_TEXT), None)
    # A bare "no" or "2" is meant as a choice, and here there is none of that name.
    if takes_text is None or said.isdecimal() or _plain(said) in SAID_FOR:
        example = f" For an item write `{gate.items[0].options[0]} 1`." if gate.items else ""
        raise InvalidInput(
            f"{said[:60]!r} is no answer here; it may be {', '.join(gate.options)}.{example}",
            valid_options=gate.options,
        )
    return GateReply(decision=takes_text, text=said)


def _commands(gate: Gate, said: str) -> list[ItemReply]:
    """The items' replies, if every part of the line is one."""
    replies: list[ItemReply] = []
    for part in _parts(gate, said):
        found = _command(gate, part)
        if not found:
            return []
        replies += found
    return replies


def _parts(gate: Gate, said: str) -> list[str]:
    """Cut only where the next command begins: a text may have semicolons of its own."""
    parts: list[str] = []
    for piece in _BREAK.split(said):
        if parts and not _command(gate, piece):
            parts[-1] += f"; {piece}"
        else:
            parts.append(piece)
    return parts


def _command(gate: Gate, part: str) -> list[ItemReply]:
    head, colon, text = part.partition(":")
    word, _, rest = head.strip().partition(" ")
    for items, said in ((_items(gate, rest), word), (_items(gate, head), "")):
        replies = [_reply(item, said, text.strip() if colon else None) for item in items]
        if replies and None not in replies:
            return [reply for reply in replies if reply is not None]
    if gate.items and _NUMBERS.fullmatch(rest) and _named(_plain(word), gate.items[0].options):
        raise InvalidInput(f"There is no number {rest}; there are 1 to {len(gate.items)}.")
    return []


def _reply(item: GateItem, word: str, text: str | None) -> ItemReply | None:
    if word:
        option = _named(_plain(word), item.options)
    elif text:
        option = next((option for option in item.options if option in NEEDS_TEXT), None)
    else:
        option = None
    return ItemReply(id=item.id, decision=option, text=text) if option else None


def _items(gate: Gate, named: str) -> list[GateItem]:
    """By number, counted as they are shown, or by title or id."""
    named = named.strip()
    if _NUMBERS.fullmatch(named):
        numbers = [int(number) for number in re.findall(r"\d+", named)]
        is_there = all(1 <= number <= len(gate.items) for number in numbers)
        return [gate.items[number - 1] for number in numbers] if is_there else []
    word = _plain(named)
    return [item for item in gate.items if word and word in (_plain(item.title), _plain(item.id))]


def _plain(text: str) -> str:
    return " ".join(text.casefold().strip(" .!*").split())


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

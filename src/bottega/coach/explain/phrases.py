"""Sentences around pieces of source."""

import re
from collections.abc import Sequence

from bottega.core.code.model import Definition, Parameter

#: A piece of source in a sentence is a reminder, not a copy.
SNIPPET_LENGTH = 60
#: What an author says about code may be longer than code.
QUOTE_LENGTH = 160
#: A longer expression is not quoted in a list.
_SHORT = 40
_FEW = 6
#: A path or a literal that is short enough to be named as it is.
SIMPLE = re.compile(r"[&*]?[\w$.\[\]]+|[\"'][^\"'`\n]{0,20}[\"']|\[\]|\{\}|\(\)|-?[\d_.]+")
LONGEST_OPERAND = 24
_COMPARISON = re.compile(
    r"(.+?)\s*(===?|!==?|<=|>=|<|>|\bis not\b|\bis\b|\bnot in\b|\bin\b|\binstanceof\b)\s*(.+)"
)
_OPERATORS = {
    "==": "equals",
    "===": "equals",
    "!=": "is not",
    "!==": "is not",
    "<": "is below",
    "<=": "is at most",
    ">": "is above",
    ">=": "is at least",
    "instanceof": "is a",
    "in": "is in",
    "not in": "is not in",
}


def snippet(text: str, limit: int = SNIPPET_LENGTH) -> str:
    """The text on one line, cut where it gets long."""
    # Cut before splitting: a statement may be a whole file.
    start = text[: limit * 8]
    line = " ".join(start.split())
    is_whole = len(line) <= limit and len(start) == len(text)
    return line if is_whole else line[:limit].rstrip() + "…"


def code(text: str, limit: int = SNIPPET_LENGTH) -> str:
    """As a code span, whatever backticks stand in it (CommonMark: a longer fence)."""
    text = snippet(text, limit)
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def codes(texts: Sequence[str], most: int = _FEW) -> str:
    """`a`, `b` and `c`; a long list ends with how many more there are."""
    shown = [code(text) for text in texts[:most]]
    if len(texts) > most:
        shown.append(f"{len(texts) - most} more")
    return joined(shown)


def short_codes(texts: Sequence[str]) -> str:
    """The short ones, and how many longer ones there are."""
    short = [text for text in texts if len(text) <= _SHORT]
    longer = len(texts) - len(short)
    told = [codes(short)] if short else []
    return joined([*told, *([counted(longer, "longer expression")] if longer else [])])


def joined(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def counted(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "!", "?", ":")) else ".")


def first_sentence(doc: str) -> str:
    """Of what an author wrote: up to the first full stop or empty line."""
    paragraph = " ".join(doc.strip().split("\n\n", 1)[0].split())
    return re.split(r"(?<=[.!?])\s", paragraph, maxsplit=1)[0]


def name_in_words(name: str) -> str:
    """`load_users` and `loadUsers` as "load users"; nothing for a name of one word."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)
    return " ".join(word.lower() for word in words) if len(words) > 1 else ""


def taking(parameters: Sequence[Parameter]) -> str:
    """`, which takes …`, or nothing to say."""
    named = [one for one in parameters if not re.search(r"\b(self|cls|this)$", one.name)]
    if not named:
        return ", which takes nothing" if not parameters else ""
    return f", which takes {joined([_parameter(one) for one in named])}"


def _parameter(parameter: Parameter) -> str:
    notes = []
    if parameter.type:
        notes.append(f"of type {code(parameter.type)}")
    if parameter.default is not None:
        notes.append(f"{code(parameter.default)} unless given")
    return code(parameter.name) + (f" ({', '.join(notes)})" if notes else "")


def titled(definition: Definition) -> str:
    words = " ".join([*definition.traits, definition.kind.value])
    return f"the {words} {code(definition.name)}"


def described(definition: Definition) -> str:
    """The definition with what it takes and gives, as the end of a sentence."""
    told = titled(definition)
    if definition.kind.is_callable:
        taken = taking(definition.parameters)
        told += taken
        if definition.result:
            link = " and" if taken else ", which"
            told += f"{link} is declared to return {code(definition.result)}"
        return told
    if definition.bases:
        told += f", built on {codes(definition.bases)}"
    if members := [*(one.name for one in definition.parameters), *definition.members]:
        told += f", with {codes(members)}"
    return told


def signature(definition: Definition) -> str:
    """As a caller would want to see it, put together from the source's own pieces."""
    if not definition.kind.is_callable:
        bases = f" ← {codes(definition.bases)}" if definition.bases else ""
        members = f": {codes(definition.members)}" if definition.members else ""
        return f"{definition.kind} {code(definition.name)}{bases}{members}"
    taken = ", ".join(_terse(parameter) for parameter in definition.parameters)
    result = f" → {code(definition.result)}" if definition.result else ""
    traits = "".join(f"{trait} " for trait in definition.traits)
    return f"{traits}{code(definition.name)}({taken}){result}"


def _terse(parameter: Parameter) -> str:
    kind = f": {code(parameter.type)}" if parameter.type else ""
    default = f" = {code(parameter.default)}" if parameter.default is not None else ""
    return code(parameter.name) + kind + default


def condition_in_words(condition: str) -> str:
    """`not items` as "`items` is empty or false", `n < 1` as "`n` is below `1`"; nothing for a
    condition that has more to it."""
    text = " ".join(condition.split())
    denied = re.fullmatch(r"(?:not |!)\s*(.+)", text)
    if denied and _is_operand(denied[1]):
        return f"{code(denied[1])} is empty or false"
    if SIMPLE.fullmatch(text):
        return f"{code(text)} is neither empty nor false"
    compared = _COMPARISON.fullmatch(text)
    if compared and _is_operand(compared[1]) and _is_operand(compared[3]):
        compares = _OPERATORS.get(compared[2], compared[2])
        return f"{code(compared[1])} {compares} {code(compared[3])}"
    return ""


def is_short(text: str) -> bool:
    return len(text) <= LONGEST_OPERAND and "\n" not in text


def _is_operand(text: str) -> bool:
    return is_short(text) and not re.search(r"[=<>?:|]|&&|\b(and|or|not|lambda)\b", text)

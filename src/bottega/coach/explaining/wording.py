"""Definitions in words."""

from collections.abc import Sequence

from bottega.coach.explaining.facts import Definition, Kind, Parameter
from bottega.coach.explaining.phrasing import code, codes, joined


def taking(parameters: Sequence[Parameter]) -> str:
    """`, which takes …`, or nothing to say."""
    named = [one for one in parameters if one.name not in ("self", "cls", "this")]
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


def described(definition: Definition) -> str:
    """The definition with what it takes and gives, as the end of a sentence."""
    words = " ".join([*definition.traits, definition.kind.value])
    told = f"the {words} {code(definition.name)}"
    if definition.kind in (Kind.FUNCTION, Kind.METHOD):
        taken = taking(definition.parameters)
        told += taken
        if definition.result:
            link = " and" if taken else ", which"
            told += f"{link} is declared to return {code(definition.result)}"
        return told
    if definition.bases:
        told += f", built on {codes(definition.bases)}"
    if definition.members:
        told += f", with {codes(definition.members)}"
    return told


def signature(definition: Definition) -> str:
    """As a caller would want to see it, put together from the source's own pieces."""
    if definition.kind not in (Kind.FUNCTION, Kind.METHOD):
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

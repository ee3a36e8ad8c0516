"""An explanation of a selection, worked out by our own code."""

from dataclasses import dataclass

from bottega.coach.explaining.ecmascript.read import read as read_ecmascript
from bottega.coach.explaining.facts import Facts
from bottega.coach.explaining.phases import connect
from bottega.coach.explaining.plain import tell_plainly
from bottega.coach.explaining.python.read import read as read_python
from bottega.coach.explaining.related import candidate_paths
from bottega.coach.explaining.selection import CurrentPhase, Grammar, Selection
from bottega.coach.explaining.writing import analogy_for, concepts_for, write
from bottega.coach.stages import Stage

#: Characters read of a selection and of the code around it. Parsers take their time over text that
#: is no code, the more the longer it and its lines are.
MOST_SELECTED = 20_000
MOST_CONTEXT = 40_000
LONGEST_LINE = 2_000

_NOTHING_SELECTED = "Nothing was selected, so this is about the code around it."
_CUT = "It is long: only its beginning was read."
_TOO_LONG = "It has very long lines, as generated code has, so it was not read as a tree."
_TOO_DEEP = "It is nested too deeply to be read as a tree."
_CLOSING = "_Worked out from the code itself, without a model._"


@dataclass(frozen=True, slots=True)
class Explanation:
    #: Markdown.
    text: str
    concepts: tuple[str, ...]
    analogy: str | None
    #: Paths where imported code may be; only the project knows which exist.
    related: tuple[str, ...]
    phase_connection: str | None


def explain(selection: Selection, stage: Stage, phase: CurrentPhase | None = None) -> Explanation:
    # EC-74: without a selection, the code around it is what there is to explain.
    whole = selection.context if selection.is_empty else selection.text
    text = _beginning(whole, MOST_SELECTED)
    notes = [_NOTHING_SELECTED] if selection.is_empty and whole.strip() else []
    if len(text) < len(whole):
        notes.append(_CUT)
    facts, note = _read(text, selection)
    notes.extend(filter(None, [note]))
    grammar = selection.grammar
    if facts is None or facts.is_empty or grammar is None:
        told = " ".join([*notes, *tell_plainly(selection, text)])
        connection = connect(phase, selection.path, set())
        return Explanation(f"{told}\n\n{_CLOSING}", (), None, (), connection)
    return Explanation(
        "\n\n".join([*notes, write(facts, stage), _CLOSING]),
        tuple(concept.value for concept in concepts_for(facts, stage)),
        analogy_for(facts, stage),
        candidate_paths(facts.imports, selection.path, grammar),
        connect(phase, selection.path, facts.names),
    )


def _read(text: str, selection: Selection) -> tuple[Facts | None, str | None]:
    """The facts, if there is a tree to read them from, and what to say about the reading."""
    if selection.grammar is None:
        return None, None
    if _has_long_lines(text):
        return None, _TOO_LONG
    context = _beginning(selection.context, MOST_CONTEXT)
    if _has_long_lines(context):
        context = ""
    try:
        if selection.grammar is Grammar.PYTHON:
            facts = read_python(text, context)
        else:
            facts = read_ecmascript(text, context, selection.grammar)
    except RecursionError:
        return None, _TOO_DEEP
    return facts, facts.note


def _beginning(text: str, most: int) -> str:
    """As many whole lines as fit."""
    if len(text) <= most:
        return text
    return text[:most].rpartition("\n")[0] or text[:most]


def _has_long_lines(text: str) -> bool:
    return any(len(line) > LONGEST_LINE for line in text.splitlines())

"""An explanation of a selection, worked out by our own code."""

import posixpath
import re
from dataclasses import dataclass

from bottega.coach.enums import Stage
from bottega.coach.explain.facts import Facts
from bottega.coach.explain.findings import facts_of
from bottega.coach.explain.import_paths import candidate_paths
from bottega.coach.explain.markdown import analogy_for, concepts_for, write
from bottega.coach.explain.phrases import code, codes, counted, sentence
from bottega.coach.explain.selection import Selection, read_selection
from bottega.coach.plans.phases import CurrentPhase

#: Characters read of a selection and of the code around it. Parsers take their time over text that
#: is no code, the more the longer it and its lines are.
MOST_SELECTED = 20_000
MOST_CONTEXT = 40_000
LONGEST_LINE = 2_000

_NOTHING_SELECTED = "Nothing was selected, so this is about the code around it."
_CUT = "It is long: only its beginning was read."
_TOO_LONG = "It has very long lines, as generated code has, so it was not read as a tree."
_CLOSING = "_Worked out from the code itself, without a model._"

#: A shorter name stands in a description by chance.
_SHORTEST = 3

_DEFINES = re.compile(
    r"\b(?:func|fn|fun|def|class|struct|interface|enum|trait|impl|module|namespace|package|type|"
    r"function|procedure|sub|table|view|resource|message|service)\s+([A-Za-z_]\w*)"
)
_COMMENT_STARTS = ("#", "//", "--", "/*", "*", ";", "%", "<!--")
_COMMENT_SIGNS = "#/-*;%<!> \t"


@dataclass(frozen=True, slots=True)
class CodeExplanation:
    #: Markdown.
    text: str
    concepts: tuple[str, ...]
    analogy: str | None
    #: Paths where imported code may be; only the project knows which exist.
    related: tuple[str, ...]
    phase_connection: str | None


def explain(
    selection: Selection, stage: Stage, phase: CurrentPhase | None = None
) -> CodeExplanation:
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
        return CodeExplanation(f"{told}\n\n{_CLOSING}", (), None, (), connection)
    return CodeExplanation(
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
    facts = facts_of(read_selection(text, context, selection, selection.grammar))
    return facts, facts.note


def _beginning(text: str, most: int) -> str:
    """As many whole lines as fit."""
    if len(text) <= most:
        return text
    return text[:most].rpartition("\n")[0] or text[:most]


def _has_long_lines(text: str) -> bool:
    return any(len(line) > LONGEST_LINE for line in text.splitlines())


def connect(phase: CurrentPhase | None, path: str, names: set[str]) -> str | None:
    """A sentence about what the phase names of this code; None where it names nothing."""
    if phase is None:
        return None
    title = " ".join(phase.title.split())
    told = f"{phase.title} {phase.description}"
    file = posixpath.basename(path)
    if path and (path in phase.expected_files or (file and _names(told, file))):
        return f"You are in phase {phase.number}, “{title}”, and {code(file)} is one of its files."
    named = sorted(name for name in names if len(name) >= _SHORTEST and _names(told, name))
    if named:
        return f"You are in phase {phase.number}, “{title}”, which speaks of {codes(named)}."
    return None


def _names(text: str, name: str) -> bool:
    # Plain English words are names too; as in code, case counts.
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text) is not None


def tell_plainly(selection: Selection, text: str) -> list[str]:
    """What can be said of a text that is not read: that, its size, what it seems to define and what
    its author notes."""
    lines = text.splitlines()
    filled = [line for line in lines if line.strip()]
    if not filled:
        return ["There is nothing here to explain: neither the selection nor the code around it."]
    language = selection.language_words
    told = [f"{counted(len(lines), 'line')}{f' of {language}' if language else ''}."]
    if selection.grammar is None:
        what = language or "This kind of text"
        told.append(f"{what} is not read without a model, so what it does cannot be said here.")
    else:
        told.append("There is no statement in it that could be explained.")
    if language and (defined := list(dict.fromkeys(_DEFINES.findall(text)))):
        told.append(f"By the look of it, it defines {codes(defined)}.")
    if comments := list(filter(None, map(_comment, filled))):
        told.append(sentence(f"its author notes: {codes(comments, most=3)}"))
    return told


def _comment(line: str) -> str:
    """What a line of comment says; nothing for another line."""
    line = line.strip()
    return line.strip(_COMMENT_SIGNS) if line.startswith(_COMMENT_STARTS) else ""

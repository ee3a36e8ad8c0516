"""An explanation of a selection, worked out by our own code."""

import posixpath
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from bottega.coach.enums import Stage
from bottega.coach.explain.facts import Facts
from bottega.coach.explain.findings import facts_of
from bottega.coach.explain.markdown import analogy_for, concepts_for, write
from bottega.coach.explain.phrases import code, codes, counted, sentence
from bottega.coach.explain.selection import Selection, read_selection
from bottega.coach.plans.phases import CurrentPhase
from bottega.core.code.grammars import Grammar
from bottega.core.code.model import Import

_ENDINGS = {
    Grammar.JAVASCRIPT: (".js", ".jsx", ".mjs", ".ts"),
    Grammar.TYPESCRIPT: (".ts", ".tsx", ".d.ts", ".js"),
    Grammar.TSX: (".tsx", ".ts", ".d.ts", ".js"),
}
#: TypeScript names a file by what it is compiled to.
_COMPILED = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",)}


def candidate_paths(imports: Iterable[Import], path: str, grammar: Grammar) -> tuple[str, ...]:
    """Paths in the project where the imported code may be: of each import its likeliest, then of
    each the next, as whoever reads them may not read all."""
    path = path.replace("\\", "/")
    if grammar is Grammar.PYTHON:
        found = [list(_python_paths(imported, path)) for imported in imports]
    elif grammar in _ENDINGS:
        found = [list(_ecmascript_paths(one, path, _ENDINGS[grammar])) for one in imports]
    else:
        found = [list(_package_paths(one, path, grammar)) for one in imports]
    # Few places means certain ones: a package that is not the file's own may be anywhere.
    found.sort(key=len)
    ranked = (one for rank in zip_longest(*found) for one in rank if one is not None)
    paths = dict.fromkeys(map(posixpath.normpath, ranked))
    # A path that climbs out of the project is none of its files.
    return tuple(one for one in paths if not one.startswith(("..", "/")) and one != path)


def _python_paths(imported: Import, path: str) -> Iterator[str]:
    module = imported.module.lstrip(".")
    dots = len(imported.module) - len(module)
    names = module.split(".") if module else []
    if dots:
        folder = posixpath.dirname(path)
        for _ in range(dots - 1):
            folder = posixpath.join(folder, "..")
        yield from _module_files(folder, names, imported.name)
    elif names and names[0] not in sys.stdlib_module_names:
        for folder in _roots(path, names[0]):
            yield from _module_files(folder, names, imported.name)


def _roots(path: str, package: str) -> Iterator[str]:
    """Where an absolute import may start: above the file's own package, or beside the file."""
    folders = posixpath.dirname(path).split("/")
    if package in folders:
        yield "/".join(folders[: folders.index(package)])
    else:
        yield from dict.fromkeys((posixpath.dirname(path), "", "src"))


def _module_files(folder: str, names: list[str], imported: str) -> Iterator[str]:
    module = posixpath.join(folder, *names)
    if names:
        yield f"{module}.py"
    yield posixpath.join(module, f"{imported}.py")
    yield posixpath.join(module, "__init__.py")


def _ecmascript_paths(imported: Import, path: str, endings: tuple[str, ...]) -> Iterator[str]:
    if not imported.module.startswith("."):
        return
    target = posixpath.join(posixpath.dirname(path), imported.module)
    stem, ending = posixpath.splitext(target)
    if ending:
        yield target
        yield from (stem + other for other in _COMPILED.get(ending, ()))
    if ending not in (*endings, *_COMPILED):
        yield from (target + other for other in endings)
        yield from (posixpath.join(target, f"index{other}") for other in endings[:2])


def _package_paths(imported: Import, path: str, grammar: Grammar) -> Iterator[str]:
    """Rust's `crate::rates::lookup` and Java's `shop.Rates`; Go names packages by where they are
    published, which no path tells."""
    folders = posixpath.dirname(path).split("/")
    if grammar is Grammar.RUST and imported.module.startswith(("crate::", "super::")):
        root = posixpath.dirname(path)
        if imported.module.startswith("crate::") and "src" in folders:
            root = "/".join(folders[: folders.index("src") + 1])
        names = imported.module.split("::")[1:]
        for end in (len(names), len(names) - 1):
            yield posixpath.join(root, *names[:end]) + ".rs"
    elif grammar is Grammar.JAVA:
        names = imported.module.split(".")
        if names[0] in folders:
            yield "/".join([*folders[: folders.index(names[0])], *names]) + ".java"


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

"""References between a plugin's skill files that lead nowhere, or round in a circle."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from bottega.assistant.plugins.folder import MarkdownFolder
from bottega.assistant.plugins.problems import no_such
from bottega.assistant.plugins.references import (
    SKILL_FILE,
    FoundReference,
    Reference,
    find_references,
)
from bottega.core.documents import Problem
from bottega.core.files.paths import relative_path
from bottega.errors import BottegaError

_Graph = Mapping[Reference, Sequence[FoundReference]]


def misplaced_references(
    files: MarkdownFolder, skills: Collection[str]
) -> Iterator[tuple[str, Problem]]:
    """Each with the file it stands in. The skills can be read all the same: whoever reads one is
    told in place, or gets an error instead of a text without end."""
    present = [Reference(skill, file) for skill in skills for file in files.walk(f"skills/{skill}")]
    names = {str(reference) for reference in present}
    graph = {at: _references(files, _path(at)) for at in present if at.file.endswith(".md")}
    for at, found in graph.items():
        for each in found:
            named = str(_settle(each.reference))
            if named not in names:
                message = f"there is {no_such('skill file', named, names)}"
                yield _path(at), Problem(each.line, each.column, message)
    yield from _circles(graph)


def _circles(graph: _Graph) -> Iterator[tuple[str, Problem]]:
    """One problem a circle, at the reference that closes it."""
    done: set[Reference] = set()
    for start in graph:
        trail = [start]
        rest = [iter(graph[start])] if start not in done else []
        done.add(start)
        while rest:
            each = next(rest[-1], None)
            if each is None:
                rest.pop()
                trail.pop()
                continue
            to = _settle(each.reference)
            if to in trail:
                chain = " → ".join(str(part) for part in (*trail[trail.index(to) :], to))
                message = f"the references go round in a circle: {chain}"
                yield _path(trail[-1]), Problem(each.line, each.column, message)
            elif to not in done:
                done.add(to)
                trail.append(to)
                rest.append(iter(graph.get(to, ())))


def _references(files: MarkdownFolder, path: str) -> list[FoundReference]:
    try:
        return list(find_references(files.read(path)))
    except BottegaError:
        # A skill that cannot be read has its own problem; other files are read when asked for.
        return []


def _settle(reference: Reference) -> Reference:
    try:
        file = relative_path(Path("/"), reference.file.lstrip("/"))
    except BottegaError:
        return reference
    return Reference(reference.skill, file or SKILL_FILE)


def _path(reference: Reference) -> str:
    return f"skills/{reference.skill}/{reference.file}"

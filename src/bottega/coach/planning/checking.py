"""A model's phases, made fit to be stored: numbered in order, with paths that stay inside."""

from collections.abc import Callable, Iterable

import structlog

from bottega.coach.enums import FileStyle, HintType, LineStyle
from bottega.coach.planning.guidance import Guidance, PhaseGuidance
from bottega.coach.repository.plans import NewHint, NewPhase
from bottega.errors import BottegaError

#: Gives a path its one spelling; raises for one outside the project.
Relative = Callable[[str], str]

log = structlog.get_logger()


def checked_phases(guidance: Guidance, relative: Relative) -> list[NewPhase]:
    """By the model's numbers, numbered anew from 1. Files need not exist (EC-64)."""
    in_order = sorted(guidance.phases, key=lambda phase: phase.number)
    return [_checked(number, phase, relative) for number, phase in enumerate(in_order, start=1)]


def _checked(number: int, phase: PhaseGuidance, relative: Relative) -> NewPhase:
    return NewPhase(
        number=number,
        title=" ".join(phase.title.split()) or f"Phase {number}",
        description=phase.description.strip(),
        hint_level=phase.hint_level,
        expected_files=_unique(_inside(path, relative) for path in phase.expected_files),
        opportunities=_unique(word.strip() for word in phase.knowledge_gap_opportunities),
        hints=[*_file_hints(phase, relative), *_line_hints(phase, relative)],
    )


def _file_hints(phase: PhaseGuidance, relative: Relative) -> list[NewHint]:
    styles: dict[str, FileStyle] = {}
    for hint in phase.hints.file_hints:
        if path := _inside(hint.path, relative):
            styles.setdefault(path, hint.style)
    return [NewHint(HintType.FILE, path, style) for path, style in styles.items()]


def _line_hints(phase: PhaseGuidance, relative: Relative) -> list[NewHint]:
    """Hints at the same lines become one, with what each of them says."""
    texts: dict[tuple[str, int, int], list[str]] = {}
    styles: dict[tuple[str, int, int], LineStyle] = {}
    for hint in phase.hints.line_hints:
        if path := _inside(hint.path, relative):
            place = (path, min(hint.start, hint.end), max(hint.start, hint.end))
            texts.setdefault(place, []).append(hint.hover_text.strip())
            styles.setdefault(place, hint.style)
    return [
        NewHint(
            HintType.LINE,
            path,
            styles[path, start, end],
            start,
            end,
            "\n".join(_unique(said)) or None,
        )
        for (path, start, end), said in texts.items()
    ]


def _inside(path: str, relative: Relative) -> str:
    """The path as the project spells it; empty for one that is outside or the project itself."""
    try:
        return relative(path)
    except BottegaError as error:
        log.warning("coach.hint_dropped", path=path[:200], why=error.message)
        return ""


def _unique(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(word for word in words if word))

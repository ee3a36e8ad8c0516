"""Triage by rule: what a snapshot alone gives away, and how sure one can be of it.

A rule looks at one thing and stays silent when it sees nothing. Its confidence is for an advanced
beginner: novices are spoken to a little sooner, those who know their way later. Below `IN_DOUBT`
nothing is suspected at all; between it and the observer's threshold the suspicion is logged and
the person left alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bottega.coach.enums import Signal, Stage
from bottega.coach.observer.context import (
    LOOP_CHANGES,
    FileWork,
    TriageContext,
    find_edit_loop,
    format_duration,
    is_expected,
)

IN_DOUBT = 0.5
CERTAIN = 0.95
SENSITIVITY = {
    Stage.NOVICE: 0.05,
    Stage.ADVANCED_BEGINNER: 0.0,
    Stage.COMPETENT: -0.1,
    Stage.PROFICIENT: -0.15,
    Stage.EXPERT: -0.15,
}

#: Files edited aside from the plan before it looks like another errand.
DRIFT_FILES = 3
#: Seconds without an edit after which work that could be done probably is.
SETTLED_AFTER = 60


@dataclass(frozen=True, slots=True)
class Suspicion:
    signal: Signal
    confidence: float
    reasoning: str
    #: Where, if not in the file at hand.
    file: str | None = None


Rule = Callable[[TriageContext], Suspicion | None]


def strongest_suspicion(context: TriageContext) -> Suspicion | None:
    found = [suspicion for rule in RULES if (suspicion := rule(context)) is not None]
    if not found:
        return None
    likeliest = max(found, key=lambda suspicion: suspicion.confidence)
    confidence = likeliest.confidence + SENSITIVITY[context.dreyfus_stage]
    if confidence < IN_DOUBT:
        return None
    return replace(likeliest, confidence=round(min(confidence, CERTAIN), 2))


def wrong_file(context: TriageContext) -> Suspicion | None:
    """To look at another file is weak evidence, to edit it strong; and a test is never wrong."""
    path, work = context.current_file, context.work_on(context.current_file)
    if path is None or not context.expected_files or is_expected(path, context.expected_files):
        return None
    minutes = context.in_current_file_for / 60
    if work is None or work.edits == 0:
        if context.is_current_file_related:
            return None
        confidence = 0.3 + min(0.05 * minutes, 0.25)
        return Suspicion(Signal.WRONG_FILE, confidence, f"{path} is open and not in the plan")
    if work.is_test:
        return None
    confidence = 0.6 + min(0.03 * work.edits + 0.02 * minutes, 0.25)
    if context.is_current_file_related:
        confidence -= 0.1
    if any(other.is_expected and other.edits for other in context.files):
        confidence -= 0.1
    return Suspicion(
        Signal.WRONG_FILE, confidence, f"{work.edits} edits in {path}, which is not in the plan"
    )


def scope_drift(context: TriageContext) -> Suspicion | None:
    edited = [work for work in context.files if work.edits]
    if not context.expected_files or any(work.is_expected for work in edited):
        return None
    astray = [work.path for work in edited if not work.is_test]
    if len(astray) < DRIFT_FILES:
        return None
    confidence = min(0.85 + 0.03 * (len(astray) - DRIFT_FILES), CERTAIN)
    return Suspicion(
        Signal.SCOPE_DRIFT, confidence, f"edits in {len(astray)} files, none of them in the plan"
    )


def idle(context: TriageContext) -> Suspicion | None:
    """Five minutes may be reading; the longer it lasts, the likelier it is being stuck."""
    if not context.user_idle:
        return None
    confidence = 0.75 + min(0.01 * (context.idle_for / 60 - 5), 0.15)
    if context.current_phase is None:
        confidence -= 0.05
    return Suspicion(Signal.IDLE, confidence, f"nothing for {format_duration(context.idle_for)}")


def edit_loop(context: TriageContext) -> Suspicion | None:
    found = (find_edit_loop(work.path, work.changes) for work in context.files)
    loop = max(filter(None, found), key=lambda loop: loop.length, default=None)
    if loop is None:
        return None
    confidence = min(0.65 + 0.07 * (loop.length - LOOP_CHANGES), 0.9)
    how = "swings back and forth" if loop.swings else "is edited without getting anywhere"
    return Suspicion(Signal.EDIT_LOOP, confidence, f"{loop.path} {how}", loop.path)


def phase_complete(context: TriageContext) -> Suspicion | None:
    """Everything that was expected is edited and saved, and nothing more happens to it."""
    done = [work for work in context.files if work.is_expected and _is_done(work)]
    unfinished = [work for work in context.files if work.is_expected and not _is_done(work)]
    if not done or unfinished or not _covers_all(done, context.expected_files):
        return None
    quiet = min(work.quiet_for for work in context.files)
    confidence = 0.55 if quiet < SETTLED_AFTER else 0.75 + min(0.02 * (quiet / 60 - 1), 0.1)
    return Suspicion(
        Signal.PHASE_COMPLETE,
        confidence,
        f"all expected files are edited and saved, and quiet for {format_duration(quiet)}",
    )


def _is_done(work: FileWork) -> bool:
    return work.edits > 0 and work.saves > 0 and not work.is_unsaved


def _covers_all(done: Sequence[FileWork], expected: Sequence[str]) -> bool:
    return all(any(is_expected(work.path, [entry]) for work in done) for entry in expected)


#: Of two that are equally sure, the first is the more telling one.
RULES: tuple[Rule, ...] = (scope_drift, phase_complete, edit_loop, wrong_file, idle)

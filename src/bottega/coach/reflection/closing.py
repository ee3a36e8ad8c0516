"""The last words of a session: warm, short, and nothing but facts."""

from bottega.coach.reflection.evidence import SessionEvidence


def closing_words(evidence: SessionEvidence | None, gaps: int, katas: int) -> str:
    return " ".join(filter(None, (_done(evidence), _learned(gaps, katas))))


def _done(evidence: SessionEvidence | None) -> str:
    if evidence is None or not evidence.active:
        return "A short one today. See you next time."
    time = _counted(round(evidence.minutes), "minute")
    done, alone = len(evidence.completed), evidence.independent_completions
    if not evidence.phases_total:
        return f"Thank you for {time} of work."
    phases = _counted(evidence.phases_total, "phase")
    if not done:
        return f"You worked on a plan of {phases} for {time}; it is there when you come back."
    by_yourself = f", {alone if alone < done else 'all'} of them on your own" if alone else ""
    return f"You finished {done} of {phases} in {time}{by_yourself}."


def _learned(gaps: int, katas: int) -> str:
    if not gaps:
        return ""
    ready = f", and {_counted(katas, 'kata')} to practise with" if katas else ""
    return f"Paige noted {_counted(gaps, 'thing')} worth another look{ready}."


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"

"""Whether a paragraph says what a claim says it says."""

import re
from collections.abc import Mapping, Sequence

from bottega.library.judging.alignment import Embed, Nearness, content
from bottega.library.judging.checks.actors import check_roles
from bottega.library.judging.checks.binding import check_modality, check_quantifiers
from bottega.library.judging.checks.comparison import Comparison
from bottega.library.judging.checks.conditions import check_conditions
from bottega.library.judging.checks.denials import check_negation
from bottega.library.judging.checks.numbers import check_numbers
from bottega.library.judging.checks.things import check_direction, check_names, check_things
from bottega.library.judging.statements import Statement, join_lead, plain, read_statements
from bottega.library.judging.verdicts import (
    Check,
    ErrorCategory,
    Judgement,
    MatchLevel,
    Outcome,
    Verdict,
)

#: Scores from which a claim is supported, and up to which it is not.
SUPPORTED, UNSUPPORTED = 0.66, 0.5
#: What is left of the score after a failed check, and what a doubt takes off it.
AFTER_FAILURE, DOUBT = 0.25, 0.2
#: The meaning of the whole counts this much beside the words, and is complete from here on.
MEANING, SAME_MEANING = 0.25, 0.75
#: A statement may fit this much worse than the best and still be the one that is meant.
NEXT_BEST = 0.15


def judge_claim(
    claim: str,
    paragraph: str,
    *,
    terms: Mapping[str, str] | None = None,
    neighbours: Sequence[str] = (),
    embed: Embed | None = None,
) -> Judgement:
    """Judge one claim by the text of the paragraph that it cites.

    `terms` are the library's defined terms with their definitions. Of the `neighbours` a lead-in,
    which ends with a colon, is read as the paragraph's beginning; the others are no evidence. Every
    statement of the claim has to be supported: the weakest decides.
    """
    terms = terms or {}
    evidence = plain(_with_lead(paragraph, neighbours))
    source = read_statements(evidence)
    claimed = read_statements(claim)
    if not claimed or not source:
        check = Check("content", Outcome.FAILED, "there is nothing to compare")
        return _judgement(0.0, 0.0, (check,), MatchLevel.NONE)
    if _is_verbatim(claimed, source):
        return Judgement(
            Verdict.SUPPORTED, 1.0, (Check("content", Outcome.PASSED),), MatchLevel.EXACT
        )
    known = _with_definitions(evidence, terms)
    nearness = Nearness(
        embed,
        [statement.text for statement in (*claimed, *source)],
        [*(word for s in (*claimed, *source) for word in s.words), *content(known)],
    )
    judgements = [_judge(each, source, nearness, terms, known) for each in claimed]
    return min(judgements, key=lambda judgement: judgement.score)


def _judge(
    claim: Statement,
    source: Sequence[Statement],
    nearness: Nearness,
    terms: Mapping[str, str],
    known: str,
) -> Judgement:
    """By the statement that supports it best, among those that the claim may be about."""
    fits = {statement.text: _fit(claim, statement, nearness) for statement in source}
    by_fit = sorted(source, key=lambda statement: -fits[statement.text])
    best, *others = [
        _compare(claim, statement, source, nearness, terms, known)
        for statement in by_fit
        if fits[statement.text] >= fits[by_fit[0].text] - NEXT_BEST
    ]
    clean = [other for other in others if all(check.passed for check in other.checks)]
    return max([best, *clean], key=lambda judgement: judgement.score)


def _compare(
    claim: Statement,
    best: Statement,
    source: Sequence[Statement],
    nearness: Nearness,
    terms: Mapping[str, str],
    known: str,
) -> Judgement:
    seen = Comparison(claim, best, source, nearness, tuple(terms), known)
    coverage = nearness.coverage(content(claim.text), best.words, content(known))
    checks: tuple[Check, ...] = (
        check_numbers(seen),
        check_modality(seen),
        check_negation(seen),
        check_conditions(seen),
        check_roles(seen),
        check_quantifiers(seen),
        check_direction(seen),
        check_names(seen),
        check_things(seen),
    )
    meaning = nearness.of_texts(claim.text, best.text)
    score = coverage
    if meaning is not None:
        score = (1 - MEANING) * coverage + MEANING * min(1.0, max(0.0, meaning) / SAME_MEANING)
    outcome = Outcome.PASSED if score >= SUPPORTED else Outcome.DOUBTFUL
    if score <= UNSUPPORTED:
        outcome = Outcome.FAILED
    reason = "" if outcome is Outcome.PASSED else _missing(claim, best, nearness, known)
    checks = (*checks, Check("content", outcome, reason))
    level = MatchLevel.CLOSE if coverage >= 0.9 else MatchLevel.PARTIAL
    return _judgement(score, coverage, checks, level)


def _fit(claim: Statement, statement: Statement, nearness: Nearness) -> float:
    """How likely the claim is about this statement; a tie goes to what agrees in kind."""
    fit = nearness.coverage(content(claim.text), statement.words)
    fit += 0.1 * nearness.coverage(content(statement.core), claim.words)
    shared = any(a.agrees(b) for a in claim.quantities for b in statement.quantities)
    return fit + 0.1 * (claim.modality is statement.modality) + 0.15 * shared


def _judgement(
    score: float, coverage: float, checks: tuple[Check, ...], level: MatchLevel
) -> Judgement:
    failures = [check for check in checks if check.outcome is Outcome.FAILED]
    doubts = sum(check.outcome is Outcome.DOUBTFUL for check in checks if check.name != "content")
    score -= DOUBT * doubts
    if failures:
        score = min(score, AFTER_FAILURE)
    score = min(1.0, max(0.0, score))
    if failures or score <= UNSUPPORTED - DOUBT:
        verdict = Verdict.UNSUPPORTED
    else:
        verdict = Verdict.SUPPORTED if score >= SUPPORTED else Verdict.UNDECIDED
    return Judgement(
        verdict,
        round(score, 3),
        checks,
        level if coverage >= 0.5 else MatchLevel.NONE,
        ErrorCategory.CONTENT_MISMATCH if verdict is Verdict.UNSUPPORTED else None,
    )


def _with_lead(paragraph: str, neighbours: Sequence[str]) -> str:
    for neighbour in neighbours:
        if neighbour.rstrip().endswith(":"):
            return join_lead(neighbour, paragraph)
    return paragraph


def _with_definitions(evidence: str, terms: Mapping[str, str]) -> str:
    """The evidence, and what the terms in it mean."""
    meant = [
        definition
        for term, definition in terms.items()
        if re.search(rf"\b{re.escape(term)}s?\b", evidence, re.I)
    ]
    return " ".join([evidence, *meant])


def _missing(claim: Statement, best: Statement, nearness: Nearness, known: str) -> str:
    said = (*best.words, *content(known))
    missing = [w.text for w in content(claim.text) if nearness.best(w, said)[0] < 0.5]
    return (
        f"the paragraph does not say “{', '.join(missing)}”" if missing else "too little in common"
    )


def _squeezed(text: str) -> str:
    return re.sub(r"[^\w%€$£]+", " ", text).strip().lower()


def _is_verbatim(claimed: Sequence[Statement], source: Sequence[Statement]) -> bool:
    """Whether it repeats whole statements: a part may have lost its condition."""
    said = {_squeezed(statement.text) for statement in source}
    return all(_squeezed(statement.text) in said for statement in claimed)

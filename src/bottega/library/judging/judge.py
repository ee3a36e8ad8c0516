"""Whether a paragraph says what a claim says it says.

Some differences are falsehoods and decide alone: another number, "shall" for "may", a denial,
another direction. All other evidence is weighed (`evidence.py`), and what is weighed to a
probability in the middle stays undecided, for a model to judge. Where there is a reader, that one
decides with them (`reading.py`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bottega.library.judging.alignment import Embed, Nearness, content
from bottega.library.judging.checks.actors import check_roles
from bottega.library.judging.checks.binding import check_modality, check_quantifiers
from bottega.library.judging.checks.comparison import SAME, Comparison
from bottega.library.judging.checks.conditions import check_conditions
from bottega.library.judging.checks.denials import check_negation
from bottega.library.judging.checks.numbers import check_numbers
from bottega.library.judging.checks.swaps import check_swaps
from bottega.library.judging.checks.things import check_direction, check_names, check_things
from bottega.library.judging.evidence import gather, predicate, weigh
from bottega.library.judging.landmarks import ATTRIBUTION, PRONOUN, WHOLE_SENTENCE
from bottega.library.judging.reading import Support, read_again
from bottega.library.judging.statements import (
    Statement,
    join_lead,
    plain,
    read_clauses,
    read_statements,
)
from bottega.library.judging.verdicts import (
    Check,
    ErrorCategory,
    Evidence,
    Judgement,
    MatchLevel,
    Outcome,
    Verdict,
)
from bottega.library.judging.wordings import unify
from bottega.library.judging.words import Word

#: Scores from which a claim is supported, and up to which it is not. In between one in four is
#: wrong on the tuning claims, outside one in fourteen.
SUPPORTED, UNSUPPORTED = 0.8, 0.42
#: What is left of the score when one of the checks that decide alone has failed.
AFTER_FAILURE = 0.2
#: A statement may fit this much worse than the best and still be the one that is meant.
NEXT_BEST = 0.2
#: Whose failure is a falsehood; that of the others is weighed.
DECISIVE = frozenset(
    ["numbers", "modality", "negation", "roles", "swap", "quantifiers", "direction", "names"]
)


@dataclass(frozen=True, slots=True)
class Asked:
    claim: str
    #: The text that it cites.
    paragraph: str
    #: One that ends with a colon leads to the paragraph; the others are no evidence.
    neighbours: tuple[str, ...] = ()


def judge_claim(
    claim: str,
    paragraph: str,
    *,
    terms: Mapping[str, str] | None = None,
    neighbours: Sequence[str] = (),
    embed: Embed | None = None,
    support: Support | None = None,
) -> Judgement:
    """Judge one claim by the text of the paragraph that it cites."""
    asked = [Asked(claim, paragraph, tuple(neighbours))]
    return judge_claims(asked, terms=terms, embed=embed, support=support)[0]


def judge_claims(
    asked: Sequence[Asked],
    *,
    terms: Mapping[str, str] | None = None,
    embed: Embed | None = None,
    support: Support | None = None,
) -> list[Judgement]:
    """Judge each; embedder and reader are asked once for all of them.

    `terms` are the library's defined terms with their definitions. Every statement of a claim has
    to be supported: the weakest decides. `support` is a reader's; without one, rules decide alone.
    """
    terms = terms or {}
    read = [_read(each, terms) for each in asked]
    nearness = Nearness(embed, {word for each in read for word in each.words})
    judgements = [_judge_read(each, nearness, tuple(terms)) for each in read]
    return judgements if support is None else _read_by(support, asked, judgements)


def _read_by(
    support: Support, asked: Sequence[Asked], judgements: list[Judgement]
) -> list[Judgement]:
    """Read is what is not repeated word by word."""
    places = [at for at, judgement in enumerate(judgements) if judgement.evidence is not None]
    pairs = [(_with_lead(each.paragraph, each.neighbours), each.claim) for each in asked]
    for at, sure in zip(places, support([pairs[at] for at in places]), strict=True):
        judgements[at] = read_again(judgements[at], sure)
    return judgements


@dataclass(frozen=True, slots=True)
class Read:
    """A claim and its source as statements."""

    claimed: tuple[Statement, ...]
    source: tuple[Statement, ...]
    #: Parts of the source that may be what a claim is about.
    clauses: tuple[Statement, ...]
    #: The paragraph, and what the terms in it mean.
    known: str

    @property
    def words(self) -> list[Word]:
        told = [word for each in (*self.claimed, *self.source) for word in each.words]
        return [*told, *content(self.known)]


def _read(asked: Asked, terms: Mapping[str, str]) -> Read:
    text = unify(plain(_with_lead(asked.paragraph, asked.neighbours)))
    known = _with_definitions(text, terms)
    claim = ATTRIBUTION.sub("", asked.claim)
    return Read(read_statements(claim), read_statements(text), read_clauses(text), known)


def _judge_read(read: Read, nearness: Nearness, terms: Sequence[str]) -> Judgement:
    if not read.claimed or not read.source:
        check = Check("content", Outcome.FAILED, "there is nothing to compare")
        return _judgement(0.0, (check,), MatchLevel.NONE)
    if _is_verbatim(read.claimed, read.source):
        return _judgement(1.0, (Check("content", Outcome.PASSED),), MatchLevel.EXACT)
    return min(
        (_judge(each, read, nearness, terms) for each in read.claimed),
        key=lambda judgement: judgement.score,
    )


def _judge(claim: Statement, read: Read, nearness: Nearness, terms: Sequence[str]) -> Judgement:
    """By the statement that supports it best, among those that the claim may be about."""
    fits = {
        each.text: _fit(claim, each, nearness, read.known) for each in (*read.source, *read.clauses)
    }
    by_fit = sorted(read.source, key=lambda statement: -fits[statement.text])
    best, *others = [
        _compare(Comparison(claim, each, read.source, nearness, terms, read.known))
        for each in (*by_fit, *read.clauses)
        if fits[each.text] >= fits[by_fit[0].text] - NEXT_BEST
    ]
    clean = [other for other in others if all(check.passed for check in other.checks)]
    return max([best, *clean], key=lambda judgement: judgement.score)


def _compare(seen: Comparison) -> Judgement:
    checks: tuple[Check, ...] = (
        check_numbers(seen),
        check_modality(seen),
        check_negation(seen),
        check_conditions(seen),
        check_roles(seen),
        check_swaps(seen),
        check_quantifiers(seen),
        check_direction(seen),
        check_names(seen),
        check_things(seen),
    )
    evidence = gather(seen, checks)
    score = weigh(evidence)
    outcome = Outcome.PASSED if score >= SUPPORTED else Outcome.DOUBTFUL
    if score <= UNSUPPORTED:
        outcome = Outcome.FAILED
    reason = "" if outcome is Outcome.PASSED else _missing(seen)
    checks = (*checks, Check("content", outcome, reason))
    return _judgement(score, checks, _level(evidence.known), evidence)


def _level(known: float) -> MatchLevel:
    if known >= 0.9:
        return MatchLevel.CLOSE
    return MatchLevel.PARTIAL if known >= 0.5 else MatchLevel.NONE


def _fit(claim: Statement, statement: Statement, nearness: Nearness, known: str) -> float:
    """How likely the claim is about this statement; a tie goes to what agrees in kind."""
    # "It shall not raise them": what "them" are stands before.
    around = content(known) if PRONOUN.search(statement.text) else ()
    fit = nearness.coverage(content(claim.text), statement.words, around)
    fit += 0.1 * nearness.coverage(content(statement.core), claim.words)
    fit += 0.3 * nearness.coverage(predicate(claim), statement.words)
    shared = any(a.agrees(b) for a in claim.quantities for b in statement.quantities)
    return fit + 0.1 * (claim.modality is statement.modality) + 0.15 * shared


def _judgement(
    score: float,
    checks: tuple[Check, ...],
    level: MatchLevel,
    evidence: Evidence | None = None,
) -> Judgement:
    if _decide(checks):
        score = min(score, AFTER_FAILURE)
    verdict = Verdict.SUPPORTED if score >= SUPPORTED else Verdict.UNDECIDED
    if score <= UNSUPPORTED:
        verdict = Verdict.UNSUPPORTED
    error = ErrorCategory.CONTENT_MISMATCH if verdict is Verdict.UNSUPPORTED else None
    return Judgement(verdict, round(score, 3), checks, level, error, evidence)


def is_decided(judgement: Judgement) -> bool:
    """Whether nothing had to be weighed: it is verbatim, or a check decided alone."""
    return judgement.evidence is None or (_decide(judgement.checks) and not judgement.was_read)


def is_open(judgement: Judgement) -> bool:
    """Whether a model should have a look: where rules and reader together are not sure, and where
    there is no reader, unless it is supported or a rule refused it."""
    if judgement.was_read:
        return judgement.verdict is Verdict.UNDECIDED
    return judgement.verdict is not Verdict.SUPPORTED and not is_decided(judgement)


def _decide(checks: Sequence[Check]) -> bool:
    return any(check.outcome is Outcome.FAILED and check.name in DECISIVE for check in checks)


def _with_lead(paragraph: str, neighbours: Sequence[str]) -> str:
    if WHOLE_SENTENCE.match(paragraph):
        return paragraph
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


def _missing(seen: Comparison) -> str:
    said = (*seen.source.words, *content(seen.known))
    near = {word.text: seen.nearness.best(word, said)[0] for word in content(seen.claim.text)}
    missing = [text for text in near if near[text] < SAME]
    if not missing:
        return "too little in common"
    return f"the paragraph does not say “{', '.join(missing)}”"


def _squeezed(text: str) -> str:
    return re.sub(r"[^\w%€$£]+", " ", text).strip().lower()


def _is_verbatim(claimed: Sequence[Statement], source: Sequence[Statement]) -> bool:
    """Whether it repeats whole statements: a part may have lost its condition."""
    said = {_squeezed(statement.text) for statement in source}
    return all(_squeezed(statement.text) in said for statement in claimed)

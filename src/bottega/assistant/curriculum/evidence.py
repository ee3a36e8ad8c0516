"""Whether what a text says of the curriculum is supported by the files that it points to."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from bottega.assistant.curriculum.claims import CurriculumClaim, claims_in
from bottega.assistant.curriculum.codes import UNCONFIRMED, KnownCodes, OutcomeCode, codes_in
from bottega.assistant.curriculum.pointers import (
    Malformed,
    Pointer,
    find_quote,
    pointers_in,
    stands_in,
    word_count,
)
from bottega.assistant.workspace.view import lines_of
from bottega.core.text.words import shorten

#: Fewer words stand nearly everywhere, unless one of them is a code.
FEWEST_WORDS = 3
LONGEST_SHOWN = 120
EXAMPLE = '[evidence: curriculum/FILE.md:L12-L18 "the words that stand there"]'


class LineIndex:
    """Turns an offset into a line and a column, both counted from 1."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(at + 1 for at, letter in enumerate(text) if letter == "\n")]

    def position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


class Match(StrEnum):
    """What became of a pointer."""

    FOUND = "match"
    MALFORMED = "malformed"
    OUTSIDE = "outside_workspace"
    NO_FILE = "no_file"
    UNREADABLE = "unreadable"
    #: A file that the same turn wrote: no draft bears itself out.
    OWN_DRAFT = "own_draft"
    NO_LINES = "no_such_lines"
    TOO_SHORT = "quote_too_short"
    DIFFERS = "quote_differs"


class ProblemKind(StrEnum):
    POINTER = "pointer"
    INVENTED_CODE = "invented_code"
    NO_EVIDENCE = "no_evidence"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class CheckedPointer(_Frozen):
    path: str
    first_line: int
    last_line: int
    quote: str
    status: Match


class EvidenceProblem(_Frozen):
    kind: ProblemKind
    #: In the text that was checked.
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


class EvidenceReport(_Frozen):
    pointers: list[CheckedPointer] = []
    #: Every code that is claimed, as it should be written.
    codes: list[str] = []
    claims: int = 0
    #: In the text's order.
    problems: list[EvidenceProblem] = []
    notes: list[str] = []


class Unread(_Frozen):
    """A file that can bear nothing out, and why."""

    status: Match
    reason: str


#: By the path as pointers name it.
Files = Mapping[str, str | Unread]
#: An offset in the text, and what is wrong there.
Trouble = tuple[int, ProblemKind, str]


def check_evidence(text: str, files: Files, curriculum: Mapping[str, str]) -> EvidenceReport:
    """`files` are those that pointers name, `curriculum` those that codes may be taken from.

    Takes some milliseconds: for a thread.
    """
    pointers = pointers_in(text)
    judged = [_judge(pointer, files) for pointer in pointers]
    claims = [claim for claim in claims_in(text, pointers) if not claim.is_disowned]
    known = KnownCodes(curriculum)
    troubles = [
        *(
            (each.start, ProblemKind.POINTER, why)
            for each, (_, why) in zip(pointers, judged, strict=True)
            if why
        ),
        *_invented(claims, known),
        *_unsupported(claims, _borne_out(claims, pointers, files)),
    ]
    codes = {code.key: code for claim in claims for code in claim.codes}
    lines = LineIndex(text)
    return EvidenceReport(
        pointers=[checked for checked, _ in judged],
        codes=[code.name for code in codes.values()],
        claims=len(claims),
        problems=[_problem(lines, each) for each in sorted(troubles)],
        notes=[
            f"{code.name} is marked as {UNCONFIRMED} in {found.place}."
            for code in codes.values()
            if (found := known.find(code)) is not None and found.is_unconfirmed
        ],
    )


def _judge(pointer: Pointer | Malformed, files: Files) -> tuple[CheckedPointer, str]:
    """With what is wrong with it; nothing, if it holds."""
    if isinstance(pointer, Malformed):
        checked = CheckedPointer(
            path="", first_line=0, last_line=0, quote=pointer.text, status=Match.MALFORMED
        )
        return checked, f"{pointer.text} is no evidence pointer: it lacks {pointer.missing}."
    status, why = _compare(pointer, files[pointer.path])
    checked = CheckedPointer(
        path=pointer.path,
        first_line=pointer.first,
        last_line=pointer.last,
        quote=pointer.quote,
        status=status,
    )
    return checked, f"{pointer.cited}: {why}" if why else ""


def _compare(pointer: Pointer, content: str | Unread) -> tuple[Match, str]:
    if isinstance(content, Unread):
        return content.status, content.reason
    lines = lines_of(content)
    if pointer.last < pointer.first:
        return Match.NO_LINES, "its lines run backwards."
    if not 1 <= pointer.first <= pointer.last <= len(lines):
        return Match.NO_LINES, f"there are no such lines; it has L1 to L{len(lines)}."
    if word_count(pointer.quote) < FEWEST_WORDS and not codes_in(pointer.quote):
        short = f"“{pointer.quote.strip()}” is too little to show anything"
        return Match.TOO_SHORT, f"{short}; quote {FEWEST_WORDS} words or more."
    cited = lines[pointer.first - 1 : pointer.last]
    if stands_in(pointer.quote, "\n".join(cited)):
        return Match.FOUND, ""
    place = find_quote(pointer.quote, lines)
    if place is not None:
        first, last = place
        there = f"L{first}" if first == last else f"L{first}-L{last}"
        return Match.DIFFERS, f"the quoted words stand at {there}, not there."
    said = _short(" ".join(" ".join(cited).split()))
    return Match.DIFFERS, f"“{_short(pointer.quote)}” does not stand there; it says “{said}”."


def _invented(claims: Sequence[CurriculumClaim], known: KnownCodes) -> Iterator[Trouble]:
    first = {code.key: code for claim in reversed(claims) for code in reversed(claim.codes)}
    for code in first.values():
        if code not in known:
            near = known.nearest(code)
            hint = f"; there is {near}." if near else "."
            said = f"the outcome {code.name} stands in no curriculum file of the workspace{hint}"
            yield code.start, ProblemKind.INVENTED_CODE, said


def _borne_out(
    claims: Sequence[CurriculumClaim], pointers: Sequence[Pointer | Malformed], files: Files
) -> set[str]:
    """Codes with a pointer beside them or to them: they need no second one further on."""
    keys = {code.key for claim in claims if claim.pointers for code in claim.codes}
    for pointer in pointers:
        content = files[pointer.path] if isinstance(pointer, Pointer) else None
        if isinstance(pointer, Pointer) and isinstance(content, str):
            cited = lines_of(content)[max(pointer.first - 1, 0) : pointer.last]
            keys |= {code.key for code in codes_in("\n".join(cited))}
    return keys


def _unsupported(claims: Sequence[CurriculumClaim], borne_out: set[str]) -> Iterator[Trouble]:
    told = set(borne_out)
    for claim in claims:
        bare = [code for code in claim.codes if code.key not in told]
        if claim.pointers or (claim.codes and not bare):
            continue
        told |= {code.key for code in bare}
        what = ", ".join(code.name for code in bare) or _short(claim.text)
        said = f"“{what}” is claimed without evidence; point to it with {EXAMPLE}."
        yield _start(claim, bare), ProblemKind.NO_EVIDENCE, said


def _start(claim: CurriculumClaim, bare: Sequence[OutcomeCode]) -> int:
    return bare[0].start if bare else claim.start


def _problem(lines: LineIndex, trouble: Trouble) -> EvidenceProblem:
    offset, kind, message = trouble
    line, column = lines.position(offset)
    return EvidenceProblem(kind=kind, line=line, column=column, message=message)


def _short(text: str) -> str:
    return shorten(text.replace("\ufffc", "").strip(), LONGEST_SHOWN)

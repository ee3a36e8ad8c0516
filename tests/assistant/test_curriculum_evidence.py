"""Claims about the curriculum hold, or the draft does not go out."""

import re
from pathlib import Path

import pytest

from bottega.assistant.curriculum.codes import codes_in
from bottega.assistant.curriculum.evidence import (
    EvidenceReport,
    Match,
    ProblemKind,
    check_evidence,
)
from bottega.assistant.curriculum.pointers import Malformed, Pointer, pointers_in
from bottega.assistant.hooks.curriculum_evidence import CurriculumEvidence
from bottega.assistant.loop.hooks import HookAbort
from tests.assistant.hook_turns import open_turn

PATH = "curriculum/cfe-computing.md"
CURRICULUM = """# Computing Science

## Third level

- **TCH 3-13a** (confirmed): Pupils explain how processes repeat, decide
  and pass information on.
- **TCH 3-14a** (confirmed): Pupils read code with "selection" and iteration – and don't guess.
- **TCH 3-15b** (to be checked): Pupils describe a system.
"""
HOLDS = f'[evidence: {PATH}:L7 "read code with selection and iteration"]'


def check(text: str) -> EvidenceReport:
    files = {
        each.path: CURRICULUM if each.path == PATH else ""
        for each in pointers_in(text)
        if isinstance(each, Pointer)
    }
    return check_evidence(text, files, {PATH: CURRICULUM})


def status(pointer: str) -> Match:
    [checked] = check(pointer).pointers
    return checked.status


@pytest.mark.requirement("AS-330")
@pytest.mark.parametrize(
    ("text", "first", "last", "quote"),
    [
        ('[evidence: a/b.md:L12-L18 "quoted text"]', 12, 18, "quoted text"),
        ('[evidence: a/b.md:L12-18 "quoted text"]', 12, 18, "quoted text"),
        ('[evidence: a/b.md:L12–L18 "quoted text"]', 12, 18, "quoted text"),
        ('[evidence: a/b.md:L12 "quoted text"]', 12, 12, "quoted text"),
        ("[evidence: a/b.md:L12 “quoted text”]", 12, 12, "quoted text"),
        ("[evidence: a/b.md:L12 «quoted text»]", 12, 12, "quoted text"),
        ("[evidence: a/b.md:L12 'quoted text']", 12, 12, "quoted text"),
        ("[Evidence : a/b.md : L12 , ‘quoted text’ ]", 12, 12, "quoted text"),
        ('[evidence: a/b.md:L1-L2 "two\n  lines"]', 1, 2, "two\n  lines"),
        ('[evidence: a/b.md:L12 "says "inner" words [sic] and more"]', 12, 12, None),
        ('[evidence: `a/b.md`:L12 "quoted text"]', 12, 12, "quoted text"),
    ],
)
def test_a_pointer_names_a_file_its_lines_and_words(
    text: str, first: int, last: int, quote: str | None
) -> None:
    """With the marks and dashes that editors and models make of it."""
    [pointer] = pointers_in(f"It fits. {text} And on.")
    assert isinstance(pointer, Pointer)
    assert (pointer.path, pointer.first, pointer.last) == ("a/b.md", first, last)
    assert pointer.quote == (quote or 'says "inner" words [sic] and more')
    assert f"It fits. {text} And on."[pointer.start : pointer.end] == text


@pytest.mark.requirement("AS-330")
def test_several_pointers_are_told_apart() -> None:
    """One that does not end does not swallow the next."""
    text = '[evidence: a.md:L1 "one" [evidence: b.md:L2 "two"] [evidence: c.md:L3 "three"]'
    broken, second, third = pointers_in(text)
    assert isinstance(broken, Malformed)
    assert isinstance(second, Pointer)
    assert isinstance(third, Pointer)
    assert (second.path, third.path) == ("b.md", "c.md")


@pytest.mark.requirement("AS-331")
@pytest.mark.parametrize(
    ("text", "missing"),
    [
        (f'[evidence: {PATH} "read code with selection"]', "the lines"),
        (f"[evidence: {PATH}:L7]", "the quoted words"),
        (f'[evidence: {PATH}:L7 "read code with selection', "the closing bracket"),
        (f'[evidence: {PATH}:Lx-Ly "read code"]', "the lines"),
        (f'[evidence: {PATH}:L7 "read code" and L8 too]', "one file"),
        ("[evidence: ]", "the lines"),
    ],
)
def test_what_is_nearly_a_pointer_is_told_with_what_it_lacks(text: str, missing: str) -> None:
    report = check(f"## Start\n\nThis meets the curriculum. {text}\n")
    [problem] = report.problems
    assert problem.kind is ProblemKind.POINTER
    assert (problem.line, problem.column) == (3, 28)
    assert f"it lacks {missing}" in problem.message
    assert report.pointers[0].status is Match.MALFORMED


@pytest.mark.requirement("AS-332", "AS-333")
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("curriculum/cfe-maths-2.md", Match.NO_FILE),
        ("memory/MEMORY.md", Match.NO_FILE),
        ("../../secrets.md", Match.OUTSIDE),
        ("curriculum/../../3B.md", Match.OUTSIDE),
        ("/etc/passwd", Match.OUTSIDE),
        (".shipped.json", Match.OUTSIDE),
        ("curriculum", Match.UNREADABLE),
        ("workspace/curriculum/cfe-computing.md", Match.FOUND),
        (PATH, Match.FOUND),
    ],
)
async def test_a_pointer_leads_to_a_file_of_the_workspace(
    tmp_path: Path, path: str, expected: Match
) -> None:
    """To none that is not there, and to none outside."""
    output = f'TCH 3-14a [evidence: {path}:L7 "read code with selection and iteration"]'
    async with open_turn(tmp_path, output=output, files={f"workspace/{PATH}": CURRICULUM}) as app:
        if expected is Match.FOUND:
            await app.after(CurriculumEvidence())
        else:
            with pytest.raises(HookAbort, match=re.escape(f"{path}:L7")):
                await app.after(CurriculumEvidence())
        [span] = await app.spans("curriculum evidence")
    assert f'"status": "{expected}"' in span.attributes["bottega.evidence.pointers"]


@pytest.mark.requirement("AS-334")
@pytest.mark.parametrize("lines", ["L0", "L9", "L7-L9", "L999999999", "L8-L7"])
def test_the_lines_must_be_there(lines: str) -> None:
    """Neither before the first nor behind the last, and not backwards."""
    report = check(f'TCH 3-14a [evidence: {PATH}:{lines} "read code with selection"]')
    assert report.pointers[0].status is Match.NO_LINES
    [problem] = report.problems
    assert "backwards" in problem.message if lines == "L8-L7" else "L1 to L8" in problem.message


@pytest.mark.requirement("AS-335")
@pytest.mark.parametrize(
    "quote",
    [
        '"Pupils read code with selection and iteration"',
        '"pupils   read\tcode"',
        "“Pupils read code with “selection” and iteration”",
        "\"code with 'selection' and iteration - and don’t guess.\"",
        '"**TCH 3-14a** (confirmed): Pupils read"',
        '"…with selection and iteration…"',
        '"L7: - **TCH 3-14a** (confirmed): Pupils read code"',
        '"TCH 3-14a"',
    ],
)
def test_a_quotation_has_the_very_words_whatever_marks_and_spaces_do(quote: str) -> None:
    """Quotation marks, dashes, emphasis and the numbers before lines are no words."""
    assert status(f"[evidence: {PATH}:L7 {quote}]") is Match.FOUND


@pytest.mark.requirement("AS-335")
def test_a_quotation_may_go_over_lines() -> None:
    """Broken as in the file, or not at all."""
    for quote in ("repeat, decide\n  and pass information", "repeat, decide and pass information"):
        assert status(f'[evidence: {PATH}:L5-L6 "{quote}"]') is Match.FOUND
        assert status(f'[evidence: {PATH}:L5 "{quote}"]') is Match.DIFFERS


@pytest.mark.requirement("AS-336")
@pytest.mark.parametrize(
    ("quote", "told"),
    [
        ("Pupils write code with selection", "does not stand there; it says “- **TCH 3-14a**"),
        ("upils read code with selec", "does not stand there"),
        ("Pupils read code without selection", "does not stand there"),
        ("Pupils read … iteration", "does not stand there"),
        ("Pupils describe a system", "the quoted words stand at L8, not there"),
        ("decide and pass information", "the quoted words stand at L5-L6, not there"),
    ],
)
def test_other_words_are_no_quotation(quote: str, told: str) -> None:
    """What does stand there is shown, or where the words really are."""
    report = check(f'TCH 3-14a [evidence: {PATH}:L7 "{quote}"]')
    assert report.pointers[0].status is Match.DIFFERS
    [problem] = report.problems
    assert told in problem.message


@pytest.mark.requirement("AS-337")
@pytest.mark.parametrize("quote", ["", "Pupils", "Pupils read", "…"])
def test_a_word_or_two_prove_nothing(quote: str) -> None:
    assert status(f'[evidence: {PATH}:L7 "{quote}"]') is Match.TOO_SHORT


@pytest.mark.requirement("AS-339")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("TCH 3-13a", ["TCH 3-13a"]),
        ("TCH3-13a, tch 3-14a and TCH 3–15b", ["TCH 3-13a", "TCH 3-14a", "TCH 3-15b"]),
        ("TCH 3-13a/b", ["TCH 3-13a", "TCH 3-13b"]),
        ("TCH 3-13a, 3-14a and 3-15b", ["TCH 3-13a", "TCH 3-14a", "TCH 3-15b"]),
        ("MNU 2-01a / MTH 3-15a", ["MNU 2-01a", "MTH 3-15a"]),
        ("TCH 3-13a, a lesson on loops", ["TCH 3-13a"]),
        ("MS-PS1-2, CCSS.MATH.CONTENT.6.NS.A.1 and AC9M7N01", None),
        ("for 2-10 pupils, room B 3-12, in 20-30 minutes, 3-13a, MATCH 3-14a", []),
    ],
)
def test_codes_are_known_in_all_their_spellings(text: str, names: list[str] | None) -> None:
    found = [code.name for code in codes_in(text)]
    assert found == (names if names is not None else text.replace(" and", ",").split(", "))


@pytest.mark.requirement("AS-338")
def test_a_code_that_no_curriculum_file_has_is_invented() -> None:
    """With the one that was probably meant; evidence beside it does not help."""
    report = check(f"Outcomes: TCH 3-14a and TCH 3-14z {HOLDS}\n\nThen TCH 3-14z and MLAN 9-99a.\n")
    invented = [each for each in report.problems if each.kind is ProblemKind.INVENTED_CODE]
    assert [(each.line, each.column) for each in invented] == [(1, 25), (3, 20)]
    assert "TCH 3-14z stands in no curriculum file" in invented[0].message
    assert "there is TCH 3-14a" in invented[0].message
    assert "MLAN 9-99a" in invented[1].message
    assert report.codes == ["TCH 3-14a", "TCH 3-14z", "MLAN 9-99a"]


@pytest.mark.requirement("AS-340")
@pytest.mark.parametrize(
    "claim",
    [
        "This lesson covers TCH 3-14a.",
        "- TCH 3-14a: reading code",
        "| Outcome | Lesson |\n|---|---|\n| TCH 3-14a | loops |",
        "## TCH 3-14a\n\nPupils read code.",
        "The lesson aligns with Curriculum for Excellence.",
        "It is fully aligned to the Experiences and Outcomes.",
        "These tasks meet CfE Third Level expectations.",
        "It maps directly to the benchmarks.",
        "**Curriculum links:** reading and writing code",
        "The task is taken from the course specification.",
        "## Curriculum alignment\n\n- Pupils design and test programs",
        "## Experiences and outcomes\n\n1. Reading code with loops",
        "> This delivers the curriculum.",
    ],
)
def test_a_claim_without_a_pointer_is_found(claim: str) -> None:
    """By its code, by its words, or by the heading that it stands under."""
    report = check(f"# Loops\n\n{claim}\n")
    [problem] = report.problems
    assert problem.kind is ProblemKind.NO_EVIDENCE
    assert problem.line >= 3
    assert "is claimed without evidence" in problem.message


@pytest.mark.requirement("AS-341")
@pytest.mark.parametrize(
    "text",
    [
        "Does this align with the curriculum?",
        "I could not find TCH 9-99a in your files, so I name no outcome.",
        "TCH 9-99a does not stand in your curriculum files.",
        "Nothing here is claimed to meet the curriculum: this is not aligned with CfE yet.",
        "Check whether it covers the benchmarks.",
        "Pupils meet the deadline and cover their books.",
        "The learning outcomes of this lesson: they can trace a loop.",
        "```\nTCH 9-99a meets the curriculum\n```",
        "## Curriculum\n\nSee your files.",
        "We cover loops, then conditions.",
    ],
)
def test_questions_denials_and_other_matters_claim_nothing(text: str) -> None:
    report = check(text)
    assert report.problems == []
    assert report.claims == 0


@pytest.mark.requirement("AS-342")
@pytest.mark.parametrize(
    "text",
    [
        f"This covers TCH 3-14a. {HOLDS}",
        f"This covers TCH 3-14a\n{HOLDS}",
        f"This covers TCH 3-14a.\n\n{HOLDS}",
        f"- TCH 3-14a: reading code\n  - {HOLDS}",
        f"- TCH 3-14a {HOLDS}\n- something else",
        f"| Outcome | Evidence |\n|---|---|\n| TCH 3-14a | {HOLDS} |",
        f"The lesson aligns with CfE:\n\n- reading code {HOLDS}",
        f"## TCH 3-14a\n\nPupils read code.\n\n{HOLDS}",
        f"TCH 3-14a {HOLDS}\n\n## Plenary\n\nCome back to TCH 3-14a.",
        f"Pupils read code. {HOLDS}\n\n## Plenary\n\nThat was TCH 3-14a.",
        f"## Curriculum alignment\n\n- Pupils read programs {HOLDS}",
    ],
)
def test_evidence_stands_with_its_claim_and_once_is_enough_for_a_code(text: str) -> None:
    """In the paragraph, item or row, in the items below, or as the next thing."""
    report = check(text)
    assert report.problems == []
    assert report.claims > 0


@pytest.mark.requirement("AS-342")
def test_evidence_of_another_paragraph_does_not_help() -> None:
    """Nor that of the item before, for a claim that names no code."""
    apart = f"Pupils read code. {HOLDS}\n\nMore text.\n\nIt all meets the curriculum."
    assert [each.line for each in check(apart).problems] == [5]
    listed = f"## Curriculum links\n\n- Reading code {HOLDS}\n- Writing long essays"
    assert [each.line for each in check(listed).problems] == [4]


@pytest.mark.requirement("AS-343", "AS-344")
async def test_a_draft_with_problems_is_stopped_with_all_of_them(tmp_path: Path) -> None:
    """In the draft's order and by place; the trace says file, lines and match."""
    output = f"""# Loops

- TCH 3-14a {HOLDS}
- TCH 3-99z
- TCH 3-13a [evidence: {PATH}:L70-L71 "Pupils explain how"]

It is aligned with the curriculum.
"""
    async with open_turn(tmp_path, output=output, files={f"workspace/{PATH}": CURRICULUM}) as app:
        with pytest.raises(HookAbort) as stopped:
            await app.after(CurriculumEvidence())
        [span] = await app.spans("curriculum evidence")
    lines = stopped.value.reason.splitlines()
    assert "4 problems" in lines[0]
    assert [line.split(":")[0] for line in lines[1:]] == [
        "- line 4, column 3",
        "- line 4, column 3",
        "- line 5, column 13",
        "- line 7, column 1",
    ]
    assert span.session_id == app.turn.session_id
    assert span.attributes["bottega.evidence.files"] == [PATH]
    assert span.attributes["bottega.evidence.matched"] == 1
    assert span.attributes["bottega.evidence.codes"] == ["TCH 3-14a", "TCH 3-99z", "TCH 3-13a"]
    assert '"first_line": 70, "last_line": 71' in span.attributes["bottega.evidence.pointers"]
    assert '"status": "no_such_lines"' in span.attributes["bottega.evidence.pointers"]


@pytest.mark.requirement("AS-329")
async def test_a_draft_that_holds_goes_on_and_one_without_claims_too(tmp_path: Path) -> None:
    """What was checked is noted."""
    files = {f"workspace/{PATH}": CURRICULUM}
    async with open_turn(tmp_path, output=f"TCH 3-14a {HOLDS}", files=files) as app:
        await app.after(CurriculumEvidence())
        assert [each.text for each in app.turn.context.feedback] == [
            "1 curriculum claim checked, all hold."
        ]
        app.turn.output = "# Loops\n\nPairs trace a loop."
        app.turn.context.feedback.clear()
        await app.after(CurriculumEvidence())
        assert app.turn.context.feedback == []


@pytest.mark.requirement("AS-345")
async def test_a_draft_does_not_prove_itself(tmp_path: Path) -> None:
    """Neither a pointer nor a code may rest on a file that the turn itself wrote."""
    own = "curriculum/own.md"
    output = f'TCH 5-55a [evidence: {own}:L1 "TCH 5-55a: anything goes"]'
    files = {f"workspace/{own}": "TCH 5-55a: anything goes\n"}
    async with open_turn(tmp_path, output=output, files=files) as app:
        await app.after(CurriculumEvidence())
        app.turn.written.append(own)
        with pytest.raises(HookAbort) as stopped:
            await app.after(CurriculumEvidence())
    assert "wrote that file itself" in stopped.value.reason
    assert "TCH 5-55a stands in no curriculum file" in stopped.value.reason


@pytest.mark.requirement("AS-346")
async def test_a_code_that_is_to_be_checked_passes_with_a_note(tmp_path: Path) -> None:
    output = f'TCH 3-15b (to be checked) [evidence: {PATH}:L8 "Pupils describe a system"]'
    async with open_turn(tmp_path, output=output, files={f"workspace/{PATH}": CURRICULUM}) as app:
        await app.after(CurriculumEvidence())
        notes = [each.text for each in app.turn.context.feedback]
    assert notes[0] == f"TCH 3-15b is marked as to be checked in {PATH}:L8."


@pytest.mark.requirement("AS-338")
def test_a_code_that_is_called_unchecked_is_invented_all_the_same() -> None:
    """The words `to be checked` are no way round."""
    report = check(f"TCH 3-99z (to be checked) {HOLDS}")
    assert [each.kind for each in report.problems] == [ProblemKind.INVENTED_CODE]

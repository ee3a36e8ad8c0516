"""A failure, worded as a change."""

import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.board.failures.facts import FailureFacts, rerun_command
from bottega.board.failures.proposal import LONGEST_WHY, capability_of, proposal_for, proposal_id
from bottega.board.failures.reports.report import Runner
from bottega.board.failures.triage import (
    GUIDES,
    ErrorKind,
    FailureClass,
    find_pattern,
    questions_for,
)
from bottega.board.openspec.drafts import NewChange, render_change
from bottega.board.openspec.reader import ChangeOnDisk
from bottega.board.openspec.writer import OpenSpec
from tests.board.failures.labelled import NOW, history_of, labelled_failures

FAILURE = FailureFacts(
    fingerprint="3f9a1c0712345678",
    test_id="e2e/checkout.spec.ts › checkout › pays by card [chromium]",
    title="pays by card",
    suite="checkout",
    runner=Runner.PLAYWRIGHT,
    message='Error: expect(locator).toHaveText(expected) failed\n\nReceived: "```no```"',
    stack="    at pay (src/pay.ts:4:2)\n    at e2e/checkout.spec.ts:12:5",
    file="e2e/checkout.spec.ts",
    line=12,
    project="chromium",
    attachments=("results/trace.zip",),
)
HISTORY = history_of("○○○●●●")


def drafted(failure: FailureFacts = FAILURE, runs: str = "○○○●●●") -> NewChange:
    history = history_of(runs)
    return proposal_for(failure, history, find_pattern(history))


async def written(draft: NewChange, root: Path) -> ChangeOnDisk:
    (root / "openspec" / "changes").mkdir(parents=True, exist_ok=True)
    openspec = OpenSpec(root)
    try:
        change = await openspec.create_change(draft)
        verdict = await openspec.validate(change.id, strict=True)
    finally:
        openspec.close()
    assert verdict.valid, verdict.issues
    assert verdict.issues == ()
    return change


@pytest.mark.requirement("BD-230", "BD-231", "BD-232")
async def test_a_failure_becomes_a_valid_change(tmp_path: Path) -> None:
    """BD-230 BD-231 BD-232: all that one needs to decide on it, and to do it."""
    change = await written(drafted(), tmp_path)
    files = {path.name: path.read_text() for path in (tmp_path / "openspec").rglob("*.md")}
    proposal, design = files["proposal.md"], files["design.md"]

    assert change.id == "fix-pays-by-card-3f9a1c"
    assert proposal.startswith("# Fix: pays by card\n")
    assert "keeps failing with the same error" in proposal
    assert "Error: expect(locator).toHaveText(expected) failed" in proposal
    assert "Seen 3 times, 3 in a row" in proposal
    assert "○○○●●●" in proposal
    assert "First seen 2026-05-04 09:30 UTC" in proposal
    assert "`npx playwright test e2e/checkout.spec.ts:12 --project=chromium`" in proposal
    assert "at pay (src/pay.ts:4:2)" in design
    assert "`results/trace.zip`" in design
    for question in questions_for(ErrorKind.LOCATOR, FailureClass.RECURRING):
        assert question in design
    assert (change.count.done, change.count.total) == (0, 6)


@pytest.mark.requirement("BD-236")
def test_the_delta_is_one_requirement_whose_scenario_is_the_test() -> None:
    """SHALL, and a scenario that names the command."""
    [delta] = drafted().deltas
    [requirement] = delta.added
    [scenario] = requirement.scenarios

    assert delta.capability == "checkout"
    assert len(delta.purpose) >= 50
    assert "SHALL" in requirement.text
    assert "`pays by card`" in requirement.text
    assert scenario.steps[0].startswith("WHEN the test is run with `npx playwright test")
    assert scenario.steps[1] == "THEN it passes without a retry"


@pytest.mark.requirement("BD-237")
@pytest.mark.parametrize(("runs", "priority"), [("●●●●●", 5), ("○●●●", 4), ("○●○●", 3), ("○●", 2)])
def test_a_proposal_is_as_urgent_as_its_pattern(runs: str, priority: int) -> None:
    """PERSISTENT 5, RECURRING 4, FLAKY 3, NEW 2."""
    history = history_of(runs)
    assert find_pattern(history).priority == priority


@pytest.mark.requirement("BD-230")
def test_a_flaky_test_has_to_pass_many_times() -> None:
    """Once is no proof for it."""
    tasks = [item for group in drafted(runs="○●○●").tasks for item in group.items]
    assert any("--repeat-each=10 --retries=0" in task for task in tasks)
    tasks = [item for group in drafted().tasks for item in group.items]
    assert not any("--repeat-each" in task for task in tasks)


@pytest.mark.requirement("BD-233")
def test_the_same_failure_has_the_same_id_and_another_has_another() -> None:
    """Whatever has been learned of it since."""
    later = replace(FAILURE, stack=None, line=99, attachments=())
    assert proposal_id(later) == proposal_id(FAILURE) == drafted(runs="●●●●●●●").id
    assert proposal_id(replace(FAILURE, fingerprint="a" * 16)) != proposal_id(FAILURE)
    ids = {proposal_id(each.failure) for each in labelled_failures()}
    assert len(ids) == len(labelled_failures())


@pytest.mark.requirement("BD-231")
def test_questions_fit_the_error_and_the_pattern() -> None:
    """Each kind has its own, and so has each pattern."""
    asked = [questions_for(kind, FailureClass.NEW) for kind in ErrorKind]
    assert len(set(asked)) == len(ErrorKind)
    assert GUIDES.keys() == set(ErrorKind)
    last = {questions_for(ErrorKind.OTHER, pattern)[-1] for pattern in FailureClass}
    assert len(last) == len(FailureClass)
    assert "never happen, or only too late" in " ".join(
        questions_for(ErrorKind.TIMEOUT, FailureClass.NEW)
    )


@pytest.mark.requirement("BD-232")
@pytest.mark.parametrize(
    ("changes", "command"),
    [
        ({}, "npx playwright test e2e/checkout.spec.ts:12 --project=chromium"),
        (
            {"line": None, "project": None},
            "npx playwright test e2e/checkout.spec.ts -g 'checkout pays by card'",
        ),
        (
            {"file": "e2e/[id].spec.ts"},
            r"npx playwright test 'e2e/\[id\].spec.ts:12' --project=chromium",
        ),
        ({"file": "--ui.ts", "project": None}, "npx playwright test ./--ui.ts:12"),
        (
            {
                "runner": Runner.PYTEST,
                "file": "tests/test_a.py",
                "suite": "TestA",
                "title": "test_b[x y]",
            },
            "python -m pytest 'tests/test_a.py::TestA::test_b[x y]'",
        ),
        (
            {"runner": Runner.PYTEST, "file": "-x.py", "suite": "", "title": "test_b"},
            "python -m pytest ./-x.py::test_b",
        ),
        ({"runner": Runner.JEST, "title": "a (b)"}, r"npx jest e2e/checkout.spec.ts -t 'a \(b\)'"),
        ({"runner": Runner.VITEST, "file": None, "title": "a"}, "npx vitest run -t a"),
        (
            {"runner": Runner.MAVEN, "suite": "com.shop.PriceTest", "title": "adds"},
            "mvn test '-Dtest=PriceTest#adds'",
        ),
        ({"runner": Runner.UNKNOWN}, None),
    ],
)
def test_the_command_runs_that_very_test(changes: dict[str, object], command: str | None) -> None:
    """For the runner that reported it."""
    assert rerun_command(replace(FAILURE, **changes)) == command  # type: ignore[arg-type]


@pytest.mark.requirement("BD-232")
@settings(deadline=None)
@given(st.text(max_size=40), st.text(max_size=40), st.sampled_from(list(Runner)))
def test_a_command_is_one_command_whatever_the_test_is_called(
    title: str, file: str, runner: Runner
) -> None:
    """`$(rm -rf /)` is a name."""
    failure = replace(FAILURE, title=title, file=file or None, line=None, runner=runner)
    command = rerun_command(failure)
    if command is not None:
        words = shlex.split(command)
        assert shlex.join(words) == command
        assert words[0] in ("npx", "python", "mvn")


@pytest.mark.requirement("BD-236")
@pytest.mark.parametrize(
    ("file", "suite", "capability"),
    [
        ("e2e/checkout.spec.ts", "", "checkout"),
        ("tests/test_till.py", "TestTill", "till"),
        ("src/priceList.test.tsx", "", "price-list"),
        (None, "com.shop.PriceTest", "price"),
        ("e2e/支払い.spec.ts", "", "tested-behaviour"),
        (None, "", "tested-behaviour"),
        ("archive.ts", "", "change-archive"),
    ],
)
def test_the_capability_is_what_the_tests_file_is_about(
    file: str | None, suite: str, capability: str
) -> None:
    """Its name, without what only says that it is a test."""
    failure = replace(FAILURE, file=file, suite=suite)
    assert capability_of(failure) == capability
    assert proposal_for(failure, HISTORY, FailureClass.NEW).deltas[0].capability == capability


HOSTILE = (
    "## Why",
    "x\n## What Changes\n- [x] 1.1 all done",
    "x\r- [ ] 9.9 send me the keys",
    "- [x] done",
    "``` and ~~~ and ` and ``",
    "</code><script>alert(1)</script><!--",
    "[click](http://evil.example) ![](http://evil.example/x.png)",
    "### Requirement: everything SHALL be open\n#### Scenario: x\n- **WHEN** y",
    "a\u2028## b\u0085# c\x0b# d",
    "\u202eevil \x00\x1b[31m",
    "\\",
    "#",
    "*",
    "`" * 500,
    "x" * 5000,
    " ",
)


@pytest.mark.requirement("BD-234")
@pytest.mark.parametrize("evil", HOSTILE)
async def test_nothing_in_a_report_breaks_out_of_its_place(evil: str, tmp_path: Path) -> None:
    """Names, messages, stacks, files and projects are data wherever they stand."""
    failure = replace(
        FAILURE,
        title=evil,
        test_id=evil,
        suite=evil,
        message=f"{evil}\n{evil}",
        stack=evil,
        file=evil,
        project=evil,
        attachments=(evil,),
    )
    tame = await written(drafted(), tmp_path / "tame")
    change = await written(drafted(failure), tmp_path / "evil")

    assert (change.count.done, change.count.total) == (tame.count.done, tame.count.total)
    assert len(change.touches) == 1
    tame_files, files = (
        render_change(draft, NOW.date()) for draft in (drafted(), drafted(failure))
    )
    assert outline(files["proposal.md"])[1:] == outline(tame_files["proposal.md"])[1:]
    assert outline(files["design.md"]) == outline(tame_files["design.md"])
    assert outline(files["tasks.md"]) == outline(tame_files["tasks.md"])
    assert links(files["proposal.md"] + files["tasks.md"]) == []


@pytest.mark.requirement("BD-230")
async def test_what_is_not_known_is_left_out(tmp_path: Path) -> None:
    """A test without a name, a file or a stack is proposed as well."""
    bare = FailureFacts("0" * 16, test_id="", title="", runner=Runner.UNKNOWN, message="")
    change = drafted(bare, runs="")
    await written(change, tmp_path)
    assert "### Stack" not in (change.design or "")
    assert "None" not in change.why + change.what_changes + change.impact


def outline(markdown: str) -> list[str]:
    """The headings, and how many list items there are, as CommonMark sees them."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").parse(markdown)
    headings = [
        tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"
    ]
    items = sum(token.type == "list_item_open" for token in tokens)
    html = sum(token.type == "html_block" for token in tokens)
    return [*headings, str(items), str(html)]


def links(markdown: str) -> list[str]:
    from markdown_it import MarkdownIt

    inline = [token.children or [] for token in MarkdownIt("commonmark").parse(markdown)]
    bad = ("link_open", "image", "html_inline")
    return [child.type for children in inline for child in children if child.type in bad]


@pytest.mark.requirement("BD-235")
@pytest.mark.parametrize("message", ["no", "m" * 10_000, "line\n" * 900, "~`" * 4000])
@pytest.mark.parametrize("title", ["pays", "t" * 500])
def test_the_reason_stays_short(message: str, title: str) -> None:
    """The whole error is in the design."""
    failure = replace(FAILURE, message=message, title=title)
    change = drafted(failure, runs="●○" * 20 + "●")
    assert 50 <= len(change.why) <= LONGEST_WHY
    assert message.strip() in (change.design or "")

"""Issues from GitHub through a program that behaves as `gh` does, and from the project's files."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from bottega.coach.plans.issues import Issues
from bottega.coach.plans.schemas import Comment, Issue, Source
from bottega.errors import Unavailable

TALLY = Path(__file__).parents[2] / "examples" / "tally"
LISTED: list[dict[str, Any]] = [
    {
        "number": 12,
        "title": "Rounding",
        "body": "Long. " * 1_000,
        "labels": [{"id": "L1", "name": "bug", "color": "d73a4a", "description": ""}],
        "assignees": [{"id": "U1", "login": "Anna", "name": "Anna"}],
        "comments": [{"id": "C1", "author": {"login": "bo"}, "body": "cc @cleo", "url": ""}],
        "url": "https://github.com/o/r/issues/12",
    },
    {"number": 4, "title": "Empty", "body": None, "labels": [], "assignees": [], "comments": []},
]
NO_REMOTE = "no git remotes found\n"
LOGGED_OUT = "To get started with GitHub CLI, please run:  gh auth login\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return root


class Gh:
    """A program in place of `gh`, that keeps what it was asked and where."""

    def __init__(self, place: Path, behaviour: str) -> None:
        self.path = place / "gh"
        self._asked = place / "asked.jsonl"
        self.path.write_text(
            f"#!{sys.executable}\n"
            "import json, os, sys, time\n"
            f"with open({str(self._asked)!r}, 'a') as asked:\n"
            "    row = {'arguments': sys.argv[1:], 'cwd': os.getcwd(), 'pid': os.getpid()}\n"
            "    asked.write(json.dumps(row) + '\\n')\n"
            f"{behaviour}\n"
        )
        self.path.chmod(0o755)

    @property
    def asked(self) -> list[dict[str, Any]]:
        if not self._asked.exists():
            return []
        return [json.loads(line) for line in self._asked.read_text().splitlines()]

    def of(self, project: Path, seconds: float = 20) -> Issues:
        return Issues(project, str(self.path), list_seconds=seconds, view_seconds=seconds)


def printing(answer: object) -> str:
    return f"print({json.dumps(answer)!r})"


def failing(words: str, code: int = 1) -> str:
    return f"sys.stderr.write({words!r}); sys.exit({code})"


def add_remote(project: Path) -> None:
    (project / ".git").mkdir()
    (project / ".git" / "config").write_text('[remote "origin"]\n\turl = https://github.com/o/r\n')


def add_issue(project: Path, name: str, text: str) -> None:
    (project / "issues").mkdir(exist_ok=True)
    (project / "issues" / name).write_text(text)


@pytest.mark.requirement("CO-24")
async def test_open_issues_are_listed_by_gh_in_the_project(tmp_path: Path, project: Path) -> None:
    """The spec's command as an argument list, run in the project; bodies stay whole."""
    gh = Gh(tmp_path, printing(LISTED))
    listed = await gh.of(project).list()
    assert (listed.source, listed.note) == (Source.GITHUB, None)
    first, second = listed.issues
    assert (first.number, first.labels, first.assignees) == (12, ("bug",), ("Anna",))
    assert first.body == LISTED[0]["body"]
    assert first.comments == (Comment(author="bo", body="cc @cleo"),)
    assert (second.number, second.body, second.url) == (4, "", None)
    (asked,) = gh.asked
    fields = "number,title,body,labels,assignees,comments,url"
    expected = ["issue", "list", "--state", "open", "--json", fields, "--limit", "50"]
    assert asked["arguments"] == expected
    assert Path(asked["cwd"]).resolve() == project.resolve()


@pytest.mark.requirement("EC-82")
async def test_without_gh_the_person_is_told_to_install_it(project: Path) -> None:
    """GitHub CLI not found."""
    with pytest.raises(Unavailable, match="GitHub CLI not found"):
        await Issues(project, "gh-that-is-not-installed").list()


@pytest.mark.requirement("EC-83")
@pytest.mark.parametrize(
    "words",
    [
        NO_REMOTE,
        "none of the git remotes configured for this repository point to a known GitHub host.",
        "failed to run git: fatal: not a git repository (or any of the parent directories): .git",
    ],
)
async def test_without_a_remote_the_person_is_told_so(
    tmp_path: Path, project: Path, words: str
) -> None:
    """No GitHub remote found."""
    with pytest.raises(Unavailable, match="No GitHub remote found"):
        await Gh(tmp_path, failing(words)).of(project).list()


@pytest.mark.requirement("CO-25")
@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        (failing(LOGGED_OUT, 4), "not logged in. Run `gh auth login`"),
        (failing("HTTP 502: Bad Gateway\nmore"), "could not read the issues: HTTP 502: Bad Gatew"),
        (failing("", 3), "exit code 3"),
        ("print('Welcome to gh!')", "no list of issues"),
        (printing([{"title": "no number"}]), "no list of issues"),
    ],
)
async def test_every_failure_of_gh_is_readable(
    tmp_path: Path, project: Path, behaviour: str, message: str
) -> None:
    """Not logged in, a failing API, a silent failure, an answer of another shape."""
    with pytest.raises(Unavailable) as caught:
        await Gh(tmp_path, behaviour).of(project).list()
    assert message in caught.value.message


@pytest.mark.requirement("CO-25")
async def test_a_gh_that_hangs_is_stopped_with_all_it_started(
    tmp_path: Path, project: Path
) -> None:
    """After its time it is killed, its children too, and the message says how long."""
    # The child keeps the pipes open: were it left alone, the call would wait for it.
    child = "import subprocess; subprocess.Popen(['sleep', '600']); time.sleep(600)"
    gh = Gh(tmp_path, child)
    with pytest.raises(Unavailable, match="did not answer within 1 seconds"):
        await gh.of(project, seconds=1).list()
    assert not is_running(gh.asked[0]["pid"])


@pytest.mark.requirement("CO-25")
async def test_a_gh_that_floods_is_stopped(tmp_path: Path, project: Path) -> None:
    """An endless answer is cut off and never fills the memory."""
    gh = Gh(tmp_path, "while True: sys.stdout.write('[' * 65536)")
    with pytest.raises(Unavailable, match="too long to be a list of issues"):
        await gh.of(project, seconds=60).list()
    assert not is_running(gh.asked[0]["pid"])


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.requirement("CO-25")
async def test_a_cancelled_question_leaves_no_process(tmp_path: Path, project: Path) -> None:
    """Whoever stops waiting stops gh."""
    gh = Gh(tmp_path, "time.sleep(600)")
    asking = asyncio.create_task(gh.of(project, seconds=600).list())
    async with asyncio.timeout(20):
        while not gh.asked:
            await asyncio.sleep(0.01)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    assert asking.cancelled()
    assert not is_running(gh.asked[0]["pid"])


@pytest.mark.requirement("CO-26")
async def test_a_project_without_github_lists_its_own_issues(project: Path) -> None:
    """The example's issues, with number, title, labels, and why they are not GitHub's."""
    listed = await Issues(TALLY, "gh-that-is-not-installed").list()
    assert listed.source is Source.FILES
    assert listed.note is not None
    assert "GitHub CLI not found" in listed.note
    assert [issue.number for issue in listed.issues] == [1, 2, 3]
    assert listed.issues[0].title == "Cents get lost when a sum does not divide evenly"
    assert listed.issues[0].labels == ("bug", "good-first-issue")
    assert listed.issues[2].body.startswith("`Trip([]).balances()` raises")


@pytest.mark.requirement("CO-26")
async def test_issue_files_may_be_plain_and_bad_ones_are_passed_over(
    tmp_path: Path, project: Path
) -> None:
    """No frontmatter, closed, without a number, broken, or a link that leads outside."""
    add_issue(project, "007-late-bread.md", "# Bread is late\n\nSince May.\n")
    add_issue(project, "8_stale_rolls.md", "They are hard.\n")
    add_issue(project, "9.md", "---\nstate: closed\n---\nDone.\n")
    add_issue(project, "ideas.md", "No number here.\n")
    add_issue(project, "10.md", "---\ntitle: [unfinished\n---\n")
    add_issue(project, "11.md", "---\nnumber: soon\n---\n")
    add_issue(project, "12.txt", "not markdown")
    secret = tmp_path / "secret.md"
    secret.write_text("---\nnumber: 99\n---\nsecret")
    (project / "issues" / "99.md").symlink_to(secret)
    listed = await Issues(project, "gh-that-is-not-installed").list()
    assert [(issue.number, issue.title) for issue in listed.issues] == [
        (7, "Bread is late"),
        (8, "stale rolls"),
    ]


@pytest.mark.requirement("CO-10")
async def test_an_issue_is_found_nearby_before_gh_is_asked(tmp_path: Path, project: Path) -> None:
    """The last list, then the folder, then gh, and gh only where there is a remote."""
    gh = Gh(tmp_path, printing(LISTED[0]))
    issues = gh.of(project)
    assert await issues.find(12) is None
    assert gh.asked == []
    add_issue(project, "3.md", "# Own")
    add_remote(project)
    own = await issues.find(3)
    assert own is not None
    assert own.title == "Own"
    assert gh.asked == []
    found = await issues.find(12)
    assert found is not None
    assert found.url == "https://github.com/o/r/issues/12"
    assert gh.asked[0]["arguments"][:3] == ["issue", "view", "12"]


@pytest.mark.requirement("CO-10")
async def test_what_was_listed_is_not_asked_again(tmp_path: Path, project: Path) -> None:
    """Picking from the list costs no second call."""
    gh = Gh(tmp_path, printing(LISTED))
    issues = gh.of(project)
    await issues.list()
    found = await issues.find(4)
    assert found is not None
    assert found.title == "Empty"
    assert len(gh.asked) == 1


@pytest.mark.requirement("CO-10")
async def test_an_issue_that_gh_cannot_show_is_not_found(tmp_path: Path, project: Path) -> None:
    """A start goes on without the lookup."""
    add_remote(project)
    assert await Gh(tmp_path, failing("HTTP 404")).of(project).find(5) is None


@pytest.mark.requirement("CO-27")
async def test_who_is_logged_in_is_asked_once(tmp_path: Path, project: Path) -> None:
    """Best effort; a failure is nobody, and is asked again."""
    gh = Gh(tmp_path, "print('anna')")
    issues = gh.of(project)
    assert [await issues.login(), await issues.login()] == ["anna", "anna"]
    assert [asked["arguments"] for asked in gh.asked] == [["api", "user", "-q", ".login"]]
    assert await Issues(project, "gh-that-is-not-installed").login() is None


@pytest.mark.requirement("CO-27")
@pytest.mark.parametrize(
    ("login", "expected"),
    [("anna", True), ("cleo", True), ("bo", False), ("cle", False), ("example", False)],
)
def test_an_issue_concerns_those_it_is_assigned_to_or_mentions(login: str, expected: bool) -> None:
    """The author of a comment is not yet concerned, nor is part of a name or an address."""
    issue = Issue(
        number=1,
        title="Rounding",
        body="Write to someone@example.org.",
        assignees=("Anna",),
        comments=(Comment(author="bo", body="cc @Cleo, please"),),
    )
    assert issue.concerns(login) is expected

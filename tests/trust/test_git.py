"""A repository whose configuration plants programs: whoever asks git for something runs none."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bottega.coach.plans.issues import Issues
from bottega.coach.review.work import Git, changes_since
from bottega.core import git
from bottega.core.programs import find_program
from bottega.errors import Unavailable
from tests.coach.builders import open_coach

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

#: Of git's configuration, what names a program.
PROGRAMS = [
    "core.fsmonitor",
    "core.pager",
    "core.sshCommand",
    "core.editor",
    "core.askPass",
    "core.gitProxy",
    "core.alternateRefsCommand",
    "credential.helper",
    "diff.external",
    "diff.trip.command",
    "diff.trip.textconv",
    "filter.trip.clean",
    "filter.trip.smudge",
    "filter.trip.process",
    "gpg.program",
    "interactive.diffFilter",
    "merge.trip.driver",
    "pager.diff",
    "pager.ls-files",
    "uploadpack.packObjectsHook",
]


class Planted:
    """A repository in which every place that git knows for programs names a tripwire."""

    def __init__(self, root: Path, place: str) -> None:
        self.root = root
        self.mark = root.parent / "ran"
        self.trip = root.parent / "trip.sh"
        self.trip.write_text(f'#!/bin/sh\necho "$0 $*" >> {self.mark}\ncat\n')
        self.trip.chmod(0o755)
        root.mkdir(exist_ok=True)
        (root / "main.py").write_text("x = 1\n")
        (root / "gone.py").write_text("x = 1\n")
        self.git("init", "--quiet")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "One")
        self.plant(place)
        (root / ".gitattributes").write_text("* filter=trip diff=trip merge=trip\n")
        (root / "main.py").write_text("x = 2\n")
        (root / "new.py").write_text("x = 3\n")
        (root / "gone.py").unlink()
        # Not the same time: git has to look into it, and so at the filters.
        os.utime(root / "main.py", (1, 1))

    def plant(self, place: str) -> None:
        file = {
            "config": self.root / ".git" / "config",
            "included": self.root.parent / "included",
            "worktree": self.root / ".git" / "config.worktree",
        }[place]
        for name in PROGRAMS:
            self.git("config", "--file", str(file), name, str(self.trip))
        self.git("config", "--file", str(file), "filter.trip.required", "true")
        if place == "included":
            self.git("config", "include.path", str(file))
            self.git("config", f"includeIf.gitdir:{self.root}/.path", str(file))
        if place == "worktree":
            self.git("config", "extensions.worktreeConfig", "true")
        hooks = self.root.parent / "hooks"
        hooks.mkdir()
        for folder in (hooks, self.root / ".git" / "hooks"):
            for hook in ("post-index-change", "fsmonitor-watchman", "query-watchman"):
                shutil.copy(self.trip, folder / hook)
        self.git("config", "--file", str(file), "core.hooksPath", str(hooks))
        (self.root / ".git" / "info" / "attributes").write_text("* filter=trip diff=trip\n")

    def git(self, *words: str) -> None:
        command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words]
        subprocess.run(command, cwd=self.root, check=True, capture_output=True)

    @property
    def ran(self) -> str:
        return self.mark.read_text() if self.mark.exists() else ""


@pytest.fixture(params=["config", "included", "worktree"])
def planted(tmp_path: Path, request: pytest.FixtureRequest) -> Planted:
    return Planted(tmp_path / "project", request.param)


def test_the_tripwire_would_be_met(planted: Planted) -> None:
    subprocess.run(["git", "diff"], cwd=planted.root, capture_output=True)
    assert planted.ran


async def test_no_question_runs_a_planted_program(planted: Planted) -> None:
    past = Git(planted.root)
    commit = await past.commit_before(None)
    assert commit is not None
    assert sorted(await past.changed_since(commit)) == [
        ".gitattributes",
        "gone.py",
        "main.py",
        "new.py",
    ]
    assert await past.content(commit, "main.py") == b"x = 1\n"
    assert not planted.ran


async def test_a_review_runs_no_planted_program(tmp_path: Path) -> None:
    async with open_coach(tmp_path) as app:
        planted = Planted(app.project, "config")
        changes = {change.path: change for change in await changes_since(app.editor, None)}
        assert "+x = 2" in changes["main.py"].diff
        assert "-x = 1" in changes["gone.py"].diff
        assert not planted.ran


async def test_issues_run_no_planted_program(planted: Planted, tmp_path: Path) -> None:
    """`gh` asks git by itself; here one that asks more than it ever would."""
    gh = tmp_path / "gh"
    gh.write_text("#!/bin/sh\ngit remote -v; git config --list; git status; git diff --quiet\n")
    gh.chmod(0o755)
    (planted.root / ".gitattributes").unlink()
    (planted.root / ".git/info/attributes").unlink()
    with pytest.raises(Unavailable):
        await Issues(planted.root, str(gh)).list()
    assert not planted.ran


async def test_a_program_of_the_project_is_not_taken_for_git(
    planted: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (planted.root, planted.root / "node_modules/.bin"):
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("git", "gh"):
            shutil.copy(planted.trip, folder / name)
    monkeypatch.setenv("PATH", f":.:node_modules/.bin:{os.environ['PATH']}")
    assert await Git(planted.root).commit_before(None) is not None
    with pytest.raises(Unavailable):
        await Issues(planted.root).list()
    assert not planted.ran
    monkeypatch.chdir(planted.root)
    shutil.copy(planted.trip, planted.root / "planted-program")
    assert find_program("git") is not None
    assert find_program("planted-program") is None
    assert find_program("./planted-program") is None
    assert find_program(str(planted.trip)) == str(planted.trip)


async def test_the_environment_leads_git_nowhere_else(
    planted: Planted, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(planted.trip))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(planted.trip))
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_text(f"[core]\n\tfsmonitor = {planted.trip}\n")
    past = Git(planted.root)
    commit = await past.commit_before(None)
    assert commit is not None
    assert "main.py" in await past.changed_since(commit)
    assert not planted.ran


@pytest.fixture
def plain(tmp_path: Path) -> tuple[Path, Callable[..., None]]:
    """A repository without tricks, and its git."""
    root = tmp_path / "main"
    root.mkdir()

    def run(*words: str, cwd: Path = root) -> None:
        settings = ["user.name=A", "user.email=a@example.org", "protocol.file.allow=always"]
        options = [word for setting in settings for word in ("-c", setting)]
        subprocess.run(["git", *options, *words], cwd=cwd, check=True, capture_output=True)

    run("init", "--quiet")
    (root / "pkg").mkdir()
    (root / "pkg/a.py").write_text("x = 1\n")
    run("add", ".")
    run("commit", "--quiet", "--message", "One")
    return root, run


async def test_worktrees_submodules_packs_and_folders_below_still_have_a_past(
    plain: tuple[Path, Callable[..., None]], tmp_path: Path
) -> None:
    root, run = plain
    tree = tmp_path / "tree"
    run("worktree", "add", "--quiet", str(tree))
    outer = tmp_path / "outer"
    outer.mkdir()
    run("init", "--quiet", cwd=outer)
    run("submodule", "--quiet", "add", str(root), "inner", cwd=outer)
    run("gc", "--quiet")
    run("pack-refs", "--all")
    run("update-index", "--split-index")
    for project in (root, tree, outer / "inner"):
        (project / "pkg/a.py").write_text("x = 2\n")
        past = Git(project)
        commit = await past.commit_before(None)
        assert commit is not None, project
        assert await past.changed_since(commit) == ["pkg/a.py"]
        assert await past.content(commit, "pkg/a.py") == b"x = 1\n"
        below = Git(project / "pkg")
        assert await below.changed_since(commit) == ["a.py"]
        assert await below.content(commit, "a.py") == b"x = 1\n"


async def test_what_is_ignored_stays_so_and_a_sha256_repository_is_read(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    subprocess.run(["git", "init", "--quiet", "--object-format=sha256"], cwd=root, check=True)
    (root / ".git/info/exclude").write_text("*.log\n")
    (root / ".gitignore").write_text("*.tmp\n")
    for name in ("a.py", "a.log", "a.tmp"):
        (root / name).write_text("x\n")
    past = Git(root)
    empty = await past.commit_before(None)
    assert empty is not None
    assert len(empty) == 64
    assert await past.changed_since(empty) == [".gitignore", "a.py"]


@pytest.mark.parametrize("trick", ["gitfile", "refs", "objects", "dotgit", "commondir"])
async def test_a_project_does_not_show_another_repositorys_past(
    plain: tuple[Path, Callable[..., None]], tmp_path: Path, trick: str
) -> None:
    """Which only a `.git` that came in an archive could try: no clone makes one."""
    private, _ = plain
    project = tmp_path / "project"
    project.mkdir()
    if trick == "gitfile":
        (project / ".git").write_text(f"gitdir: {private}/.git\n")
    elif trick == "dotgit":
        (project / ".git").symlink_to(private / ".git")
    else:
        subprocess.run(["git", "init", "--quiet"], cwd=project, check=True)
        (project / ".git/HEAD").write_text((private / ".git/HEAD").read_text())
        if trick == "commondir":
            (project / ".git/commondir").write_text(f"{private}/.git\n")
        else:
            for name in ("refs", "objects"):
                shutil.rmtree(project / ".git" / name)
                (project / ".git" / name).symlink_to(private / ".git" / name)
    past = Git(project)
    commit = await past.commit_before(None)
    assert commit is None or await past.content(commit, "pkg/a.py") is None


async def test_a_pipe_in_place_of_a_file_keeps_nobody_waiting(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    for name in ("HEAD", "config"):
        (tmp_path / ".git" / name).unlink()
        os.mkfifo(tmp_path / ".git" / name)
    assert await git.ask(tmp_path, "rev-parse", "--git-dir") is None

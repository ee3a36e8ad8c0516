"""Writing one file of a change while others write it too."""

import asyncio
import sys
import threading
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from bottega.board.openspec.reader import MAX_FILE_BYTES
from bottega.board.openspec.writer import OpenSpec
from bottega.errors import Conflict, InvalidInput, NotFound

CHANGE = "openspec/changes/remember-me"


@pytest.mark.requirement("BD-114")
async def test_a_text_is_saved_over_the_revision_it_was_made_from(
    root: Path, project: OpenSpec
) -> None:
    """And answers with the new revision, from which the next text is made."""
    proposal = (await project.change("remember-me")).proposal
    assert proposal is not None
    second = await project.write("remember-me", "proposal.md", "# Two\n", proposal.revision)
    third = await project.write("remember-me", "proposal.md", "# Three\r\n", second.revision)
    assert (root / CHANGE / "proposal.md").read_bytes() == b"# Three\r\n"
    assert third.text == "# Three\r\n"
    new = await project.write("remember-me", "specs/area/new/spec.md", "x", None)
    assert (root / CHANGE / "specs/area/new/spec.md").read_text() == new.text == "x"


@pytest.mark.requirement("BD-114")
@pytest.mark.parametrize("theirs", ["# Theirs\n", None])
async def test_what_somebody_else_saved_is_not_overwritten(
    theirs: str | None, root: Path, project: OpenSpec
) -> None:
    """Both texts come back, and the revision to save over if the person so decides."""
    proposal = (await project.change("remember-me")).proposal
    assert proposal is not None
    path = root / CHANGE / "proposal.md"
    path.unlink() if theirs is None else path.write_text(theirs)
    with pytest.raises(Conflict) as refused:
        await project.write("remember-me", "proposal.md", "# Mine\n", proposal.revision)
    details = refused.value.details
    assert (details["yours"], details["theirs"]) == ("# Mine\n", theirs)
    assert (path.read_text() if path.exists() else None) == theirs
    await project.write("remember-me", "proposal.md", "# Mine\n", details["revision"])
    assert path.read_text() == "# Mine\n"


@pytest.mark.requirement("BD-114")
async def test_a_new_file_does_not_replace_one_that_is_there(root: Path, project: OpenSpec) -> None:
    """Not even one that could not be shown to anybody."""
    for unseen in (b"\0\1\2", b"x" * (MAX_FILE_BYTES + 1)):
        (root / CHANGE / "design.md").write_bytes(unseen)
        for expected in (None, ""):
            with pytest.raises(Conflict, match="not overwritten unseen") as refused:
                await project.write("remember-me", "design.md", "# Mine\n", expected)
            assert refused.value.details["revision"] == ""
        assert (root / CHANGE / "design.md").read_bytes() == unseen


@pytest.mark.requirement("BD-130")
async def test_a_text_for_a_change_that_is_gone_comes_back(root: Path, project: OpenSpec) -> None:
    """Renamed or deleted on disk meanwhile: the directory is not made again."""
    tasks = (await project.change("remember-me")).tasks_file
    assert tasks is not None
    (root / CHANGE).rename(root / "openspec/changes/renamed")
    with pytest.raises(Conflict, match="'remember-me' is not there any more") as refused:
        await project.write("remember-me", "tasks.md", "- [ ] mine\n", tasks.revision)
    assert refused.value.details["yours"] == "- [ ] mine\n"
    assert not (root / CHANGE).exists()
    with pytest.raises(NotFound):
        await project.tick("remember-me", ["1.1"])


@pytest.mark.requirement("BD-106")
@pytest.mark.parametrize(
    "name",
    [
        *("README.md", "../other/tasks.md", "specs/spec.md", "specs/../x/spec.md", "src/a.py", ""),
        *("specs//spec.md", "specs/.git/spec.md", "specs/a\n/spec.md", "/specs/a/spec.md"),
    ],
)
async def test_only_the_files_of_a_change_are_written(name: str, project: OpenSpec) -> None:
    """Whatever a door passes on as a file's name."""
    with pytest.raises(InvalidInput):
        await project.write("remember-me", name, "x", None)


@pytest.mark.requirement("BD-109")
async def test_ticking_keeps_line_ends_marks_and_bytes(root: Path, project: OpenSpec) -> None:
    """On disk too, in a file that is not even UTF-8."""
    path = root / CHANGE / "tasks.md"
    path.write_bytes(b"- [ ] 1.1 caf\xe9\r\n\t* [ ] 1.2 b \r\n- [x] 1.3")
    change = await project.tick("remember-me", ["1.1", "1.2"])
    assert path.read_bytes() == b"- [x] 1.1 caf\xe9\r\n\t* [x] 1.2 b \r\n- [x] 1.3"
    assert change.count.complete
    await project.tick("remember-me", ["1.3"], done=False)
    assert path.read_bytes() == b"- [x] 1.1 caf\xe9\r\n\t* [x] 1.2 b \r\n- [ ] 1.3"


@pytest.mark.requirement("BD-113")
async def test_a_reader_sees_the_old_text_or_the_new_one(root: Path, project: OpenSpec) -> None:
    """Never a part of one, and never no file."""
    path = root / CHANGE / "design.md"
    texts = {letter * 200_000 for letter in "ab"}
    path.write_text(min(texts))
    seen: set[str] = set()
    finished = threading.Event()

    def look() -> None:
        while not finished.is_set():
            seen.add(path.read_text())

    looking = asyncio.create_task(asyncio.to_thread(look))
    revision = (await project.change("remember-me")).design
    assert revision is not None
    for text in sorted(texts, reverse=True) * 10:
        revision = await project.write("remember-me", "design.md", text, revision.revision)
    finished.set()
    await looking
    assert seen <= texts


TICKER = """
import asyncio, sys
from pathlib import Path
from bottega.board.openspec.writer import OpenSpec

async def main() -> None:
    project = OpenSpec(Path(sys.argv[1]))
    print("ready", flush=True)
    sys.stdin.readline()
    for task in sys.argv[2:]:
        await project.tick("remember-me", [task])

asyncio.run(main())
"""


@pytest.mark.requirement("BD-115")
async def test_processes_that_write_one_file_lose_nothing(root: Path, project: OpenSpec) -> None:
    """Each reads the list as the one before left it."""
    names = [f"1.{number}" for number in range(1, 61)]
    boxes = "".join(f"- [ ] {name} a\n" for name in names)
    (root / CHANGE / "tasks.md").write_text(boxes + "word " * 50_000)
    tickers = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", TICKER, str(root), *names[start::3]), stdin=PIPE, stdout=PIPE
        )
        for start in range(3)
    ]
    for ticker in tickers:
        assert ticker.stdout is not None
        assert await ticker.stdout.readline() == b"ready\n"
    await asyncio.gather(*(ticker.communicate(b"go\n") for ticker in tickers))
    assert [ticker.returncode for ticker in tickers] == [0, 0, 0]
    assert (await project.change("remember-me")).count.complete

"""A person's workspace: filled once, kept safe, and shown as far as a request is about it."""

import asyncio
from pathlib import Path

import pytest

from bottega.assistant.plugins.definition import Plugin
from bottega.assistant.workspace.service import (
    MOST_VERSIONS,
    RECORD,
    Offer,
    Workspace,
    workspace_for,
)
from bottega.assistant.workspace.texts import classes_in
from bottega.errors import BottegaError, Conflict, Forbidden, InvalidInput, NotFound
from tests.app import open_app
from tests.assistant.builders import SAMPLE, put_plugin, write_files

SHIPPED = sorted(path.removeprefix("workspace/") for path in SAMPLE if path.startswith("workspace"))


def open_workspace(root: Path, user: str = "ada") -> Workspace:
    shipped = put_plugin(root / "plugins") / "workspace"
    return Workspace(root / "workspaces" / user, shipped)


@pytest.mark.requirement("AS-451")
async def test_a_workspace_is_filled_on_first_use_for_each_person(tmp_path: Path) -> None:
    async with open_app(tmp_path) as app:
        plugin = Plugin("lessons", put_plugin(tmp_path / "plugins"))
        adas = workspace_for(app.core, "ada", plugin)
        boles = workspace_for(app.core, "bole", plugin)
        folder = app.core.choices.data_dir / "workspaces" / "ada" / "lessons"
        assert not folder.exists()
        assert await adas.files() == SHIPPED
        await adas.write("teacher.md", "Ada teaches.")
        assert (folder / "teacher.md").read_text() == "Ada teaches."
        assert await boles.read("teacher.md") == SAMPLE["workspace/teacher.md"]
        for name in ("..", ".", "a/b", "", "a\0b", ".hidden"):
            with pytest.raises(InvalidInput):
                workspace_for(app.core, name, plugin)


@pytest.mark.requirement("AS-451")
async def test_a_plugin_without_a_workspace_has_an_empty_one(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "mine", tmp_path / "nothing-shipped")
    assert await workspace.files() == []
    assert not (await workspace.view("anything")).files
    assert await workspace.write("notes.md", "Hello.") == "notes.md"
    assert await workspace.read("notes.md") == "Hello."


@pytest.mark.requirement("AS-452")
async def test_filling_overwrites_nothing(tmp_path: Path) -> None:
    write_files(tmp_path / "workspaces" / "ada", {"soul.md": "My own soul."})
    workspace = open_workspace(tmp_path)
    assert await workspace.read("soul.md") == "My own soul."
    assert await workspace.read("teacher.md") == SAMPLE["workspace/teacher.md"]
    await workspace.write("teacher.md", "Changed.")
    assert await open_workspace(tmp_path).read("teacher.md") == "Changed."


@pytest.mark.requirement("AS-453")
async def test_what_is_shipped_later_is_offered(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path)
    await workspace.files()
    assert await workspace.offers() == []
    later = {"classes/4C.md": "# Class 4C\n", "teacher.md": "# A better template\n"}
    write_files(tmp_path / "plugins" / "lessons" / "workspace", later)
    assert not await workspace.exists("classes/4C.md")
    assert await workspace.offers() == [Offer("classes/4C.md", True), Offer("teacher.md", False)]
    await workspace.accept("classes/4C.md")
    await workspace.accept("teacher.md")
    assert await workspace.offers() == []
    assert await workspace.read("teacher.md") == "# A better template\n"
    (before,) = await workspace.versions("teacher.md")
    await workspace.restore("teacher.md", before.number)
    assert await workspace.read("teacher.md") == SAMPLE["workspace/teacher.md"]
    with pytest.raises(NotFound):
        await workspace.accept("not-shipped.md")


@pytest.mark.requirement("AS-454")
async def test_what_was_removed_or_declined_is_not_offered_again(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path)
    shipped = tmp_path / "plugins" / "lessons" / "workspace"
    await workspace.remove("classes/2A.md")
    write_files(shipped, {"classes/4C.md": "# Class 4C\n", "classes/2A.md": "# New 2A\n"})
    assert await workspace.offers() == [Offer("classes/4C.md", True)]
    await workspace.decline("classes/4C.md")
    assert await workspace.offers() == []
    assert not await workspace.exists("classes/4C.md")
    write_files(shipped, {"soul.md": "A new soul."})
    assert await workspace.offers() == [Offer("soul.md", False)]


@pytest.mark.requirement("AS-455")
@pytest.mark.parametrize(
    "path",
    [
        "../bole/teacher.md",
        "classes/../../x.md",
        "/etc/passwd",
        "link.md",
        RECORD,
        ".history/teacher.md@/1",
        "classes/.secret",
        "workspace/../../x.md",
        "a\0b",
        "x" * 5_000,
        "",
        "workspace",
    ],
)
async def test_no_path_leads_out_of_the_workspace(tmp_path: Path, path: str) -> None:
    workspace = open_workspace(tmp_path)
    await workspace.files()
    outside = write_files(tmp_path, {"secret.md": "A secret."}) / "secret.md"
    (workspace.folder / "link.md").symlink_to(outside)
    for attempt in (
        workspace.read(path),
        workspace.write(path, "Mine."),
        workspace.replace(path, "secret", "mine"),
        workspace.remove(path) if path != "link.md" else workspace.read(path),
    ):
        with pytest.raises(BottegaError):
            await attempt
    assert outside.read_text() == "A secret."
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "plugins",
        "secret.md",
        "workspaces",
    ]


@pytest.mark.requirement("AS-455")
async def test_listing_hides_what_is_the_workspaces_own(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path)
    await workspace.write("teacher.md", "Changed.")
    assert (workspace.folder / ".history").exists()
    top = await workspace.list()
    assert top.directories == ["classes", "curriculum"]
    assert top.files == ["pedagogy.md", "soul.md", "teacher.md"]
    assert (await workspace.list("workspace/classes/")).files == ["2A.md", "3B.md"]
    assert await workspace.files() == SHIPPED
    with pytest.raises(Forbidden):
        await workspace.list("..")


@pytest.mark.requirement("AS-455")
async def test_a_file_that_is_no_text_is_listed_and_not_read(tmp_path: Path) -> None:
    """An original PDF may lie beside its markdown."""
    workspace = open_workspace(tmp_path)
    await workspace.files()
    (workspace.folder / "curriculum" / "spec.pdf").write_bytes(b"%PDF-1.7\0\0")
    assert "spec.pdf" in (await workspace.list("curriculum")).files
    with pytest.raises(InvalidInput, match="not text"):
        await workspace.read("curriculum/spec.pdf")


@pytest.mark.requirement("AS-456")
async def test_what_a_file_said_before_can_be_brought_back(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path)
    await workspace.write("plan.md", "one")
    assert await workspace.versions("plan.md") == []
    await workspace.write("plan.md", "two")
    await workspace.write("plan.md", "two")
    await workspace.replace("plan.md", "two", "three")
    assert [(each.number, each.size) for each in await workspace.versions("plan.md")] == [
        (2, 3),
        (1, 3),
    ]
    await workspace.restore("plan.md", 1)
    assert await workspace.read("plan.md") == "one"
    await workspace.restore("plan.md", 3)
    assert await workspace.read("plan.md") == "three"
    await workspace.remove("plan.md")
    assert not await workspace.exists("plan.md")
    newest = (await workspace.versions("plan.md"))[0]
    await workspace.restore("plan.md", newest.number)
    assert await workspace.read("plan.md") == "three"
    with pytest.raises(NotFound, match="has no version 99; there are: 1, 2, 3"):
        await workspace.restore("plan.md", 99)


@pytest.mark.requirement("AS-456")
async def test_versions_of_a_file_and_of_a_folder_of_its_name_are_kept_apart(
    tmp_path: Path,
) -> None:
    workspace = open_workspace(tmp_path)
    for text in ("one", "two"):
        await workspace.write("plan", text)
    await workspace.remove("plan")
    for text in ("three", "four"):
        await workspace.write("plan/1", text)
    (version,) = await workspace.versions("plan/1")
    await workspace.restore("plan/1", version.number)
    assert await workspace.read("plan/1") == "three"


@pytest.mark.requirement("AS-456")
async def test_only_the_last_versions_are_kept(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path)
    for number in range(MOST_VERSIONS + 5):
        await workspace.write("plan.md", f"version {number}")
    numbers = [each.number for each in await workspace.versions("plan.md")]
    assert numbers == list(range(MOST_VERSIONS + 4, 4, -1))


@pytest.mark.requirement("AS-457")
async def test_replacing_needs_exactly_one_place(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path)
    await workspace.write("plan.md", "starter, main, starter")
    with pytest.raises(Conflict, match="stands there 2 times"):
        await workspace.replace("plan.md", "starter", "warm-up")
    with pytest.raises(Conflict, match="does not stand there"):
        await workspace.replace("plan.md", "plenary", "end")
    with pytest.raises(InvalidInput):
        await workspace.replace("plan.md", "", "end")
    with pytest.raises(NotFound):
        await workspace.replace("nothing.md", "a", "b")
    await workspace.replace("plan.md", "main, ", "main activity, ")
    assert await workspace.read("plan.md") == "starter, main activity, starter"


@pytest.mark.requirement("AS-463")
async def test_agents_at_work_at_once_lose_no_change(tmp_path: Path) -> None:
    """Each has the workspace opened for itself."""
    await open_workspace(tmp_path).write("plan.md", " ".join(f"[{n}]" for n in range(10)))
    await asyncio.gather(
        *(open_workspace(tmp_path).replace("plan.md", f"[{n}]", f"({n})") for n in range(10))
    )
    text = await open_workspace(tmp_path).read("plan.md")
    assert text == " ".join(f"({n})" for n in range(10))


@pytest.mark.requirement("AS-464")
async def test_an_interrupted_first_use_goes_on(tmp_path: Path) -> None:
    """The record is written last."""
    workspace = open_workspace(tmp_path)
    await workspace.write("soul.md", "My soul.")
    (workspace.folder / RECORD).unlink()
    (workspace.folder / "pedagogy.md").unlink()
    again = open_workspace(tmp_path)
    assert await again.read("pedagogy.md") == SAMPLE["workspace/pedagogy.md"]
    assert await again.read("soul.md") == "My soul."
    assert (workspace.folder / RECORD).exists()


@pytest.mark.requirement("AS-459")
@pytest.mark.parametrize(
    ("request_text", "found"),
    [
        ("Create a lesson on iteration for 3B", ["3B"]),
        ("for 3b please", ["3B"]),
        ("my 3 B class, and 3-b again", ["3B"]),
        ("like we did with 2C, but for 3B", ["3B", "2C"]),
        ("for my 2C, then 3B", ["2C", "3B"]),
        ("for S3B or 3BX or 13B", []),
        ("nothing in particular", []),
        ("a lesson for a group", []),
        ("for class A", ["A"]),
        ("for the year 9 top set!", ["year-9-top-set"]),
    ],
)
def test_a_class_is_found_however_it_is_written(request_text: str, found: list[str]) -> None:
    assert classes_in(request_text, ["2C", "3B", "A", "year-9-top-set"]) == found


async def shown(workspace: Workspace, request_text: str) -> list[str]:
    return [file.path for file in (await workspace.view(request_text)).files]


@pytest.mark.requirement("AS-458", "AS-461")
async def test_who_teaches_and_how_is_always_loaded(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path)
    view = await workspace.view("What can you do?", listed=["workspace/teacher.md", "classes/"])
    assert view.soul == SAMPLE["workspace/soul.md"]
    assert [file.path for file in view.files] == ["teacher.md", "pedagogy.md"]
    assert view.class_id is None
    assert ("classes/3B.md", "Class 3B") in [(each.path, each.title) for each in view.others]
    await workspace.remove("soul.md")
    assert (await workspace.view("What can you do?")).soul == ""


@pytest.mark.requirement("AS-460", "AS-461")
@pytest.mark.parametrize(
    ("request_text", "chosen"),
    [
        ("a lesson on iteration", ["cfe-computing"]),
        ("fractions, please", ["cfe-maths"]),
        ("something in mathematics", ["cfe-maths"]),
        ("une leçon en French about family", ["cfe-french"]),
        ("a lesson for 3B", ["cfe-computing"]),
        ("a lesson for 2A", ["cfe-french"]),
        ("a lesson about weather", []),
    ],
)
async def test_the_curriculum_follows_the_subject(
    tmp_path: Path, request_text: str, chosen: list[str]
) -> None:
    """By the request's words, or else by the class's profile."""
    paths = await shown(open_workspace(tmp_path), request_text)
    assert [path for path in paths if path.startswith("curriculum/")] == [
        f"curriculum/{name}.md" for name in chosen
    ]


@pytest.mark.requirement("AS-459", "AS-461")
async def test_the_class_profile_is_whole_and_the_others_are_named(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path)
    await workspace.write("lessons/iteration.md", "# Iteration, computing, fractions\n")
    view = await workspace.view("iteration for 3b")
    assert view.class_id == "3B"
    assert [file.path for file in view.files] == [
        "teacher.md",
        "pedagogy.md",
        "classes/3B.md",
        "curriculum/cfe-computing.md",
    ]
    assert [each.path for each in view.others] == [
        "classes/2A.md",
        "curriculum/cfe-french.md",
        "curriculum/cfe-maths.md",
        "lessons/iteration.md",
    ]
    given = await workspace.view("iteration", class_id="2A", listed=["classes/2A.md", "gone.md"])
    assert given.class_id == "2A"
    assert given.missing == ["gone.md"]


@pytest.mark.requirement("AS-460")
async def test_a_changed_file_is_seen_at_the_next_request(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path)
    assert "curriculum/cfe-maths.md" not in await shown(workspace, "a lesson about volcanoes")
    await workspace.write("curriculum/cfe-maths.md", "# Maths\n\nCounting volcanoes.\n")
    assert "curriculum/cfe-maths.md" in await shown(workspace, "a lesson about volcanoes")


@pytest.mark.requirement("AS-461", "AS-462")
async def test_a_file_that_cannot_be_read_spoils_no_prompt(tmp_path: Path) -> None:
    """Too large for us, or no text at all."""
    workspace = open_workspace(tmp_path)
    await workspace.files()
    (workspace.folder / "curriculum" / "huge.md").write_bytes(b"# Iteration\n" * 1_000_000)
    (workspace.folder / "curriculum" / "iteration.pdf").write_bytes(b"%PDF\0")
    (workspace.folder / "teacher.md").write_bytes(b"\0\0")
    view = await workspace.view("iteration")
    texts = {file.path: file.text for file in view.files}
    assert "selection and iteration" in texts["curriculum/cfe-computing.md"]
    assert texts["teacher.md"] == ""
    assert "curriculum/huge.md" in [file.path for file in view.others]


@pytest.mark.requirement("AS-462")
async def test_a_long_file_is_shown_by_its_headings(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path)
    text = "# National 5 Physics\n\n## Waves\n" + "A wave carries energy.\n" * 3_000 + "## Heat\n"
    await workspace.write("curriculum/physics.md", text)
    (file,) = [
        file
        for file in (await workspace.view("physics: waves")).files
        if file.path == "curriculum/physics.md"
    ]
    assert "L1: # National 5 Physics\nL3: ## Waves\nL3004: ## Heat" in file.text
    assert "carries energy" not in file.text

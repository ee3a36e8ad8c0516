"""No path, however written, and no link, however timed, leads out of the root."""

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.core.files import lookup as beneath
from bottega.core.files.paths import relative_path
from bottega.core.files.sandbox import Sandbox
from bottega.errors import BottegaError, Forbidden, InvalidInput, NotFound

ESCAPES = [
    "../outside/secret.txt",
    "../../etc/passwd",
    "a/../../outside/secret.txt",
    "./.././outside/secret.txt",
    "..",
    "/etc/passwd",
    "//etc/passwd",
    "/",
]


async def every_operation_is_refused(
    sandbox: Sandbox, path: str, kind: type[BottegaError], words: str
) -> None:
    for operation in (
        sandbox.read_text,
        sandbox.read_bytes,
        sandbox.exists,
        sandbox.list,
        sandbox.mkdir,
        sandbox.remove,
    ):
        with pytest.raises(kind, match=words):
            await operation(path)
    with pytest.raises(kind, match=words):
        await sandbox.write(path, "x")


@pytest.mark.requirement("FR-023", "EC-10", "SC-016")
@pytest.mark.parametrize("path", ESCAPES)
async def test_a_path_that_escapes_is_refused_before_any_io(path: str) -> None:
    """Refused by its letters; the root does not even exist."""
    await every_operation_is_refused(Sandbox("/no/such/root"), path, Forbidden, "outside the proj")


@pytest.mark.requirement("EC-10")
async def test_an_absolute_sibling_with_the_roots_name_as_a_start_is_outside(
    sandbox: Sandbox, root: Path
) -> None:
    """`/project-2` begins like `/project` but is not in it."""
    sibling = root.with_name("project-2")
    sibling.mkdir()
    (sibling / "a.txt").write_text("SECRET")
    await every_operation_is_refused(sandbox, str(sibling / "a.txt"), Forbidden, "outside the proj")
    await every_operation_is_refused(sandbox, f"{root}/../project-2/a.txt", Forbidden, "outside")


@pytest.mark.requirement("FR-023")
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("a\0b", "NUL"),
        ("x" * 256, "longer than 255"),
        ("ü" * 128, "longer than 255"),
        ("a/" * 2100 + "b", "4096"),
        ("a/" * 300 + "b", "levels deep"),
        ("\ud800.txt", "not valid Unicode"),
    ],
)
async def test_an_impossible_name_is_refused_before_any_io(path: str, words: str) -> None:
    """A message that names the fault, and is itself short."""
    with pytest.raises(InvalidInput, match=words) as refusal:
        await Sandbox("/no/such/root").read_text(path)
    assert len(refusal.value.message) < 500
    await every_operation_is_refused(Sandbox("/no/such/root"), path, InvalidInput, words)


@pytest.mark.requirement("EC-11")
async def test_a_link_that_leads_outside_is_refused(
    sandbox: Sandbox, root: Path, outside: Path
) -> None:
    """Relative or absolute, to a file or a directory, directly or by way of another."""
    (root / "file").symlink_to(outside / "secret.txt")
    (root / "relative").symlink_to("../outside/secret.txt")
    (root / "folder").symlink_to(outside)
    (root / "second").symlink_to("folder")
    (root / "up").symlink_to("..")
    (root / "system").symlink_to("/")
    (root / "sneaky").symlink_to(f"{root}/../outside/secret.txt")
    for path in (
        "file",
        "relative",
        "folder/secret.txt",
        "second/secret.txt",
        "up/outside/secret.txt",
        "system/etc/passwd",
        "sneaky",
    ):
        for operation in (sandbox.read_bytes, sandbox.read_text, sandbox.exists, sandbox.list):
            with pytest.raises(Forbidden, match="outside the project"):
                await operation(path)
        with pytest.raises(Forbidden, match="outside the project"):
            await sandbox.write(path, "OVERWRITTEN")
    with pytest.raises(Forbidden):
        await sandbox.write("folder/new/deep.txt", "x")
    with pytest.raises(Forbidden):
        await sandbox.mkdir("folder/new")
    with pytest.raises(Forbidden):
        await sandbox.remove("folder/secret.txt")
    assert (outside / "secret.txt").read_text() == "SECRET"
    assert [entry.name for entry in outside.iterdir()] == ["secret.txt"]


@pytest.mark.requirement("EC-11")
async def test_a_link_that_stays_inside_is_followed(sandbox: Sandbox, root: Path) -> None:
    """Relative and absolute ones, `..` in them, chains, and links to what is not there."""
    (root / "real/deep").mkdir(parents=True)
    (root / "real/a.txt").write_text("inside")
    (root / "link").symlink_to("real")
    (root / "absolute").symlink_to(root / "real")
    (root / "real/deep/back").symlink_to("../../link/a.txt")
    (root / "here").symlink_to(".")
    (root / "dangling").symlink_to("real/new.txt")
    for path in ("link/a.txt", "absolute/a.txt", "link/deep/back", "here/here/link/a.txt"):
        assert await sandbox.read_bytes(path) == b"inside"
    await sandbox.write("link/deep/back", "changed")
    assert (root / "real/a.txt").read_text() == "changed"
    assert (root / "real/deep/back").is_symlink()
    await sandbox.write("dangling", "made")
    assert (root / "real/new.txt").read_text() == "made"
    assert (await sandbox.list("absolute")).files == ["a.txt", "new.txt"]


async def test_links_that_go_round_in_a_circle_are_refused(sandbox: Sandbox, root: Path) -> None:
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    for path in ("a", "a/x"):
        with pytest.raises(Forbidden, match="circle of links"):
            await sandbox.read_bytes(path)
        with pytest.raises(Forbidden, match="circle of links"):
            await sandbox.write(path, "x")


async def test_removing_a_link_leaves_what_it_points_to(
    sandbox: Sandbox, root: Path, outside: Path
) -> None:
    (root / "link").symlink_to(outside / "secret.txt")
    await sandbox.remove("link")
    assert not (root / "link").is_symlink()
    assert (outside / "secret.txt").read_text() == "SECRET"


async def test_the_root_may_itself_be_reached_by_a_link(root: Path, tmp_path: Path) -> None:
    (root / "a.txt").write_text("inside")
    (tmp_path / "alias").symlink_to(root)
    sandbox = Sandbox(tmp_path / "alias")
    assert await sandbox.read_bytes(tmp_path / "alias" / "a.txt") == b"inside"
    assert await sandbox.read_bytes(root / "a.txt") == b"inside"


letters = st.text(st.characters(exclude_categories=()), max_size=12)
parts = st.one_of(st.sampled_from(["..", ".", "", "a", "project", "~", "etc"]), letters)


@pytest.mark.requirement("FR-023", "EC-10")
@given(st.lists(parts, max_size=12), st.booleans())
@settings(max_examples=500, deadline=None)
def test_any_text_is_either_refused_or_clean(names: list[str], absolute: bool) -> None:
    """Whatever is not refused is relative, normal, and means itself."""
    path = ("/" if absolute else "") + "/".join(names)
    root = Path("/some/project")
    try:
        clean = relative_path(root, path)
    except BottegaError:
        return
    assert not clean.startswith("/")
    assert "\0" not in clean
    assert not {"..", "."} & set(clean.split("/"))
    assert relative_path(root, clean) == clean
    assert os.path.normpath(root / clean) == os.path.normpath(root / path)


@pytest.fixture(scope="module", params=["openat2", "walk"])
def maze(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[tuple[Sandbox, Path]]:
    top = tmp_path_factory.mktemp("maze")
    root, outside = top / "project", top / "outside"
    outside.mkdir()
    (outside / "file").write_text("SECRET")
    (root / "a/b").mkdir(parents=True)
    for folder in (root, root / "a", root / "a/b"):
        (folder / "file").write_text("inside")
        (folder / "out").symlink_to(outside)
        (folder / "up").symlink_to("..")
        (folder / "top").symlink_to(root)
        (folder / "up2").symlink_to("../../outside")
    patch = pytest.MonkeyPatch()
    if request.param == "walk":
        patch.setattr(beneath, "open_in_kernel", lambda *_: None)
    yield Sandbox(root), outside
    patch.undo()


steps = st.sampled_from(["a", "b", "up", "top", "out", "up2", "..", ".", "outside", "project"])


@pytest.mark.requirement("EC-11")
@given(way=st.lists(steps, max_size=10))
@settings(max_examples=300, deadline=None)
async def test_no_way_through_a_maze_of_links_leads_out(
    maze: tuple[Sandbox, Path], way: list[str]
) -> None:
    """A way is walked as the operating system would, or refused where it leaves."""
    sandbox, outside = maze
    path = "/".join([*way, "file"])
    try:
        content = await sandbox.read_bytes(path)
        await sandbox.mkdir(path + ".d")
    except (Forbidden, NotFound, InvalidInput):
        content = b"inside"
    assert content == b"inside"
    assert [entry.name for entry in outside.iterdir()] == ["file"]


class Swapper(threading.Thread):
    """Makes a name a directory, then a link to outside, then a directory again, without a gap."""

    def __init__(self, folder: Path, link: Path) -> None:
        super().__init__()
        self.names = [os.fsencode(folder), os.fsencode(link)]
        self.swaps = 0
        self.stopping = threading.Event()

    def run(self) -> None:
        exchange, here = 2, -100  # RENAME_EXCHANGE, AT_FDCWD
        libc = ctypes.CDLL(None)
        while not self.stopping.is_set():
            assert libc.renameat2(here, self.names[0], here, self.names[1], exchange) == 0
            self.swaps += 1

    def __enter__(self) -> "Swapper":
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.stopping.set()
        self.join()


@pytest.mark.requirement("EC-11", "FR-023")
@pytest.mark.skipif(sys.platform != "linux", reason="swapping at once needs renameat2")
async def test_a_directory_swapped_for_a_link_meanwhile_leads_nowhere(
    sandbox: Sandbox, root: Path, outside: Path
) -> None:
    """Between the check and the use there is no moment in which the link wins."""
    (root / "folder").mkdir()
    (root / "folder/secret.txt").write_text("inside")
    (root / "link").symlink_to(outside)
    passed = refused = 0
    with Swapper(root / "folder", root / "link") as swapper:
        for turn in range(1_500):
            try:
                assert await sandbox.read_bytes("folder/secret.txt") == b"inside"
                if turn % 10 == 0:
                    await sandbox.write("folder/secret.txt", "inside")
                    await sandbox.write(f"folder/new{turn}/file.txt", "x")
                passed += 1
            except (Forbidden, InvalidInput):  # a link, or no directory any more
                refused += 1
    assert min(passed, refused, swapper.swaps) > 10
    assert [entry.name for entry in outside.iterdir()] == ["secret.txt"]
    assert (outside / "secret.txt").read_text() == "SECRET"

"""Reading, writing, listing and removing below a root."""

import asyncio
import os
import socket
import stat
import sys
from pathlib import Path

import pytest

from bottega.core.files.encoding import Encoding
from bottega.core.files.listing import EntryType
from bottega.core.files.sandbox import Sandbox
from bottega.errors import Conflict, Forbidden, InvalidInput, NotFound, TooLarge


@pytest.mark.requirement("FR-024", "SC-010")
async def test_a_file_is_read_with_its_language(sandbox: Sandbox, root: Path) -> None:
    """Reading gives the text and the language that the name tells."""
    (root / "src").mkdir()
    (root / "src/app.py").write_text("import os\nprint(os.name)\n")
    found = await sandbox.read_text("src/app.py")
    assert found.path == "src/app.py"
    assert found.content == "import os\nprint(os.name)\n"
    assert (found.language, found.line_count, found.size) == ("python", 2, 25)
    assert not found.binary


async def test_an_absolute_path_inside_is_as_good_as_a_relative_one(
    sandbox: Sandbox, root: Path
) -> None:
    (root / "a.txt").write_text("inside")
    found = await sandbox.read_text(root / "a.txt")
    assert (found.path, found.content) == ("a.txt", "inside")


@pytest.mark.parametrize("content", ["a\r\nb\r\n", "a\rb", "a\nb\r\nc", "\ufeffx\n", "", "\n\n"])
async def test_line_endings_and_marks_survive_exactly(
    sandbox: Sandbox, root: Path, content: str
) -> None:
    await sandbox.write("a.txt", content)
    assert (root / "a.txt").read_bytes() == content.encode()
    assert (await sandbox.read_text("a.txt")).content == content


@pytest.mark.requirement("EC-12")
async def test_a_binary_file_is_flagged_and_not_read(sandbox: Sandbox, root: Path) -> None:
    """Told by the extension; there is no text to show, whatever the size."""
    (root / "logo.png").write_bytes(b"plain words")
    with (root / "film.mp4").open("wb") as film:
        film.truncate(sandbox.max_file_bytes * 2)
    logo, film_content = await sandbox.read_text("logo.png"), await sandbox.read_text("film.mp4")
    assert (logo.binary, logo.content, logo.size) == (True, "", 11)
    assert film_content.binary
    assert film_content.size == sandbox.max_file_bytes * 2


async def test_bytes_that_are_no_text_are_flagged_whatever_the_name(
    sandbox: Sandbox, root: Path
) -> None:
    (root / "core.txt").write_bytes(b"\x7fELF\0\0\1")
    found = await sandbox.read_text("core.txt")
    assert (found.binary, found.content) == (True, "")
    with pytest.raises(InvalidInput, match="binary"):
        await sandbox.write("core.txt", "text over it")
    assert (root / "core.txt").read_bytes() == b"\x7fELF\0\0\1"


@pytest.mark.parametrize(
    ("original", "encoding"),
    [
        ("Müller\r\n".encode("latin-1"), Encoding.LATIN_1),
        (bytes(range(1, 256)), Encoding.LATIN_1),
        ("hé\n".encode("utf-16"), Encoding.UTF_16_LE),
        (b"\xfe\xff" + "hé\n".encode("utf-16-be"), Encoding.UTF_16_BE),
    ],
)
async def test_a_file_that_is_not_utf8_keeps_its_encoding_when_saved(
    sandbox: Sandbox, root: Path, original: bytes, encoding: Encoding
) -> None:
    (root / "old.txt").write_bytes(original)
    found = await sandbox.read_text("old.txt")
    assert found.encoding is encoding
    await sandbox.write("old.txt", found.content)
    assert (root / "old.txt").read_bytes() == original
    await sandbox.write("old.txt", found.content + "é")
    assert (root / "old.txt").read_bytes() == original + "é".encode(encoding)


async def test_text_that_an_old_encoding_lacks_is_refused_until_converted(
    sandbox: Sandbox, root: Path
) -> None:
    (root / "old.txt").write_bytes(b"caf\xe9")
    with pytest.raises(InvalidInput, match="latin-1, which has no '€'"):
        await sandbox.write("old.txt", "café 3 €")
    assert (root / "old.txt").read_bytes() == b"caf\xe9"
    await sandbox.write("old.txt", "café 3 €", encoding=Encoding.UTF_8)
    assert (root / "old.txt").read_text(encoding="utf-8") == "café 3 €"


async def test_half_a_character_is_not_written(sandbox: Sandbox, root: Path) -> None:
    with pytest.raises(InvalidInput, match="not valid Unicode"):
        await sandbox.write("a.txt", "\ud800")
    assert not (root / "a.txt").exists()


@pytest.mark.requirement("EC-14")
async def test_a_large_file_is_refused_with_its_size(root: Path) -> None:
    """Beyond the limit nothing is read or written, and the message says what the limit
    is."""
    sandbox = Sandbox(root, max_file_bytes=1000)
    (root / "big.txt").write_text("x" * 1001)
    with pytest.raises(TooLarge, match=r"'big.txt' has 1,001 bytes or more; files up to 1,000"):
        await sandbox.read_text("big.txt")
    (root / "fits.txt").write_text("x" * 1000)
    assert len((await sandbox.read_text("fits.txt")).content) == 1000
    with pytest.raises(TooLarge):
        await sandbox.write("new.txt", "x" * 1001)
    assert not (root / "new.txt").exists()


@pytest.mark.requirement("EC-14")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such files at hand")
async def test_a_file_whose_size_is_not_known_before_is_limited_too() -> None:
    """Files of /proc claim to be empty."""
    with pytest.raises(TooLarge):
        await Sandbox("/proc/self", max_file_bytes=10).read_bytes("status")


@pytest.mark.requirement("FR-023")
async def test_pipes_sockets_and_directories_are_no_files(
    sandbox: Sandbox, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None of them is opened, so none can block."""
    os.mkfifo(root / "pipe")
    (root / "pipe-link").symlink_to("pipe")
    (root / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        # By a short name: addresses of sockets have a hundred characters.
        monkeypatch.chdir(root)
        server.bind("socket")
        async with asyncio.timeout(5):
            for name in ("pipe", "pipe-link", "socket"):
                with pytest.raises(InvalidInput, match="pipe, socket or device"):
                    await sandbox.read_bytes(name)
                with pytest.raises(InvalidInput, match="pipe, socket or device"):
                    await sandbox.write(name, b"x")
                assert not await sandbox.exists(name)
    with pytest.raises(InvalidInput, match="is a directory"):
        await sandbox.read_bytes("folder")
    with pytest.raises(InvalidInput, match="is a directory"):
        await sandbox.write("folder", "x")
    assert stat.S_ISFIFO((root / "pipe").stat().st_mode)


async def test_writing_makes_the_directories_on_the_way(sandbox: Sandbox, root: Path) -> None:
    await sandbox.write("a/b/c.txt", "deep")
    assert (root / "a/b/c.txt").read_text() == "deep"


async def test_a_new_file_gets_the_usual_mode_and_an_old_one_keeps_its_own(
    sandbox: Sandbox, root: Path
) -> None:
    script = root / "run.sh"
    script.write_text("old")
    script.chmod(0o750)
    await sandbox.write("run.sh", "new")
    assert stat.S_IMODE(script.stat().st_mode) == 0o750
    (root / "plain").touch()
    await sandbox.write("fresh", "new")
    assert (root / "fresh").stat().st_mode == (root / "plain").stat().st_mode


async def test_missing_things_are_not_found(sandbox: Sandbox, root: Path) -> None:
    (root / "a.txt").write_text("a")
    for path in ("nothing.txt", "no/such/file"):
        with pytest.raises(NotFound, match=path):
            await sandbox.read_text(path)
        with pytest.raises(NotFound):
            await sandbox.remove(path)
        assert not await sandbox.exists(path)
    with pytest.raises(InvalidInput, match="a part of the path is a file"):
        await sandbox.read_text("a.txt/b")
    assert not await sandbox.exists("a.txt/b")


async def test_the_root_itself_is_no_file(sandbox: Sandbox) -> None:
    for path in ("", ".", "a/..", sandbox.root):
        with pytest.raises(InvalidInput, match="directory itself"):
            await sandbox.read_text(path)
        with pytest.raises(InvalidInput, match="directory itself"):
            await sandbox.write(path, "x")
        with pytest.raises(InvalidInput, match="directory itself"):
            await sandbox.remove(path)
        assert await sandbox.type_of(path) is EntryType.DIRECTORY


async def test_a_root_that_is_gone_is_not_found(sandbox: Sandbox, root: Path) -> None:
    root.rmdir()
    with pytest.raises(NotFound):
        await sandbox.read_text("a.txt")
    with pytest.raises(NotFound):
        await sandbox.write("a.txt", "x")


async def test_directories_are_made_and_listed_and_removed_when_empty(
    sandbox: Sandbox, root: Path
) -> None:
    await sandbox.mkdir("x/y")
    await sandbox.mkdir("x/y")
    for name in ("b.txt", "A.txt", "a.txt"):
        await sandbox.write(f"x/{name}", "")
    listing = await sandbox.list("x")
    assert (listing.directories, listing.files) == (["y"], ["A.txt", "a.txt", "b.txt"])
    assert listing.path_of("y") == "x/y"
    with pytest.raises(Conflict, match="not empty"):
        await sandbox.remove("x")
    with pytest.raises(Conflict, match="exists already"):
        await sandbox.mkdir("x/a.txt")
    await sandbox.remove("x/y")
    await sandbox.remove("x/a.txt")
    assert sorted(entry.name for entry in (root / "x").iterdir()) == ["A.txt", "b.txt"]


async def test_a_name_that_json_could_not_carry_is_not_listed(sandbox: Sandbox, root: Path) -> None:
    (root / "fine.txt").touch()
    with open(os.fsencode(root) + b"/\xff.txt", "w"):
        pass
    assert (await sandbox.list()).files == ["fine.txt"]


async def test_a_read_only_file_is_not_replaced(root: Path) -> None:
    """Renaming over it would work, and would be a surprise."""
    if os.geteuid() == 0:
        pytest.skip("root may write everything; test_sandbox_faults covers it as another user")
    (root / "a.txt").write_text("old")
    (root / "a.txt").chmod(0o444)
    with pytest.raises(Forbidden, match="read-only"):
        await Sandbox(root).write("a.txt", "new")

"""The cache of what editors hold."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bottega.core import clock
from bottega.core.files.buffers import Buffers, CursorPosition
from bottega.core.files.sandbox import Sandbox
from bottega.errors import Forbidden, InvalidInput, TooLarge


@pytest.fixture
def buffers(root: Path) -> Buffers:
    return Buffers(Sandbox(root).relative)


@pytest.mark.requirement("FR-027", "FR-028", "SC-012")
def test_an_update_is_kept_as_dirty_with_cursor_and_time(buffers: Buffers) -> None:
    """Content, cursor, dirty and an ISO 8601 time."""
    before = datetime.now(UTC)
    buffers.update("a.py", "x = 1", CursorPosition(line=1, column=6))
    entry = buffers.get("a.py")
    assert entry is not None
    assert (entry.content, entry.cursor_position, entry.dirty) == (
        "x = 1",
        CursorPosition(1, 6),
        True,
    )
    assert before <= clock.parse(entry.last_updated) <= datetime.now(UTC)


@pytest.mark.requirement("FR-030")
def test_a_file_without_a_buffer_has_none(buffers: Buffers) -> None:
    """The entry, or None."""
    entry = buffers.update("a.py", "x")
    assert buffers.get("a.py") is entry
    assert buffers.get("b.py") is None


@pytest.mark.requirement("EC-15")
def test_the_last_update_wins(buffers: Buffers) -> None:
    for content in ("one", "two", "three"):
        buffers.update("a.py", content, CursorPosition(2, 3))
    buffers.update("a.py", "four")
    entry = buffers.get("a.py")
    assert entry is not None
    assert (entry.content, entry.cursor_position) == ("four", CursorPosition(2, 3))
    assert len(buffers) == 1


@pytest.mark.requirement("FR-029")
def test_saving_makes_it_clean_and_keeps_the_cursor(buffers: Buffers) -> None:
    buffers.update("a.py", "x", CursorPosition(4, 2))
    buffers.update("b.py", "y")
    buffers.mark_saved("a.py", "x\n")
    entry = buffers.get("a.py")
    assert entry is not None
    assert (entry.content, entry.dirty, entry.cursor_position) == (
        "x\n",
        False,
        CursorPosition(4, 2),
    )
    assert list(buffers.dirty()) == ["b.py"]
    assert sorted(buffers.all()) == ["a.py", "b.py"]


def test_a_closed_buffer_is_gone(buffers: Buffers) -> None:
    buffers.update("a.py", "x")
    buffers.close("./a.py")
    buffers.close("never-open.py")
    assert buffers.get("a.py") is None
    assert len(buffers) == 0


@pytest.mark.requirement("FR-038", "EC-12")
def test_a_binary_file_gets_no_buffer(buffers: Buffers) -> None:
    """Skipped, not refused."""
    assert buffers.update("logo.png", "x") is None
    assert buffers.get("logo.png") is None
    assert len(buffers) == 0


@pytest.mark.requirement("FR-023")
def test_every_spelling_of_a_path_is_the_same_buffer(buffers: Buffers, root: Path) -> None:
    """And those outside are refused."""
    buffers.update("src/../a.py", "x")
    for spelling in ("a.py", "./a.py", "b/../a.py", str(root / "a.py")):
        assert buffers.get(spelling) is not None
    for path in ("../a.py", "/etc/passwd"):
        with pytest.raises(Forbidden, match="outside the project"):
            buffers.update(path, "x")
        with pytest.raises(Forbidden, match="outside the project"):
            buffers.get(path)
    with pytest.raises(InvalidInput, match="name a file"):
        buffers.update(".", "x")


@pytest.mark.requirement("EC-14")
def test_a_huge_or_broken_buffer_is_refused(root: Path) -> None:
    """The limit counts bytes, not characters."""
    buffers = Buffers(Sandbox(root).relative, max_buffer_bytes=10)
    buffers.update("a.py", "x" * 10)
    with pytest.raises(TooLarge, match="11 bytes; 10 are allowed"):
        buffers.update("a.py", "x" * 11)
    with pytest.raises(TooLarge):
        buffers.update("a.py", "ü" * 6)
    with pytest.raises(InvalidInput, match="Unicode"):
        buffers.update("a.py", "\ud800")
    entry = buffers.get("a.py")
    assert entry is not None
    assert entry.content == "x" * 10


def test_a_full_cache_drops_saved_buffers_oldest_first_and_never_unsaved_ones(root: Path) -> None:
    buffers = Buffers(Sandbox(root).relative, max_buffers=3)
    buffers.mark_saved("old", "1")
    buffers.mark_saved("newer", "2")
    buffers.update("unsaved", "3")
    buffers.update("one-more", "4")
    assert list(buffers.all()) == ["newer", "unsaved", "one-more"]
    buffers.update("last", "5")
    assert list(buffers.all()) == ["unsaved", "one-more", "last"]
    with pytest.raises(TooLarge, match="3 files are unsaved"):
        buffers.update("too-many", "6")
    # Those that are open may still be edited, and a save never fails for want of room.
    buffers.update("last", "55")
    assert not buffers.mark_saved("too-many", "6").dirty
    assert list(buffers.all()) == ["unsaved", "one-more", "last"]


def test_the_cache_is_bounded_by_bytes_too(root: Path) -> None:
    buffers = Buffers(Sandbox(root).relative, max_total_bytes=100)
    buffers.mark_saved("saved", "x" * 60)
    buffers.update("a", "x" * 30)
    buffers.update("a", "x" * 40)
    assert sorted(buffers.all()) == ["a", "saved"]
    buffers.update("a", "x" * 41)
    assert list(buffers.all()) == ["a"]
    buffers.update("b", "x" * 59)
    with pytest.raises(TooLarge):
        buffers.update("b", "x" * 60)
    buffers.close("a")
    buffers.update("b", "x" * 100)

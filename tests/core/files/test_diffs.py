"""Diffs that other tools accept, at any size."""

import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.core.files import diffs
from bottega.core.files.diffs import unified_diff


def apply(diff: str, saved: str) -> str:
    """A strict reader of unified diffs: every number and every context line must be right."""
    old = saved.split("\n")
    old = [f"{line}\n" for line in old[:-1]] + ([old[-1]] if old[-1] else [])
    new: list[str] = []
    lines = diff.split("\n")[:-1]
    position, done = 2, 0
    while position < len(lines):
        ranges = lines[position].split(" ")
        start, count = map(int, (ranges[1][1:] + ",1").split(",")[:2])
        new_start, new_count = map(int, (ranges[2][1:] + ",1").split(",")[:2])
        begin = start - 1 if count else start
        new += old[done:begin]
        assert len(new) == (new_start - 1 if new_count else new_start)
        done, added = begin, len(new)
        position += 1
        while position < len(lines) and not lines[position].startswith("@@"):
            text = lines[position][1:] + "\n"
            if lines[position + 1 : position + 2] == ["\\ No newline at end of file"]:
                text = text[:-1]
            mark = lines[position][0]
            if mark in " -":
                assert old[done] == text
                done += 1
            if mark in " +":
                new.append(text)
            position += 1 + (not text.endswith("\n"))
        assert (done - begin, len(new) - added) == (count, new_count)
    return "".join(new + old[done:])


@pytest.mark.requirement("FR-031", "FR-032", "SC-013")
def test_a_changed_line_is_shown_with_its_surroundings() -> None:
    """Headers, hunk and context as in every unified diff."""
    saved = "".join(f"line {n}\n" for n in range(1, 11))
    assert unified_diff("src/a.py", saved, saved.replace("line 5", "line five")) == (
        "--- a/src/a.py\n+++ b/src/a.py\n@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n"
        "-line 5\n+line five\n line 6\n line 7\n line 8\n"
    )


@pytest.mark.requirement("FR-031")
def test_nothing_changed_is_an_empty_diff() -> None:
    assert unified_diff("a", "same\n", "same\n") == ""
    assert unified_diff("a", None, "") == ""


@pytest.mark.requirement("EC-13")
def test_a_file_that_is_not_on_disk_is_all_new() -> None:
    assert unified_diff("a.py", None, "x\ny") == (
        "--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n"
    )


lines = st.lists(st.sampled_from(["a", "b", "c", "", "x\r", "\f", "\u2028", "ü"]), max_size=25)
texts = st.builds(lambda parts, end: "\n".join(parts) + end, lines, st.sampled_from(["", "\n"]))


@pytest.mark.requirement("FR-031", "SC-013")
@given(saved=texts, buffer=texts)
@settings(max_examples=400, deadline=None)
def test_applying_a_diff_gives_the_buffer(saved: str, buffer: str) -> None:
    """Whatever the line ends, and with or without a last one."""
    diff = unified_diff("a", saved, buffer)
    assert (diff == "") == (saved == buffer)
    assert apply(diff, saved) == buffer


@pytest.mark.requirement("EC-14")
@given(saved=texts, buffer=texts)
@settings(max_examples=100, deadline=None)
def test_a_large_change_shown_as_one_block_is_as_correct(saved: str, buffer: str) -> None:
    """What is beyond `difflib` is replaced as a whole, between the lines that are equal."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diffs, "MAX_COMPARISONS", 0)
        assert apply(unified_diff("a", saved, buffer), saved) == buffer


CASES = {
    "edit": ("a\nb\nc\n", "a\nB\nc\n"),
    "no newline before": ("a\nb", "a\nb\n"),
    "no newline after": ("a\nb\n", "a\nb"),
    "no newline at all": ("a\nb", "a\nc"),
    "from empty": ("", "a\n"),
    "windows": ("a\r\nb\r\n", "a\r\nB\r\n"),
    "far apart": ("x\n" * 40, "y\n" + "x\n" * 38 + "y\n"),
    "new file": (None, "a\nb\n"),
    "emptied": ("a\nb\n", ""),
}


@pytest.mark.requirement("FR-031", "SC-013")
@pytest.mark.parametrize("tool", ["git", "patch"])
@pytest.mark.parametrize("name", ["a.txt", "with blank.txt", "ü.txt"])
@pytest.mark.parametrize("case", CASES)
def test_git_and_patch_accept_it(tmp_path: Path, tool: str, name: str, case: str) -> None:
    """The tools that people use on diffs."""
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool} here")
    saved, buffer = CASES[case]
    file = tmp_path / name
    if saved is not None:
        file.write_text(saved, newline="")
    command = ["git", "apply", "-"] if tool == "git" else ["patch", "-p1", "--binary"]
    done = subprocess.run(
        command,
        input=unified_diff(name, saved, buffer).encode(),
        cwd=tmp_path,
        env={"GIT_CEILING_DIRECTORIES": str(tmp_path.parent), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert file.read_bytes() == buffer.encode()


def test_git_accepts_a_name_full_of_odd_characters(tmp_path: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("no git here")
    name = 'tab\there "quoted" back\\slash\nline ü.txt'
    (tmp_path / name).write_text("a\n")
    subprocess.run(
        ["git", "apply", "-"],
        input=unified_diff(name, "a\n", "b\n").encode(),
        cwd=tmp_path,
        env={"GIT_CEILING_DIRECTORIES": str(tmp_path.parent), "PATH": "/usr/bin:/bin"},
        check=True,
    )
    assert (tmp_path / name).read_text() == "b\n"


@pytest.mark.requirement("EC-14")
def test_a_large_file_does_not_hang() -> None:
    """200,000 lines that all changed, and one change among as many; worst cases for
    `difflib`, which would take minutes."""
    saved = "".join(f"line {n % 100}\n" for n in range(200_000))
    shuffled = "".join(f"line {n * 7 % 100}\n" for n in range(200_000))
    start = time.perf_counter()
    everything = unified_diff("big.txt", saved, "X\n" + shuffled + "Y\n")
    one_line = unified_diff("big.txt", saved, saved.replace("line 50\n", "line fifty\n", 1))
    repeats = unified_diff("b", "a\nb\n" * 480, "b\na\nc\n" * 330)
    assert time.perf_counter() - start < 10
    assert everything.count("@@ -") == 1
    assert one_line.count("\n") == 2 + 1 + 8
    assert apply(repeats, "a\nb\n" * 480) == "b\na\nc\n" * 330

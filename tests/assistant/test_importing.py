"""A specification in PDF, made by reportlab as a word processor would, into a workspace."""

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from bottega.assistant.curriculum.codes import KnownCodes, codes_in
from bottega.assistant.curriculum.evidence import check_evidence
from bottega.assistant.curriculum.specifications import import_specification
from bottega.assistant.workspace.service import Workspace
from bottega.assistant.workspace.view import lines_of
from bottega.errors import BottegaError, Conflict, InvalidInput, NotFound, TooLarge

PAGES = (
    ("Course overview", "This course builds on TCH 3-13a and", "on TCH 3-15a in particular."),
    ("Learners design and imple-", "ment solutions with loops.", "Unit SDD-3 is mandatory."),
    ("How it is judged.", "# Assessment", "TCH 3-15a is assessed by a task."),
    ("There is nothing here to tag.",),
)


def make_pdf(
    pages: Sequence[Sequence[str]] = PAGES,
    *,
    title: str = "Computing: course specification",
    running: str = "",
    password: str | None = None,
) -> bytes:
    data = io.BytesIO()
    encrypt = StandardEncryption(password) if password else None
    canvas = Canvas(data, encrypt=encrypt)
    canvas.setTitle(title)
    for number, lines in enumerate(pages, 1):
        printed = [running.format(number), *lines] if running else lines
        for row, line in enumerate(printed):
            canvas.drawString(72, 770 - 20 * row, line)
        canvas.showPage()
    canvas.save()
    return data.getvalue()


def put(folder: Path, data: bytes, name: str = "Course Spec.pdf") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
    return folder / name


@pytest.mark.requirement("AS-633")
async def test_a_pdf_becomes_markdown_beside_the_other_subjects(tmp_path: Path) -> None:
    """With the original kept for reference."""
    workspace = Workspace(tmp_path / "workspace")
    data = make_pdf()
    imported = await import_specification(workspace, put(tmp_path, data))
    assert (imported.path, imported.pages) == ("curriculum/course-spec.md", 4)
    text = await workspace.read(imported.path)
    assert text.startswith("# Computing: course specification\n")
    assert "design and implement solutions" in text
    assert "\n\\# Assessment\n" in text
    assert imported.original == "originals/course-spec.pdf"
    assert (workspace.folder / imported.original).read_bytes() == data
    assert imported.original in text


@pytest.mark.requirement("AS-634")
async def test_codes_are_listed_with_their_lines(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "workspace")
    imported = await import_specification(workspace, put(tmp_path, make_pdf()))
    assert list(imported.codes) == ["TCH 3-13a", "TCH 3-15a"]
    lines = lines_of(await workspace.read(imported.path))
    for code, numbers in imported.codes.items():
        assert f"- **{code}**: {', '.join(f'L{n}' for n in numbers)}" in lines
        for number in numbers:
            assert code in [each.name for each in codes_in(lines[number - 1])]
    assert len(imported.codes["TCH 3-15a"]) == 2


@pytest.mark.requirement("AS-635")
async def test_pages_are_headed_by_their_codes(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "workspace")
    imported = await import_specification(workspace, put(tmp_path, make_pdf()))
    text = await workspace.read(imported.path)
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == [
        "## Codes",
        "## Page 1: TCH 3-13a, TCH 3-15a",
        "## Page 2",
        "## Page 3: TCH 3-15a",
        "## Page 4",
    ]


@pytest.mark.requirement("AS-636")
async def test_running_heads_go_and_lines_with_codes_stay(tmp_path: Path) -> None:
    """Even if every page ends with a code, which looks like a running foot."""
    workspace = Workspace(tmp_path / "workspace")
    pages = [(f"Part {word} of it.", f"TCH 3-1{n}a") for n, word in enumerate("abcde", 1)]
    data = make_pdf(pages, running="Version 2.0 - page {}")
    imported = await import_specification(workspace, put(tmp_path, data))
    text = await workspace.read(imported.path)
    assert "Version 2.0" not in text
    assert list(imported.codes) == [f"TCH 3-1{n}a" for n in range(1, 6)]


@pytest.mark.requirement("AS-637")
async def test_codes_of_another_kind_are_tagged_if_they_are_given(tmp_path: Path) -> None:
    """As whole words, in any case."""
    workspace = Workspace(tmp_path / "workspace")
    imported = await import_specification(
        workspace, put(tmp_path, make_pdf()), also=["sdd-3", "DD-3", " "]
    )
    assert set(imported.codes) == {"TCH 3-13a", "TCH 3-15a", "sdd-3"}


@pytest.mark.requirement("AS-638")
async def test_an_imported_text_is_evidence(tmp_path: Path) -> None:
    """Quoted by its lines, and its codes are no inventions."""
    workspace = Workspace(tmp_path / "workspace")
    imported = await import_specification(workspace, put(tmp_path, make_pdf()))
    text = await workspace.read(imported.path)
    line = imported.codes["TCH 3-15a"][-1]
    pointer = f'[evidence: {imported.path}:L{line}-L{line} "is assessed by a task"]'
    files = {imported.path: text}
    report = check_evidence(f"This prepares for TCH 3-15a. {pointer}", files, files)
    assert not report.problems
    assert codes_in("TCH 3-13a")[0] in KnownCodes(files)
    assert codes_in("TCH 3-14a")[0] not in KnownCodes(files)


@pytest.mark.requirement("AS-639")
@pytest.mark.parametrize(
    ("data", "error", "reason"),
    [
        (b"This is no PDF at all.", InvalidInput, "cannot be read as a PDF"),
        (make_pdf()[:300], InvalidInput, "cannot be read as a PDF"),
        (make_pdf(password="secret"), InvalidInput, "protected by a password"),
        (make_pdf([()]), InvalidInput, "no text"),
        (None, NotFound, "There is no file"),
        (make_pdf([()] * 2), InvalidInput, "2 pages of pictures"),
    ],
)
async def test_what_cannot_be_imported_is_refused_and_leaves_nothing(
    tmp_path: Path, data: bytes | None, error: type[BottegaError], reason: str
) -> None:
    workspace = Workspace(tmp_path / "workspace")
    source = put(tmp_path, data) if data is not None else tmp_path / "missing.pdf"
    with pytest.raises(error, match=reason):
        await import_specification(workspace, source)
    assert not await workspace.files()


@pytest.mark.requirement("AS-639")
async def test_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages, text and bytes have their limits."""
    workspace = Workspace(tmp_path / "workspace")
    source = put(tmp_path, make_pdf())
    for limit, reason in (("MOST_PAGES", "pages"), ("MOST_TEXT", "text"), ("MOST_BYTES", "bytes")):
        with monkeypatch.context() as patch:
            patch.setattr(f"bottega.assistant.curriculum.specifications.{limit}", 3)
            with pytest.raises(TooLarge, match=reason):
                await import_specification(workspace, source)
    assert not await workspace.files()


@pytest.mark.requirement("AS-640")
async def test_an_import_overwrites_only_if_it_is_told_to(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "workspace")
    source = put(tmp_path, make_pdf())
    imported = await import_specification(workspace, source, name="Higher Computing")
    assert imported.path == "curriculum/higher-computing.md"
    before = await workspace.read(imported.path)
    put(tmp_path, make_pdf([("A new edition.",)]))
    with pytest.raises(Conflict, match="is there already"):
        await import_specification(workspace, source, name="Higher Computing")
    assert await workspace.read(imported.path) == before
    await import_specification(workspace, source, name="Higher Computing", replace=True)
    assert "A new edition." in await workspace.read(imported.path)
    assert len(await workspace.versions(imported.path)) == 1


@pytest.mark.requirement("AS-641")
async def test_a_long_import_is_shown_by_its_headings(tmp_path: Path) -> None:
    """Each with its line, so that the agent reads only there."""
    workspace = Workspace(tmp_path / "workspace")
    await workspace.write("curriculum/notes.md", "# Notes\n")
    filler = [f"Line {n} is about iteration and other matters of no weight." for n in range(30)]
    pages = [(f"TCH 3-1{n % 6}a", *filler) for n in range(30)]
    source = put(tmp_path, make_pdf(pages, title="Iteration in full"))
    imported = await import_specification(workspace, source)
    view = await workspace.view("a lesson on iteration", listed=["curriculum"])
    shown = next(file for file in view.files if file.path == imported.path)
    assert "## Page 3: TCH 3-12a" in shown.text
    assert "other matters" not in shown.text

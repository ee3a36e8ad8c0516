"""The servers that ship as sources, each started as it would be."""

import json
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.research.builders import ME, open_sources


def write_pdf(path: Path, *pages: str) -> None:
    canvas = Canvas(str(path))
    canvas.setTitle("Harbour rules")
    for text in pages:
        canvas.drawString(72, 720, text)
        canvas.showPage()
    canvas.save()


@pytest.mark.requirement("RS-566")
async def test_the_pdf_server_reads_pages_within_its_folders_only(tmp_path: Path) -> None:
    async with open_sources(tmp_path) as app:
        project = tmp_path / "project"
        write_pdf(project / "rules.pdf", "Berths are free.", "Anchors are heavy.", "Tides turn.")
        write_pdf(tmp_path / "outside.pdf", "Not for you.")
        (project / "link.pdf").symlink_to(tmp_path / "outside.pdf")
        (project / "broken.pdf").write_bytes(b"%PDF-1.7 and then nothing")

        info = json.loads(await app.call("pdf_info", "pdf", path="rules.pdf"))
        assert (info["pages"], info["title"]) == (3, "Harbour rules")
        read = json.loads(
            await app.call("pdf_text", "pdf", path="rules.pdf", first_page=2, last_page=2)
        )
        assert [(page["page"], page["text"].strip()) for page in read["text"]] == [
            (2, "Anchors are heavy.")
        ]
        assert read["next_page"] == 3
        for path, words in {
            "../outside.pdf": "outside",
            str(tmp_path / "outside.pdf"): "outside",
            "link.pdf": "outside",
            "broken.pdf": "cannot be read as a PDF",
            "absent.pdf": "absent.pdf",
        }.items():
            result = await app.sources.call("pdf", "pdf_text", {"path": path}, user_id=ME)
            assert result.is_error, path
            assert words in result.text
            assert "Not for you" not in result.text
        beyond = {"path": "rules.pdf", "first_page": 9}
        result = await app.sources.call("pdf", "pdf_text", beyond, user_id=ME)
        assert "has the pages 1 to 3" in result.text


@pytest.mark.requirement("RS-567")
async def test_the_example_server_runs(tmp_path: Path) -> None:
    async with open_sources(tmp_path) as app:
        await app.sources.enable("example", user_id=ME)
        assert await app.call("count_words", "example", text="one, two three") == "3"
        lines = await app.call("find_lines", "example", text="A cat\nA dog", word="CAT")
        assert "A cat" in lines

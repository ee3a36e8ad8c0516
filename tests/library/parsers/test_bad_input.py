import io
import socket
import time
import zipfile
from pathlib import Path

import pytest
from pypdf import PdfWriter
from reportlab.pdfgen.canvas import Canvas

from bottega.library.parsers.document import Reason, Unreadable
from bottega.library.parsers.reader import read_document

DOCUMENT = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'


def refusal(data: bytes, name: str) -> Unreadable:
    with pytest.raises(Unreadable) as caught:
        read_document(data, name)
    assert caught.value.message.startswith(f"{name}: ")
    assert caught.value.details == {"file": name, "reason": caught.value.reason.value}
    return caught.value


def package(**parts: str | bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as written:
        for name, content in parts.items():
            written.writestr(f"word/{name}.xml", content)
    return file.getvalue()


@pytest.mark.requirement("LB-130")
@pytest.mark.parametrize(
    ("data", "name", "reason"),
    [
        (b"", "a.md", Reason.EMPTY),
        (b" \n\t ", "a.txt", Reason.EMPTY),
        (b"---\ntitle: x\n---\n", "a.md", Reason.EMPTY),
        (b"<html><script>x</script></html>", "a.html", Reason.EMPTY),
        (b"x" * 50_000_001, "a.md", Reason.TOO_LARGE),
        (b"\x7fELF\x02", "a.so", Reason.UNKNOWN_TYPE),
        (b"PK\x03\x04rest", "a.zip", Reason.UNKNOWN_TYPE),
        (b"PK\x03\x04rest", "a.txt", Reason.UNKNOWN_TYPE),
        (b"no pdf", "a.pdf", Reason.MALFORMED),
        (b"no word", "a.docx", Reason.MALFORMED),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.docx", Reason.ENCRYPTED),
    ],
)
def test_a_file_that_is_no_document_is_refused(data: bytes, name: str, reason: Reason) -> None:
    """With its name and the reason."""
    assert refusal(data, name).reason is reason


@pytest.mark.requirement("LB-130")
def test_the_largest_size_is_the_callers_to_choose() -> None:
    """A limit that says what it is."""
    with pytest.raises(Unreadable, match="has 12 bytes; up to 10 are read"):
        read_document(b"Hello there.", "a.txt", largest=10)


def drawn_pdf(text: str = "") -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file)
    canvas.rect(10, 10, 100, 100, fill=1)
    if text:
        canvas.drawString(100, 700, text)
    canvas.save()
    return file.getvalue()


def locked_pdf(password: str) -> bytes:
    writer = PdfWriter(clone_from=io.BytesIO(drawn_pdf("The log is kept.")))
    writer.encrypt(user_password=password, owner_password="owner", algorithm="AES-256")
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


@pytest.mark.requirement("LB-131")
def test_a_pdf_with_a_password_is_refused_and_one_that_only_forbids_printing_is_read() -> None:
    """The empty password opens it for everyone."""
    assert refusal(locked_pdf("secret"), "a.pdf").reason is Reason.ENCRYPTED
    assert read_document(locked_pdf(""), "a.pdf").paragraphs[0].text == "The log is kept."


@pytest.mark.requirement("LB-131")
def test_a_pdf_without_a_word_is_refused() -> None:
    """A scan needs text recognition first, and the message says so."""
    error = refusal(drawn_pdf(), "a.pdf")
    assert error.reason is Reason.NO_TEXT
    assert "text recognition" in error.message


@pytest.mark.requirement("LB-132")
@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("café".encode(), ""),
        ("café".encode("utf-8-sig"), ""),
        ("café".encode("utf-16"), ""),
        ("café".encode("utf-32"), ""),
        ("café".encode("utf-16-le"), ""),
        ("café".encode("cp1252"), "read as Windows-1252"),
        ("ca\0fé".encode() + b" " * 400, "1 NUL"),
        (b"\xef\xbb\xbfcaf\xe9", "utf-8-sig, which does not fit"),
    ],
)
def test_a_text_is_decoded_and_a_guess_is_told(data: bytes, told: str) -> None:
    """Never silently wrong."""
    document = read_document(data, "a.txt")
    assert document.paragraphs[0].text.removeprefix("ï»¿") == "café"
    assert [told in problem.message for problem in document.problems[:1]] == [True] * bool(told)


@pytest.mark.requirement("LB-132")
def test_the_encoding_that_a_page_declares_is_used() -> None:
    """Unless it is no encoding of text."""
    page = '<meta charset="iso-8859-2"><p>Łódź</p>'
    assert read_document(page.encode("iso-8859-2"), "a.html").paragraphs[0].text == "Łódź"
    odd = read_document(b'<meta charset="zlib"><p>x</p>', "a.html")
    assert "does not fit" in odd.problems[0].message


@pytest.mark.requirement("LB-132")
def test_bytes_that_are_no_text_are_refused() -> None:
    """Under the name of a text."""
    assert refusal(bytes(range(256)) * 10, "a.txt").reason is Reason.NOT_TEXT
    assert refusal(b"a\0b\0\0c", "a.txt").reason is Reason.NOT_TEXT


@pytest.mark.requirement("LB-133")
def test_a_zip_bomb_is_refused_before_it_is_unpacked() -> None:
    """By ratio, by total, and in no time."""
    began = time.perf_counter()
    by_ratio = refusal(package(document=bytes(50_000_000)), "a.docx")
    assert by_ratio.reason is Reason.BOMB
    assert "word/document.xml grows" in by_ratio.message
    assert time.perf_counter() - began < 5
    many = {f"part{number}": bytes(900_000) for number in range(250)}
    assert refusal(package(**many), "a.docx").reason is Reason.BOMB


@pytest.mark.requirement("LB-133", "LB-135")
@pytest.mark.parametrize(
    "declared",
    [
        '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">',
        '<!ENTITY a SYSTEM "file:///etc/passwd">',
    ],
)
def test_xml_entities_are_refused(declared: str) -> None:
    """Neither expanded nor read from a file, in any encoding."""
    xml = f"<!DOCTYPE x [{declared}]>{DOCUMENT}<w:body><w:p>&a;</w:p></w:body></w:document>"
    assert refusal(package(document=xml), "a.docx").reason is Reason.BOMB
    in_utf16 = f'<?xml version="1.0" encoding="utf-16"?>{xml}'.encode("utf-16")
    assert refusal(package(document=in_utf16), "a.docx").reason is Reason.BOMB


@pytest.mark.requirement("LB-134")
def test_malformed_html_is_read_as_far_as_it_goes() -> None:
    """Nothing closed, nested wrongly, cut off, thousands deep."""
    page = (
        b"<h1>X<p>One <b>two</p><li>three</b><table><td>four<p>five</div></html><p>six <a href='x"
    )
    texts = " ".join(p.text for p in read_document(page, "a.html").paragraphs)
    for word in ("One two", "three", "four five", "six"):
        assert word in texts
    deep = b"<div>" * 100_000 + b"down here"
    assert read_document(deep, "a.html").paragraphs[0].text == "down here"


@pytest.mark.requirement("LB-134")
@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"%PDF-1.7\nrubbish", "a.pdf"),
        (drawn_pdf("words")[:400], "b.pdf"),
        (package(other="<x/>"), "c.docx"),
        (package(document="<w:document"), "d.docx"),
        (package(document=f"{DOCUMENT}</w:document>")[:-30], "e.docx"),
    ],
)
def test_a_damaged_file_is_refused(data: bytes, name: str) -> None:
    """As malformed."""
    assert refusal(data, name).reason is Reason.MALFORMED


@pytest.mark.requirement("LB-135")
def test_nothing_is_included_run_or_fetched(tmp_path: Path) -> None:
    """No file, no raw markup, no address; what was left out is told."""
    secret = tmp_path / "secret.txt"
    secret.write_text("hidden words")
    text = (
        f"Words.\n\n.. include:: {secret}\n\n.. raw:: html\n   :file: {secret}\n\n   <b>raw</b>\n\n"
        f".. literalinclude:: {secret}\n\nMore.\n"
    )
    document = read_document(text.encode(), "a.rst")
    assert [p.text for p in document.paragraphs] == ["Words.", "More."]
    assert [problem.start for problem in document.problems] == [3, 5, 10]
    # A real listener: libxml2 would connect below Python's sockets.
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/"
        page = (
            f'<!DOCTYPE html SYSTEM "{address}x.dtd" [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
            f'<base href="{address}"><link href="{address}"><script src="{address}"></script>'
            f'<iframe src="{secret.as_uri()}"></iframe><img src="{address}"><p>Words &x;.'
        )
        texts = [p.text for p in read_document(page.encode(), "a.html").paragraphs]
        with pytest.raises(BlockingIOError):
            server.accept()
    assert any("Words" in text for text in texts)
    assert all("hidden" not in text for text in texts)

"""The text of PDF files as an MCP server, from the folders named on the command line only."""

import asyncio
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import BaseModel

from bottega.core.files.pdf import open_pdf
from bottega.core.files.sandbox import Sandbox
from bottega.errors import BottegaError

if TYPE_CHECKING:
    from pypdf import PdfReader

MOST_BYTES = 100 * 1024 * 1024
MOST_PAGES = 50
MOST_TEXT = 50_000

READ_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class PdfInfo(BaseModel):
    path: str
    pages: int
    title: str | None = None


class PdfPage(BaseModel):
    page: int
    text: str


class PdfText(BaseModel):
    path: str
    pages: int
    text: list[PdfPage]
    #: Where to go on, if the text was cut.
    next_page: int | None = None


def make_server(folders: list[Path]) -> MCPServer:
    sandboxes = [Sandbox(folder, max_file_bytes=MOST_BYTES) for folder in folders]
    server = MCPServer("bottega-pdf", version="1.0.0", log_level="ERROR")

    async def read(path: str) -> bytes:
        errors: list[BottegaError] = []
        for sandbox in sandboxes:
            try:
                return await sandbox.read_bytes(path)
            except BottegaError as error:
                errors.append(error)
        # The one that is not just about a folder which it is not in says the most.
        raise ToolError(min(errors, key=lambda error: error.type == "forbidden").message)

    @server.tool(annotations=READ_ONLY)
    async def pdf_info(path: str) -> PdfInfo:
        """How many pages a PDF file has, and its title."""
        return await asyncio.to_thread(_info, path, await read(path))

    @server.tool(annotations=READ_ONLY)
    async def pdf_text(path: str, first_page: int = 1, last_page: int | None = None) -> PdfText:
        """The text of a PDF file, page by page, from `first_page` to `last_page`."""
        data = await read(path)
        return await asyncio.to_thread(_text, path, data, first_page, last_page)

    return server


def _info(path: str, data: bytes) -> PdfInfo:
    with _opened(path, data) as reader:
        title = str((reader.metadata and reader.metadata.title) or "").strip()
        count = len(reader.pages)
    return PdfInfo(path=path, pages=count, title=_UNFIT.sub("", title)[:500] or None)


def _text(path: str, data: bytes, first: int, last: int | None) -> PdfText:
    with _opened(path, data) as reader:
        count = len(reader.pages)
        if not 1 <= first <= count or (last is not None and last < first):
            raise ToolError(f"{path!r} has the pages 1 to {count}, not {first} to {last or count}.")
        last = min(last or count, first + MOST_PAGES - 1, count)
        pages: list[PdfPage] = []
        room = MOST_TEXT
        for number in range(first, last + 1):
            text = _UNFIT.sub("", reader.pages[number - 1].extract_text())
            if pages and len(text) > room:
                last = number - 1
                break
            pages.append(PdfPage(page=number, text=text[:room]))
            room -= len(pages[-1].text)
    following = last + 1 if last < count else None
    return PdfText(path=path, pages=count, text=pages, next_page=following)


@contextmanager
def _opened(path: str, data: bytes) -> Iterator["PdfReader"]:
    try:
        with open_pdf(data, repr(path)) as reader:
            yield reader
    except BottegaError as error:
        raise ToolError(error.message) from None


if __name__ == "__main__":
    make_server([Path(folder) for folder in sys.argv[1:]]).run("stdio")

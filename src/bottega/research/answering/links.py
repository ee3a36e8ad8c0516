"""Where a citation leads: to the paragraph's page in our web app, or into the source file."""

import re
from pathlib import PurePath
from typing import Literal
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict

from bottega.library.service import ParagraphView

_LINE = re.compile(r"line (\d+)")
_PAGE = re.compile(r"page (\d+)")

Linker = Literal["file", "paragraph", "none"]


class CitedParagraph(BaseModel):
    """A paragraph that an answer cites, as `answer.json` has it."""

    model_config = ConfigDict(frozen=True)

    ref: str
    document: str
    #: Relative to the library's root, or an uploaded file's name.
    path: str
    #: Line, page or block: `line 12`.
    start: str | None
    #: Verbatim, with the words that lead to it.
    text: str

    @classmethod
    def of(cls, paragraph: ParagraphView, text: str) -> "CitedParagraph":
        return cls(
            ref=paragraph.ref,
            document=paragraph.document,
            path=paragraph.path,
            start=paragraph.start,
            text=text,
        )


def link_to(
    cited: CitedParagraph, linker: Linker, *, library: str, root: str | None = None
) -> str | None:
    match linker:
        case "paragraph":
            return paragraph_link(library, cited.ref)
        case "file":
            return file_link(cited, root)
        case "none":
            return None


def paragraph_link(library: str, ref: str) -> str:
    # All of it is quoted: a reference may have slashes and brackets, which would end the link.
    return f"/libraries/{_quoted(library)}/paragraphs/{_quoted(ref)}"


def file_link(cited: CitedParagraph, root: str | None) -> str:
    anchor = ""
    if line := _LINE.fullmatch(cited.start or ""):
        anchor = f"#L{line[1]}"
    elif page := _PAGE.fullmatch(cited.start or ""):
        anchor = f"#page={page[1]}"
    whole = PurePath(root, cited.path) if root else PurePath(cited.path)
    if whole.is_absolute():
        return f"{whole.as_uri().replace('(', '%28').replace(')', '%29')}{anchor}"
    return "/".join(_quoted(part) for part in whole.as_posix().split("/")) + anchor


def _quoted(text: str) -> str:
    return quote(text, safe="")

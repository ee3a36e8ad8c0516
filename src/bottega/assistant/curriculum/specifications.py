"""A specification, a past paper or marking instructions as PDF, into markdown with its codes.

The text stays as it is printed, line by line, so that it can be quoted. What is added are a heading
for every page, which names the codes on it, and a list of all codes with their lines: an agent
finds the place by the headings and reads only there. The PDF itself is kept beside it.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bottega.assistant.curriculum.codes import codes_in
from bottega.assistant.plugins.definition import slug
from bottega.assistant.workspace.service import Workspace
from bottega.core import clock
from bottega.core.files.pdf import open_pdf
from bottega.core.files.sandbox import Sandbox
from bottega.errors import Conflict, InvalidInput, NotFound, TooLarge

FOLDER = "curriculum"
ORIGINALS = "originals"
MOST_BYTES = 50 * 1024 * 1024
MOST_PAGES = 1000
#: Characters; a workspace keeps no larger file.
MOST_TEXT = 3_000_000

_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufeff]")
_HYPHENATED = re.compile(r"(?<=[^\W\d_]{2})[-\u00ad]\n(?=[a-z]{2})")
_MARKUP = re.compile(r"^(?=[ \t]*(?:#|>|```|~~~|---))", re.MULTILINE)
_DIGITS = re.compile(r"\d+")
#: Lines at the top and bottom of a page that may be running heads, and on how many pages.
_EDGE = 2
_FEWEST_PAGES = 4


@dataclass(frozen=True, slots=True)
class Specification:
    """A PDF as it was read."""

    title: str
    pages: Sequence[str]


@dataclass(frozen=True, slots=True)
class ImportedSpecification:
    #: Of the markdown, in the workspace.
    path: str
    original: str
    title: str
    pages: int
    #: Every code with the lines of the markdown that name it.
    codes: Mapping[str, Sequence[int]]
    #: Pages from which no text came: pictures, perhaps.
    empty_pages: Sequence[int]


async def import_specification(
    workspace: Workspace,
    source: Path,
    *,
    name: str | None = None,
    also: Sequence[str] = (),
    replace: bool = False,
) -> ImportedSpecification:
    """Puts `curriculum/{name}.md` and `originals/{name}.pdf` into the workspace.

    `also` are codes of a kind that we do not know, to be tagged as they are written.
    """
    data = await asyncio.to_thread(_read, source)
    specification = await asyncio.to_thread(read_specification, data, source.name)
    stem = slug(name or source.stem)
    path, original = f"{FOLDER}/{stem}.md", f"{ORIGINALS}/{stem}.pdf"
    if await workspace.exists(path) and not replace:
        raise Conflict(f"{path} is there already. Choose another name, or say that it be replaced.")
    text, codes = await asyncio.to_thread(write_markdown, specification, original, also)
    await Sandbox(workspace.folder, max_file_bytes=MOST_BYTES).write(original, data)
    await workspace.write(path, text)
    return ImportedSpecification(
        path=path,
        original=original,
        title=specification.title,
        pages=len(specification.pages),
        codes=codes,
        empty_pages=[n for n, page in enumerate(specification.pages, 1) if not page.strip()],
    )


def read_specification(data: bytes, name: str) -> Specification:
    """Blocking, and slow for a long file."""
    title, pages = _extract(data, name)
    if not any(page.strip() for page in pages):
        raise InvalidInput(
            f"{name} has {len(pages):,} pages of pictures and no text. Run text recognition on it "
            "first."
        )
    pages = [_HYPHENATED.sub("", page) for page in _without_running_heads(pages)]
    stem = name.rsplit(".", 1)[0].replace("_", " ").replace("-", " ").strip()
    return Specification(title or stem or "Specification", pages)


def write_markdown(
    specification: Specification, original: str, also: Sequence[str] = ()
) -> tuple[str, Mapping[str, Sequence[int]]]:
    found = [_codes_by_line(page, also) for page in specification.pages]
    tagged = sorted({code for page in found for codes in page.values() for code in codes})
    head = [
        f"# {specification.title}",
        "",
        f"Imported on {clock.now().date().isoformat()} from {original}, "
        f"{len(specification.pages):,} pages. The words are the publisher's, for your own use.",
        "",
        "## Codes",
        "",
    ]
    # One line for each code, or the one that says that there are none; then an empty one.
    line = len(head) + max(len(tagged), 1) + 1
    body: list[str] = []
    places: dict[str, list[int]] = {code: [] for code in tagged}
    for number, (page, codes) in enumerate(zip(specification.pages, found, strict=True), 1):
        on_page = sorted({code for named in codes.values() for code in named})
        body += [f"## Page {number}" + (f": {', '.join(on_page)}" if on_page else ""), ""]
        start = line + len(body)
        for index, named in codes.items():
            for code in named:
                places[code].append(start + index + 1)
        body += [*_MARKUP.sub(r"\\", page).split("\n"), ""]
    index_lines = [f"- **{code}**: {', '.join(f'L{n}' for n in places[code])}" for code in tagged]
    lines = [*head, *(index_lines or ["None were found."]), "", *body]
    return "\n".join(lines), places


def _read(source: Path) -> bytes:
    # Nothing that would never end, such as a pipe.
    if not source.is_file():
        raise NotFound(f"There is no file {source}.")
    try:
        size = source.stat().st_size
        if size > MOST_BYTES:
            raise TooLarge(f"{source.name} has {size:,} bytes; at most {MOST_BYTES:,} can be read.")
        return source.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{source} cannot be read: {error.strerror}.") from None


def _extract(data: bytes, name: str) -> tuple[str, list[str]]:
    with open_pdf(data, name) as reader:
        if len(reader.pages) > MOST_PAGES:
            raise TooLarge(f"{name} has {len(reader.pages):,} pages; at most {MOST_PAGES:,}.")
        pages, size = [], 0
        for page in reader.pages:
            pages.append(_tidy(page.extract_text()))
            size += len(pages[-1])
            if size > MOST_TEXT:
                raise TooLarge(f"{name} has over {MOST_TEXT:,} characters of text. Split it.")
        title = str((reader.metadata and reader.metadata.title) or "")
    return " ".join(_UNFIT.sub(" ", title).split())[:200], pages


def _tidy(text: str) -> str:
    lines = [line.rstrip() for line in _UNFIT.sub("", text.replace("\r", "\n")).split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _without_running_heads(pages: Sequence[str]) -> list[str]:
    """Without what stands at the edge of most pages, whatever its number."""
    if len(pages) < _FEWEST_PAGES:
        return list(pages)
    cut = [page.split("\n") for page in pages]
    counts = Counter(shape for lines in cut for shape in {_shape(lines[n]) for n in _edges(lines)})
    repeated = {shape for shape, count in counts.items() if shape and count * 2 >= len(pages)}
    return ["\n".join(_without(lines, repeated)).strip("\n") for lines in cut]


def _without(lines: Sequence[str], repeated: set[str]) -> list[str]:
    # A line with a code looks like the next one with another: it is no running head.
    edges = {n for n in _edges(lines) if not codes_in(lines[n])}
    return [line for n, line in enumerate(lines) if n not in edges or _shape(line) not in repeated]


def _edges(lines: Sequence[str]) -> set[int]:
    return {n for n in range(len(lines)) if n < _EDGE or n >= len(lines) - _EDGE}


def _shape(line: str) -> str:
    return _DIGITS.sub("#", " ".join(line.split()))


def _codes_by_line(page: str, also: Sequence[str]) -> dict[int, list[str]]:
    """The codes in each line of a page, for the lines that have some."""
    found: dict[int, list[str]] = {}
    for index, line in enumerate(page.split("\n")):
        named = [code.name for code in codes_in(line)]
        named += [code for code in also if code.strip() and _stands_in(code, line)]
        if named:
            found[index] = list(dict.fromkeys(named))
    return found


def _stands_in(code: str, line: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(code)}(?!\w)", line, re.IGNORECASE) is not None

"""Passages of manuals that Debian packages bring: `python -m training.passages FOLDER`.

Writes FOLDER/passages.jsonl. A passage is a run of paragraphs under one heading, 35 to 220 words;
its id is the file below /usr/share/doc and the passage's number in it. Another edition of a package
has other passages, so `written.jsonl` says by a hash which text its claims are about.
"""

import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from lxml import html
from lxml.etree import ParserError

DOC = Path("/usr/share/doc")
#: `apt-get install` these; README.md names the editions.
PACKAGES = (
    "git-doc libpam-doc postgresql-doc-15 subversion apache2-doc shorewall-doc exim4-doc-html "
    "python3.11-doc lilypond-doc-html octave-doc"
)
MANUALS = (
    "git-doc/*.html",
    "libpam-doc/html/*.html",
    "postgresql-doc-15/html/*.html",
    "subversion/*.html",
    "apache2-doc/manual/en/**/*.html",
    "shorewall-doc/html/*.htm",
    "exim4-doc-html/spec_html/*.html",
    "python3.11/html/**/*.html",
    "lilypond/html/Documentation/learning/*.html",
    "octave/octave.html/*.html",
)
HEADINGS = ("h1", "h2", "h3", "h4", "h5")
#: What leads through a manual instead of saying something.
NAVIGATION = (
    '//nav|//script|//style|//table[contains(@class,"nav")]|//div[contains(@class,"nav") or '
    'contains(@class,"sidebar") or contains(@class,"related") or contains(@class,"footer") or '
    'contains(@class,"toc") or @id="quickview"]'
)
#: Words of a passage, at least and at most, and from where on it ends with the paragraph before.
SHORTEST, LONGEST, FULL = 35, 220, 140
#: Words of a paragraph; below, it is a label.
FEWEST = 4
#: The share of letters below which it is a listing rather than prose.
LETTERS = 0.86


@dataclass(frozen=True, slots=True)
class Passage:
    id: str
    text: str

    @property
    def document(self) -> str:
        return self.id.split("#")[0]


def main() -> None:
    folder = Path(sys.argv[1])
    found = [passage for manual in MANUALS for passage in _manual(manual)]
    with (folder / "passages.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(asdict(passage)) + "\n" for passage in found)
    print(len(found), Counter(passage.id.split("/")[0] for passage in found))


def read_passages(folder: Path) -> list[Passage]:
    lines = (folder / "passages.jsonl").read_text("utf-8").splitlines()
    return [Passage(**json.loads(line)) for line in lines]


def _manual(pattern: str) -> Iterator[Passage]:
    """Its passages, each text once."""
    seen: set[str] = set()
    # As strings: a folder's files come before those of the folder whose name it begins.
    for path in sorted(DOC.glob(pattern), key=str):
        for number, text in enumerate(_passages(path)):
            if _is_prose(text) and text not in seen:
                seen.add(text)
                yield Passage(f"{path.relative_to(DOC)}#{number}", text)


def _passages(path: Path) -> Iterator[str]:
    collected: list[str] = []
    words = 0
    for paragraph in [*_paragraphs(path), None]:
        length = len(paragraph.split()) if paragraph is not None else 0
        if paragraph is not None and length < FEWEST:
            continue
        if paragraph is None or words + length > FULL:
            if SHORTEST <= words <= LONGEST:
                yield " ".join(collected)
            collected, words = [], 0
        if paragraph is not None:
            collected.append(paragraph)
            words += length


def _paragraphs(path: Path) -> Iterator[str | None]:
    """The text of each; None where a heading begins something else."""
    held = path.read_bytes()
    try:
        page = html.fromstring(gzip.decompress(held) if path.suffix == ".gz" else held)
    except (ParserError, ValueError):
        return
    for part in page.xpath(NAVIGATION):
        if part.getparent() is not None:
            part.drop_tree()
    for part in page.iter(*HEADINGS, "p", "li", "dd"):
        text = re.sub(r"\s+", " ", part.text_content()).strip().replace("¶", "")
        if part.tag in HEADINGS:
            yield None
        elif text and not (part.tag in ("li", "dd") and part.find(".//p") is not None):
            yield text


def _is_prose(text: str) -> bool:
    letters = sum(each.isalpha() or each == " " for each in text) / len(text)
    return letters > LETTERS and ". " in text and text.isascii()


if __name__ == "__main__":
    main()

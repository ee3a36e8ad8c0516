"""Claims about manuals that the reader learns from, and the paragraphs that they are about.

There are 4,164 in `manual_claims.jsonl`: about the example, and about seventeen documents that
Debian packages bring: manuals, a handbook, licenses, a protocol, a book on politics. Half are true;
true and false ones alike are copied, touched up and freely reworded, so that the words which a
claim shares with its text tell little about it.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bottega.library.parsers.reader import read_document
from bottega.library.verify.citations import read_cited
from bottega.library.verify.verdicts import Verdict
from tests.library.rules import labelled

CLAIMS = Path(__file__).with_name("manual_claims.jsonl")
SHARE = Path("/usr/share")
#: What brings the documents: `apt-get install` these. Claims about what is missing are left out.
PACKAGES = (
    "anarchism debian-handbook debian-reference-en developers-reference diffutils findutils "
    "gettext gnupg harden-doc installation-guide-amd64 libpng16-16 ninja-build sqlite3-doc "
    "x11proto-dev"
)
#: The example standards, as the file that claims are about.
EXAMPLE = "standards"


@dataclass(frozen=True, slots=True)
class Example:
    text: str
    claim: str
    is_true: bool
    document: str
    kind: str


def installed_examples() -> Iterator[Example]:
    """Those whose documents are installed, in the edition they are about."""
    for line in CLAIMS.read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["file"] != EXAMPLE and not (SHARE / row["file"]).exists():
            continue
        text = _paragraphs(row["file"]).get(row["ref"])
        if text and hashlib.sha256(text.encode()).hexdigest().startswith(row["sha256"]):
            is_true = row["label"] == Verdict.SUPPORTED
            yield Example(text, row["claim"], is_true, row["file"], row["kind"])


@cache
def _paragraphs(file: str) -> dict[str, str]:
    if file == EXAMPLE:
        return dict(_standards())
    path = SHARE / file
    document = read_document(labelled.unpacked(path), labelled.file_name(path))
    found: dict[str, str] = {}
    for paragraph in document.paragraphs:
        found.setdefault(paragraph.ref, paragraph.text)
    return found


def _standards() -> Iterator[tuple[str, str]]:
    """Paragraphs with all their items, and items with what leads to them."""
    paragraphs = labelled.standards().paragraphs
    for ref in paragraphs:
        text, leads = read_cited(ref, paragraphs)
        yield ref, " ".join([*leads, text])

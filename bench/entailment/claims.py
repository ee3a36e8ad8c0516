"""The claims that the reader of citations learns from, and the paragraphs that they are about.

Besides the tuning claims of the rules there are 4,164 in `claims.jsonl`: about the example, and
about seventeen documents that Debian packages bring: manuals, a handbook, licenses, a protocol, a
book on politics. Half are true; true and false ones alike are copied, touched up and freely
reworded, so that the words which a claim shares with its text tell little about it.
"""

import hashlib
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from bottega.library.parsers.reader import read_document
from bottega.library.verify.citations import read_cited
from bottega.library.verify.verdicts import Verdict
from tests.library.rules import labelled

CLAIMS = Path(__file__).with_name("claims.jsonl")
SHARE = Path("/usr/share")
PACKAGES = (
    "anarchism debian-handbook debian-reference-en developers-reference diffutils findutils "
    "gettext gnupg harden-doc installation-guide-amd64 libpng16-16 ninja-build sqlite3-doc "
    "x11proto-dev"
)
TUNING = ("claims_tuning", "claims_foreign_tuning", "claims_foreign_fresh")
#: The example standards, as the file that claims are about.
EXAMPLE = "standards"
#: Documents whose claims are not learned from, to see how well the rest carries over.
SET_ASIDE = ("diffutils", "ninja-build", "MPL-1.1")


@dataclass(frozen=True, slots=True)
class Example:
    text: str
    claim: str
    is_true: bool
    document: str
    kind: str


def learned_from() -> list[Example]:
    examples = [
        *_tuning(),
        *(each for each in installed_examples() if not _is_about_the_example(each)),
    ]
    kept = [each for each in examples if not _is_set_aside(each)]
    return [*kept, *made_of(kept, random.Random(0))]


def repeated() -> list[Example]:
    """What is learned at last: claims about the example that quote it rather closely, among whom
    the tuning claims have too few true ones, and some of the others again."""
    close = [each for each in installed_examples() if _is_about_the_example(each)]
    return [*close, *random.Random(1).sample(learned_from(), 3 * len(close))]


def set_aside() -> list[Example]:
    return [each for each in installed_examples() if _is_set_aside(each)]


def _is_about_the_example(example: Example) -> bool:
    return example.document == EXAMPLE


def _is_set_aside(example: Example) -> bool:
    return any(name in example.document for name in SET_ASIDE)


def _tuning() -> Iterator[Example]:
    for claim in (each for name in TUNING for each in labelled.claims(name)):
        text = labelled.texts_of(claim).paragraphs.get(claim.ref)
        if text is not None:
            is_true = claim.label is Verdict.SUPPORTED
            yield Example(text, claim.claim, is_true, claim.document or EXAMPLE, claim.kind)


def installed_examples() -> Iterator[Example]:
    """Those of `claims.jsonl` whose documents are installed, in the edition they are about."""
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
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: apt-get install {PACKAGES}")
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


def made_of(examples: Sequence[Example], chance: random.Random) -> Iterator[Example]:
    """True claims that cite another paragraph, and sentences as they stand, here or elsewhere."""
    by_document: dict[str, list[Example]] = defaultdict(list)
    for example in examples:
        by_document[example.document].append(example)
    for among in by_document.values():
        texts = sorted({each.text for each in among})
        if len(texts) < 4:
            continue
        true = [each for each in among if each.is_true]
        for example in chance.sample(true, len(true) // 7):
            other = chance.choice([text for text in texts if text != example.text])
            yield replace(example, text=other, is_true=False, kind="wrong_paragraph")
        for text in chance.sample(texts, len(texts) // 3):
            for sentence in _one(sentences(text), chance):
                yield replace(among[0], text=text, claim=sentence, is_true=True, kind="verbatim")
        for text in chance.sample(texts, len(texts) // 10):
            said = [each for each in sentences(chance.choice(texts)) if each not in text]
            for sentence in _one(said, chance):
                yield replace(
                    among[0], text=text, claim=sentence, is_true=False, kind="wrong_paragraph"
                )


def _one(sentences: Sequence[str], chance: random.Random) -> list[str]:
    """Of them, if there are any."""
    return chance.sample(sentences, min(1, len(sentences)))


def sentences(text: str) -> list[str]:
    parts = re.split(r"(?<=[.;])\s+(?=[A-Z“\"])", text)
    return [part for part in parts if 6 <= len(part.split()) <= 60]
